"""The cost of every run: CPU time, memory, speed, padding; pretrained models first."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from seqpre.report.estimates import seed_mean
from seqpre.report.notes import footnotes
from seqpre.report.outcome import Outcome
from seqpre.report.results import Results
from seqpre.report.table import EMPTY, Cell, Row, Table, number_cell
from seqpre.report.verdicts import NOT_RUN
from seqpre.study.fractions import in_words

# Key in summary.json, header, format, and units of the key in one unit of the column.
MEASURES = (
    ("steps", "updates", ",.0f", 1),
    ("cpu_seconds", "CPU seconds", ",.0f", 1),
    ("seconds", "wall seconds", ",.0f", 1),
    ("peak_memory_mb", "peak memory, MB", ",.0f", 1),
    ("tokens_per_second", "tokens/s", ",.0f", 1),
    ("padding_share", "padding, %", ".1f", 0.01),
    ("train_pairs", "pairs", ",.0f", 1),
    ("parameters", "parameters, M", ".2f", 1e6),
)


def spent(results: Results) -> pd.DataFrame:
    """Return the cost of all finished trainings of a study, one row for each kind of training and machine.

    Columns: `trainings`; `cpu_hours` of all processes; `hours`, wall time of each process (on GPUs: GPU-hours).
    """
    ended = [("pretraining", one) for one in results.pretrained] + [("fine-tuning", run) for run in results.runs]
    rows = [
        (what, one.made_by.get("device", "not recorded"), one.summary.get("cpu_seconds", 0.0),
         one.summary.get("seconds", 0.0) * one.summary.get("processes", 1))
        for what, one in ended
        if one.summary
    ]  # fmt: skip
    of = pd.DataFrame(rows, columns=["what", "device", "cpu_hours", "hours"]).groupby(["what", "device"], sort=False)
    return pd.concat([of.size().rename("trainings"), of.sum() / 3600], axis="columns").reset_index()


def cost_table(results: Results) -> Table:
    """Return means over seeds from `summary.json`, one row for each system and fraction, and each pretrained model."""
    columns = {
        "system": "system",
        "fraction": "labelled data",
        **{key: header for key, header, _, _ in MEASURES},
        "decoding": f"decoding, {results.task.items}/CPU s",
        "stopped_by": "stopped by",
        "seeds": "seeds",
    }
    models: dict[str, list[Outcome]] = {}
    for one in results.pretrained:
        models.setdefault(one.label, []).append(one)
    rows = []
    for label, ones in models.items():
        row = _row(label, EMPTY, ones)
        seeds = str(sum(bool(one.summary) for one in ones)) if len(ones) > 1 else EMPTY
        rows.append(row | {"seeds": seeds, "stopped_by": row["stopped_by"] or NOT_RUN})
    for system, fraction in results.cells:
        runs = results.of(system, fraction)
        row = _row(results.label(system), in_words(fraction), runs)
        rows.append(row | {"decoding": _decoding_cell([run for run in runs if run.summary])})
    took = spent(results).query("what == 'fine-tuning'")
    hours, trainings = took["cpu_hours"].sum(), took["trainings"].sum()
    notes = [
        "Means over seeds. Padding: share of the cells of a training batch that hold no token.",
        f"Fine-tuning took {hours:.2f} CPU-hours in all ({trainings} run{'s' if trainings > 1 else ''}).",
        *footnotes(results, results.runs),
    ]
    return Table(columns, rows, notes)


def _row(label: str, fraction: str, outcomes: Sequence[Outcome]) -> Row:
    ended = [one for one in outcomes if one.summary]
    row: Row = {"system": label, "fraction": fraction}
    for key, _, pattern, unit in MEASURES:
        found = seed_mean(
            one.measured(one.summary[key] / unit, "summary.json")
            for one in ended
            if isinstance(one.summary.get(key), int | float)
        )
        row[key] = EMPTY if ended else NOT_RUN
        if found:
            row[key] = number_cell(found.mean, pattern, found.measurements)
    row["stopped_by"] = ", ".join(dict.fromkeys(str(one.summary.get("stopped_by", "")) for one in ended))
    return row | {"seeds": number_cell(len(ended), "d")}


def _decoding_cell(runs: Sequence[Outcome]) -> Cell | str:
    """Return sentences per CPU second of a search, over all hypothesis files of these runs."""
    timed = [one for run in runs for one in run.searches.values() if one.get("cpu_seconds")]
    if not timed:
        return EMPTY
    searched = sum(one.get("sentences", 0) * one.get("searches", 1) for one in timed)
    speed = searched / sum(one["cpu_seconds"] for one in timed)
    measurements = (run.measured(speed, file)._replace(seed=None) for run in runs for file in run.searches)
    return number_cell(speed, ".1f", measurements)
