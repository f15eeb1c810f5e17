"""The words of both languages as typed entries, read once from the tables of this package.

An entry pairs an English word with its German counterpart and holds what cannot be derived by rule. Inflection is the business of
`english_forms` and `german_forms`; which words go together is the business of `draw`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from seqpre.corpora.grammar import nouns, verbs, words

MASS = "-"


@dataclass(frozen=True, slots=True)
class PlacePrepositions:
    """How a place is spoken of: `at`, `an` (dative), and the German preposition of the way there (`zu` or with accusative)."""

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
    """What a verb takes: `case` (acc, dat) or `preposition` with case, `at`, `to` or `bare`; `nouns` is what may fill it."""

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
    groups: dict[str, frozenset[str]] = field(repr=False)

    def matching(self, specification: str) -> tuple[Noun, ...]:
        """The nouns that `specification` names: kinds, groups and single nouns, joined by commas.

        A single noun brings its compounds with it. Unknown names raise ValueError.
        """
        names = self.expand(specification)
        return tuple(noun for noun in self.nouns if {noun.kind, noun.english, noun.head} & names)

    def expand(self, specification: str) -> frozenset[str]:
        """The kinds and single nouns that `specification` names, with every group replaced by its members."""
        names: set[str] = set()
        for name in specification.split(","):
            names |= self.groups.get(name, frozenset({name}))
        known = {noun.kind for noun in self.nouns} | {noun.english for noun in self.nouns} | {"city", "country"}
        if names - known:
            raise ValueError(f"the tables name no noun or kind of noun {sorted(names - known)} (in {specification!r})")
        return frozenset(names)


def _sections(table: str) -> Iterator[tuple[str, str]]:
    """Yield (header, line) for the lines below each `[header]` of a table."""
    header = ""
    for line in filter(None, map(str.strip, table.splitlines())):
        if line.startswith("["):
            header = line.strip("[]")
        else:
            yield header, line


def pairs(table: str, separator: str = ";") -> tuple[Pair, ...]:
    """Read `english = german` entries; a lone word is the same in both languages."""
    entries = (entry.strip() for entry in table.split(separator))
    split = (re.split(r"\s*=\s*", entry, maxsplit=1) for entry in entries if entry)
    return tuple(Pair(parts[0], parts[-1]) for parts in split)


def read_noun(entry: str, kind: str, topic: str, rank: int) -> Noun:
    """Read one noun in the notation of `nouns`."""
    match = re.fullmatch(r"([^=/]+)(?:/([^=]+))? = (\S+) ([mfn]) (\S+)( w)?(?: @(\S*))?", entry)
    if match is None:
        raise ValueError(f"not a noun in the notation of the table: {entry!r}")
    english, english_plural, german, gender, german_plural, weak, place = match.groups()
    prepositions = None if place is None else PlacePrepositions(*(place.split(":") if place else ("in", "in", "in")))
    return Noun(
        english, english_plural or regular_plural(english), german, gender, german_plural, kind, topic, rank,
        weak=weak is not None, place=prepositions,
    )  # fmt: skip


def regular_plural(noun: str) -> str:
    """The plural of an English noun by rule."""
    return noun + "es" if re.search(r"(s|x|z|ch|sh)$", noun) else noun + "s"


def _read_nouns() -> tuple[Noun, ...]:
    entries: list[Noun] = []
    ranks: dict[str, int] = {}
    for header, line in _sections(nouns.NOUNS):
        kind, topic = header.split()
        for entry in line.split(";"):
            entries.append(read_noun(entry.strip(), kind, topic, ranks.setdefault(kind, 0)))
            ranks[kind] += 1
    heads = {noun.english: noun for noun in reversed(entries)}
    for line in filter(None, nouns.COMPOUNDS.splitlines()):
        topic, modifiers, head_names = re.fullmatch(r"\[\* (\w+)\] +(.+) x (.+)", line).groups()  # type: ignore[union-attr]
        for head in (heads[name] for name in head_names.split()):
            for modifier in pairs(modifiers, separator=" "):
                entries.append(_compound(modifier, head, topic, ranks[head.kind]))
                ranks[head.kind] += 1
    return tuple(entries)


def _compound(modifier: Pair, head: Noun, topic: str, rank: int) -> Noun:
    plural = MASS if head.mass else modifier.german + head.german_plural.lower()
    return Noun(
        f"{modifier.english} {head.english}", f"{modifier.english} {head.english_plural}",
        modifier.german + head.german.lower(), head.gender, plural, head.kind, topic, rank, head.weak, head.place, head.english,
    )  # fmt: skip


VOWEL_GROUP = re.compile(r"[aeiouyäöü]+")
# A prefix that is never split off and leaves no room for ge-: besuchen, besucht.
_INSEPARABLE = re.compile(r"(be|ge|er|ver|zer|ent|emp|über|unter|wieder|durch|inter)[^aeiouäöü]*[aeiouäöü].*")
_NEEDS_E = re.compile(r".*([dt]|ch[nm]|[^aeiouäöülrhmn][nm])")


def read_german_verb(entry: str) -> GermanVerb:
    """Read one German verb in the notation of `verbs`, deriving the parts of a weak one."""
    reflexive, parts = entry.startswith("sich "), entry.removeprefix("sich ").rstrip("*").split()
    prefix, _, infinitive = parts[0].rpartition("+")
    stem = german_stem(infinitive)
    linking = "e" if _NEEDS_E.fullmatch(stem) else ""
    weak = (stem + linking + "t", stem + linking + "te", stem + linking + "t")
    given = parts[1:] or weak
    third, preterite, participle = given if len(given) == 3 else (weak[0], *given)
    if len(parts) == 1 and not _INSEPARABLE.fullmatch(stem) and not infinitive.endswith("ieren"):
        participle = "ge" + participle
    return GermanVerb(
        infinitive, third, preterite, participle, prefix, reflexive, auxiliary="sein" if entry.endswith("*") else "haben"
    )


def german_stem(infinitive: str) -> str:
    """The infinitive without -en or -n."""
    return infinitive.removesuffix("en") if infinitive.endswith("en") else infinitive.removesuffix("n")


def read_english_verb(entry: str) -> EnglishVerb:
    """Read one English verb in the notation of `verbs`, deriving the parts of a regular one."""
    forms, _, particle = entry.partition(" +")
    base, *rest = forms.split()
    past = rest[0] if rest else regular_past(base)
    return EnglishVerb(base, past, rest[1] if len(rest) > 1 else past, particle.strip())


def doubled(base: str) -> str:
    """The base with its last consonant doubled where a vowel ending asks for it: stop, stopp-."""
    return base + base[-1] if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprt]|forget|travel|cancel|program", base) else base


def regular_past(base: str) -> str:
    """The past of an English verb by rule."""
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    return doubled(base) + "ed"


def _read_complement(entry: str) -> Complement:
    markers, nouns_allowed = entry.removeprefix("?").split(":")
    german, _, english = markers.partition(">")
    preposition, _, case = german.rpartition("+")
    return Complement(preposition or (german if german in ("at", "to", "bare") else ""), case, english, nouns_allowed, entry[0] == "?")


def _read_verbs() -> tuple[Verb, ...]:
    entries: list[Verb] = []
    topic = ""
    rank = 0
    for line in filter(None, map(str.strip, verbs.VERBS.splitlines())):
        if line.startswith("# "):
            topic, rank = line[2:], 0
            continue
        english, german, subject, complements, flags = (cell.strip() for cell in line.split("|"))
        # A noun may consist of two words, so only a marker with a colon starts a complement.
        starts = re.split(r" (?=\??[a-zü+]+(?:>[a-z]*)?:)", complements) if complements else []
        entries.append(
            Verb(
                read_english_verb(english), read_german_verb(german), subject, tuple(map(_read_complement, starts)),
                frozenset(flags), topic, rank,
            )  # fmt: skip
        )
        rank += 1
    return tuple(entries)


def _english_comparative(adjective: str) -> str:
    if len(VOWEL_GROUP.findall(adjective.removesuffix("e"))) > 1:
        return "more " + adjective
    return adjective + ("r" if adjective.endswith("e") else "er")


def _read_adjectives(noun_names: frozenset[str], groups: dict[str, frozenset[str]]) -> tuple[Adjective, ...]:
    entries = []
    multiword = sorted((name for name in noun_names if " " in name), key=len, reverse=True)
    for rank, (topic, line) in enumerate(_sections(words.ADJECTIVES)):
        forms, _, described = line.partition(": ")
        describes: set[str] = set()
        for name in multiword:
            if name in described:
                describes.add(name)
                described = described.replace(name, "")
        for name in described.split():
            describes |= groups.get(name, frozenset({name}))
        if describes - noun_names:
            raise ValueError(f"{forms}: no noun or kind of noun {sorted(describes - noun_names)}")
        english, german = forms.split(" = ")
        english, _, comparative = english.partition("/")
        attributive, *german_comparative = german.split()
        predicative, _, stem = attributive.partition("/")
        stem = stem or predicative
        entries.append(
            Adjective(
                english, "" if german_comparative == ["-"] else comparative or _english_comparative(english),
                predicative, stem, (german_comparative or [stem.removesuffix("e") + "er"])[0].strip("-"), topic, rank, frozenset(describes),
            )  # fmt: skip
        )
    return tuple(entries)


def _read_countries() -> tuple[Proper, ...]:
    entries = []
    for pair in pairs(words.COUNTRIES):
        article, _, german = pair.german.rpartition(" ")
        entries.append(Proper(pair.english, german, "country", article=article[-1:]))
    return tuple(entries)


def load() -> Lexicon:
    """Read all tables. A slip in a table raises ValueError naming the entry."""
    all_nouns = _read_nouns()
    groups: dict[str, frozenset[str]] = {}
    for name, members in verbs.GROUPS.items():
        groups[name] = frozenset().union(*(groups.get(member, frozenset({member})) for member in members.split()))
    noun_names = frozenset(noun.kind for noun in all_nouns) | frozenset(noun.english for noun in all_nouns)
    lexicon = Lexicon(
        all_nouns,
        _read_verbs(),
        _read_adjectives(noun_names, groups),
        tuple(Proper(name, name, "person", gender="f") for name in words.WOMEN.split()),
        tuple(Proper(name, name, "person", gender="m") for name in words.MEN.split()),
        tuple(words.FAMILIES.split()),
        tuple(Proper(pair.english, pair.german, "city") for pair in pairs(words.CITIES, separator=" ")),
        _read_countries(),
        groups,
    )
    for verb in lexicon.verbs:
        for specification in (verb.subject, *(complement.nouns for complement in verb.complements)):
            lexicon.expand(specification)
    return lexicon


LEXICON = load()
