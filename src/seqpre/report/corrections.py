"""Tables of corrections alone: by the spelling of the sources that models read, and by the kind of error."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from seqpre.metrics.edit_kinds import KINDS
from seqpre.report.estimates import Measurement
from seqpre.report.notes import footnotes
from seqpre.report.results import NO_CHECKPOINT, Outcome, Results
from seqpre.report.table import EMPTY, Cell, Table, estimate_cell, text_cell
from seqpre.report.verdicts import NOT_RUN

EDITS = "m2_f0.5"
"""The metric whose entries have counts by kind."""
Row = dict[str, Cell]


def spelling_table(results: Results) -> Table:
    """Return the scores of every system on tests whose sources are read in several spellings, a column a spelling."""
    spellings = dict.fromkeys(how for splits in results.spellings.values() for how in splits)
    columns = {"system": "system", "test": "test", **{how: how.replace("_", " ") for how in spellings}}
    rows = []
    plain = results.task.all_trivial  # A column says which spelling is copied.
    for test, splits in results.spellings.items():
        metric = results.metric_of(test)
        for cell, label in _systems(results):
            scores = {how: results.score(*cell, split, metric=metric) for how, split in splits.items()}
            system = plain.get(cell[0], label)
            named = {"system": text_cell(system), "test": text_cell(f"{test}, {results.name_of(test)}")}
            rows.append(named | {how: estimate_cell(one, missing=NOT_RUN) for how, one in scores.items()})
    notes = [
        "The same models and their sources in several spellings; what is scored are corrections of what was written. "
        "`symspell`: words that the vocabulary lacks are corrected before a model reads them. The first spelling with "
        "which a test is scored in other tables is that of the study.",
        *footnotes(results, results.runs, results.task.tests),
    ]
    return Table("spelling", "The spelling of sources", columns, rows, notes)


def kinds_table(results: Results) -> Table:
    """Return, for every system and test with gold edits, how many errors of each kind there are and what it does."""
    columns = {"system": "system", "test": "test"}
    for kind in KINDS:
        columns |= {f"errors_{kind}": f"{kind}, errors", f"mended_{kind}": "mended", f"made_{kind}": "made"}
    rows = []
    for test in results.tests:
        for cell, label in _systems(results):
            entries = [(run, entry) for run in results.of(*cell) if (entry := _edits(run, test, results.selection))]
            if entries:
                rows.append({"system": text_cell(label), "test": text_cell(test)} | _rates(entries))
    notes = [
        "Errors: how many edits of a kind the annotator has; mended: per cent of them that are corrected as he would; "
        "made: edits that are none of his, for 100 such errors. Means over seeds; the annotator is the one that M2 "
        "takes, so systems differ in their errors. Kinds are told from the words of an edit by one rule for all texts "
        "(`seqpre.metrics.edit_kinds`), not by annotators' codes.",
        *footnotes(results, results.runs, [EDITS]),
    ]
    return Table("error_kinds", "What is mended and made, by kind of error", columns, rows, notes)


def _systems(results: Results) -> list[tuple[tuple[str, str], str]]:
    """Return systems with all labelled data, ((system, fraction), label): first what is not trained, then ensembles."""
    at = results.all_data
    trained = [system for system, fraction in results.cells if fraction == at and not results.is_variant(system)]
    labels = {one.system: one.label for one in results.scored}
    names = [*(one.system for one in (*results.trivial, *results.ensembles)), *trained]
    return [((name, at), labels[name]) for name in names]


def _edits(run: Outcome, test: str, selection: str) -> dict[str, Any] | None:
    """Return the entry of a run's scores that has counts by kind."""
    return next(
        (
            entry
            for entry in run.scores
            if (entry["split"], entry["metric"]) == (test, EDITS) and entry["selection"] in (selection, NO_CHECKPOINT)
        ),
        None,
    )


def _rates(entries: Sequence[tuple[Outcome, dict[str, Any]]]) -> Row:
    row: Row = {}
    for kind in KINDS:
        found = [(run, entry["kinds"][kind]) for run, entry in entries]
        row[f"errors_{kind}"] = _mean([(run, counts["gold"]) for run, counts in found], ".0f")
        for what in ("mended", "made"):
            shares = [(run, 100 * counts[what] / counts["gold"]) for run, counts in found if counts["gold"]]
            row[f"{what}_{kind}"] = _mean(shares, ".1f")
    return row


def _mean(values: Sequence[tuple[Outcome, float]], pattern: str) -> Cell:
    if not values:
        return Cell(EMPTY)
    mean = fmean(value for _, value in values)
    measurements = tuple(Measurement(value, run.seed, (run.source("scores.json"),)) for run, value in values)
    return Cell(format(mean, pattern), {"": mean}, measurements)
