"""Draw clauses: a verb that the domain talks about, participants that fit its frame, and what else is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from seqpre.demo.grammar.lexicon import Complement, Lexicon, Noun, Pair, Verb
from seqpre.demo.grammar.meaning import (
    BE,
    Adverbial,
    Clause,
    Coordination,
    Fixed,
    Gap,
    Nominal,
    NounPhrase,
    Tense,
)
from seqpre.demo.grammar.phrases import Domain, Phrases, Weighted

# Complements of place take definite singular nouns.
_PLACES = frozenset({"at", "to", "auf", "in", "aus", "durch"})
_DEGREES = Weighted(
    (Pair("very", "sehr"), Pair("too", "zu"), Pair("really", "wirklich"), Pair("quite", "ziemlich")),
    (0.5, 0.2, 0.15, 0.15),
)
COPULA_KINDS: Sequence[str] = (
    "human", "pet", "animal", "clothing", "tool", "room", "building", "dwelling", "text", "event", "dish", "drink",
    "vehicle", "device", "furniture", "idea", "outdoors", "quantity", "organisation", "show", "fruit", "substance",
    "software",
)  # fmt: skip
ANIMATE = frozenset({"person", "relative", "pet", "animal"})


class Clauses(Phrases):
    """Draws clauses for one domain."""

    def __init__(self, lexicon: Lexicon, domain: Domain, rng: Random) -> None:
        super().__init__(lexicon, domain, rng)
        self._verb_weights = [
            domain.topics[verb.topic] * (verb.rank + 3.0) ** -domain.exponent for verb in lexicon.verbs
        ]
        self.verbs = Weighted(lexicon.verbs, self._verb_weights)
        self.human = self.verbs_where(lambda verb: verb.subject == "human")
        self.actions = self.verbs_where(lambda verb: verb.subject == "human" and "s" not in verb.flags)
        self.intended = self.verbs_where(lambda verb: verb.subject == "human" and not verb.flags & set("su"))
        self._stand_in = next(noun for noun in lexicon.nouns if noun.kind == "person")
        self._verbs_for: dict[tuple[Noun, str], Weighted[Verb] | None] = {}

    def verbs_where(self, wanted: Callable[[Verb], bool]) -> Weighted[Verb]:
        """The verbs that meet a condition, with the domain's weights."""
        weighted = zip(self.lexicon.verbs, self._verb_weights, strict=True)
        chosen = [(verb, weight) for verb, weight in weighted if wanted(verb)]
        return Weighted([verb for verb, _ in chosen], [weight for _, weight in chosen])

    def simple_tense(self) -> Tense:
        """Present or past."""
        return "present" if self.chance(0.5) else "past"

    def clause(
        self, tense: Tense, verb: Verb | None = None, subject: Nominal | None = None, adverbs: float = 1.0
    ) -> Clause:
        """A clause in a tense; `adverbs` scales the number of its adverbials, 0 means none and none is fronted."""
        verb = verb or self.verbs.draw(self.rng)
        if subject is None:
            subject = self.participant(verb.subject, "subject")
            if isinstance(subject, NounPhrase) and adverbs:
                subject = self.with_relative(subject, 0.06, verb)
        arguments: list[tuple[Complement, Nominal]] = []
        for each in verb.complements:
            if not (each.optional and self.chance(0.4)):
                arguments.append((each, self.argument(each, verb, subject)))
        if arguments and adverbs and isinstance(last := arguments[-1][1], NounPhrase):
            arguments[-1] = (arguments[-1][0], self.with_relative(last, 0.07, verb))
        clause = Clause(subject, verb, tense, tuple(arguments))
        return self.with_adverbials(clause, adverbs) if adverbs else clause

    def argument(self, marker: Complement, verb: Verb, subject: Nominal) -> Nominal:
        """A participant for one place of a verb's frame."""
        if marker.german == "bare":
            return NounPhrase(self.noun(marker.nouns))
        role = "place" if marker.german in _PLACES else "object"
        # English parts a particle from its verb by a pronoun (turn it off), so there is none.
        return self.participant(marker.nouns, role, subject, pronouns=not verb.english.particle)

    def with_adverbials(self, clause: Clause, scale: float) -> Clause:
        """The clause with times, places, manner and company that suit its verb and tense; perhaps negated."""
        verb, tense, chance = clause.verb, clause.tense, self.chance
        scale *= self.domain.detail
        state = "s" in verb.flags
        progressive = tense == "present" and not state and ("h" in verb.flags or chance(0.45))
        chosen: list[Adverbial] = []
        fronted: Adverbial | None = None
        negated = chance(0.09) and negatable(clause)
        if not state and tense != "perfect" and chance(0.36 * scale):
            time = self.time(tense, habitual=not progressive)
            if chance(0.38):
                fronted = time
            else:
                chosen.append(time)
        elif not (state or progressive or negated) and tense in ("present", "past") and chance(0.16 * scale):
            chosen.append(self.frequencies.draw(self.rng))
        elif tense == "perfect" and not negated and chance(0.5):
            chosen.append(Fixed("mid", "already", "schon") if chance(0.6) else Fixed("mid", "just", "gerade"))
        if fronted is None and chance(0.05 * scale):
            fronted = self.sentence_adverbs.draw(self.rng)
        if "p" in verb.flags and chance(0.25 * scale):
            place = self.place()
            if fronted is None and chance(0.15):
                fronted = place
            else:
                chosen.append(place)
        if "c" in verb.flags and not isinstance(clause.subject, Coordination) and chance(0.12 * scale):
            chosen.append(self.company(clause.subject))
        manner = next((kind for kind in "qv" if kind in verb.flags), "")
        if manner and not negated and chance(0.14 * scale):
            chosen.append(self.manners[manner].draw(self.rng))
        return replace(clause, progressive=progressive, negated=negated, adverbials=tuple(chosen), fronted=fronted)

    def with_relative(self, phrase: NounPhrase, probability: float, main: Verb) -> NounPhrase:
        """The noun phrase, at times with a relative clause that has another verb than the main clause."""
        if phrase.determiner not in ("the", "a", "many", "some") or not self.chance(probability * self.domain.detail):
            return phrase
        return replace(phrase, relative=self._relative_clause(phrase, main))

    def _relative_clause(self, phrase: NounPhrase, main: Verb) -> Clause | None:
        noun = phrase.noun
        gap = Gap(noun, phrase.plural)
        tense = self.simple_tense()
        if self.chance(0.5 if noun.kind in ANIMATE else 0.15):
            verb = self.verb_for(noun, "subject")
            if verb is not None and verb is not main:
                return self.clause(tense, verb, gap, adverbs=0)
        verb = self.verb_for(noun, "object")
        if verb is None or verb is main:
            return None
        subject = self.participant(verb.subject, "subject")
        if isinstance(subject, NounPhrase) and subject.noun is noun:
            return None
        return Clause(subject, verb, tense, ((verb.complements[0], gap),))

    def verb_for(self, noun: Noun, role: str) -> Verb | None:
        """A verb that the noun can be the `subject` of, or the `object` (its only complement), if there is one."""
        key = noun, role
        if key not in self._verbs_for:
            names = noun.names

            def fits(verb: Verb) -> bool:
                if role == "subject":
                    return bool(self.lexicon.groups.expand(verb.subject) & names)
                if len(verb.complements) != 1 or verb.complements[0].german == "bare":
                    return False
                return bool(self.lexicon.groups.expand(verb.complements[0].nouns) & names)

            fitting = any(map(fits, self.lexicon.verbs))
            self._verbs_for[key] = self.verbs_where(fits) if fitting else None
        weighted = self._verbs_for[key]
        return weighted.draw(self.rng) if weighted is not None else None

    def copula(self, tense: Tense, subject: Nominal | None = None) -> Clause:
        """The subject is such and such: tired, very old, not expensive."""
        while True:
            person = subject
            if person is None:
                kind = COPULA_KINDS[int(self.rng.random() ** 1.3 * len(COPULA_KINDS))]
                person = self.participant(kind, "subject")
                if isinstance(person, NounPhrase):
                    person = replace(person, adjectives=())
            noun = person.noun if isinstance(person, NounPhrase) else self._stand_in
            adjective = self.adjective(noun)
            if adjective is not None and adjective.topic not in ("politics", "economy"):
                degree = _DEGREES.draw(self.rng) if adjective.english_comparative and self.chance(0.25) else None
                negated = degree is None and self.chance(0.1) and negatable(Clause(person, BE))
                return Clause(person, BE, tense, predicate=adjective, degree=degree, negated=negated)
            subject = subject if adjective is not None else None


def negatable(clause: Clause) -> bool:
    """Whether `not` has one reading: a definite subject, and no `some`, `many` or numbers about."""
    subject = clause.subject
    definite = not isinstance(subject, NounPhrase) or subject.determiner in ("the", "this", "owner")
    return definite and all(plain_determiner(item) for _, item in clause.arguments)


def plain_determiner(item: Nominal) -> bool:
    """Whether a participant is free of quantifiers, so that it can be negated and taken up by a pronoun."""
    return not isinstance(item, NounPhrase) or item.determiner in ("the", "a", "none", "this", "owner")


def without(clause: Clause, *kinds: str) -> Clause:
    """The clause in plain order, without some kinds of adverbials."""
    return replace(clause, fronted=None, adverbials=tuple(each for each in clause.adverbials if each.kind not in kinds))
