"""A table that a paper prints and what of ours belongs to it, whichever way it is laid out."""

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
"""Published numbers of one row, by split; in a table of several metrics, by metric."""


class PrintedRow(NamedTuple):
    """A row of the paper's. `ours` is what it is compared with, if anything; `of` would be, on its variant."""

    label: str
    condition: str
    fraction: str
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


@dataclass(frozen=True)
class Printed:
    """What all rows of one table are made from."""

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
        """How numbers are written: with as many decimals as are printed."""
        return f".{max((len(number.printed.partition('.')[2]) for number in self.numbers), default=1)}f"

    def rows(self, by: Literal["split", "metric"]) -> list[PrintedRow]:
        """Return the paper's rows in its order.

        Ours stand beside those of a system with a fraction, or of one that the study has, on its variant of the corpus.
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
        """Return the fraction of ours for a printed one; all data is the most that the study has."""
        return self.results.all_data if fraction in ("", ALL) else fraction

    @cached_property
    def fractions(self) -> list[str]:
        """The printed fractions; where there are several, the study's own ones, too."""
        found = dict.fromkeys(self._at(number.fraction) for number in self.numbers if number.fraction)
        if len(found) < 2:
            return list(found) or [self.results.all_data]
        return sorted({*found, *(one for _, one in self.results.cells)}, key=by_size)

    @property
    def also(self) -> list[SystemAt]:
        """What stands in the table though the paper does not print it."""
        return [(system, one) for system in self.said.also for one in self.fractions]

    def scored(self, cells: Iterable[SystemAt], but: Iterable[SystemAt] = ()) -> list[SystemAt]:
        """Return what has been run of some cells, each once, but for others."""
        left = [cell for cell in dict.fromkeys(cells) if cell not in but]
        return [cell for cell in left if any(run.scores for run in self.results.of(*cell))]

    def tests(self, metrics: Sequence[str]) -> list[str]:
        """Return the tests that belong in a table of some metrics: those reported in one of them, or else all."""
        tests = self.results.tests
        return [split for split in tests if self.results.metric_of(split) in metrics] or tests

    def named(self, label: str, setting: str, fraction: str) -> Row:
        """Return the cells that say what a row is of; a table of one fraction has no column for it.

        Where the most that the study has stands beside all that the paper has, it says so.
        """
        share = in_words(fraction) if fraction else EMPTY
        if fraction == self.results.all_data != ALL and any(one.fraction == ALL for one in self.numbers):
            share += " (paper: all)"
        return {"system": label, "setting": setting, "fraction": share}

    def gain_verdict(
        self, cells: tuple[SystemAt, SystemAt], ours: SeedMean | None, split: str, metric: str,
        printed: float | None, tolerance: float,
    ) -> str:  # fmt: skip
        """Judge the difference of two systems at one fraction, by itself."""
        (system, fraction), (other, _) = cells
        one = contrast(self.results, minus(system, other, fraction), [split], metric)
        tested = Comparison(one, (), one.p_zero() if one else 1.0, 1)
        return difference_verdict(ours, tested, printed, tolerance, same_scale=self.results.same_scale)


def printed_gain(numbers: Numbers, others: Numbers) -> tuple[dict[str, float], float]:
    """Return what one printed row is above another where both have a number, and by how much rounding may mislead."""
    both = [key for key in numbers if key in others]
    tolerance = max((numbers[key].tolerance + others[key].tolerance for key in both), default=0.0)
    return {key: numbers[key].value - others[key].value for key in both}, tolerance


def seeds(ours: Iterable[SeedMean | None]) -> Cell:
    """Return of how many seeds a row is; an ensemble, and what nobody trains, is of none."""
    of_seeds = [one.n for one in ours if one and any(measurement.seed is not None for measurement in one.measurements)]
    return number_cell(max(of_seeds, default=None), "d")
