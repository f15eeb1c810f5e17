"""A table of scores as a paper prints it, with ours: rows, tests, metrics and decimals follow from its numbers.

With one metric, each row is a system (at a fraction, if there are several), ours next to the printed score. With
several metrics, these are the columns (`stacked_table.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seqpre.common.errors import DataError
from seqpre.report.contrasts import with_interval
from seqpre.report.estimates import SeedMean
from seqpre.report.notes import footnotes
from seqpre.report.printed import Body, Numbers, Printed, printed_gain, seeds
from seqpre.report.results import Results, SystemAt
from seqpre.report.stacked_table import stacked
from seqpre.report.table import CHOSEN, EMPTY, Row, Table, number_cell, published_cell, seed_mean_cell
from seqpre.report.verdicts import rule, score_verdict, worst
from seqpre.study.fractions import by_size, of_labelled
from seqpre.study.paper import Gain
from seqpre.study.tasks import VALIDATION

MANY = 3
"""With more splits that only the paper has, these columns come last, so that ours are not pushed out of sight."""


def printed_table(results: Results, name: str) -> Table:
    """Return one printed table of the study, with a row for each system of ours, run or not."""
    (said,) = [one for one in results.paper.printed if one.name == name]
    numbers = [number for table in said.printed_in for number in results.printed(table)]
    if not numbers:
        raise DataError(
            f"{name}: {results.study.published_as} has no number of {' or '.join(said.printed_in)}; add rows to the "
            "published numbers, or take the table out of the paper's file"
        )
    table = Printed(results, said, numbers)
    body = stacked(table) if len(table.metrics) > 1 else _beside(table)
    shown = [run for cell in body.shown for run in results.of(*cell)]
    filled = {"chosen_by": results.chosen_by, "data": of_labelled(results.all_data), "penalty": results.penalty}
    notes = [
        *(note.format(**filled) for note in said.notes),
        *footnotes(results, shown, body.metrics, interval=True),
        rule(results.task.points),
        *body.last,
    ]
    return Table(body.columns, body.rows, notes)


def _beside(table: Printed) -> Body:
    results, splits, several = table.results, table.splits, len(table.fractions) > 1
    printed = table.rows(by="split")
    own = {row.ours: row.numbers for row in printed if row.ours}
    more = table.also
    if several:
        names = {system for system, _ in own}
        more += sorted((cell for cell in results.cells if cell[0] in names), key=lambda cell: by_size(cell[1]))
    more = table.scored(more, own)
    metric = {number.split: number.metric for number in table.numbers}
    tests = next((name for split, name in metric.items() if split != VALIDATION), results.task.tests[0])
    metric = {VALIDATION: results.task.validation[0]} | dict.fromkeys(results.tests, tests) | metric
    there = (VALIDATION, *results.study.more_validation, *results.tests)
    shown = list(dict.fromkeys([*(split for split in splits if split in there), *table.tests([tests])]))
    metric = {split: metric[split] for split in (VALIDATION, *shown)}
    rows = [
        table.named(row.label, row.condition or "single", row.fraction) | _cells_of(row.numbers)
        for row in printed
        if not row.ours
    ]
    for cell in more:
        rows.append(table.named(results.label(cell[0]), "single", cell[1]) | _beside_row(table, cell, {}, metric))
    for row in printed:
        if row.ours:
            name = table.named(row.label, row.condition or "single", row.ours[1])
            rows.append(name | _beside_row(table, row.ours, row.numbers, metric))
    for gain in table.said.gains:
        for fraction in table.fractions:
            cells = [(gain.of, fraction), (gain.over, fraction)]
            if all(cell in own for cell in cells) or len(table.scored(cells)) == len(cells):
                rows.append(table.named(gain.label, "", fraction) | _gain_row(table, gain, fraction, own, metric))
    others = "Rows without ours are printed by the paper for systems of other groups."
    columns = _columns(splits, shown, several=several, same_scale=results.same_scale)
    metrics = list(dict.fromkeys(metric[split] for split in shown))
    return Body(columns, rows, [*more, *own], metrics, [others] if any(not row.ours for row in printed) else [])


def _columns(splits: Sequence[str], shown: Sequence[str], *, several: bool, same_scale: bool) -> dict[str, str]:
    """Return the columns: printed splits that we lack, then ours, next to the printed ones."""
    apart = {f"published_{split}": f"{split}, published" for split in splits if split not in shown}
    many = len(apart) > MANY
    columns = {"system": "system", "setting": "setting"} | ({"fraction": "labelled data"} if several else {})
    columns |= {} if many else apart
    for split in shown:
        if split in splits:
            columns[f"published_{split}"] = f"{split}, published"
        columns[f"ours_{split}"] = f"{split}, ours{CHOSEN if split == VALIDATION else ''}"
        if split in splits and same_scale:
            columns[f"difference_{split}"] = "difference"
    return columns | {"seeds": "seeds", "verdict": "verdict"} | (apart if many else {})


def _cells_of(numbers: Numbers) -> Row:
    return {f"published_{split}": published_cell(number) for split, number in numbers.items()}


def _beside_row(table: Printed, cell: SystemAt, numbers: Numbers, metric: Mapping[str, str]) -> Row:
    """Return the cells of one system: printed, ours, difference, verdict."""
    results = table.results
    ours = {split: with_interval(results, cell, split, name) for split, name in metric.items()}
    row = _cells_of(numbers)
    for split, one in ours.items():
        row[f"ours_{split}"] = seed_mean_cell(one, table.pattern, interval=True)
        if split in numbers and one is not None and results.same_scale:
            row[f"difference_{split}"] = number_cell(one.mean - numbers[split].value, f"+{table.pattern}")
    # If the splits differ, any of our scores decides between run and not run.
    anything = next((one for one in ours.values() if one is not None), None)
    verdicts = [score_verdict(ours.get(split, anything), number, results.elsewhere)
                for split, number in numbers.items()]  # fmt: skip
    return row | {"seeds": seeds(ours.values()), "verdict": worst(verdicts) or EMPTY}


def _gain_row(
    table: Printed, gain: Gain, fraction: str, own: Mapping[SystemAt, Numbers], metric: Mapping[str, str]
) -> Row:
    """Return one system's gain over another, judged on each of our splits against the printed gain or mean gain."""
    results, pattern, cells = table.results, f"+{table.pattern}", ((gain.of, fraction), (gain.over, fraction))
    printed, tolerance = printed_gain(*(own.get(cell, {}) for cell in cells))
    row = {f"published_{split}": number_cell(value, pattern) for split, value in printed.items()}
    ours: dict[str, SeedMean | None] = {}
    for split, name in metric.items():
        ours[split] = one = results.difference(gain.of, gain.over, fraction, split, name)
        row[f"ours_{split}"] = seed_mean_cell(one, pattern)
        if split in printed and one is not None and results.same_scale:
            row[f"difference_{split}"] = number_cell(one.mean - printed[split], pattern)
    judged = [split for split in ours if split in printed] or [split for split in ours if split != VALIDATION]
    mean = sum(printed.values()) / len(printed) if printed else None
    verdicts = [
        table.gain_verdict(cells, ours[split], split, metric[split], printed.get(split, mean), tolerance)
        for split in judged or [VALIDATION]
    ]
    return row | {"seeds": seeds(ours.values()), "verdict": worst(verdicts) or EMPTY}
