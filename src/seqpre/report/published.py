"""The numbers that the papers print or draw, from `workflow/published.tsv`.

One number a row. `system` is this project's name of the system if it has one, else the printed label; `metric` and
`split` are named as in `scores.json`; `delta_<metric>` is a difference to the system named in `condition`. `kind` is
`text` (printed, tolerance half a unit of the last place), `label` (the same, but printed only in the image of a figure)
or `digitised` (read off a figure, tolerance by reading precision).
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from seqpre.common.errors import DataError
from seqpre.common.files import read_lines

KINDS = ("text", "label", "digitised")
DIFFERENCE = "difference to "
"""Beginning of the condition of a difference; a system follows."""


@dataclass(frozen=True)
class PublishedNumber:
    """One published number; `printed` is the value as the paper writes it."""

    paper: str
    study: str
    table: str
    edition: str
    system: str
    label: str
    condition: str
    fraction: str
    split: str
    metric: str
    printed: str
    kind: str
    tolerance: float
    note: str

    @property
    def value(self) -> float:
        """The value as a number."""
        return float(self.printed)

    def said_of(self, ours: Mapping[str, str]) -> PublishedNumber:
        """Return the number, said of a system of ours: `ours` has the names, where these are not the paper's."""
        other = self.condition.removeprefix(DIFFERENCE)
        condition = f"{DIFFERENCE}{ours.get(other, other)}" if other != self.condition else other
        return replace(self, system=ours.get(self.system, self.system), condition=condition)


COLUMNS = tuple("value" if field.name == "printed" else field.name for field in fields(PublishedNumber))


def load_published(path: Path | str) -> list[PublishedNumber]:
    """Read all rows in file order. Raises DataError, naming file, line and value."""
    reader = csv.reader(read_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = tuple(next(reader, ()))
    if header != COLUMNS:
        raise DataError(f"{path}, line 1: columns are {', '.join(header)}; expected {', '.join(COLUMNS)}")
    return [_parse(row, f"{path}, line {number}") for number, row in enumerate(reader, start=2)]


def of_study(numbers: Sequence[PublishedNumber], study: str, table: str) -> list[PublishedNumber]:
    """Return the rows of one table or figure of a study, in printed order."""
    return [number for number in numbers if number.study == study and number.table == table]


def _parse(row: list[str], where: str) -> PublishedNumber:
    if len(row) != len(COLUMNS):
        raise DataError(f"{where}: {len(row)} columns, expected {len(COLUMNS)}")
    entry = dict(zip(COLUMNS, row, strict=True))
    for column in ("value", "tolerance"):
        try:
            float(entry[column])
        except ValueError as error:
            raise DataError(f"{where}: {column} is {entry[column]!r}, not a number") from error
    if entry["kind"] not in KINDS:
        raise DataError(f"{where}: kind is {entry['kind']!r}; it must be one of {', '.join(KINDS)}")
    tolerance = float(entry.pop("tolerance"))
    return PublishedNumber(printed=entry.pop("value"), tolerance=tolerance, **entry)
