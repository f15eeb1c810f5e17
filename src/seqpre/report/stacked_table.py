"""A printed table with several metrics as columns; ours are below the published row of their system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from seqpre.report.contrasts import with_interval
from seqpre.report.estimates import SeedMean
from seqpre.report.printed import Body, Printed, PrintedRow, printed_gain, seeds
from seqpre.report.results import SystemAt
from seqpre.report.table import EMPTY, Row, number_cell, published_cell, seed_mean_cell
from seqpre.report.verdicts import score_verdict, worst
from seqpre.study.tasks import metric_labels


def stacked(table: Printed) -> Body:
    """Return systems of other groups, systems that only we have, those of both, and the reference's gains."""
    results, stack = table.results, _Stack(table)
    reference = results.study.reference
    own = list(dict.fromkeys(row.ours for row in stack.printed if row.ours)) or [(reference, results.all_data)]
    trivial = [(one.system, results.all_data) for one in results.trivial]
    shown = [*table.scored([*trivial, *table.also], own), *own]
    columns = {"system": "system", "test": "test"} | ({"fraction": "labelled data"} if len(table.fractions) > 1 else {})
    columns |= {metric: metric_labels().get(metric, metric) for metric in table.metrics}
    columns |= {"seeds": "seeds", "verdict": "verdict"}

    rows = [stack.published_row(row) for row in stack.printed if row.of not in shown]
    for cell in shown:
        rows += [stack.published_row(row) for row in stack.printed if row.of == cell]
        rows += [line for split in stack.tests for line in stack.our_rows(cell, split)]
    gains = [(system, at) for system, at in shown if system != reference and (reference, at) in shown]
    rows += [line for cell in gains for line in stack.gain_rows(cell)]
    note = f"Gains are of {results.label(reference)}; a published one is the difference of two published rows."
    return Body(columns, rows, shown, table.metrics, [note] if gains else [])


@dataclass(frozen=True)
class _Stack:
    """Makes the rows."""

    table: Printed

    @cached_property
    def printed(self) -> list[PrintedRow]:
        return self.table.rows(by="metric")

    @cached_property
    def tests(self) -> list[str]:
        return self.table.tests(self.table.metrics) or ["test"]

    def named(self, label: str, fraction: str, *of: str) -> Row:
        """Return the cells that identify a row."""
        return self.table.named(label, "", fraction) | {"test": ", ".join(filter(None, of))}

    def published(self, row: PrintedRow) -> tuple[str, str, str]:
        """Return the origin of a printed row, in words."""
        return "published", row.condition, row.split if len(self.table.splits) > 1 else ""

    def beside(self, cell: SystemAt, split: str) -> PrintedRow | None:
        """Return the printed row compared with ours; for a test that the paper lacks, that of its first split."""
        split = split if split in self.table.splits else self.table.splits[0]
        return next((row for row in self.printed if (row.ours, row.split) == (cell, split)), None)

    def published_row(self, row: PrintedRow) -> Row:
        cells = {metric: published_cell(number) for metric, number in row.numbers.items()}
        return self.named(row.label, row.of[1] if row.ours else row.fraction, *self.published(row)) | cells

    def our_rows(self, cell: SystemAt, split: str) -> Iterator[Row]:
        """Yield a system of ours on one test and, at the paper's scale, its difference to the printed."""
        results, pattern, label = self.table.results, self.table.pattern, self.table.results.label(cell[0])
        ours = {metric: with_interval(results, cell, split, metric) for metric in self.table.metrics}
        row = self.named(label, cell[1], "ours", results.study.corpus, split) | _cells(ours, pattern, interval=True)
        theirs = self.beside(cell, split)
        if theirs is None:
            yield row
            return
        verdicts = [score_verdict(ours[name], one, results.elsewhere) for name, one in theirs.numbers.items()]
        yield row | {"verdict": worst(verdicts) or EMPTY}
        if results.same_scale:
            missed = {
                name: number_cell(one.mean - number.value, f"+{pattern}")
                for name, number in theirs.numbers.items()
                if (one := ours[name]) is not None
            }
            yield self.named(label, cell[1], "ours minus published", split) | missed

    def gain_rows(self, cell: SystemAt) -> Iterator[Row]:
        """Yield the reference's gain over a system: printed, and ours on every test, judged in every metric."""
        results, (system, at), pattern = self.table.results, cell, f"+{self.table.pattern}"
        label, reference = f"gain over {results.label(system)}", (results.study.reference, at)
        for split in self.table.splits:
            one, other = self.beside(reference, split), self.beside(cell, split)
            if one and other:
                printed, _ = printed_gain(one.numbers, other.numbers)
                cells = {metric: number_cell(value, pattern) for metric, value in printed.items()}
                yield self.named(label, at, *self.published(other)) | cells
        for split in self.tests:
            gains = {
                metric: results.difference(*reference[:1], system, at, split, metric) for metric in self.table.metrics
            }
            one, other = self.beside(reference, split), self.beside(cell, split)
            printed, tolerance = printed_gain(one.numbers, other.numbers) if one and other else ({}, 0.0)
            verdicts = [
                self.table.gain_verdict((reference, cell), gains[metric], split, metric, value, tolerance)
                for metric, value in printed.items()
            ]
            row = self.named(label, at, "ours", results.study.corpus, split) | _cells(gains, pattern)
            yield row | {"verdict": worst(verdicts) or EMPTY}


def _cells(estimates: Mapping[str, SeedMean | None], pattern: str, *, interval: bool = False) -> Row:
    cells = {metric: seed_mean_cell(one, pattern, interval=interval) for metric, one in estimates.items()}
    return cells | {"seeds": seeds(estimates.values())}
