"""The paper's Table 1 (test scores, one model and an ensemble) and Table 2 (very little labelled data)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seqpre.report.contrasts import contrast, with_interval
from seqpre.report.estimates import Estimate
from seqpre.report.notes import footnotes
from seqpre.report.published import PublishedNumber, of_study
from seqpre.report.results import BASELINES, Outcome, Results
from seqpre.report.table import EMPTY, Cell, Table, estimate_cell, number_cell, text_cell
from seqpre.report.tasks import CHOSEN, VALIDATION
from seqpre.report.verdicts import NOT_RUN, difference_verdict, rule, score_verdict, worst

ALL_DATA = "100pct"
LITTLE_DATA = "2.5pct"
LITTLE_SYSTEMS = ("low_resource_baseline", "low_resource_frozen")
PRINTED = Mapping[str, PublishedNumber]
"""Published numbers of one row, by split."""


def table_1(results: Results, published: Sequence[PublishedNumber]) -> Table:
    """Return the paper's rows in its order, ours beside them, then the gains of pretraining and of ensembling.

    Systems of other groups are printed numbers only; ours without a printed counterpart come before the paper's own.
    """
    groups = _by_row(of_study(published, results.published_as, "Table 1"))
    printed_splits = list(dict.fromkeys(split for group in groups.values() for split in group))
    columns = _columns(results, printed_splits)
    own = {system: group for (system, _, _), group in groups.items() if _declared(results, system)}
    unpublished = [
        system for system in (*BASELINES, results.reference) if results.of(system, ALL_DATA) and system not in own
    ]
    rows = []
    for (system, label, condition), group in groups.items():
        if system not in own and not _is_ours(results, system):
            rows.append({"system": text_cell(label), "setting": text_cell(condition or "single")} | _printed(group))
    for system in unpublished:
        rows.append(_row(results, system, results.labels[system], "single", ALL_DATA, {}))
    for (system, label, condition), group in groups.items():
        if system in own or _is_ours(results, system):
            rows.append(_row(results, system, label, condition, ALL_DATA, group))
    for label, system, baseline in (
        ("gain of pretraining", results.reference, BASELINES[0]),
        ("gain of the ensemble", "ensemble_5", results.reference),
    ):
        if system in own and baseline in own:
            rows.append(_gain_row(results, label, system, baseline, ALL_DATA, own[system], own[baseline]))
    shown: list[Outcome] = [run for system in (*unpublished, *own) for run in results.of(system, ALL_DATA)]
    notes = [
        f"Test BLEU, cased and detokenized; checkpoints chosen by {results.chosen_by}, length penalty by validation.",
        *footnotes(results, shown, results.task.tests, interval=True),
        rule(results.task.points),
        "Rows without ours are printed by the paper for systems of other groups.",
    ]
    return Table("table_1", "Table 1: test BLEU with all labelled data", columns, rows, notes)


def table_2(results: Results, published: Sequence[PublishedNumber]) -> Table:
    """Return the two systems trained on very little labelled data, and their difference."""
    groups = _by_row(of_study(published, results.published_as, "Table 2"))
    printed = {system: (label, group) for (system, label, _), group in groups.items()}
    columns = _columns(results, [VALIDATION])
    rows = []
    for system in LITTLE_SYSTEMS:
        label, group = printed.get(system, (results.labels.get(system, system), {}))
        rows.append(_row(results, system, label, "single", LITTLE_DATA, group))
    if all(system in printed for system in LITTLE_SYSTEMS):
        baseline, system = LITTLE_SYSTEMS
        group, other = printed[system][1], printed[baseline][1]
        rows.append(_gain_row(results, "gain of pretraining", system, baseline, LITTLE_DATA, group, other))
    shown = [run for system in LITTLE_SYSTEMS for run in results.of(system, LITTLE_DATA)]
    notes = [
        "Validation BLEU is tokenized, as in the paper, and of the text that also chose checkpoints; test "
        "BLEU is cased and detokenized.",
        *footnotes(results, shown, results.task.metrics, interval=True),
        rule(results.task.points),
    ]
    title = "Table 2: 2.5 % of the labelled data, embeddings and softmax frozen"
    return Table("table_2", title, columns, rows, notes)


def _by_row(numbers: Sequence[PublishedNumber]) -> dict[tuple[str, str, str], dict[str, PublishedNumber]]:
    rows: dict[tuple[str, str, str], dict[str, PublishedNumber]] = {}
    for number in numbers:
        rows.setdefault((number.system, number.label, number.condition), {})[number.split] = number
    return rows


def _declared(results: Results, system: str) -> bool:
    return bool(results.of(system, ALL_DATA)) or _is_ours(results, system)


def _is_ours(results: Results, system: str) -> bool:
    return system.startswith("ensemble_") or system in (results.reference, *BASELINES[:1])


def _columns(results: Results, printed_splits: Sequence[str]) -> dict[str, str]:
    """Return the columns: what is printed beside ours where the split is the same, else before it."""
    splits = [*dict.fromkeys([*(s for s in printed_splits if s == VALIDATION or s in results.tests), *results.tests])]
    columns = {"system": "system", "setting": "setting"}
    columns |= {f"published_{split}": f"{split}, published" for split in printed_splits if split not in splits}
    for split in splits:
        if split in printed_splits:
            columns[f"published_{split}"] = f"{split}, published"
        columns[f"ours_{split}"] = f"{split}, ours{CHOSEN if split == VALIDATION else ''}"
        if split in printed_splits and results.same_scale:
            columns[f"difference_{split}"] = "difference"
    return columns | {"seeds": "seeds", "verdict": "verdict"}


def _printed(group: PRINTED) -> dict[str, Cell]:
    return {f"published_{split}": Cell(number.printed, {"": number.value}) for split, number in group.items()}


def _row(results: Results, system: str, label: str, setting: str, fraction: str, group: PRINTED) -> dict[str, Cell]:
    """Return one system: printed, ours, difference, verdict."""
    splits = (VALIDATION, *results.tests)
    ours = {
        split: with_interval(results, results.score(system, fraction, split), system, fraction, split)
        for split in splits
    }
    row = {"system": text_cell(label), "setting": text_cell(setting)} | _printed(group)
    for split, one in ours.items():
        row[f"ours_{split}"] = estimate_cell(one, interval=True, missing=NOT_RUN)
        number = group.get(split)
        if number is not None and one is not None and results.same_scale:
            row[f"difference_{split}"] = number_cell(one.mean - number.value, "+.1f")
    row["seeds"] = _seeds(list(ours.values()))
    # Where the splits differ, any of ours stands for the row: it is judged as run or not run.
    anything = next((one for one in ours.values() if one is not None), None)
    verdicts = [score_verdict(ours.get(split) if split in results.tests or split == VALIDATION else anything,
                              number, same_scale=results.same_scale) for split, number in group.items()]  # fmt: skip
    row["verdict"] = text_cell(worst(verdicts) or EMPTY)
    return row


def _gain_row(
    results: Results, label: str, system: str, baseline: str, fraction: str, group: PRINTED, other: PRINTED
) -> dict[str, Cell]:
    """Return the difference of two systems; its direction is judged on every split of ours against the printed mean."""
    row = {"system": text_cell(label), "setting": text_cell("")}
    printed = {split: group[split].value - other[split].value for split in group if split in other}
    tolerance = max((group[split].tolerance + other[split].tolerance for split in printed), default=0.0)
    for split, value in printed.items():
        row[f"published_{split}"] = number_cell(value, "+.1f")
    ours: dict[str, Estimate | None] = {}
    for split in (VALIDATION, *results.tests):
        ours[split] = results.difference(system, baseline, fraction, split)
        row[f"ours_{split}"] = estimate_cell(ours[split], "+.1f", missing=NOT_RUN)
        if split in printed and (one := ours[split]) is not None and results.same_scale:
            row[f"difference_{split}"] = number_cell(one.mean - printed[split], "+.1f")
    row["seeds"] = _seeds(list(ours.values()))
    judged = [split for split in ours if split in printed] or results.tests or [VALIDATION]
    mean = sum(printed.values()) / len(printed) if printed else None
    terms = {(system, fraction): 1.0, (baseline, fraction): -1.0}
    verdicts = [
        difference_verdict(
            ours[split],
            contrast(results, terms, [split]),
            printed.get(split, mean),
            tolerance,
            same_scale=results.same_scale,
        )
        for split in judged
    ]
    row["verdict"] = text_cell(worst(verdicts) or EMPTY)
    return row


def _seeds(estimates: Sequence[Estimate | None]) -> Cell:
    counts = [one.n for one in estimates if one is not None]
    return number_cell(max(counts), "d") if counts else text_cell(0)
