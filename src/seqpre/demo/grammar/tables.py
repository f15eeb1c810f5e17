"""Read the tables of this package into a `Lexicon`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from seqpre.demo.grammar import nouns, verbs, words
from seqpre.demo.grammar.english_forms import comparative, regular_past, regular_plural
from seqpre.demo.grammar.german_forms import weak_parts
from seqpre.demo.grammar.lexicon import (
    MASS,
    Adjective,
    Complement,
    EnglishVerb,
    GermanVerb,
    Lexicon,
    NameGroups,
    Noun,
    Pair,
    PlacePrepositions,
    Proper,
    Verb,
)


def _sections(table: str) -> Iterator[tuple[str, str]]:
    """Yield (header, line) for the lines below each `[header]` of a table."""
    header = ""
    for line in filter(None, map(str.strip, table.splitlines())):
        if line.startswith("["):
            header = line.strip("[]")
        else:
            yield header, line


def pairs(table: str, separator: str = ";") -> tuple[Pair, ...]:
    """Read `english = german` entries, one a line or with a separator; a lone word is the same in both languages."""
    entries = (entry.strip() for line in table.splitlines() for entry in line.split(separator))
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
        topic, modifiers, head_names = re.fullmatch(r"\[(\w+)\] (.+) x (.+)", line).groups()  # type: ignore[union-attr]
        for head in (heads[name] for name in head_names.split()):
            for modifier in pairs(modifiers, separator=" "):
                entries.append(_compound(modifier, head, topic, ranks[head.kind]))
                ranks[head.kind] += 1
    return tuple(entries)


def _compound(modifier: Pair, head: Noun, topic: str, rank: int) -> Noun:
    plural = MASS if head.mass else modifier.german + head.german_plural.lower()
    return replace(
        head,
        english=f"{modifier.english} {head.english}",
        english_plural=f"{modifier.english} {head.english_plural}",
        german=modifier.german + head.german.lower(),
        german_plural=plural,
        topic=topic,
        rank=rank,
        head=head.english,
    )


def read_german_verb(entry: str) -> GermanVerb:
    """Read one German verb in the notation of `verbs`, deriving the parts of a weak one."""
    reflexive, parts = entry.startswith("sich "), entry.removeprefix("sich ").rstrip("*").split()
    prefix, _, infinitive = parts[0].rpartition("+")
    third, preterite, participle = weak_parts(infinitive)
    if len(parts) > 1:
        *given_third, preterite, participle = parts[1:]
        third = given_third[0] if given_third else third
    auxiliary = "sein" if entry.endswith("*") else "haben"
    return GermanVerb(infinitive, third, preterite, participle, prefix, reflexive, auxiliary)


def read_english_verb(entry: str) -> EnglishVerb:
    """Read one English verb in the notation of `verbs`, deriving the parts of a regular one."""
    forms, _, particle = entry.partition(" +")
    base, *rest = forms.split()
    past = rest[0] if rest else regular_past(base)
    return EnglishVerb(base, past, rest[1] if len(rest) > 1 else past, particle.strip())


def _read_complement(entry: str) -> Complement:
    markers, names = entry.removeprefix("?").split(":")
    german, _, english = markers.partition(">")
    preposition, _, case = german.rpartition("+")
    if german in ("at", "to", "bare"):
        preposition = german
    return Complement(preposition, case, english, names, optional=entry.startswith("?"))


def _read_verbs(groups: NameGroups) -> tuple[Verb, ...]:
    entries: list[Verb] = []
    topic, rank = "", 0
    for line in filter(None, map(str.strip, verbs.VERBS.splitlines())):
        if line.startswith("# "):
            topic, rank = line[2:], 0
            continue
        english, german, subject, frame, flags = (cell.strip() for cell in line.split("|"))
        # Names of nouns contain blanks, so a complement starts at a marker with its colon.
        complements = [_read_complement(entry) for entry in re.split(r" (?=\??[a-zü+]+(?:>[a-z]*)?:)", frame) if entry]
        for names in (subject, *(each.nouns for each in complements)):
            groups.expand(names)
        english_verb, german_verb = read_english_verb(english), read_german_verb(german)
        entries.append(Verb(english_verb, german_verb, subject, tuple(complements), frozenset(flags), topic, rank))
        rank += 1
    return tuple(entries)


def _read_adjectives(groups: NameGroups) -> tuple[Adjective, ...]:
    entries = []
    for rank, (topic, line) in enumerate(_sections(words.ADJECTIVES)):
        forms, _, described = line.partition(": ")
        english, german = forms.split(" = ")
        english, _, english_comparative = english.partition("/")
        german, *given = german.split()
        german, _, stem = german.partition("/")
        stem = stem or german
        german_comparative = given[0] if given else stem.removesuffix("e") + "er"
        if german_comparative == "-":
            german_comparative = english_comparative = ""
        else:
            english_comparative = english_comparative or comparative(english)
        describes = groups.expand(described)
        entries.append(
            Adjective(english, english_comparative, german, stem, german_comparative, topic, rank, describes)
        )
    return tuple(entries)


def _read_countries() -> tuple[Proper, ...]:
    entries = []
    for pair in pairs(words.COUNTRIES):
        article, _, german = pair.german.rpartition(" ")
        entries.append(Proper(pair.english, german, "country", article=article))
    return tuple(entries)


def load() -> Lexicon:
    """Read all tables. A slip in a table raises ValueError naming the entry."""
    all_nouns = _read_nouns()
    names = frozenset(noun.kind for noun in all_nouns) | frozenset(noun.english for noun in all_nouns)
    groups = NameGroups(verbs.GROUPS, names | {"city", "country"})
    return Lexicon(
        all_nouns,
        _read_verbs(groups),
        _read_adjectives(groups),
        tuple(Proper(name, name, "person", gender="f") for name in words.WOMEN.split()),
        tuple(Proper(name, name, "person", gender="m") for name in words.MEN.split()),
        tuple(words.FAMILIES.split()),
        tuple(Proper(pair.english, pair.german, "city") for pair in pairs(words.CITIES, separator=" ")),
        _read_countries(),
        groups,
    )


LEXICON = load()
