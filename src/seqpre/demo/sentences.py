"""Generate sentences: constructions in both languages, with words that combine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from seqpre.demo import words
from seqpre.demo.german import ACC, RELATIVES
from seqpre.demo.grammar import BE, NOTHING, Clause, Nominal, NounPhrase, finished, placed
from seqpre.demo.words import Complement, Determiner, Item, Noun, Pronoun, Said, Verb, zipf

THE, A, *OTHERS = words.determiners()
NONE = Determiner("-", "-", "", "bare")
NUMBERS = [Determiner("-", number.english, number.german, "bare") for number in words.names("number")]
NAMES, CITIES = words.names("person"), words.names("city")
OWNERS = [Determiner(f"{name}'s", f"{name}'s", f"{name}s", "bare") for name, _ in NAMES if name[-1] not in "sx"]
PRONOUNS = list(words.pronouns())
FIRST_PERSON, YOU = PRONOUNS[2:4], PRONOUNS[-1]
MODALS = list(words.verbs("modal"))
WHO, WHAT = Pronoun("who", "who", ("wer", "wen", "wem")), Pronoun("what", "what", ("was", "was", ""))
ADVERBS = Said("where", "wo"), Said("when", "wann"), Said("why", "warum")
TIMES = {kind: words.said("adverb", kind) for kind in ("past", "now", "habit", "future", "frequency")}
CONJUNCTIONS = words.said("conjunction", "subordinate")
PLACES, PERSONS = frozenset({"place"}), frozenset({"person"})


@dataclass(frozen=True)
class Domain:
    """A topic, Zipf's exponent of its words, and the frequency of each construction."""

    topic: str
    exponent: float
    constructions: Mapping[str, int]


