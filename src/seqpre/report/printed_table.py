"""A table of scores as a paper prints it, with ours: rows, test sets, metrics and decimals are those of its numbers.

Of one metric, every row is a system (at a fraction, where there are several) and has ours beside the printed. Of
several, metrics are the columns: the printed rows come first, then ours on every test, then what the reference gains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from seqpre.common.errors import DataError
from seqpre.report.contrasts import contrast, with_interval
from seqpre.report.estimates import Estimate
from seqpre.report.notes import footnotes
from seqpre.report.published import PublishedNumber, of_study
from seqpre.report.results import Results
from seqpre.report.splits import CHOSEN, VALIDATION
from seqpre.report.table import EMPTY, Cell, Table, estimate_cell, number_cell, text_cell
from seqpre.report.verdicts import NOT_RUN, difference_verdict, rule, score_verdict, worst
from seqpre.study.fractions import by_size, in_words, of_labelled
from seqpre.study.paper import Gain, PrintedTable
from seqpre.study.tasks import NAMES

Numbers = Mapping[str, PublishedNumber]
"""Published numbers of one row, by split; in a table of several metrics, by metric."""
Row = dict[str, Cell]
SystemAt = tuple[str, str]
"""A system of ours and the fraction that it is trained on."""


class Printed(NamedTuple):
    """A row of the paper's. `ours` is what it is compared with, if anything."""

    label: str
    condition: str
    split: str
    numbers: Numbers
    ours: SystemAt | None


class Body(NamedTuple):
    """A table without its notes, but for the `last` of them; `metrics` are those of what is `shown` of ours."""

    columns: dict[str, str]
    rows: list[Row]
    shown: list[SystemAt]
    metrics: list[str]
    last: list[str]


def printed_table(results: Results, published: Sequence[PublishedNumber], said: PrintedTable) -> Table:
    """Return one printed table of the study, with a row for each system of ours whether it has been run or not."""
    numbers = [one for table in said.printed_in for one in of_study(published, results.published_as, table)]
    if not numbers:
        raise DataError(
            f"{said.name}: {results.published_as} has no number of {' or '.join(said.printed_in)}; add rows to the "
            "published numbers, or take the table out of the paper's file"
        )
    layout = _stacked if len({number.metric for number in numbers}) > 1 else _beside
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
    printed = _printed(results, numbers, said, by="split")
    fractions = _fractions(results, numbers)
    own = {row.ours: row.numbers for row in printed if row.ours}
    more = [cell for cell in _also(results, said, fractions) if cell not in own]
    if len(fractions) > 1:
        names = {system for system, _ in own}
        more += [cell for cell in results.cells if cell[0] in names and cell not in own]
    metric = {number.split: number.metric for number in numbers}
    tests = next((name for split, name in metric.items() if split != VALIDATION), results.task.tests[0])
    metric = {VALIDATION: results.task.validation[0]} | dict.fromkeys(results.tests, tests) | metric
    splits = list(dict.fromkeys(number.split for number in numbers))
    shown = [split for split in splits if split in (VALIDATION, *results.no_tests, *results.tests)]
    shown = list(dict.fromkeys([*shown, *_tests_in(results, [tests])]))
    metric = {split: metric[split] for split in (VALIDATION, *shown)}
    columns = _beside_columns(splits, shown, several=len(fractions) > 1, same_scale=results.same_scale)
    pattern, rows = _pattern(numbers), list[Row]()
    for row in printed:
        if not row.ours:
            fraction = next(iter(row.numbers.values())).fraction
            rows.append(_named(row.label, row.condition or "single", fraction) | _cells_of(row.numbers))
    for cell in more:
        label = next((one.label for one in results.scored if one.system == cell[0]), cell[0])
        rows.append(_named(label, "single", cell[1]) | _beside_row(results, cell, {}, metric, pattern))
    for row in printed:
        if row.ours:
            line = _beside_row(results, row.ours, row.numbers, metric, pattern)
            rows.append(_named(row.label, row.condition or "single", row.ours[1]) | line)
    for gain in said.gains:
        for fraction in fractions:
            cells = (gain.of, fraction), (gain.over, fraction)
            if all(cell in own for cell in cells) or all(
                any(run.scores for run in results.of(*cell)) for cell in cells
            ):
                line = _gain_row(results, gain, fraction, own, metric, pattern)
                rows.append(_named(gain.label, "", fraction) | line)
    others = "Rows without ours are printed by the paper for systems of other groups."
    metrics = list(dict.fromkeys(metric[split] for split in shown))
    last = [others] if any(not row.ours for row in printed) else []
    if len(fractions) > 1 and results.all_data != "100pct" and any(one.fraction == "100pct" for one in numbers):
        last.append(f"In rows of {results.all_data} the published numbers are of all the paper's labelled data.")
    return Body(columns, rows, [*more, *own], metrics, last)


