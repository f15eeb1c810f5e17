"""Tatoeba's pairs, dealt out to pairs that train, validate and test, and to text that its languages' LMs read.

A line is an English sentence, its translation and perhaps who wrote them, separated by tabs. Near copies of a pair stay
in one portion (see `seqpre.corpora.near_copies`), so no test sentence has one in any training text of the same deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seqpre.common.errors import DataError
from seqpre.corpora.near_copies import portions

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


def read_portion(lines: Iterable[str], portion: str, language: str, where: str) -> Iterator[str]:
    """Yield one language's sentences of a portion, like `labelled` or, of a named deal, `tr:pairs`.

    Raises DataError for a line without two columns.
    """
    deal, _, portion = portion.rpartition(":")
    sides: dict[str, list[str]] = {name: [] for name in ("en", deal or "de")}
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        if len(cells) < len(sides):
            raise DataError(f"{where}, line {number}: {len(cells)} tab-separated columns, {len(sides)} expected")
        for side, cell in zip(sides.values(), cells, strict=False):
            side.append(cell)
    for text, dealt in zip(sides[language], portions(sides, DEALS[deal]), strict=True):
        if dealt == portion:
            yield text