class Drawer:
    """Draws sentences of a domain; the same seed gives the same sentences everywhere."""

    def __init__(self, domain: Domain, rng: Random) -> None:
        self.rng, self.exponent, self.constructions = rng, domain.exponent, domain.constructions
        self.nouns = [noun for noun in words.nouns() if noun.topic == domain.topic]
        verbs = [verb for verb in words.verbs("verb", "state") if verb.topic in (words.ALL_TOPICS, domain.topic)]
        self.verbs = [
            verb
            for verb in verbs
            if not verb.clause and all(map(self._fits, (verb.kinds, *(marker.kinds for marker in verb.frame))))
        ]
        self.reports = [verb for verb in verbs if verb.clause == "that"]
        self.attempts = [verb for verb in verbs if verb.clause == "infinitive"]
        self.actions = [verb for verb in self.verbs if "person" in verb.kinds and not verb.state]
        self.passives = [verb for verb in self.verbs if _direct(verb) and verb.frame[0].case == ACC and not verb.state]
        self.adjectives = [adjective for adjective in words.adjectives() if self._fits(adjective.kinds)]
        self._fitting: dict[object, list[Any]] = {}

    def sentence(self) -> Said:
        """Draw a sentence."""
        names, weights = zip(*self.constructions.items(), strict=True)
        construction: Callable[[], Said] = getattr(self, f"_{self.rng.choices(names, weights)[0]}")
        return construction()

    def _statement(self) -> Said:
        """The woman is reading the book; tomorrow, the woman will read the book."""
        clause = self._clause()
        if clause.time != NOTHING and self._chance(0.4):
            english, german = clause.time
            return replace(clause, time=NOTHING).said(front=Said(f"{english},", german))
        return clause.said()

    def _modal(self) -> Said:
        """The woman can read the book."""
        modal = self._uniform(MODALS)
        tense = "past" if modal.english.past != "-" and self._chance(0.5) else "present"
        return replace(self._plain(self._pick(self.actions)), modal=modal, tense=tense).said()

    def _description(self) -> Said:
        """The book is new; the book is in the kitchen."""
        adjective = self._pick(self.adjectives)
        subject = self._nominal(adjective.kinds, adjectives=False)
        movable = isinstance(subject, Pronoun) or not PLACES & subject.noun.kinds
        predicate = self._place(PLACES) if movable and self._chance(0.4) else Said(adjective.english, adjective.german)
        negated = self._chance(0.1) and _definite(subject)
        return Clause(subject, BE, tense=self._tense(), predicate=predicate, negated=negated).said()

    def _question(self) -> Said:
        """Does the woman read the book?"""
        return self._plain().said("question", end="?")

    def _wh_question(self) -> Said:
        """Who reads the book? What does the woman read? When does the woman read the book?"""
        clause, asked = self._plain(self._pick(self.actions)), self.rng.random()
        if asked < 0.3:
            return replace(clause, subject=WHO).said(end="?")
        if asked < 0.6 and _direct(clause.verb):
            ((marker, item),) = clause.objects
            word = WHO if isinstance(item, Pronoun) or "person" in item.noun.kinds else WHAT
            front, clause = Said(word.object, word.german(marker.case)), replace(clause, objects=())
        else:
            front = self._uniform(ADVERBS[1:] if clause.place != NOTHING else ADVERBS)
        return clause.said("question", front, "?")

    def _request(self) -> Said:
        """Please read the book."""
        clause = replace(self._plain(self._pick(self.actions), YOU), tense="present")
        english = clause.english("infinitive", "please")
        return Said(finished(english, "."), finished(clause.german("question", "bitte"), "!"))

    def _passive(self) -> Said:
        """The book was read."""
        verb = self._pick(self.passives)
        subject = self._nominal(verb.frame[0].kinds)
        return Clause(subject, verb, passive=True, tense=self._tense(compound=True)).said()

    def _subordinate(self) -> Said:
        """The woman reads because the man sleeps; because the man sleeps, the woman reads."""
        tense, conjunction = self._tense(), self._pick(CONJUNCTIONS)
        main, other = (replace(self._plain(), tense=tense) for _ in range(2))
        english, german = conjunction.english + " " + other.english(), other.german("final", conjunction.german)
        if self._chance(0.3):
            return Said(
                finished(main.english(front=f"{english},"), "."), finished(main.german(front=f"{german} ,"), ".")
            )
        return replace(main, tail=Said(english, f", {german}")).said()

    def _that(self) -> Said:
        """The woman says that the man sleeps."""
        inner = self._plain()
        tail = Said(inner.english(front="that"), f", {inner.german('final', 'dass')}")
        return Clause(self._nominal(PERSONS), self._pick(self.reports), tense=self._tense(), tail=tail).said()

    def _infinitive(self) -> Said:
        """The woman tries to read the book."""
        inner = self._plain(self._pick(self.actions))
        tail = Said(inner.english("infinitive", "to"), f", {inner.german('infinitive')}")
        return Clause(inner.subject, self._pick(self.attempts), tense=self._tense(), tail=tail).said()

    def _relative(self) -> Said:
        """The woman reads the book that the man wrote; the woman who writes is reading."""
        clause = self._plain()
        *before, last = clause.objects or [None]
        if last and isinstance(last[1], NounPhrase):
            return replace(clause, objects=(*before, (last[0], self._with_relative(last[1])))).said()
        if isinstance(clause.subject, NounPhrase):
            return replace(clause, subject=self._with_relative(clause.subject)).said()
        return clause.said()

    def _plain(self, verb: Verb | None = None, subject: Nominal | None = None) -> Clause:
        """Draw a clause with its verb's complements, in present or past."""
        verb = verb or self._pick(self.verbs)
        subject = subject or self._nominal(verb.kinds)
        objects: list[tuple[Complement, Nominal]] = []
        place = NOTHING
        for marker in verb.frame:
            if marker.how in ("at", "to"):
                place = self._place(marker.kinds, marker.how == "to")
            elif marker.how == "bare":
                objects.append((marker, NounPhrase(self._noun(marker.kinds), NONE)))
            else:
                objects.append((marker, self._nominal(marker.kinds, subject, pronouns=not verb.english.particle)))
        return Clause(subject, verb, tuple(objects), tense=self._tense(), place=place)

    def _clause(self) -> Clause:
        """Draw a clause with optional parts: when, how often, where, not."""
        clause = replace(self._plain(), tense=self._tense(compound=True))
        tense, state = clause.tense, clause.verb.state
        progressive = tense == "present" and not state and self._chance(0.5)
        clause = replace(clause, progressive=progressive)
        draw = self.rng.random()
        if draw < 0.25 and tense != "perfect":
            kind = ("now" if progressive or state else "habit") if tense == "present" else tense
            return replace(clause, time=self._pick(TIMES[kind]))
        if draw < 0.35 and tense in ("present", "past") and not progressive:
            return replace(clause, adverb=self._pick(TIMES["frequency"]))
        if draw < 0.45 and not state and clause.place == NOTHING:
            return replace(clause, place=self._place(PLACES))
        definite = all(map(_definite, (clause.subject, *(item for _, item in clause.objects))))
        return replace(clause, negated=definite and self._chance(0.15))

    def _with_relative(self, phrase: NounPhrase) -> NounPhrase:
        """Return the phrase with a relative clause."""
        noun, plural = phrase.noun, phrase.plural
        pronouns = RELATIVES["p" if plural else noun.gender].split()
        that = "who" if "person" in noun.kinds else "that"
        subjects = self._cached(("subject", noun), lambda: [verb for verb in self.verbs if verb.kinds & noun.kinds])
        objects = self._cached(
            ("object", noun),
            lambda: [verb for verb in self.verbs if _direct(verb) and verb.frame[0].kinds & noun.kinds],
        )
        if objects and (not subjects or self._chance(0.6)):
            clause = self._plain(self._pick(objects))
            ((marker, _),) = clause.objects
            clause = replace(clause, objects=())
            german = clause.german("final", pronouns[marker.case])
            return replace(phrase, relative=Said(f"that {clause.english()}", f", {german} ,"))
        if not subjects:
            return phrase
        gap = Pronoun(that, that, (pronouns[0],) * 3, phrase.agreement)
        clause = self._plain(self._pick(subjects), gap)
        return replace(phrase, relative=Said(clause.english(), f", {clause.german('final')} ,"))

    def _tense(self, compound: bool = False) -> str:
        draw = self.rng.random()
        if compound and draw < 0.2:
            return "future" if draw < 0.1 else "perfect"
        return "present" if draw < 0.6 else "past"

    def _nominal(
        self, kinds: frozenset[str], subject: Nominal | None = None, pronouns: bool = True, adjectives: bool = True
    ) -> Nominal:
        """Draw a participant other than the subject."""
        while True:
            draw = self.rng.random() if "person" in kinds else 1.0
            item: Nominal
            if draw < 0.25 and pronouns:
                item = self._pick(PRONOUNS)
            elif draw < 0.45:
                item = _name(*self._pick(NAMES))
            else:
                item = self._phrase(kinds, adjectives)
            first_person = item in FIRST_PERSON and subject in FIRST_PERSON
            if not (first_person or (subject and _named(item) == _named(subject))):
                return item

    def _phrase(self, kinds: frozenset[str], adjectives: bool = True) -> NounPhrase:
        noun = self._noun(kinds)
        plural = bool(noun.german_plural) and self._chance(0.25)
        draw = self.rng.random()
        if draw < 0.4:
            determiner = THE
        elif draw < 0.7:
            determiner = NONE if plural or not noun.german_plural else A
        elif draw < 0.8:
            determiner = self._pick(NUMBERS if plural else OWNERS)
        else:
            determiner = self._uniform([each for each in OTHERS if (each.plural if plural else each.singular) != "-"])
        fitting = self._cached(noun, lambda: [each for each in self.adjectives if each.kinds & noun.kinds])
        adjective = self._pick(fitting) if adjectives and fitting and self._chance(0.25) else None
        return NounPhrase(noun, determiner, plural, adjective)

    def _place(self, kinds: frozenset[str], to: bool = False) -> Said:
        if "city" in kinds and (len(kinds) == 1 or self._chance(0.5)):
            return placed(_name(*self._pick(CITIES)), None, to)
        noun = self._noun(kinds)
        return placed(NounPhrase(noun, THE), noun, to)

    def _noun(self, kinds: frozenset[str]) -> Noun:
        noun: Noun = self._pick(self._cached(kinds, lambda: [noun for noun in self.nouns if noun.kinds & kinds]))
        return noun

    def _fits(self, kinds: frozenset[str]) -> bool:
        return bool({"person", "city"} & kinds) or any(noun.kinds & kinds for noun in self.nouns)

    def _cached(self, key: object, make: Callable[[], list[Item]]) -> list[Item]:
        if key not in self._fitting:
            self._fitting[key] = make()
        return self._fitting[key]

    def _pick(self, items: Sequence[Item]) -> Item:
        """Draw by Zipf's law: the first items are most frequent."""
        return zipf(items, self.exponent, self.rng)

    def _uniform(self, items: Sequence[Item]) -> Item:
        return items[int(len(items) * self.rng.random())]

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability


def _name(english: str, german: str) -> Pronoun:
    return Pronoun(english, english, (german, german, german))


def _direct(verb: Verb) -> bool:
    """Return whether a verb needs one object, without a preposition, and nothing else."""
    return len(verb.frame) == 1 and not verb.frame[0].how and not (verb.frame[0].german or verb.frame[0].english)


def _named(item: Nominal) -> object:
    return item if isinstance(item, Pronoun) else item.noun


def _definite(item: Nominal) -> bool:
    """Return whether `not` is unambiguous next to it."""
    return isinstance(item, Pronoun) or item.determiner.singular not in ("a", "-")
