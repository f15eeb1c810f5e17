"""Pairs of a sentence and its correction, from the formats of grammatical error correction.

An edit that overlaps an earlier one of its annotator is skipped, and counted as a repair of its pair. Reading a file
twice, once for each side, gives the same pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from seqpre.common.errors import DataError
from seqpre.corpora.archives import File
from seqpre.corpora.articles.article import Skipped
from seqpre.corpora.m2 import parse_m2
from seqpre.corpora.readers import SIDES

OVERLAPPING = "overlapping_edits_skipped"


class Pair(NamedTuple):
    """A sentence and its correction; `repaired` counts skipped edits."""

    source: str
    target: str
    repaired: Mapping[str, int] = {}


def read_m2(file: File, annotator: int | None = None) -> Iterator[Pair]:
    """Yield a pair for every annotator of each sentence in an M2 file (`seqpre.corpora.m2`), or for one annotator."""
    known = set[int]()
    for sentence in parse_m2(file.lines(), file.where):
        known.update(sentence.annotators)
        for who in sentence.annotators if annotator is None else [annotator]:
            edits, skipped = sentence.compatible(who)
            repaired = {OVERLAPPING: skipped} if skipped else {}
            yield Pair(" ".join(sentence.source), sentence.corrected_by(edits), repaired)
    if annotator is not None and annotator not in known:
        raise DataError(
            f"{file.where}: no annotator {annotator}; it has {', '.join(map(str, sorted(known))) or 'none'}"
        )


def read_columns(file: File) -> Iterator[Pair]:
    """Yield the pairs of a file with two tab-separated columns."""
    for number, line in enumerate(file.lines(), start=1):
        cells = line.split("\t")
        if len(cells) != len(SIDES):
            raise DataError(
                f"{file.where}, line {number:,}: {len(cells)} tab-separated columns, expected a sentence, one tab and "
                "its correction, neither with a tab inside"
            )
        yield Pair(cells[0], cells[1])


def read_lang8(file: File) -> Iterator[Pair | Skipped]:
    """Yield the pairs of `entries.train`: number of corrections, data of the entry, ..., sentence, corrections."""
    for number, line in enumerate(file.lines(), start=1):
        if not line.strip():  # between entries
            continue
        first, *rest = line.split("\t")
        count = int(first) if first.isdecimal() and len(first) < 4 else -1
        if not 0 <= count < len(rest):
            raise DataError(
                f"{file.where}, line {number:,}: {line[:60]!r} does not begin with the number of its corrections, "
                "which the last columns are; a sentence has no tab inside"
            )
        cut = len(rest) - count
        source = rest[cut - 1]
        for target in rest[cut:]:
            same = source.split() == target.split()
            yield Skipped("no_edits", f"line {number}", source) if same else Pair(source, target)
        if count == 0:
            yield Skipped("no_correction", f"line {number}", source)
