"""The rows of a table that a paper prints, and what of ours belongs to them, whichever way the table is laid out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from seqpre.report.contrasts import with_interval
from seqpre.report.estimates import Estimate
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results
from seqpre.report.table import EMPTY, Cell, number_cell, text_cell
from seqpre.study.fractions import by_size, in_words
from seqpre.study.paper import PrintedTable

Numbers = Mapping[str, PublishedNumber]
"""Published numbers of one row, by split; in a table of several metrics, by metric."""
Row = dict[str, Cell]
SystemAt = tuple[str, str]
"""A system of ours and the fraction that it is trained on."""


class Printed(NamedTuple):
    """A row of the paper's. `ours` is what it is compared with, if anything; `of` would be, on its variant."""

    label: str
    condition: str
    split: str
    numbers: Numbers
    of: SystemAt
    ours: SystemAt | None


class Body(NamedTuple):
    """A table without its notes, but for the `last` of them; `metrics` are those of what is `shown` of ours."""

    columns: dict[str, str]
    rows: list[Row]
    shown: list[SystemAt]
    metrics: list[str]
    last: list[str]


def printed_rows(results: Results, numbers: Sequence[PublishedNumber], said: PrintedTable, *, by: str) -> list[Printed]:
    """Return the paper's rows in its order.

    Ours stand beside those of a system with a fraction, or of one that the study has, on its variant of the corpus.
    """
    known = {one.system for one in results.scored}
    condition = said.conditions.get(results.corpus) or next(iter(said.conditions.values()), None)
    rows: dict[tuple[str, ...], dict[str, PublishedNumber]] = {}
    for one in numbers:
        key = (one.system, one.label, one.condition, one.fraction, one.split if by == "metric" else "")
        rows.setdefault(key, {})[getattr(one, by)] = one
    found = []
    for (system, label, printed_condition, fraction, split), row in rows.items():
        of = (system, at(results, fraction))
        compared = (fraction or system in known) and condition in (None, printed_condition)
        found.append(Printed(label, printed_condition, split, row, of, of if compared else None))
    return found


def named(results: Results, numbers: Sequence[PublishedNumber], label: str, setting: str, fraction: str) -> Row:
    """Return the cells that say what a row is of; a table of one fraction has no column for it.

    Where the most that the study has stands beside all that the paper has, it says so.
    """
    share = in_words(fraction) if fraction else EMPTY
    if fraction == results.all_data != "100pct" and any(one.fraction == "100pct" for one in numbers):
        share += " (paper: all)"
    return {"system": text_cell(label), "setting": text_cell(setting), "fraction": text_cell(share)}


def at(results: Results, fraction: str) -> str:
    """Return the fraction of ours for a printed one; all data is the most that the study has."""
    return results.all_data if fraction in ("", "100pct") else fraction


def fractions_of(results: Results, numbers: Sequence[PublishedNumber]) -> list[str]:
    """Return the printed fractions; where there are several, the study's own ones, too."""
    found = dict.fromkeys(at(results, number.fraction) for number in numbers if number.fraction)
    if len(found) < 2:
        return list(found) or [results.all_data]
    return sorted({*found, *(one for _, one in results.cells)}, key=by_size)


def also(results: Results, said: PrintedTable, fractions: Sequence[str]) -> list[SystemAt]:
    """Return what stands in the table though the paper does not print it, as far as the study has it."""
    return [(system, one) for system in said.also for one in fractions if results.of(system, one)]


def scored(results: Results, cells: Iterable[SystemAt]) -> list[SystemAt]:
    """Return what has been run of some cells, each once."""
    return [cell for cell in dict.fromkeys(cells) if any(run.scores for run in results.of(*cell))]


def tests_in(results: Results, metrics: Sequence[str]) -> list[str]:
    """Return the tests that belong in a table of some metrics: those reported in one of them, or else all."""
    return [split for split in results.tests if results.metric_of(split) in metrics] or results.tests


def score(results: Results, cell: SystemAt, split: str, metric: str) -> Estimate | None:
    """Return a system's score with its interval."""
    system, fraction = cell
    ours = results.score(system, fraction, split, metric=metric)
    return with_interval(results, ours, system, fraction, split, metric)


def printed_gain(numbers: Numbers, others: Numbers) -> tuple[dict[str, float], float]:
    """Return what one printed row is above another where both have a number, and by how much rounding may mislead."""
    both = [key for key in numbers if key in others]
    tolerance = max((numbers[key].tolerance + others[key].tolerance for key in both), default=0.0)
    return {key: numbers[key].value - others[key].value for key in both}, tolerance


def seeds(ours: Iterable[Estimate | None]) -> Cell:
    """Return of how many seeds a row is; an ensemble, and what nobody trains, is of none."""
    of_seeds = [one.n for one in ours if one and any(measurement.seed is not None for measurement in one.measurements)]
    return number_cell(max(of_seeds, default=None), "d")


def pattern_of(numbers: Sequence[PublishedNumber]) -> str:
    """Return as many decimals as are printed."""
    return f".{max((len(number.printed.partition('.')[2]) for number in numbers), default=1)}f"
