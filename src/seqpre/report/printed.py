"""A table that a paper prints, and the results of ours that belong in it, in either layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from seqpre.report.contrasts import contrast, minus
from seqpre.report.estimates import Comparison, SeedMean
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results, SystemAt
from seqpre.report.table import EMPTY, Cell, Row, number_cell
from seqpre.report.verdicts import difference_verdict
from seqpre.study.fractions import ALL, by_size, in_words
from seqpre.study.paper import PrintedTable

Numbers = Mapping[str, PublishedNumber]
"""Published numbers of one row, by split; in a table with several metrics, by metric."""


class PrintedRow(NamedTuple):
    """A row of the paper. `of` is our corresponding cell; `ours` is the same, or None if they are not compared."""

    label: str
    condition: str
    fraction: str
    split: str
    numbers: Numbers
    of: SystemAt
    ours: SystemAt | None


class Body(NamedTuple):
    """A table with only the `last` of its notes; `metrics` are those of our `shown` cells."""

    columns: dict[str, str]
    rows: list[Row]
    shown: list[SystemAt]
    metrics: list[str]
    last: list[str]


@dataclass(frozen=True)
class Printed:
    """The data that all rows of a table are made from."""

    results: Results
    said: PrintedTable
    numbers: Sequence[PublishedNumber]

    @cached_property
    def metrics(self) -> list[str]:
        """The printed metrics."""
        return list(dict.fromkeys(number.metric for number in self.numbers))

    @cached_property
    def splits(self) -> list[str]:
        """The printed splits."""
        return list(dict.fromkeys(number.split for number in self.numbers))

    @cached_property
    def pattern(self) -> str:
        """Number format, with as many decimals as the paper prints."""
        return f".{max((len(number.printed.partition('.')[2]) for number in self.numbers), default=1)}f"

    def rows(self, by: Literal["split", "metric"]) -> list[PrintedRow]:
        """Return the paper's rows in printed order.

        A row is compared with ours if it has a fraction or one of the study's systems, and our corpus's condition.
        """
        known = {one.system for one in self.results.outcomes}
        conditions = self.said.conditions
        condition = conditions.get(self.results.study.corpus) or next(iter(conditions.values()), None)
        rows: dict[tuple[str, ...], dict[str, PublishedNumber]] = {}
        for one in self.numbers:
            key = (one.system, one.label, one.condition, one.fraction, one.split if by == "metric" else "")
            rows.setdefault(key, {})[getattr(one, by)] = one
        found = []
        for (system, label, printed_condition, fraction, split), row in rows.items():
            of = (system, self._at(fraction))
            compared = (fraction or system in known) and condition in (None, printed_condition)
            found.append(PrintedRow(label, printed_condition, fraction, split, row, of, of if compared else None))
        return found

    def _at(self, fraction: str) -> str:
        """Return our fraction for a printed one; all data means the study's largest fraction."""
        return self.results.all_data if fraction in ("", ALL) else fraction

    @cached_property
    def fractions(self) -> list[str]:
        """The printed fractions; if there are several, the study's own ones, too."""
        found = dict.fromkeys(self._at(number.fraction) for number in self.numbers if number.fraction)
        if len(found) < 2:
            return list(found) or [self.results.all_data]
        return sorted({*found, *(one for _, one in self.results.cells)}, key=by_size)

    @property
    def also(self) -> list[SystemAt]:
        """Cells of ours that the table shows although the paper does not print them."""
        return [(system, one) for system in self.said.also for one in self.fractions]

    def scored(self, cells: Iterable[SystemAt], but: Iterable[SystemAt] = ()) -> list[SystemAt]:
        """Return the cells that have scores, each once, without those in `but`."""
        left = [cell for cell in dict.fromkeys(cells) if cell not in but]
        return [cell for cell in left if any(run.scores for run in self.results.of(*cell))]

    def tests(self, metrics: Sequence[str]) -> list[str]:
        """Return the tests for a table of some metrics: those reported in one of them, or else all."""
        tests = self.results.tests
        return [split for split in tests if self.results.metric_of(split) in metrics] or tests

    def named(self, label: str, setting: str, fraction: str) -> Row:
        """Return the cells that identify a row; a table of one fraction does not show it.

        If the study's largest fraction is next to all of the paper's data, the cell says so.
        """
        share = in_words(fraction) if fraction else EMPTY
        if fraction == self.results.all_data != ALL and any(one.fraction == ALL for one in self.numbers):
            share += " (paper: all)"
        return {"system": label, "setting": setting, "fraction": share}

    def gain_verdict(
        self, cells: tuple[SystemAt, SystemAt], ours: SeedMean | None, split: str, metric: str,
        printed: float | None, tolerance: float,
    ) -> str:  # fmt: skip
        """Judge the difference of two systems at one fraction, as a single test."""
        (system, fraction), (other, _) = cells
        one = contrast(self.results, minus(system, other, fraction), [split], metric)
        tested = Comparison(one, (), one.p_zero() if one else 1.0, 1)
        return difference_verdict(ours, tested, printed, tolerance, same_scale=self.results.same_scale)


def printed_gain(numbers: Numbers, others: Numbers) -> tuple[dict[str, float], float]:
    """Return the differences between two printed rows where both have numbers, and their rounding tolerance."""
    both = [key for key in numbers if key in others]
    tolerance = max((numbers[key].tolerance + others[key].tolerance for key in both), default=0.0)
    return {key: numbers[key].value - others[key].value for key in both}, tolerance


def seeds(ours: Iterable[SeedMean | None]) -> Cell:
    """Return the number of seeds of a row; an empty cell for ensembles and trivial baselines."""
    of_seeds = [one.n for one in ours if one and any(measurement.seed is not None for measurement in one.measurements)]
    return number_cell(max(of_seeds, default=None), "d")
