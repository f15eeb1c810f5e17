"""A table of scores as a paper prints it, with ours: rows, test sets, metrics and decimals are those of its numbers.

Of one metric, every row is a system (at a fraction, where there are several) and has ours beside the printed. Of
several, metrics are the columns (`stacked_table.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from seqpre.common.errors import DataError
from seqpre.report.contrasts import contrast
from seqpre.report.estimates import Estimate
from seqpre.report.notes import footnotes
from seqpre.report.printed_rows import (
    Body,
    Numbers,
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
from seqpre.report.published import PublishedNumber, of_study
from seqpre.report.results import Results
from seqpre.report.splits import CHOSEN, VALIDATION
from seqpre.report.stacked_table import stacked
from seqpre.report.table import EMPTY, Table, estimate_cell, number_cell, published_cell, text_cell
from seqpre.report.verdicts import NOT_RUN, difference_verdict, rule, score_verdict, worst
from seqpre.study.fractions import by_size, of_labelled
from seqpre.study.paper import Gain, PrintedTable

MANY = 3
"""More splits of the paper's alone stand behind ours, which they would push out of sight."""


def printed_table(results: Results, published: Sequence[PublishedNumber], said: PrintedTable) -> Table:
    """Return one printed table of the study, with a row for each system of ours whether it has been run or not."""
    numbers = [one for table in said.printed_in for one in of_study(published, results.published_as, table)]
    if not numbers:
        raise DataError(
            f"{said.name}: {results.published_as} has no number of {' or '.join(said.printed_in)}; add rows to the "
            "published numbers, or take the table out of the paper's file"
        )
    layout = stacked if len({number.metric for number in numbers}) > 1 else _beside
    body = layout(results, numbers, said)
    shown = [run for cell in body.shown for run in results.of(*cell)]
    notes = [
        *(note.format(chosen_by=results.chosen_by, data=of_labelled(results.all_data)) for note in said.notes),
        *footnotes(results, shown, body.metrics, interval=True),
        rule(results.task.points),
        *body.last,
    ]
    return Table(said.name, said.title, body.columns, body.rows, notes)


def _beside(results: Results, numbers: Sequence[PublishedNumber], said: PrintedTable) -> Body:
    printed = printed_rows(results, numbers, said, by="split")
    fractions = fractions_of(results, numbers)
    own = {row.ours: row.numbers for row in printed if row.ours}
    more = also(results, said, fractions)
    if len(fractions) > 1:
        names = {system for system, _ in own}
        more += sorted((cell for cell in results.cells if cell[0] in names), key=lambda cell: by_size(cell[1]))
    more = scored(results, (cell for cell in more if cell not in own))
    metric = {number.split: number.metric for number in numbers}
    tests = next((name for split, name in metric.items() if split != VALIDATION), results.task.tests[0])
    metric = {VALIDATION: results.task.validation[0]} | dict.fromkeys(results.tests, tests) | metric
    splits = list(dict.fromkeys(number.split for number in numbers))
    shown = [split for split in splits if split in (VALIDATION, *results.no_tests, *results.tests)]
    shown = list(dict.fromkeys([*shown, *tests_in(results, [tests])]))
    metric = {split: metric[split] for split in (VALIDATION, *shown)}
    columns = _beside_columns(splits, shown, several=len(fractions) > 1, same_scale=results.same_scale)
    pattern, rows = pattern_of(numbers), list[Row]()
    titled = partial(named, results, numbers)
    for row in printed:
        if not row.ours:
            fraction = next(iter(row.numbers.values())).fraction
            rows.append(titled(row.label, row.condition or "single", fraction) | _cells_of(row.numbers))
    for cell in more:
        label = next((one.label for one in results.scored if one.system == cell[0]), cell[0])
        rows.append(titled(label, "single", cell[1]) | _beside_row(results, cell, {}, metric, pattern))
    for row in printed:
        if row.ours:
            line = _beside_row(results, row.ours, row.numbers, metric, pattern)
            rows.append(titled(row.label, row.condition or "single", row.ours[1]) | line)
    for gain in said.gains:
        for fraction in fractions:
            cells = (gain.of, fraction), (gain.over, fraction)
            if all(cell in own for cell in cells) or all(
                any(run.scores for run in results.of(*cell)) for cell in cells
            ):
                line = _gain_row(results, gain, fraction, own, metric, pattern)
                rows.append(titled(gain.label, "", fraction) | line)
    others = "Rows without ours are printed by the paper for systems of other groups."
    metrics = list(dict.fromkeys(metric[split] for split in shown))
    last = [others] if any(not row.ours for row in printed) else []
    return Body(columns, rows, [*more, *own], metrics, last)


def _beside_columns(splits: Sequence[str], shown: Sequence[str], *, several: bool, same_scale: bool) -> dict[str, str]:
    """Return the columns: printed splits that ours do not have, then ours, beside the printed where there are such."""
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


def _beside_row(results: Results, cell: SystemAt, numbers: Numbers, metric: Mapping[str, str], pattern: str) -> Row:
    """Return one system: printed, ours, difference, verdict."""
    ours = {split: score(results, cell, split, name) for split, name in metric.items()}
    row = _cells_of(numbers)
    for split, one in ours.items():
        row[f"ours_{split}"] = estimate_cell(one, pattern, interval=True, missing=NOT_RUN)
        number = numbers.get(split)
        if number is not None and one is not None and results.same_scale:
            row[f"difference_{split}"] = number_cell(one.mean - number.value, f"+{pattern}")
    row["seeds"] = seeds(ours.values())
    # Where the splits differ, any of ours stands for the row: it is judged as run or not run.
    anything = next((one for one in ours.values() if one is not None), None)
    verdicts = [score_verdict(ours.get(split, anything), number, results.elsewhere)
                for split, number in numbers.items()]  # fmt: skip
    row["verdict"] = text_cell(worst(verdicts) or EMPTY)
    return row


def _gain_row(
    results: Results,
    gain: Gain,
    fraction: str,
    own: Mapping[SystemAt, Numbers],
    metric: Mapping[str, str],
    pattern: str,
) -> Row:
    """Return the difference of two systems; its direction is judged on every split of ours against the printed mean."""
    numbers, others = own.get((gain.of, fraction), {}), own.get((gain.over, fraction), {})
    printed, tolerance = printed_gain(numbers, others)
    row = {f"published_{split}": number_cell(value, f"+{pattern}") for split, value in printed.items()}
    ours: dict[str, Estimate | None] = {}
    for split, name in metric.items():
        ours[split] = results.difference(gain.of, gain.over, fraction, split, name)
        row[f"ours_{split}"] = estimate_cell(ours[split], f"+{pattern}", missing=NOT_RUN)
        if split in printed and (one := ours[split]) is not None and results.same_scale:
            row[f"difference_{split}"] = number_cell(one.mean - printed[split], f"+{pattern}")
    row["seeds"] = seeds(ours.values())
    judged = [split for split in ours if split in printed] or [split for split in ours if split != VALIDATION]
    judged = judged or [VALIDATION]
    mean = sum(printed.values()) / len(printed) if printed else None
    terms = {(gain.of, fraction): 1.0, (gain.over, fraction): -1.0}
    verdicts = [
        difference_verdict(
            ours[split],
            contrast(results, terms, [split], metric[split]),
            printed.get(split, mean),
            tolerance,
            same_scale=results.same_scale,
        )
        for split in judged
    ]
    row["verdict"] = text_cell(worst(verdicts) or EMPTY)
    return row
