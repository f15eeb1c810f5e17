"""How much pretraining a model needs: scores of runs that start from checkpoints of one pretraining."""

from __future__ import annotations

from typing import NamedTuple

from seqpre.report.notes import footnotes
from seqpre.report.results import Results
from seqpre.report.table import CHOSEN, Table, number_cell, seed_mean_cell
from seqpre.study.fractions import of_labelled
from seqpre.study.tasks import VALIDATION


class Checkpoint(NamedTuple):
    """A system that starts from the weights after `updates` of pretraining; None: from the best weights."""

    system: str
    updates: int | None


def checkpoints(results: Results) -> tuple[str, list[Checkpoint]]:
    """Return the fraction, and the systems that differ in how long they are pretrained, from not at all to fully."""
    found: dict[str, list[Checkpoint]] = {}
    for system, fraction in results.cells:
        starts = (run.settings["init"] for run in results.of(system, fraction) if "init" in run.settings)
        _, at, updates = next(starts, dict[str, str]()).get("encoder", "").partition("@")
        if at:
            found.setdefault(fraction, []).append(Checkpoint(system, int(updates)))
    fraction = max(found, key=lambda one: len(found[one]), default=results.all_data)
    kept = sorted(found.get(fraction, []), key=lambda one: one.updates or 0)
    return fraction, [Checkpoint(results.baseline, 0), *kept, Checkpoint(results.study.reference, None)]


def checkpoint_table(results: Results) -> Table:
    """Return the table with one row for each checkpoint that runs start from."""
    names = {one: f"{one}, {results.name_of(one)}{CHOSEN if one == VALIDATION else ''}" for one in results.splits}
    columns = {"system": "system", "updates": "updates of pretraining", **names, "seeds": "seeds"}
    rows = []
    fraction, found = checkpoints(results)
    for one in found:
        scores = {split: results.score(one.system, fraction, split) for split in results.splits}
        system = results.baseline if one.updates == 0 else results.study.reference
        rows.append(
            {
                "system": results.label(system),
                "updates": "all" if one.updates is None else number_cell(one.updates, ",d"),
                **{split: seed_mean_cell(score) for split, score in scores.items()},
                "seeds": number_cell(max((score.n for score in scores.values() if score), default=0), "d"),
            }
        )
    notes = [
        f"All with {of_labelled(fraction)}. The last row starts from the weights that pretraining ended with, the best "
        "on its validation text.",
        *footnotes(results, results.runs, results.task.metrics),
    ]
    return Table(columns, rows, notes)
