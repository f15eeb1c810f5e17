"""The words of the demo, read from `words.tsv`. A row is a word or a list of names, the frequent ones first.

Kinds say which words go together: a noun is of some, a verb has subjects of some, an adjective describes some. Each
noun is a kind of its own, too.

    noun     `man/men`; a regular plural is left out. `Mann m Männer`: gender and plural; `-` is none, `w` a weak noun
             (den Studenten). The frame is where one is: `at/an` (German with the dative), otherwise `in/in`
    verb     `see/saw/seen`; `kaufen` is weak, `sehen/sieht/sah/gesehen` is not, `auf+` separable, `*` has `sein`. The
             frame is what the verb needs: `with/mit+dat:person` has prepositions and case, `bare:` no article; `at:`
             and `to:` are where and where to, `that` and `infinitive` clauses. A `state` has no progressive
    pronoun  subject and object; nominative, accusative, dative; its agreement (see `Pronoun`)
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate
from random import Random
from typing import NamedTuple, TypeVar

from seqpre.demo import english, german
from seqpre.demo.english import EnglishVerb
from seqpre.demo.german import ACC, DAT, GermanVerb

ALL_TOPICS = ""
Item = TypeVar("Item")


class Said(NamedTuple):
    """Text in both languages."""

    english: str
    german: str


class Complement(NamedTuple):
    """A place in a verb's frame: the prepositions, the German case, and fitting kinds. `how`: at, to or bare."""

    english: str
    german: str
    case: int
    kinds: frozenset[str]
    how: str


class Noun(NamedTuple):
    """A noun. Without a plural it has no indefinite article either."""

    english: str
    english_plural: str
    german: str
    german_plural: str
    gender: str
    weak: bool
    kinds: frozenset[str]
    where: Said
    topic: str


class Verb(NamedTuple):
    """A verb with its frame; `clause` is `that`, `infinitive` or empty."""

    english: EnglishVerb
    german: GermanVerb
    kinds: frozenset[str] = frozenset()
    frame: tuple[Complement, ...] = ()
    clause: str = ""
    state: bool = False
    topic: str = ALL_TOPICS


class Adjective(NamedTuple):
    """An adjective and the kinds that it describes."""

    english: str
    german: str
    kinds: frozenset[str]


class Determiner(NamedTuple):
    """English singular and plural, `-` for none; the German stem, and its declension (`german.declined`)."""

    singular: str
    plural: str
    german: str
    kind: str


class Pronoun(NamedTuple):
    """Words with complete case forms: pronouns, names, who. `agreement` is 0 as with I, 1 with he, 2 with they."""

    subject: str
    object: str
    cases: tuple[str, ...]
    agreement: int = 1
    weak: bool = False

    def english(self, subject: bool = False) -> str:
        """Return the English form."""
        return self.subject if subject else self.object

    def german(self, case: int) -> str:
        """Return a German case."""
        return self.cases[case]


def zipf(items: Sequence[Item], exponent: float, rng: Random) -> Item:
    """Draw an item by Zipf's law: frequency falls with a power of the rank."""
    return rng.choices(items, cum_weights=_weights(len(items), exponent))[0]


@cache
def _weights(count: int, exponent: float) -> list[float]:
    return list(accumulate((rank + 3) ** -exponent for rank in range(count)))


@cache
def rows(*classes: str) -> tuple[dict[str, str], ...]:
    """Return the rows of some classes."""
    table = files("seqpre.demo").joinpath("words.tsv").read_text("utf-8").splitlines()
    return tuple(row for row in csv.DictReader(table, delimiter="\t", restval="") if row["class"] in classes)


def said(word_class: str, kind: str) -> list[Said]:
    """Return the adverbs or conjunctions of a kind."""
    return [Said(row["english"], row["german"]) for row in rows(word_class) if row["kind"] == kind]


def names(kind: str) -> list[Said]:
    """Return the names of persons, families or cities, or the numbers."""
    lists = [(row.english.split(), row.german.split()) for row in said("names", kind)]
    return [Said(*name) for pair in lists for name in zip(*pair, strict=True)]


def nouns() -> Iterator[Noun]:
    """Read the nouns."""
    for row in rows("noun"):
        singular, _, plural = row["english"].partition("/")
        word, gender, german_plural, *weak = row["german"].split()
        kinds = frozenset({singular, *row["kind"].split(",")})
        where = Said(*(row["frame"] or "in/in").split("/"))
        yield Noun(
            singular, plural or english.with_s(singular), word, german_plural.strip("-"), gender, bool(weak), kinds,
            where, row["topic"],
        )  # fmt: skip


def verbs(*classes: str) -> Iterator[Verb]:
    """Read verbs, states, auxiliaries or modals."""
    for row in rows(*classes):
        frame = row["frame"].split()
        yield Verb(
            english.read_verb(row["english"]),
            german.read_verb(row["german"]),
            frozenset(row["kind"].split(",")),
            tuple(_complement(entry) for entry in frame if ":" in entry),
            next((entry for entry in frame if ":" not in entry), ""),
            row["class"] == "state",
            row["topic"],
        )


def _complement(entry: str) -> Complement:
    marker, _, kinds = entry.partition(":")
    prepositions, _, case = marker.rpartition("+")
    before, _, german_before = prepositions.partition("/")
    how = case if case in ("at", "to", "bare") else ""
    return Complement(before, german_before, DAT if case == "dat" else ACC, frozenset(kinds.split(",")), how)


def adjectives() -> list[Adjective]:
    """Read the adjectives."""
    return [Adjective(row["english"], row["german"], frozenset(row["kind"].split(","))) for row in rows("adjective")]


def determiners() -> Iterator[Determiner]:
    """Read the determiners."""
    for row in rows("determiner"):
        singular, plural = row["english"].split()
        yield Determiner(singular, plural, row["german"], row["kind"])


def pronouns() -> Iterator[Pronoun]:
    """Read the personal pronouns."""
    for row in rows("pronoun"):
        subject, other = row["english"].split()
        yield Pronoun(subject, other, tuple(row["german"].split()), int(row["kind"]), weak=True)
