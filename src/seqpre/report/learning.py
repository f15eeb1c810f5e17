"""How fast and how well each system learns: its score after fixed numbers of updates, and at convergence.

Results depend on the budget and on the selection of the checkpoint, so both are shown side by side: greedy validation
scores during training, then beam search with the checkpoints of best validation perplexity (the paper's selection) and
of best validation score, and with the mean of the last ones if it was kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from seqpre.report.curves import update_marks, value_at
from seqpre.report.estimates import Measurement, seed_mean
from seqpre.report.notes import footnotes
from seqpre.report.outcome import Outcome
from seqpre.report.results import Results
from seqpre.report.table import EMPTY, Cell, Row, Table, number_cell, seed_mean_cell
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
"""Why a training ended, as in `summary.json` and in words."""


def learning_table(results: Results, updates: Sequence[int] = ()) -> Table:
    """Return one row for each system and fraction, with scores after `updates`; by default, chosen from the runs."""
    task, last, scored = results.task, results.study.average_last, results.study.scored_validations
    marks = (updates or update_marks([run.validations for run in results.runs])) if scored else ()
    beside = [(split, metric) for split in results.splits for metric in results.beside(split)]
    columns = {
        "system": "system",
        "fraction": "labelled data",
        **{f"after_{mark}": f"after {mark:,}" for mark in marks},
        "updates": "updates",
        "perplexity": "best perplexity",
        **{
            f"{split}_{chosen}": f"{split}, {'averaged' if chosen == AVERAGE else f'by {chosen}'}"
            for split in results.splits
            for chosen in results.selections
        },
        **{f"{split}_{metric}": f"{split}, {metric_labels()[metric]}" for split, metric in beside},
        "seeds": "seeds",
    }
    stopped_by = {run.summary.get("stopped_by") for run in results.runs}
    ended = " or ".join(words for name, words in ENDED.items() if name in stopped_by)
    kinds = {run.settings.get("model", {}).get("kind") for run in results.runs}
    others = list(dict.fromkeys(metric for _, metric in beside))
    after = (
        f"`after n`: greedy validation {task.greedy} after n updates, interpolated between validations; `-` where "
        "a seed had stopped. "
    )
    by_score, best_score = (f", by {task.score}", f" and of best validation {task.score}") if scored else ("", "")
    notes = [
        f"{after if scored else ''}`updates`: when {ended or 'the run'} ended{' the run' if ended else ''}; "
        f"`best perplexity`: the lowest on the way, of {'words' if 'pointer_generator' in kinds else 'subwords'}.",
        f"By perplexity{by_score}: beam search with the checkpoint of best validation perplexity{best_score}, which "
        f"that text chose; {task.searched}.",
    ]
    if last:
        notes.append(f"Averaged: beam search with the mean of the weights of the last {last} validations, or of all "
                     "where there were fewer.")  # fmt: skip
    if others:
        names = " and ".join(metric_labels()[metric] for metric in others)
        notes.append(f"{names}: of the outputs that verdicts are reached on; no checkpoint is chosen by it.")
    notes += footnotes(results, results.runs, [*task.metrics, *others])
    return Table(columns, [_row(results, *cell, marks, beside) for cell in results.cells], notes)


def _row(results: Results, system: str, fraction: str, marks: Sequence[int], beside: Sequence[tuple[str, str]]) -> Row:
    trained = [run for run in results.of(system, fraction) if run.validations]
    missing = EMPTY if trained else NOT_RUN
    row: Row = {"system": results.label(system), "fraction": in_words(fraction)}
    for mark in marks:
        values = [_measured(run, value_at(run.validations, mark, "score")) for run in trained]
        # If one seed has stopped, the mean of the others would be biased.
        reached = None if None in values else seed_mean(values)
        row[f"after_{mark}"] = seed_mean_cell(reached, missing=missing)
    steps = seed_mean(_measured(run, run.validations[-1].step) for run in trained)
    row["updates"] = NOT_RUN
    if steps is not None:
        row["updates"] = Cell(f"{steps.mean:,.0f}", {"mean": steps.mean, "seeds": steps.n}, steps.measurements)
    best = seed_mean(_measured(run, min(one.perplexity for one in run.validations)) for run in trained)
    row["perplexity"] = seed_mean_cell(best, ".2f")
    for split in results.splits:
        for chosen in results.selections:
            row[f"{split}_{chosen}"] = seed_mean_cell(results.score(system, fraction, split, chosen))
    for split, metric in beside:
        scored = results.score(system, fraction, split, metric=metric)
        row[f"{split}_{metric}"] = seed_mean_cell(scored, missing=missing)
    return row | {"seeds": number_cell(len(trained), "d")}


def _measured(run: Outcome, value: float | None) -> Measurement | None:
    return None if value is None else run.measured(value, "metrics.jsonl")
