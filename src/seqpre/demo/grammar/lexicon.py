"""The words of both languages as typed entries.

An entry pairs an English word with its German counterpart and holds what cannot be derived by rule. Inflection is the
business of `english_forms` and `german_forms`, which words are said together that of `clauses`.
"""

from __future__ import annotations

from dataclasses import dataclass

MASS = "-"


@dataclass(frozen=True, slots=True)
class PlacePrepositions:
    """How a place is spoken of: `at`, `an` (with the dative), and German for the way there: `zu` or an accusative."""

    english: str
    german: str
    german_to: str


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A common noun; `rank` counts from 0 within its kind, the most frequent first."""

    english: str
    english_plural: str
    german: str
    gender: str
    german_plural: str
    kind: str
    topic: str
    rank: int
    weak: bool = False
    place: PlacePrepositions | None = None
    head: str = ""

    @property
    def names(self) -> frozenset[str]:
        """What the tables may call the noun: its kind, itself, the head of its compound."""
        return frozenset({self.kind, self.english, self.head})

    @property
    def mass(self) -> bool:
        """Whether the noun has no plural and takes no indefinite article."""
        return self.german_plural == MASS


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective; `stem` takes the German endings (`teur` of `teuer`); comparatives are empty where none is used."""

    english: str
    english_comparative: str
    german: str
    stem: str
    german_comparative: str
    topic: str
    rank: int
    describes: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class EnglishVerb:
    """The forms that cannot be derived, and a particle (`turn off`) that follows the verb."""

    base: str
    past: str
    participle: str
    particle: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class GermanVerb:
    """The principal parts without the separable prefix; `auxiliary` forms the perfect."""

    infinitive: str
    third: str
    preterite: str
    participle: str
    prefix: str = ""
    reflexive: bool = False
    auxiliary: str = "haben"


@dataclass(frozen=True, slots=True)
class Complement:
    """What a verb takes: a case or a preposition with its case (`at`, `to`, `bare`: see `verbs`), and which nouns."""

    german: str
    case: str
    english: str
    nouns: str
    optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    """One sense of a verb in both languages with its frame; see `verbs` for the flags."""

    english: EnglishVerb
    german: GermanVerb
    subject: str
    complements: tuple[Complement, ...]
    flags: frozenset[str]
    topic: str
    rank: int


@dataclass(frozen=True, slots=True, eq=False)
class Proper:
    """A name; `article` is the gender (or p) of a German article that belongs to it, empty without one."""

    english: str
    german: str
    kind: str
    gender: str = ""
    article: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A fixed expression in both languages."""

    english: str
    german: str


class NameGroups:
    """What the names in the tables stand for: groups are replaced by their members, kinds and single nouns stay."""

    def __init__(self, groups: dict[str, str], known: frozenset[str]) -> None:
        """`groups`: members by name, separated by blanks; a group may contain the groups before it."""
        self._known = known
        self._expanded: dict[str, frozenset[str]] = {}
        for name, members in groups.items():
            self._expanded[name] = self.expand(members.replace(" ", ","))

    def expand(self, names: str) -> frozenset[str]:
        """The kinds and single nouns meant by names joined by commas; an unknown name raises ValueError."""
        if names not in self._expanded:
            meant: set[str] = set()
            for name in names.split(","):
                meant |= self._expanded.get(name, frozenset({name}))
            if meant - self._known:
                raise ValueError(
                    f"the tables have no noun or kind of noun {sorted(meant - self._known)} (in {names!r})"
                )
            self._expanded[names] = frozenset(meant)
        return self._expanded[names]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All entries, in the order of the tables."""

    nouns: tuple[Noun, ...]
    verbs: tuple[Verb, ...]
    adjectives: tuple[Adjective, ...]
    women: tuple[Proper, ...]
    men: tuple[Proper, ...]
    families: tuple[str, ...]
    cities: tuple[Proper, ...]
    countries: tuple[Proper, ...]
    groups: NameGroups

    def matching(self, names: str) -> tuple[Noun, ...]:
        """The nouns meant by names of kinds, groups and single nouns; a single noun brings its compounds with it."""
        meant = self.groups.expand(names)
        return tuple(noun for noun in self.nouns if noun.names & meant)
