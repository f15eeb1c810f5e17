"""Draw sentences of two clauses."""

from __future__ import annotations

from dataclasses import replace

from seqpre.demo.grammar import words
from seqpre.demo.grammar.clauses import negatable, plain_determiner, without
from seqpre.demo.grammar.constructions import TENSES, Constructions, is_transitive
from seqpre.demo.grammar.lexicon import Pair, Verb
from seqpre.demo.grammar.meaning import (
    WE,
    Clause,
    Embedded,
    I,
    Nominal,
    NounPhrase,
    Pronoun,
    Sentence,
    Tense,
    pronoun_for,
)
from seqpre.demo.grammar.phrases import Weighted
from seqpre.demo.grammar.tables import pairs

_SUBORDINATORS = Weighted(pairs(words.SUBORDINATORS), (0.3, 0.2, 0.12, 0.12, 0.1, 0.07, 0.06, 0.03))
_AND, _BUT = Pair("and", "und"), Pair("but", "aber")


class CompoundSentences(Constructions):
    """One method per construction."""

    def _subordinate(self) -> Sentence:
        conjunction = _SUBORDINATORS.draw(self.rng)
        name = conjunction.english
        conditional, sequence = name in ("if", "as soon as"), name in ("before", "after", "as soon as")
        tense: Tense = "present" if conditional else self.simple_tense()
        main = without(self.clause("future" if conditional else tense, self.human.draw(self.rng), adverbs=0.4))
        subject = pronoun_for(main.subject) if self.chance(0.6) else None
        if name == "after":
            tense = "pluperfect" if tense == "past" else "perfect"
        draw = self.rng.random()
        if draw < 0.18 and not sequence:
            sub = self.weather_clause(tense)
        elif draw < 0.45 and not sequence and name != "while":
            sub = self.copula(tense, subject)
        else:
            verb = main.verb
            while verb is main.verb:
                verb = (self.actions if sequence or name == "while" else self.human).draw(self.rng)
            sub = without(self.clause(tense, verb, subject, adverbs=0.4))
            if sequence:
                sub = without(sub, "frequency", "time", "mid")
            if name in ("when", "if") or sequence:
                sub = replace(sub, progressive=False, negated=False)
            elif name == "while":
                sub = replace(sub, progressive=True, negated=False)
        if sub.subject == main.subject:
            subject = pronoun_for(main.subject)
            sub = replace(sub, subject=subject)
        if name == "when" and tense == "past":
            conjunction = Pair("when", "als")
        if not self.chance(0.35):
            return Sentence(main, after=(conjunction, sub))
        if subject is not None and sub.subject == subject:  # the name comes first, the pronoun later
            sub, main = replace(sub, subject=main.subject), replace(main, subject=subject)
        return Sentence(main, before=(conjunction, sub))

    def _that(self) -> Sentence:
        verb = self.saying.draw(self.rng)
        tense = self.simple_tense()
        subject = self.participant("human", "subject")
        inner_tense: Tense = "past"
        if tense == "present":
            inner_tense = ("present", "past", "future")[self.uniform(0, 2)]
        about = pronoun_for(subject) if self.chance(0.35) and subject not in (I, WE) else None
        if self.chance(0.3):
            inner = self.copula(inner_tense, about)
        else:
            inner = without(self.clause(inner_tense, self.human.draw(self.rng) if about else None, about, adverbs=0.5))
        clause = Clause(subject, verb, tense, embedded=Embedded(inner, Pair("that", "dass")))
        negated = verb.english.base in ("know", "think", "believe") and self.chance(0.2) and negatable(clause)
        return Sentence(replace(clause, negated=negated))

    def _whether(self) -> Sentence:
        verb = self.asking.draw(self.rng)
        tense = self.simple_tense()
        inner = replace(without(self.clause(tense, adverbs=0.5)), negated=False)
        subject = self.participant("human", "subject")
        if isinstance(subject, NounPhrase) and not negatable(Clause(subject, verb)):
            subject = replace(subject, determiner="the")
        clause = Clause(subject, verb, tense, embedded=Embedded(inner, Pair("whether", "ob")))
        return Sentence(replace(clause, negated=verb.english.base == "know"))

    def _infinitive(self) -> Sentence:
        subject = self.participant("human", "subject")
        inner = self.clause("present", self.intended.draw(self.rng), subject, adverbs=0.3)
        inner = replace(without(inner, "time", "frequency"), negated=False, progressive=False)
        return Sentence(Clause(subject, self.controlling.draw(self.rng), self.simple_tense(), embedded=Embedded(inner)))

    def _purpose(self) -> Sentence:
        main = self.clause(TENSES.draw(self.rng), self.motions.draw(self.rng), adverbs=0.5)
        verb = self.intended.draw(self.rng)
        while any(each.german == "to" for each in verb.complements):
            verb = self.intended.draw(self.rng)
        inner = self.clause("present", verb, main.subject, adverbs=0)
        return Sentence(replace(main, negated=False, embedded=Embedded(inner, purpose=True)))

    def _coordination(self) -> Sentence:
        tense = self.simple_tense()
        first = self.clause(tense, adverbs=0.5)
        subject: Nominal | None = None
        verb: Verb | None = None
        if self.chance(0.4) and not isinstance(first.subject, Pronoun):
            subject = pronoun_for(first.subject)
            if isinstance(first.subject, NounPhrase):
                verb = self.verb_for(first.subject.noun, "subject")
            else:
                verb = self.human.draw(self.rng)
        if verb is first.verb:
            subject = verb = None
        second = without(self.clause(tense, verb, subject, adverbs=0.4))
        return Sentence(first, conjoined=(_AND if self.chance(0.65) else _BUT, second))

    def _shared_subject(self) -> Sentence:
        """Two things done to the same object: bought the book and read it."""
        while True:
            first = self.clause(self.simple_tense(), self.transitives.draw(self.rng), adverbs=0.4)
            item = first.arguments[0][1] if first.arguments else None
            if (
                not isinstance(item, NounPhrase)
                or item.noun.kind in ("person", "relative")
                or item.relative is not None
            ):
                continue
            other = self.verb_for(item.noun, "object")
            if (
                first.verb.subject != "human"
                or "s" in first.verb.flags
                or first.negated
                or not plain_determiner(item)
                or other is None
                or other is first.verb
                or other.subject != "human"
                or other.flags & set("su")
                or other.english.particle
                or not is_transitive(other)
            ):
                continue
            second = Clause(first.subject, other, first.tense, ((other.complements[0], pronoun_for(item)),))
            second = without(self.with_adverbials(second, 0.5), "time", "frequency", "company")
            second = replace(second, negated=False, progressive=False)
            return Sentence(replace(first, progressive=False), conjoined=(_AND, second), shared=True)

    def _quotation(self) -> Sentence:
        clause = self.clause(
            TENSES.draw(self.rng), self.human.draw(self.rng), I if self.chance(0.6) else WE, adverbs=0.7
        )
        speaker = self.participant("human", "object", pronouns=False)
        if isinstance(speaker, NounPhrase):
            speaker = replace(
                speaker, plural=False, number=0, determiner="owner" if speaker.owner is not None else "the"
            )
        return Sentence(clause, speaker=speaker)
