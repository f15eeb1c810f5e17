"""Tatoeba's pairs, split into training, validation and test pairs, and into text for language models.

Volunteers say the same in many ways: "Tom ate an apple.", "Mary eats apples.". A random split of sentences would leak
the test into the training text. So near copies stay in one portion: two pairs belong together if they have the same
text on either side, or the same *skeleton*, the stems of their words without numbers, names and frequent words, most of
which only carry grammar.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.shuffle import text_hash

if TYPE_CHECKING:
    from seqpre.corpora.archives import File

EVALUATED = {"valid": 0.01, "test": 0.012}
DEALS = {
    # 6,800 labelled pairs; half of the rest for each language, so English text is no translation of the German.
    "": {**EVALUATED, "labelled": 0.04, "en": 0.469, "de": 0.469},
    # A training set of 50 thousand pairs, from which a study takes its sizes; LMs read either side of all others.
    "de": {**EVALUATED, "pairs": 0.3, "others": 0.678},
    "tr": {"valid": 0.02, "test": 0.02, "pairs": 0.96},
}
"""Splits, each with its portions' shares of the groups, named for the language besides English if there are several of
German. The validation and test sets of the first are those of the second."""
PORTIONS = tuple(dict.fromkeys(f"{deal}:{name}" if deal else name for deal, shares in DEALS.items() for name in shares))
STEMMERS = {"en": "english", "de": "german"}
PREFIX = 5
"""Prefix length used as stem in other languages; for Turkish as good as a lemmatiser (Can et al., 2008, "Information
retrieval on Turkish texts")."""
WORD = re.compile(r"\w+")
FREQUENT = 100
"""This many most frequent words of a language are ignored: they say too little about content."""
FEWEST = 2
"""Skeletons with fewer words say too little; such sentences are compared by their text."""


def read_portion(file: File, portion: str) -> Iterator[str]:
    """Yield one language's sentences of a portion, like `labelled` or, with the name of the split, `tr:pairs`.

    A line is an English sentence, its translation and perhaps attribution, separated by tabs. Raises ConfigError for a
    language that the portion does not have, DataError for a line without two columns.
    """
    reader = f"tatoeba:{portion}"
    deal, _, portion = portion.rpartition(":")
    sides: dict[str, list[str]] = {name: [] for name in ("en", deal or "de")}
    if file.language not in sides:
        raise ConfigError(
            f"{file.where}: {reader} has the languages {' and '.join(sides)}, not {file.language!r}; correct the "
            "language, or the reader, in the list of corpora"
        )
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
    """Return the skeleton of each sentence: the sorted stems of its rarer words, or its text if these are too few."""
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
    """Return whether a word looks like a name; in German every noun does."""
    return language != "de" and place > 0 and word[0].isupper()


def groups(sides: Mapping[str, Sequence[str]]) -> list[int]:
    """Return the group of every pair: the number of its first member. `sides` has the texts by language."""
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
    """Return the portion of every pair: whole groups, drawn at random but reproducibly for the same text.

    `shares` of the groups sum to 1; a portion's share of the pairs differs slightly, because groups differ in size.
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
