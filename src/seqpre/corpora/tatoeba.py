"""Tatoeba's pairs, dealt out: a few labelled ones, and unlabelled text of either language that translates none of it.

A line is an English sentence, its translation and who wrote them, separated by tabs. Near copies of a pair stay in one
portion (see `seqpre.corpora.near_copies`), so no test sentence has one in any training text, and English unlabelled
text is not the translation of the German.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from seqpre.common.errors import DataError
from seqpre.corpora.near_copies import portions

COLUMNS = ("en", "de")
SHARES = {"valid": 0.01, "test": 0.012, "labelled": 0.04, "en": 0.469, "de": 0.469}
"""Of the groups: 6,800 labelled pairs; for a language's unlabelled text a half of the rest."""


def read_portion(lines: Iterable[str], portion: str, language: str, where: str) -> Iterator[str]:
    """Yield one language's sentences of a portion. Raises DataError for a line without two columns."""
    sides: dict[str, list[str]] = {name: [] for name in COLUMNS}
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        if len(cells) < len(COLUMNS):
            raise DataError(f"{where}, line {number}: {len(cells)} tab-separated columns, {len(COLUMNS)} expected")
        for name, cell in zip(COLUMNS, cells, strict=False):
            sides[name].append(cell)
    for text, dealt in zip(sides[language], portions(sides, SHARES), strict=True):
        if dealt == portion:
            yield text
