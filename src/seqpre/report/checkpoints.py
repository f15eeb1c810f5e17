"""How far a model must have been pretrained: scores of runs that start from checkpoints of one pretraining."""

from __future__ import annotations

from typing import NamedTuple

from seqpre.common.files import read_json
from seqpre.report.estimates import Estimate
from seqpre.report.notes import footnotes
from seqpre.report.published import printed_in
from seqpre.report.results import Results
from seqpre.report.splits import CHOSEN, VALIDATION
from seqpre.report.table import Table, estimate_cell, number_cell, text_cell
from seqpre.report.verdicts import NOT_RUN
from seqpre.study.fractions import of_labelled


class Checkpoint(NamedTuple):
    """A system that starts from weights after so many updates of pretraining; None of the best weights of all."""

    system: str
    updates: int | None


def checkpoints(results: Results) -> tuple[str, list[Checkpoint]]:
    """Return the systems that differ in how far they are pretrained, from nothing to all of it, and on which share."""
    found: dict[str, list[Checkpoint]] = {}
    for system, fraction in results.cells:
        runs = [run for run in results.of(system, fraction) if (run.folder / "run.json").exists()]
        if runs:
            start = read_json(runs[0].folder / "run.json")["settings"].get("init", {}).get("encoder", "")
            _, at, updates = start.partition("@")
            if at:
                found.setdefault(fraction, []).append(Checkpoint(system, int(updates)))
    fraction = max(found, key=lambda one: len(found[one]), default=results.all_data)
    kept = sorted(found.get(fraction, []), key=lambda one: one.updates or 0)
    return fraction, [Checkpoint(results.baseline, 0), *kept, Checkpoint(results.reference, None)]


def scores_of(results: Results, system: str, fraction: str) -> dict[str, Estimate | None]:
    return {split: results.score(system, fraction, split) for split in (VALIDATION, *results.tests)}


def checkpoint_table(results: Results) -> Table:
    """Return a row a checkpoint that runs start from."""
    splits = (VALIDATION, *results.tests)
    names = {split: f"{split}, {results.name_of(split)}{CHOSEN if split == VALIDATION else ''}" for split in splits}
    columns = {"system": "system", "updates": "updates of pretraining", **names, "seeds": "seeds"}
    rows = []
    fraction, found = checkpoints(results)
    for one in found:
        scores = scores_of(results, one.system, fraction)
        system = results.baseline if one.updates == 0 else results.reference
        rows.append(
            {
                "system": text_cell(results.labels.get(system, system)),
                "updates": text_cell("all") if one.updates is None else number_cell(one.updates, ",d"),
                **{split: estimate_cell(score, missing=NOT_RUN) for split, score in scores.items()},
                "seeds": number_cell(max((score.n for score in scores.values() if score), default=0), "d"),
            }
        )
    notes = [
        f"All with {of_labelled(fraction)}. The last row starts from the weights that pretraining ended with, the best "
        "on its validation text.",
        *footnotes(results, results.runs, results.task.metrics),
    ]
    title = f"Checkpoints of the pretraining{printed_in(results.paper.checkpoints)}"
    return Table("checkpoints", title, columns, rows, notes)
