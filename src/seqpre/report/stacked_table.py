"""A printed table of several metrics: they are its columns, and ours stand below the published row of their system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from seqpre.report.contrasts import contrast
from seqpre.report.estimates import Estimate
from seqpre.report.printed_rows import (
    Body,
    Printed,
    Row,
    SystemAt,
    also,
    fractions_of,
    named,
    pattern_of,
    printed_gain,
    printed_rows,
    score,
    scored,
    seeds,
    tests_in,
)
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results
from seqpre.report.table import EMPTY, estimate_cell, number_cell, published_cell, text_cell
from seqpre.report.verdicts import NOT_RUN, difference_verdict, score_verdict, worst
from seqpre.study.paper import PrintedTable
from seqpre.study.tasks import metric_labels


class Stack(NamedTuple):
    """What all rows of one table are made from; `splits` are printed, `tests` ours."""

    results: Results
    numbers: Sequence[PublishedNumber]
    printed: Sequence[Printed]
    metrics: Sequence[str]
    splits: Sequence[str]
    tests: Sequence[str]

    def named(self, label: str, fraction: str, *of: str) -> Row:
        """Return the cells that say what a row is of."""
        return named(self.results, self.numbers, label, "", fraction) | {"test": text_cell(", ".join(filter(None, of)))}

    def published(self, row: Printed) -> tuple[str, str, str]:
        """Return where a printed row is from, in words."""
        return "published", row.condition, row.split if len(self.splits) > 1 else ""

    def beside(self, cell: SystemAt, split: str) -> Printed | None:
        """Return the printed row that ours is compared with; a test that the paper lacks, with the one that it has."""
        split = split if split in self.splits else self.splits[0]
        return next((row for row in self.printed if (row.ours, row.split) == (cell, split)), None)

    def label(self, system: str) -> str:
        """Return what the study calls a system."""
        return next((one.label for one in self.results.scored if one.system == system), system)


def stacked(results: Results, numbers: Sequence[PublishedNumber], said: PrintedTable) -> Body:
    """Return systems of other groups, ours that the paper lacks, those of both, and what the reference gains."""
    printed = printed_rows(results, numbers, said, by="metric")
    fractions = fractions_of(results, numbers)
    own = list(dict.fromkeys(row.ours for row in printed if row.ours)) or [(results.reference, results.all_data)]
    trivial = [(one.system, results.all_data) for one in results.trivial]
    shown = [*scored(results, (cell for cell in [*trivial, *also(results, said, fractions)] if cell not in own)), *own]
    metrics = list(dict.fromkeys(number.metric for number in numbers))
    splits = list(dict.fromkeys(number.split for number in numbers))
    stack = Stack(results, numbers, printed, metrics, splits, tests_in(results, metrics) or ["test"])
    columns = {"system": "system", "test": "test"} | ({"fraction": "labelled data"} if len(fractions) > 1 else {})
    columns |= {metric: metric_labels().get(metric, metric) for metric in metrics}
    columns |= {"seeds": "seeds", "verdict": "verdict"}

    rows = [_published_row(stack, row) for row in printed if row.of not in shown]
    for cell in shown:
        rows += [_published_row(stack, row) for row in printed if row.of == cell]
        rows += [line for split in stack.tests for line in _our_rows(stack, cell, split)]
    gains = [(system, at) for system, at in shown if system != results.reference and (results.reference, at) in shown]
    rows += [line for cell in gains for line in _gain_rows(stack, cell)]
    note = f"Gains are of {stack.label(results.reference)}; a published one is the difference of two published rows."
    return Body(columns, rows, shown, metrics, [note] if gains else [])


def _published_row(stack: Stack, row: Printed) -> Row:
    cells = {metric: published_cell(number) for metric, number in row.numbers.items()}
    fraction = row.of[1] if row.ours else next(iter(row.numbers.values())).fraction
    return stack.named(row.label, fraction, *stack.published(row)) | cells


def _our_rows(stack: Stack, cell: SystemAt, split: str) -> Iterator[Row]:
    """Yield a system of ours on one test and, at the paper's scale, its distance from the printed."""
    results, pattern, label = stack.results, pattern_of(stack.numbers), stack.label(cell[0])
    ours = {metric: score(results, cell, split, metric) for metric in stack.metrics}
    row = stack.named(label, cell[1], "ours", results.corpus, split) | _cells(ours, pattern, interval=True)
    theirs = stack.beside(cell, split)
    if theirs is None:
        yield row
        return
    verdicts = [score_verdict(ours[name], one, results.elsewhere) for name, one in theirs.numbers.items()]
    yield row | {"verdict": text_cell(worst(verdicts) or EMPTY)}
    if results.same_scale:
        missed = {
            name: number_cell(one.mean - number.value, f"+{pattern}")
            for name, number in theirs.numbers.items()
            if (one := ours[name]) is not None
        }
        yield stack.named(label, cell[1], "ours minus published", split) | missed


def _gain_rows(stack: Stack, cell: SystemAt) -> Iterator[Row]:
    """Yield what the reference is above another system: printed, and ours on every test, judged in every metric."""
    results, (system, at), pattern = stack.results, cell, f"+{pattern_of(stack.numbers)}"
    label, reference = f"gain over {stack.label(system)}", (results.reference, at)
    for split in stack.splits:
        one, other = stack.beside(reference, split), stack.beside(cell, split)
        if one and other:
            printed, _ = printed_gain(one.numbers, other.numbers)
            cells = {metric: number_cell(value, pattern) for metric, value in printed.items()}
            yield stack.named(label, at, *stack.published(other)) | cells
    for split in stack.tests:
        gains = {metric: results.difference(results.reference, system, at, split, metric) for metric in stack.metrics}
        one, other = stack.beside(reference, split), stack.beside(cell, split)
        printed, tolerance = printed_gain(one.numbers, other.numbers) if one and other else ({}, 0.0)
        terms = {reference: 1.0, cell: -1.0}
        verdicts = [
            difference_verdict(
                gains[metric],
                contrast(results, terms, [split], metric),
                value,
                tolerance,
                same_scale=results.same_scale,
            )
            for metric, value in printed.items()
        ]
        row = stack.named(label, at, "ours", results.corpus, split) | _cells(gains, pattern)
        yield row | {"verdict": text_cell(worst(verdicts) or EMPTY)}


def _cells(estimates: Mapping[str, Estimate | None], pattern: str, *, interval: bool = False) -> Row:
    cells = {
        metric: estimate_cell(one, pattern, interval=interval, missing=NOT_RUN) for metric, one in estimates.items()
    }
    return cells | {"seeds": seeds(estimates.values())}
