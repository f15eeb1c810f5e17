"""Readers of text with one sentence a line."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from seqpre.common.errors import DataError
from seqpre.corpora.archives import File


def plain(file: File) -> Iterator[str]:
    """Yield the lines unchanged."""
    return file.lines()


def lowercase(file: File, language: str = "") -> Iterator[str]:
    """Yield the lines in lower case; Turkish and Azeri keep dotted and dotless i apart."""
    for line in file.lines():
        if (language or file.language) in ("tr", "az"):
            line = unicodedata.normalize("NFC", line).replace("İ", "i").replace("I", "ı")  # noqa: RUF001
        yield line.lower()


def some(file: File, first: int, last: int) -> Iterator[str]:
    """Yield lines `first` to `last`, counted from 1. Raises DataError if there are fewer."""
    number = 0
    for number, line in enumerate(file.lines(), start=1):
        if first <= number <= last:
            yield line
    if number < last:
        raise DataError(
            f"{file.where}: has {number:,} lines, and its row in the list of corpora takes those to {last:,}"
        )


def column(file: File, wanted: int) -> Iterator[str]:
    """Yield one of the tab-separated columns, counted from 0."""
    for number, line in enumerate(file.lines(), start=1):
        cells = line.split("\t")
        if wanted >= len(cells):
            raise DataError(
                f"{file.where}, line {number}: {len(cells)} tab-separated columns, column {wanted} asked for"
            )
        yield cells[wanted]
