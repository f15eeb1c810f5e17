"""Draw questions and requests."""

from __future__ import annotations

from dataclasses import replace

from seqpre.demo.grammar.clauses import without
from seqpre.demo.grammar.constructions import TENSES, Constructions
from seqpre.demo.grammar.lexicon import Pair, Proper
from seqpre.demo.grammar.meaning import (
    YES_NO,
    YOU,
    YOU_FAMILIAR,
    Clause,
    Interrogative,
    Pronoun,
    Sentence,
    Tense,
    Titled,
)


class Questions(Constructions):
    """One method per construction."""

    def _yes_no(self) -> Sentence:
        tense = TENSES.draw(self.rng)
        if self.chance(0.5):
            return self._to_listener(tense)
        clause = self.copula(self.simple_tense()) if self.chance(0.25) else self.clause(tense, adverbs=0.6)
        return Sentence(replace(without(clause), negated=False), question=YES_NO)

    def _to_listener(self, tense: Tense) -> Sentence:
        """A question to Sie, or to du where somebody is called by the first name."""
        draw = self.rng.random()
        listener: Pronoun = YOU_FAMILIAR if draw < 0.35 else YOU
        vocative: Proper | Titled | None = None
        if listener is YOU_FAMILIAR:
            vocative = self.first_name()
        elif draw < 0.6:
            vocative = Titled(self.families.draw(self.rng), self.chance(0.5))
        clause = without(self.clause(tense, self.human.draw(self.rng), listener, adverbs=0.6))
        return Sentence(replace(clause, negated=False), question=YES_NO, vocative=vocative)

    def _wh(self) -> Sentence:
        draw = self.rng.random()
        tense: Tense = ("present", "past", "past", "future")[self.uniform(0, 3)]
        if draw < 0.25:
            question = Pair("where", "wo")
            clause = without(self.clause(tense, self.placed.draw(self.rng), adverbs=0.3), "place")
            arguments = tuple(pair for pair in clause.arguments if pair[0].german != "at")
            clause = replace(clause, arguments=arguments)
        elif draw < 0.45:
            question = Pair("when", "wann")
            clause = self.clause("future" if tense == "present" else tense, self.actions.draw(self.rng), adverbs=0.3)
            clause = without(clause, "time", "frequency")
        elif draw < 0.65:
            clause, question = self.clause(tense, adverbs=0.5), Pair("why", "warum")
        elif draw < 0.85:
            clause = self.clause(tense, self.human.draw(self.rng), Interrogative(human=True), adverbs=0.4)
            question = Pair("who", "wer")
        else:
            verb = self.transitives.draw(self.rng)
            marker = verb.complements[0]
            human = marker.nouns.split(",")[0] in ("human", "person", "relative")
            subject = self.participant(verb.subject, "subject")
            progressive = tense == "present" and "s" not in verb.flags
            clause = Clause(subject, verb, tense, ((marker, Interrogative(human)),), progressive=progressive)
            question = Pair("who", "wen") if human else Pair("what", "was")
        return Sentence(replace(without(clause), negated=False), question=question)

    def _request(self) -> Sentence:
        clause = self.clause("present", self.requests.draw(self.rng), YOU, adverbs=0.3)
        clause = replace(without(clause, "time", "frequency", "company"), negated=False, progressive=False)
        return Sentence(clause, request=True)
