"""Tables for corrections only: by spelling of the sources, and by kind of error."""

from __future__ import annotations

from collections.abc import Iterable

from seqpre.metrics.edit_kinds import KINDS
from seqpre.report.estimates import seed_mean
from seqpre.report.notes import footnotes
from seqpre.report.outcome import Outcome
from seqpre.report.results import NO_CHECKPOINT, Results
from seqpre.report.table import EMPTY, Cell, Row, Table, number_cell, seed_mean_cell
from seqpre.study.run import SCORES

EDITS = "m2_f0.5"
"""The metric whose entries count edits by kind."""


def spelling_table(results: Results) -> Table:
    """Return the scores of every system on tests that are read in several spellings, one column each."""
    spellings = dict.fromkeys(how for splits in results.study.spellings.values() for how in splits)
    columns = {"system": "system", "test": "test", **{how: how.replace("_", " ") for how in spellings}}
    rows = []
    plain = results.task.all_trivial  # The columns say which spelling is copied.
    for test, splits in results.study.spellings.items():
        metric = results.metric_of(test)
        for system in _systems(results):
            named = {"system": plain.get(system, results.label(system)), "test": f"{test}, {results.name_of(test)}"}
            rows.append(named | {
                how: seed_mean_cell(results.score(system, results.all_data, split, metric=metric))
                for how, split in splits.items()
            })  # fmt: skip
    notes = [
        "The same models and their sources in several spellings; what is scored are corrections of what was written. "
        "`symspell`: words that the vocabulary lacks are corrected before a model reads them. The first spelling with "
        "which a test is scored in other tables is that of the study.",
        *footnotes(results, results.runs, results.task.tests),
    ]
    return Table(columns, rows, notes)


def kinds_table(results: Results) -> Table:
    """Return, for every system and test with gold edits, errors by kind, and how many are corrected or made."""
    columns = {"system": "system", "test": "test"}
    for kind in KINDS:
        columns |= {f"errors_{kind}": f"{kind}, errors", f"mended_{kind}": "mended", f"made_{kind}": "made"}
    rows = []
    for test in results.tests:
        for system in _systems(results):
            counted = [
                (run, entry["kinds"])
                for run in results.of(system, results.all_data)
                for entry in run.scores
                if (entry["split"], entry["metric"]) == (test, EDITS)
                and entry["selection"] in (results.study.selection, NO_CHECKPOINT)
            ]
            if counted:
                row: Row = {"system": results.label(system), "test": test}
                for kind in KINDS:
                    of = [(run, kinds[kind]) for run, kinds in counted]
                    row[f"errors_{kind}"] = _mean(((run, one["gold"]) for run, one in of), ".0f")
                    for what in ("mended", "made"):
                        shares = ((run, 100 * one[what] / one["gold"]) for run, one in of if one["gold"])
                        row[f"{what}_{kind}"] = _mean(shares, ".1f")
                rows.append(row)
    notes = [
        "Errors: how many edits of a kind the annotator has; mended: per cent of them that are corrected as he would; "
        "made: edits that are none of his, for 100 such errors. Means over seeds; the annotator is the one that M2 "
        "takes, so systems differ in their errors. Kinds are told from the words of an edit by one rule for all texts "
        "(`seqpre.metrics.edit_kinds`), not by annotators' codes.",
        *footnotes(results, results.runs, [EDITS]),
    ]
    return Table(columns, rows, notes)


def _systems(results: Results) -> list[str]:
    """Return the systems with all labelled data: trivial baselines, then ensembles, then trained systems."""
    trained = [system for system, fraction in results.cells
               if fraction == results.all_data and system not in results.study.variant_of]  # fmt: skip
    return [*results.study.trivial, *results.study.ensembles, *trained]


def _mean(values: Iterable[tuple[Outcome, float]], pattern: str) -> Cell:
    mean = seed_mean(run.measured(value, SCORES) for run, value in values)
    return number_cell(mean.mean, pattern, mean.measurements) if mean else Cell(EMPTY)
