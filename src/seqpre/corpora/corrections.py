"""Pairs of a sentence and its correction, as the corpora of grammatical error correction come.

    m2         M2 (see `seqpre.corpora.m2`): a pair for the correction of every annotator
    m2:<k>     a pair a sentence: the correction of annotator k, who agrees with what he says nothing about
    pairs      two tab-separated columns, the sentence and its correction
    lang8      Lang-8 Corpus of Learner English: a pair for every correction; pairs without edits are left out

An edit that overlaps an earlier one of its annotator is skipped, and counted as a repair of its pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from seqpre.common.errors import DataError
from seqpre.corpora.m2 import Annotated, parse_m2
from seqpre.corpora.stats import Stats

SIDES = ("source", "target")
CORRECTIONS = ("m2", "m2:<k>", "pairs", "lang8")
OVERLAPPING = "overlapping_edits_skipped"


class Pair(NamedTuple):
    """A sentence and its correction."""

    source: str
    target: str


def of_corrections(reader: str) -> bool:
    """Return whether a reader of the list of corpora gives pairs of this kind."""
    return reader in CORRECTIONS or reader.startswith("m2:")


def read_pairs(lines: Iterable[str], reader: str, where: str, stats: Stats) -> Iterator[Pair]:
    """Yield the pairs of a file, what is left out or repaired in `stats`; DataError, which says where, for any other.

    Read twice, for one side and for the other, a file gives the same pairs.
    """
    if reader == "pairs":
        yield from _columns(lines, where)
    elif reader == "lang8":
        yield from _lang8(lines, where, stats)
    else:
        _, _, annotator = reader.partition(":")
        yield from _annotated(parse_m2(lines, where), int(annotator) if annotator else None, where, stats)


def _annotated(sentences: Iterable[Annotated], annotator: int | None, where: str, stats: Stats) -> Iterator[Pair]:
    known = set[int]()
    for sentence in sentences:
        known.update(sentence.annotators)
        for who in sentence.annotators if annotator is None else [annotator]:
            edits, skipped = sentence.compatible(who)
            stats.repaired.update({OVERLAPPING: skipped} if skipped else {})
            yield Pair(" ".join(sentence.source), sentence.corrected_by(edits))
    if annotator is not None and annotator not in known:
        raise DataError(f"{where}: no annotator {annotator}; it has {', '.join(map(str, sorted(known))) or 'none'}")


def _columns(lines: Iterable[str], where: str) -> Iterator[Pair]:
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        if len(cells) != len(SIDES):
            raise DataError(
                f"{where}, line {number:,}: {len(cells)} tab-separated columns, expected a sentence, one tab and its "
                "correction, neither with a tab inside"
            )
        yield Pair(*cells)


def _lang8(lines: Iterable[str], where: str, stats: Stats) -> Iterator[Pair]:
    """Yield the pairs of `entries.train`: number of corrections, of the entry, ..., the sentence, the corrections."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():  # between two entries
            continue
        first, *rest = line.split("\t")
        count = int(first) if first.isdecimal() and len(first) < 4 else -1
        if not 0 <= count < len(rest):
            raise DataError(
                f"{where}, line {number:,}: {line[:60]!r} does not begin with the number of its corrections, which "
                "the last columns are; a sentence has no tab inside"
            )
        cut = len(rest) - count
        source = rest[cut - 1]
        for target in rest[cut:]:
            if source.split() == target.split():
                stats.drop("no_edits", number, [source])
            else:
                yield Pair(source, target)
        if count == 0:
            stats.drop("no_correction", number, [source])
