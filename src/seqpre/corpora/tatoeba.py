"""Tatoeba's pairs, dealt out to pairs that train, validate and test, and to text that its languages' LMs read.

Volunteers say the same in many ways: "Tom ate an apple.", "Mary eats apples.". Dealt out one by one, such sentences
would put the test into the training text. So near copies stay in one portion: two pairs belong together if they have
the same text on either side, or the same *skeleton*, the stems of their words without numbers, names and the words that
are frequent in the collection, most of which only carry grammar.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from seqpre.common.errors import DataError
from seqpre.corpora.shuffle import text_hash

if TYPE_CHECKING:
    from seqpre.corpora.archives import File

EVALUATED = {"valid": 0.01, "test": 0.012}
DEALS = {
    # 6,800 labelled pairs, and of the rest a half for each language: English text is no translation of German.
    "": {**EVALUATED, "labelled": 0.04, "en": 0.469, "de": 0.469},
    # A training set of 50 thousand pairs, of which a study takes its sizes; LMs read either side of all others.
    "de": {**EVALUATED, "pairs": 0.3, "others": 0.678},
    "tr": {"valid": 0.02, "test": 0.02, "pairs": 0.96},
}
"""Ways to deal, each with its portions' shares of the groups; named for the language beside English where there are
several of German. The first one's validation and test sets are those of the second."""
PORTIONS = tuple(dict.fromkeys(f"{deal}:{name}" if deal else name for deal, shares in DEALS.items() for name in shares))
STEMMERS = {"en": "english", "de": "german"}
PREFIX = 5
"""The first letters of a word of another language stand for its stem; of Turkish ones as good as a lemmatiser's (Can et
al., 2008, "Information retrieval on Turkish texts")."""
WORD = re.compile(r"\w+")
FREQUENT = 100
"""So many of the most frequent words of a language say too little of what a sentence is about."""
FEWEST = 2
"""A skeleton of fewer words says too little; such sentences are compared by their text."""


def read_portion(file: File, portion: str) -> Iterator[str]:
    """Yield one language's sentences of a portion, like `labelled` or, of a named deal, `tr:pairs`.

    A line is an English sentence, its translation and perhaps who wrote them, separated by tabs. Raises DataError for a
    line without two columns.
    """
    deal, _, portion = portion.rpartition(":")
    sides: dict[str, list[str]] = {name: [] for name in ("en", deal or "de")}
    for number, line in enumerate(file.lines(), start=1):
        cells = line.split("\t")
        if len(cells) < len(sides):
            raise DataError(f"{file.where}, line {number}: {len(cells)} tab-separated columns, {len(sides)} expected")
        for side, cell in zip(sides.values(), cells, strict=False):
            side.append(cell)
    for text, dealt in zip(sides[file.language], portions(sides, DEALS[deal]), strict=True):
        if dealt == portion:
            yield text


def skeletons(lines: Sequence[str], language: str) -> list[tuple[str, ...]]:
    """Return what each sentence is about: the stems of its rarer words, sorted; its text where they are too few."""
    from nltk.stem.snowball import SnowballStemmer  # type: ignore[import-untyped]  # takes a second

    words = [WORD.findall(line) for line in lines]
    counts = Counter(word.lower() for line in words for word in sorted(set(line)))  # Sorted, so that ties fall alike.
    frequent = {word for word, _ in counts.most_common(FREQUENT)}
    stem = SnowballStemmer(STEMMERS[language]).stem if language in STEMMERS else lambda word: word[:PREFIX]
    stems = {word: stem(word) for word in counts}
    found = []
    for line, text in zip(words, lines, strict=True):
        kept = {
            stems[word.lower()]
            for place, word in enumerate(line)
            if word.lower() not in frequent and not word.isdigit() and not _is_name(word, place, language)
        }
        found.append(tuple(sorted(kept)) if len(kept) >= FEWEST else (text.lower(),))
    return found


def _is_name(word: str, place: int, language: str) -> bool:
    """Return whether a word looks like a name; German writes every noun like one."""
    return language != "de" and place > 0 and word[0].isupper()


def groups(sides: Mapping[str, Sequence[str]]) -> list[int]:
    """Return the group of every pair: the number of its first member. `sides` are the texts by language."""
    from scipy.cluster.hierarchy import DisjointSet

    count = len(next(iter(sides.values())))
    together = DisjointSet(range(count))
    for language, lines in sides.items():
        for keys in (skeletons(lines, language), lines):
            first: dict[object, int] = {}
            for number, key in enumerate(keys):
                together.merge(number, first.setdefault(key, number))
    smallest: dict[int, int] = {}
    return [smallest.setdefault(together[number], number) for number in range(count)]


def portions(sides: Mapping[str, Sequence[str]], shares: Mapping[str, float]) -> list[str]:
    """Return the portion that every pair is dealt to: whole groups, at random but the same for the same text.

    `shares` of the groups add up to 1; a portion's share of the pairs differs a little, as groups differ in size.
    """
    assert abs(sum(shares.values()) - 1) < 1e-9, shares
    source = next(iter(sides.values()))
    return [_dealt(text_hash(source[group]) / 2**64, shares.items()) for group in groups(sides)]


def _dealt(draw: float, shares: Iterable[tuple[str, float]]) -> str:
    *others, (last, _) = shares
    for name, share in others:
        draw -= share
        if draw < 0:
            return name
    return last
