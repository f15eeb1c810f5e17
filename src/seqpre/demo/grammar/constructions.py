"""What the kinds of sentences share: tenses, and the verbs that go into them, with the weights of the domain."""

from __future__ import annotations

from random import Random

from seqpre.demo.grammar import verbs, words
from seqpre.demo.grammar.clauses import Clauses
from seqpre.demo.grammar.lexicon import Lexicon, Verb
from seqpre.demo.grammar.meaning import BE, EXPLETIVE, Clause, Fixed, Tense
from seqpre.demo.grammar.phrases import Domain, Weighted
from seqpre.demo.grammar.tables import pairs, read_english_verb, read_german_verb

TENSES: Weighted[Tense] = Weighted(("present", "past", "future", "perfect"), (0.40, 0.42, 0.09, 0.09))
_WEATHER = tuple(Fixed("state", pair.english, pair.german) for pair in pairs(words.WEATHER))
# States that began in the past: has known, has been working since May.
_LASTING = frozenset({"live", "know", "work", "love", "learn", "suffer", "rent", "teach", "study"})


def plain_verb(english: str, german: str) -> Verb:
    """A verb without a frame of its own."""
    return Verb(read_english_verb(english), read_german_verb(german), "human", (), frozenset(), "", 0)


_RAIN, _SNOW = plain_verb("rain", "regnen"), plain_verb("snow", "schneien")


def _rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def is_transitive(verb: Verb) -> bool:
    """Whether a verb takes a direct object and nothing else."""
    marker = verb.complements[0] if len(verb.complements) == 1 else None
    return marker is not None and not marker.german and marker.case == "acc" and not marker.english


class Constructions(Clauses):
    """Draws clauses, and holds the verbs that the constructions choose from."""

    def __init__(self, lexicon: Lexicon, domain: Domain, rng: Random) -> None:
        super().__init__(lexicon, domain, rng)
        self.transitives = self.verbs_where(is_transitive)
        self.passives = self.verbs_where(lambda verb: is_transitive(verb) and not verb.flags & set("sx"))
        self.lasting = self.verbs_where(lambda verb: verb.english.base in _LASTING and verb.subject != "device")
        self.liked = self.verbs_where(lambda verb: "g" in verb.flags and verb.subject == "human")
        self.placed = self.verbs_where(
            lambda verb: "p" in verb.flags or any(each.german == "at" for each in verb.complements)
        )
        self.motions = self.verbs_where(lambda verb: [each.german for each in verb.complements] == ["to"])
        self.requests = self.verbs_where(
            lambda verb: (
                verb.subject == "human"
                and not verb.flags & set("su")
                and not verb.german.reflexive
                and bool(verb.complements or verb.english.particle)
            )
        )
        reporting = [(plain_verb(english, german), uses.split()) for english, german, uses in _rows(verbs.REPORTING)]
        self.saying = _harmonic([verb for verb, uses in reporting if "that" in uses])
        self.asking = _harmonic([verb for verb, uses in reporting if "whether" in uses])
        self.controlling = _harmonic([plain_verb(english, german) for english, german in _rows(verbs.CONTROLLING)])

    def uniform(self, low: int, high: int) -> int:
        """A whole number, both ends included."""
        return low + int((high - low + 1) * self.rng.random())

    def weather_clause(self, tense: Tense) -> Clause:
        """It is raining, it is cold."""
        if self.chance(0.6):
            return Clause(EXPLETIVE, _SNOW if self.chance(0.3) else _RAIN, tense, progressive=True)
        return Clause(EXPLETIVE, BE, tense, predicate=_WEATHER[int(self.rng.random() * len(_WEATHER))])


def _harmonic(items: list[Verb]) -> Weighted[Verb]:
    return Weighted(items, [1 / (rank + 3) for rank in range(len(items))])
