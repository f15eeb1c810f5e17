"""Lists of misspelt words, turned round: for a word, how it has been seen misspelt.

Two forms are read, a line each: `teh->the` (codespell) and `teh,the` (typos). A misspelling of several words, or of
which the list says more than the correction, is left out: it would not be known which word was meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from seqpre.common.errors import DataError
from seqpre.common.files import read_lines


def read_misspellings(paths: Iterable[Path]) -> Mapping[str, tuple[str, ...]]:
    """Return the misspellings of every word of the lists, in the order of code points.

    Raises DataError, naming file and line, for a line of neither form.
    """
    found: dict[str, set[str]] = {}
    for path in paths:
        for number, line in enumerate(read_lines(path), start=1):
            wrong, arrow, right = line.strip().partition("->" if "->" in line else ",")
            if not (wrong and arrow and right):
                raise DataError(f"{path}, line {number:,}: {line[:40]!r} is neither `wrong->right` nor `wrong,right`")
            if wrong.isalpha() and right.isalpha() and wrong != right:
                found.setdefault(right.lower(), set()).add(wrong.lower())
    return {word: tuple(sorted(wrong)) for word, wrong in found.items()}
