"""Draw participants and adverbials: nouns by Zipf rank and topic, determiners, adjectives, owners, times and places."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

from seqpre.demo.grammar import english_forms, german_forms, words
from seqpre.demo.grammar.lexicon import Adjective, Complement, Lexicon, Noun, Pair, Proper
from seqpre.demo.grammar.meaning import (
    AT,
    HE,
    SHE,
    THEY,
    WE,
    YOU,
    Coordination,
    Determiner,
    Fixed,
    I,
    Nominal,
    NounPhrase,
    Prepositional,
    Pronoun,
    Tense,
    Titled,
    pronoun_for,
)
from seqpre.demo.grammar.tables import pairs

Item = TypeVar("Item")


class Weighted(Generic[Item]):
    """A sequence that is drawn from with given weights."""

    def __init__(self, items: Sequence[Item], weights: Sequence[float]) -> None:
        assert len(items) == len(weights) > 0
        self.items = items
        # Whole numbers, so that the last bit of a power does not decide anything on another machine.
        self.cumulative = list(accumulate(max(1, round(1e6 * weight)) for weight in weights))
        self.total = self.cumulative[-1]

    def draw(self, rng: Random) -> Item:
        """One item."""
        return self.items[bisect(self.cumulative, int(rng.random() * self.total))]


def zipf(items: Sequence[Item], exponent: float) -> Weighted[Item]:
    """Items by rank: the frequency of the r-th is proportional to (r + 3) to the power of -`exponent`."""
    return Weighted(items, [(rank + 3.0) ** -exponent for rank in range(len(items))])


@dataclass(frozen=True)
class Domain:
    """What a corpus talks about and how.

    `topics` weighs the topics of the lexicon; `exponent` is that of Zipf's law, the smaller the more rare words are
    seen; `constructions` weighs the kinds of sentences that `draw` knows; `detail` scales how many adjectives,
    adverbials and relative clauses there are.
    """

    topics: dict[str, float]
    exponent: float
    constructions: dict[str, float]
    detail: float = 1.0


SUBJECT_PRONOUNS = Weighted((I, HE, SHE, WE, THEY, YOU), (4.0, 3, 3, 2.5, 1.5, 1))
_COMPANIONS = "friend,colleague,neighbour,brother,sister,daughter,son,mother,grandfather,child"
_DURATIONS = pairs(words.UNITS)


_SPOUSES = {"wife": HE, "husband": SHE}


def _fixed(kind: str, table: str) -> tuple[Fixed, ...]:
    return tuple(Fixed(kind, pair.english, pair.german) for pair in pairs(table))


class Phrases:
    """Draws participants and adverbials for one domain."""

    def __init__(self, lexicon: Lexicon, domain: Domain, rng: Random) -> None:
        self.lexicon, self.domain, self.rng = lexicon, domain, rng
        exponent = domain.exponent
        self.women, self.men = zipf(lexicon.women, exponent), zipf(lexicon.men, exponent)
        self.families = zipf(lexicon.families, exponent)
        self.cities, self.countries = zipf(lexicon.cities, exponent), zipf(lexicon.countries, exponent)
        self.times = {
            "past": zipf(_fixed("time", words.TIMES_PAST), 0.5),
            "now": zipf(_fixed("time", words.TIMES_NOW), 0.5),
            "habit": zipf(_fixed("time", words.TIMES_HABIT), 0.5),
            "future": zipf(_fixed("time", words.TIMES_FUTURE), 0.5),
        }
        self.frequencies = zipf(_fixed("frequency", words.FREQUENCY), exponent)
        self.sentence_adverbs = zipf(_fixed("sentence", words.SENTENCE_ADVERBS), exponent)
        self.manners = {
            "q": zipf(_fixed("manner", words.MANNER_Q), exponent),
            "v": zipf(_fixed("manner", words.MANNER_V), exponent),
        }
        self.weekdays, self.months, self.seasons = (
            pairs(table, separator=" ") for table in (words.WEEKDAYS, words.MONTHS, words.SEASONS)
        )
        # What one has, so that `my` and `her` fit; of other things one says `the` or `a`.
        self._owned = lexicon.groups.expand("owned")
        self._candidates: dict[str, Weighted[Noun | Proper]] = {}
        self._adjectives: dict[Noun, Weighted[Adjective] | None] = {}

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return self.rng.random() < probability

    def candidates(self, specification: str) -> Weighted[Noun | Proper]:
        """The nouns (and cities, countries) that a frame allows, weighted by rank and topic."""
        found = self._candidates.get(specification)
        if found is None:
            items: list[Noun | Proper] = list(self.lexicon.matching(specification))
            exponent, topics = self.domain.exponent, self.domain.topics
            weights = [topics[item.topic] * (item.rank + 3.0) ** -exponent for item in items if isinstance(item, Noun)]
            for name, places in (("city", self.lexicon.cities), ("country", self.lexicon.countries)):
                if name in specification.split(","):
                    items += places
                    weights += [0.7 * (rank + 3.0) ** -exponent for rank in range(len(places))]
            found = self._candidates[specification] = Weighted(items, weights)
        return found

    def noun(self, specification: str) -> Noun:
        """A common noun."""
        noun = self.candidates(specification).draw(self.rng)
        assert isinstance(noun, Noun)
        return noun

    def adjective(self, noun: Noun) -> Adjective | None:
        """An adjective that can describe the noun, if there is one."""
        if noun not in self._adjectives:
            names = noun.names
            fitting = [each for each in self.lexicon.adjectives if each.describes & names]
            weights = [self.domain.topics[each.topic] * (each.rank + 10.0) ** -self.domain.exponent for each in fitting]
            self._adjectives[noun] = Weighted(fitting, weights) if fitting else None
        weighted = self._adjectives[noun]
        return weighted.draw(self.rng) if weighted is not None else None

    def name(self) -> Proper | Titled:
        """A first name, or a family name with its title."""
        if self.chance(0.3):
            return Titled(self.families.draw(self.rng), self.chance(0.5))
        return self.first_name()

    def first_name(self) -> Proper:
        """A first name."""
        return (self.women if self.chance(0.5) else self.men).draw(self.rng)

    def phrase(self, noun: Noun, role: str, owner: Pronoun | None = None, plural: bool | None = None) -> NounPhrase:
        """A noun phrase for a role: `subject`, `object` or `place`; `owner` is who `my` and `her` refer to."""
        rng, detail = self.rng, self.domain.detail
        adjectives: tuple[Adjective, ...] = ()
        if rng.random() < 0.24 * detail:
            adjective = self.adjective(noun)
            adjectives = (adjective,) if adjective is not None else ()
        if noun.english in _SPOUSES:
            return NounPhrase(noun, False, "owner", adjectives, owner=owner if owner is I else _SPOUSES[noun.english])
        if plural is None:
            rate = 0.0 if noun.mass or role == "place" or noun.english in ("mother", "father") else 0.22
            plural = rng.random() < (rate / 2 if noun.kind == "relative" else rate)
        determiner, number = self._determiner(noun, role, plural)
        possessor: Pronoun | Proper | NounPhrase | None = None
        if determiner == "owner":
            possessor = self._owner(role, owner)
        return NounPhrase(noun, plural, determiner, adjectives, number, possessor)

    def _determiner(self, noun: Noun, role: str, plural: bool) -> tuple[Determiner, int]:
        draw = self.rng.random()
        if noun.kind in ("sport", "subject"):
            return "none", 0
        if noun.kind == "relative" or noun.kind == "bodypart":
            return "owner", 0
        if noun.mass:
            return ("none" if role == "object" and draw < 0.65 else "the"), 0
        if noun.kind in self._owned and draw < 0.22:
            return "owner", 0
        draw = self.rng.random()
        if plural:
            if draw < 0.5:
                return "the", 0
            if draw < 0.62:
                return "number", self._number()
            if role == "object" and draw < 0.8:
                return "none", 0
            return ("some" if draw < 0.88 else "many" if draw < 0.95 else "all" if role == "subject" else "this"), 0
        if role == "object":
            return ("a" if draw < 0.42 else "this" if draw < 0.48 else "the"), 0
        if role == "place":
            return ("the" if draw < 0.88 else "a" if draw < 0.95 else "this"), 0
        return ("the" if draw < 0.78 else "a" if draw < 0.9 else "this" if draw < 0.96 else "every"), 0

    def _number(self) -> int:
        draw = self.rng.random()
        if draw < 0.8:
            return 2 + int(11 * self.rng.random() ** 2)
        return int(20 + 80 * self.rng.random()) if draw < 0.95 else 100 * (1 + int(49 * self.rng.random()))

    def _owner(self, role: str, owner: Pronoun | None) -> Pronoun | Proper | NounPhrase:
        draw = self.rng.random()
        if owner is not None and draw < 0.75:
            return owner
        if draw < 0.85:
            return SUBJECT_PRONOUNS.draw(self.rng) if role == "subject" else (I if draw < 0.8 else WE)
        if draw < 0.95:
            return self.first_name()
        kin = self.noun("relative") if draw < 0.97 else self.noun("person")
        if kin.kind == "relative":
            return NounPhrase(kin, determiner="owner", owner=I if self.chance(0.6) else SHE if self.chance(0.5) else HE)
        return NounPhrase(kin)

    def participant(
        self, specification: str, role: str, subject: Nominal | None = None, pronouns: bool = True
    ) -> Nominal:
        """A participant that a frame allows: a name or pronoun where people are meant, else a noun phrase.

        `subject` is the subject of the clause when something else is drawn; it is not repeated, and owns what is `his`.
        """
        rng = self.rng
        human = specification.startswith(("human", "person"))
        owner = pronoun_for(subject) if subject is not None else None
        if human and rng.random() < (0.5 if role == "subject" else 0.3):
            if pronouns and rng.random() < 0.55:
                pronoun = SUBJECT_PRONOUNS.draw(rng)
                if owner is None or (pronoun is not owner and {pronoun, owner} != {I, WE} and pronoun is not YOU):
                    return pronoun
            name = self.name()
            if role == "subject" and rng.random() < 0.1:
                other = self.name()
                if other != name and isinstance(name, Proper) and isinstance(other, Proper):
                    return Coordination(name, other)
            if name != subject and not (isinstance(subject, Coordination) and name in (subject.first, subject.second)):
                return name
        item = self.candidates(specification).draw(rng)
        if isinstance(item, Proper):
            return item
        return self.phrase(item, role, owner)

    def place(self, specification: str = "place,room") -> Prepositional:
        """Where something happens."""
        if self.chance(0.12):
            return Prepositional("place", AT, self.cities.draw(self.rng))
        return Prepositional("place", AT, self.phrase(self.noun(specification), "place", plural=False))

    def company(self, subject: Nominal) -> Prepositional:
        """With whom."""
        nominal: Nominal
        if self.chance(0.35):
            nominal = self.name()
            if nominal == subject or (isinstance(subject, Coordination) and nominal in (subject.first, subject.second)):
                nominal = Titled(self.families.draw(self.rng), self.chance(0.5))
        else:
            noun = self.noun(_COMPANIONS)
            plural = self.chance(0.25)
            nominal = NounPhrase(noun, plural, "owner", owner=pronoun_for(subject))
        return Prepositional("company", Complement("mit", "dat", "with", "", False), nominal)

    def time(self, tense: Tense, habitual: bool = False) -> Fixed:
        """When, in keeping with the tense."""
        draw = self.rng.random()
        if tense == "present":
            if not habitual:
                return self.times["now"].draw(self.rng)
            if draw < 0.15:
                season = self._pick(self.seasons)
                return Fixed("time", f"in {season.english}", f"im {season.german}")
            return self.times["habit"].draw(self.rng)
        if draw < 0.3:
            return self._calendar(tense)
        if draw < 0.42:
            return self.clock()
        return self.times["future" if tense == "future" else "past"].draw(self.rng)

    def _pick(self, items: tuple[Pair, ...]) -> Pair:
        return items[int(self.rng.random() * len(items))]

    def _calendar(self, tense: Tense) -> Fixed:
        rng = self.rng
        draw = rng.random()
        day, month = self._pick(self.weekdays), self._pick(self.months)
        if draw < 0.2:
            return Fixed("time", f"on {day.english}", f"am {day.german}")
        if draw < 0.4:
            next_last = ("next", "nächsten") if tense == "future" else ("last", "letzten")
            return Fixed("time", f"{next_last[0]} {day.english}", f"{next_last[1]} {day.german}")
        if draw < 0.55:
            return Fixed("time", f"in {month.english}", f"im {month.german}")
        if draw < 0.7:
            number = 1 + int(28 * rng.random())
            return Fixed("time", f"on {number} {month.english}", f"am {number}. {month.german}")
        if draw < 0.85 and tense != "future":
            year = 2024 - int(60 * rng.random() ** 2)
            return Fixed("time", f"in {year}", f"im Jahr {year}")
        number, unit = 2 + int(9 * rng.random() ** 2), self._pick(_DURATIONS)
        english, dative = unit.english, unit.german.removesuffix("n") + "n"
        count, zahl = english_forms.number_word(number), german_forms.number_word(number)
        if tense == "future":
            return Fixed("time", f"in {count} {english}", f"in {zahl} {dative}")
        return Fixed("time", f"{count} {english} ago", f"vor {zahl} {dative}")

    def since(self) -> Fixed:
        """From when on: since Monday, for three years."""
        rng = self.rng
        draw = rng.random()
        if draw < 0.3:
            year = 2022 - int(30 * rng.random() ** 2)
            return Fixed("time", f"since {year}", f"seit {year}")
        if draw < 0.5:
            month = self._pick(self.months)
            return Fixed("time", f"since {month.english}", f"seit {month.german}")
        number, unit = 2 + int(9 * rng.random() ** 2), self._pick(_DURATIONS)
        english, dative = unit.english, unit.german.removesuffix("n") + "n"
        return Fixed(
            "time",
            f"for {english_forms.number_word(number)} {english}",
            f"seit {german_forms.number_word(number)} {dative}",
        )

    def clock(self) -> Fixed:
        """A time of day."""
        rng = self.rng
        hour = 1 + int(12 * rng.random())
        draw = rng.random()
        english, german = english_forms.number_word(hour), german_forms.number_word(hour)
        if draw < 0.5:
            return Fixed("time", f"at {english} o'clock", f"um {'ein' if hour == 1 else german} Uhr")
        if draw < 0.75:
            return Fixed("time", f"at half past {english}", f"um halb {german_forms.number_word(hour % 12 + 1)}")
        minutes = 5 * (1 + int(11 * rng.random()))
        return Fixed("time", f"at {hour + 6}:{minutes:02d}", f"um {hour + 6}.{minutes:02d} Uhr")
