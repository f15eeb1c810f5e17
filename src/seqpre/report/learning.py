"""How fast and how well each system learns: its score after fixed numbers of updates, and at convergence.

What is seen depends on the budget and on the rule that chooses the checkpoint, so both are shown side by side:
that of greedy validation outputs while training, then that of beam search with the checkpoints of best validation
perplexity (the paper's rule) and of best validation score, and with the mean of the last ones where it was kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from seqpre.common.files import read_json
from seqpre.report.curves import update_marks, value_at
from seqpre.report.estimates import Estimate, Measurement, estimate
from seqpre.report.notes import footnotes
from seqpre.report.results import Outcome, Results
from seqpre.report.splits import VALIDATION
from seqpre.report.table import Cell, Table, estimate_cell, number_cell, text_cell
from seqpre.report.verdicts import NOT_RUN
from seqpre.study.fractions import in_words
from seqpre.study.settings import AVERAGE
from seqpre.study.tasks import metric_labels

ENDED = {
    "patience": "early stopping on validation perplexity",
    "lr_end": "the last fall of the learning rate",
    "max_updates": "the number of updates in its settings",
    "diverged": "divergence",
}
"""What ends a training, as `summary.json` calls it and in words."""


def learning_table(results: Results, updates: Sequence[int] | None = None) -> Table:
    """Return one row a system and fraction. `updates` are the budgets to compare at; chosen from the runs if None."""
    marks = list(updates) if updates else update_marks([run.validations for run in results.runs])
    task, splits = results.task, (VALIDATION, *results.tests)
    beside = [(split, metric) for split in splits for metric in results.beside(split)]
    columns = {
        "system": "system",
        "fraction": "labelled data",
        **{f"after_{mark}": f"after {mark:,}" for mark in marks},
        "updates": "updates",
        "perplexity": "best perplexity",
        **{
            f"{split}_{chosen}": f"{split}, {'averaged' if chosen == AVERAGE else f'by {chosen}'}"
            for split in splits
            for chosen in results.selections
        },
        **{f"{split}_{metric}": f"{split}, {metric_labels()[metric]}" for split, metric in beside},
        "seeds": "seeds",
    }
    rows = [_row(results, system, fraction, marks, beside) for system, fraction in results.cells]
    notes = [
        f"`after n`: greedy validation {task.greedy} after n updates, interpolated between validations; `-` where "
        f"a seed had stopped. `updates`: {_ended(results)}; `best perplexity`: the lowest on the way, of "
        f"{_units(results)}.",
        f"By perplexity, by {task.score}: beam search with the checkpoint of best validation perplexity and of best "
        f"validation {task.score}, which that text chose; {task.searched}.",
        *(
            [
                f"Averaged: beam search with the mean of the weights of the last {results.average_last} validations, "
                "or of all where there were fewer."
            ]
            if results.average_last
            else []
        ),
        *_beside_note(beside),
        *footnotes(results, results.runs, [*task.metrics, *dict.fromkeys(metric for _, metric in beside)]),
    ]
    return Table("learning", "How fast and how well each system learns", columns, rows, notes)


def _beside_note(beside: Sequence[tuple[str, str]]) -> list[str]:
    if not beside:
        return []
    names = " and ".join(dict.fromkeys(metric_labels()[metric] for _, metric in beside))
    return [f"{names}: of the outputs that verdicts are reached on; no checkpoint is chosen by it."]


def _row(
    results: Results, system: str, fraction: str, marks: Sequence[int], beside: Sequence[tuple[str, str]]
) -> dict[str, Cell]:
    runs = results.of(system, fraction)
    trained = [run for run in runs if run.validations]
    row = {"system": text_cell(results.labels[system]), "fraction": text_cell(in_words(fraction))}
    for mark in marks:
        values = [_reached(run, mark) for run in trained]
        # Where one seed has stopped, the mean of the others would be that of a choice.
        reached = None if None in values else estimate(values)
        row[f"after_{mark}"] = estimate_cell(reached, missing="-" if trained else NOT_RUN)
    row["updates"] = _updates_cell(estimate(_measured(run, run.validations[-1].step) for run in trained))
    best = estimate(_measured(run, min(one.perplexity for one in run.validations)) for run in trained)
    row["perplexity"] = estimate_cell(best, ".2f", missing=NOT_RUN)
    for split in (VALIDATION, *results.tests):
        for chosen in results.selections:
            scored = results.score(system, fraction, split, chosen)
            row[f"{split}_{chosen}"] = estimate_cell(scored, missing=NOT_RUN)
    for split, metric in beside:
        scored = results.score(system, fraction, split, metric=metric)
        row[f"{split}_{metric}"] = estimate_cell(scored, missing="-" if trained else NOT_RUN)
    row["seeds"] = number_cell(len(trained), "d")
    return row


def _ended(results: Results) -> str:
    """Say what ended the runs that have ended, by what they say themselves."""
    stopped_by = {run.summary.get("stopped_by") for run in results.runs}
    found = [words for ended, words in ENDED.items() if ended in stopped_by]
    return f"when {' or '.join(found)} ended the run" if found else "when the run ended"


def _units(results: Results) -> str:
    """Return what validation perplexity is of: what models read and write."""
    files = [run.folder / "run.json" for run in results.runs]
    settings = [read_json(file).get("settings", {}) for file in files if file.exists()]
    return "words" if any(one.get("model", {}).get("kind") == "pointer_generator" for one in settings) else "subwords"


def _reached(run: Outcome, mark: int) -> Measurement | None:
    value = value_at(run.validations, mark, "score")
    return None if value is None else _measured(run, value)


def _measured(run: Outcome, value: float) -> Measurement:
    return Measurement(value, run.seed, (run.source("metrics.jsonl"),))


def _updates_cell(steps: Estimate | None) -> Cell:
    if steps is None:
        return text_cell(NOT_RUN)
    return Cell(f"{steps.mean:,.0f}", {"mean": steps.mean, "seeds": steps.n}, steps.measurements)