def _beside_columns(splits: Sequence[str], shown: Sequence[str], *, several: bool, same_scale: bool) -> dict[str, str]:
    """Return the columns: printed splits that ours do not have, then ours, beside the printed where there are such."""
    columns = {"system": "system", "setting": "setting"} | ({"fraction": "labelled data"} if several else {})
    columns |= {f"published_{split}": f"{split}, published" for split in splits if split not in shown}
    for split in shown:
        if split in splits:
            columns[f"published_{split}"] = f"{split}, published"
        columns[f"ours_{split}"] = f"{split}, ours{CHOSEN if split == VALIDATION else ''}"
        if split in splits and same_scale:
            columns[f"difference_{split}"] = "difference"
    return columns | {"seeds": "seeds", "verdict": "verdict"}


def _named(label: str, setting: str, fraction: str) -> Row:
    """Return the cells that say what a row is of; a table of one fraction has no column for it."""
    share = text_cell(in_words(fraction) if fraction else EMPTY)
    return {"system": text_cell(label), "setting": text_cell(setting), "fraction": share}


def _cells_of(numbers: Numbers) -> Row:
    return {f"published_{split}": Cell(number.printed, {"": number.value}) for split, number in numbers.items()}


def _beside_row(results: Results, cell: SystemAt, numbers: Numbers, metric: Mapping[str, str], pattern: str) -> Row:
    """Return one system: printed, ours, difference, verdict."""
    ours = {split: _score(results, cell, split, name) for split, name in metric.items()}
    row = _cells_of(numbers)
    for split, one in ours.items():
        row[f"ours_{split}"] = estimate_cell(one, pattern, interval=True, missing=NOT_RUN)
        number = numbers.get(split)
        if number is not None and one is not None and results.same_scale:
            row[f"difference_{split}"] = number_cell(one.mean - number.value, f"+{pattern}")
    row["seeds"] = _seeds(ours)
    # Where the splits differ, any of ours stands for the row: it is judged as run or not run.
    anything = next((one for one in ours.values() if one is not None), None)
    verdicts = [score_verdict(ours.get(split, anything), number, same_scale=results.same_scale)
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
    printed = {split: numbers[split].value - others[split].value for split in numbers if split in others}
    tolerance = max((numbers[split].tolerance + others[split].tolerance for split in printed), default=0.0)
    row = {f"published_{split}": number_cell(value, f"+{pattern}") for split, value in printed.items()}
    ours: dict[str, Estimate | None] = {}
    for split, name in metric.items():
        ours[split] = results.difference(gain.of, gain.over, fraction, split, name)
        row[f"ours_{split}"] = estimate_cell(ours[split], f"+{pattern}", missing=NOT_RUN)
        if split in printed and (one := ours[split]) is not None and results.same_scale:
            row[f"difference_{split}"] = number_cell(one.mean - printed[split], f"+{pattern}")
    row["seeds"] = _seeds(ours)
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


def _seeds(ours: Mapping[str, Estimate | None]) -> Cell:
    return number_cell(max((one.n for one in ours.values() if one is not None), default=None), "d")


def _stacked(results: Results, numbers: Sequence[PublishedNumber], said: PrintedTable) -> Body:
    printed = _printed(results, numbers, said, by="metric")
    fractions = _fractions(results, numbers)
    own = list(dict.fromkeys(row.ours for row in printed if row.ours)) or [(results.reference, results.all_data)]
    before = [(lead.system, results.all_data) for lead in results.leads] + _also(results, said, fractions)
    shown = list(dict.fromkeys([*(cell for cell in before if cell not in own), *own]))
    metrics = list(dict.fromkeys(number.metric for number in numbers))
    splits = list(dict.fromkeys(number.split for number in numbers))
    columns = {"system": "system", "test": "test"} | ({"fraction": "labelled data"} if len(fractions) > 1 else {})
    columns |= {**{metric: NAMES.get(metric, metric) for metric in metrics}, "seeds": "seeds", "verdict": "verdict"}

    rows = list[Row]()
    for row in printed:
        of = ["published", row.condition, *([row.split] if len(splits) > 1 else [])]
        cells = {metric: Cell(number.printed, {"": number.value}) for metric, number in row.numbers.items()}
        fraction = next(iter(row.numbers.values())).fraction
        named = _named(row.label, "", fraction) | {"test": text_cell(", ".join(filter(None, of)))}
        rows.append(named | cells)
    for split in _tests_in(results, metrics) or ["test"]:
        # A test that the paper does not have is compared with the one that it has.
        of_split = [row for row in printed if row.ours and row.split == (split if split in splits else splits[0])]
        theirs = {row.ours: row.numbers for row in of_split if row.ours}
        test = {"test": text_cell(", ".join(filter(None, ("ours", results.corpus, split))))}
        for line in _stacked_rows(results, shown, split, metrics, theirs, _pattern(numbers)):
            rows.append(line | test)
    return Body(columns, rows, shown, metrics, [])


def _stacked_rows(
    results: Results,
    shown: Sequence[SystemAt],
    split: str,
    metrics: Sequence[str],
    theirs: Mapping[SystemAt, Numbers],
    pattern: str,
) -> Iterator[Row]:
    """Return one row a system of ours on one test, with its distance from the printed, and one a gain."""
    labels = {one.system: one.label for one in results.scored}
    for cell in shown:
        ours = {metric: _score(results, cell, split, metric) for metric in metrics}
        label, published = labels.get(cell[0], cell[0]), theirs.get(cell, {})
        row = _named(label, "", cell[1]) | _metric_cells(ours, pattern, interval=True)
        if published:
            verdicts = [
                score_verdict(ours[name], one, same_scale=results.same_scale) for name, one in published.items()
            ]
            row["verdict"] = text_cell(worst(verdicts) or EMPTY)
        yield row
        if results.same_scale and published:
            missed = {name: one.mean - published[name].value for name in published if (one := ours[name]) is not None}
            cells = {name: number_cell(difference, f"+{pattern}") for name, difference in missed.items()}
            whose = "" if len(theirs) == 1 else f"{label}, "
            yield _named(f"{whose}ours minus published", "", cell[1]) | cells
    for system, at in shown:
        if system != results.reference and (results.reference, at) in shown:
            gains = {metric: results.difference(results.reference, system, at, split, metric) for metric in metrics}
            yield _named(f"gain over {labels.get(system, system)}", "", at) | _metric_cells(gains, f"+{pattern}")


def _tests_in(results: Results, metrics: Sequence[str]) -> list[str]:
    """Return the tests that belong in a table of some metrics: those reported in one of them, or else all."""
    return [split for split in results.tests if results.metric_of(split) in metrics] or results.tests


def _metric_cells(estimates: Mapping[str, Estimate | None], pattern: str, *, interval: bool = False) -> Row:
    present = [one for one in estimates.values() if one is not None]
    trained = any(measurement.seed is not None for one in present for measurement in one.measurements)
    cells = {
        metric: estimate_cell(one, pattern, interval=interval, missing=NOT_RUN) for metric, one in estimates.items()
    }
    return cells | {"seeds": number_cell(max(one.n for one in present), "d") if trained else text_cell(EMPTY)}


def _printed(results: Results, numbers: Sequence[PublishedNumber], said: PrintedTable, *, by: str) -> list[Printed]:
    """Return the paper's rows in its order.

    Ours stand beside those of a system with a fraction, or of one that the study has, on its variant of the corpus.
    """
    known = {one.system for one in results.scored}
    condition = said.conditions.get(results.corpus) or next(iter(said.conditions.values()), None)
    rows: dict[tuple[str, ...], dict[str, PublishedNumber]] = {}
    for one in numbers:
        key = (one.system, one.label, one.condition, one.fraction, one.split if by == "metric" else "")
        rows.setdefault(key, {})[getattr(one, by)] = one
    return [
        Printed(
            label,
            printed_condition,
            split,
            found,
            (system, _at(results, fraction))
            if (fraction or system in known) and condition in (None, printed_condition)
            else None,
        )
        for (system, label, printed_condition, fraction, split), found in rows.items()
    ]


def _at(results: Results, fraction: str) -> str:
    """Return the fraction of ours for a printed one; all data is the most that the study has."""
    return results.all_data if fraction in ("", "100pct") else fraction


def _fractions(results: Results, numbers: Sequence[PublishedNumber]) -> list[str]:
    """Return the printed fractions; where there are several, the study's own ones, too."""
    found = dict.fromkeys(_at(results, number.fraction) for number in numbers if number.fraction)
    if len(found) < 2:
        return list(found) or [results.all_data]
    return sorted({*found, *(at for _, at in results.cells)}, key=by_size)


def _also(results: Results, said: PrintedTable, fractions: Sequence[str]) -> list[SystemAt]:
    """Return what stands in the table though the paper does not print it, as far as the study has it."""
    return [(system, at) for system in said.also for at in fractions if results.of(system, at)]


def _score(results: Results, cell: SystemAt, split: str, metric: str) -> Estimate | None:
    system, fraction = cell
    ours = results.score(system, fraction, split, metric=metric)
    return with_interval(results, ours, system, fraction, split, metric)


def _pattern(numbers: Sequence[PublishedNumber]) -> str:
    """Return as many decimals as are printed."""
    return f".{max((len(number.printed.partition('.')[2]) for number in numbers), default=1)}f"
