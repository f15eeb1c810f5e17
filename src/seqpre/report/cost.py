"""What every run cost: CPU time, memory, speed, padding; language models first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from seqpre.common.files import read_json
from seqpre.report.curves import read_validations
from seqpre.report.estimates import Measurement, Source, estimate
from seqpre.report.notes import footnotes
from seqpre.report.results import Outcome, Results
from seqpre.report.table import Cell, Table, number_cell, text_cell
from seqpre.report.verdicts import NOT_RUN
from seqpre.study.fractions import in_words

# Key of summary.json, header, format, and what one unit of the column is in units of the key.
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


class Spent(NamedTuple):
    """What trainings of one kind took on one kind of machine."""

    what: str
    device: str
    trainings: int
    cpu_hours: float
    """Of all processes."""
    hours: float
    """Wall time, of each process: on GPUs, GPU-hours."""


def spent(results: Results, lms: Sequence[Path] = ()) -> list[Spent]:
    """Return what all trainings of a study took that have ended, by kind and machine."""
    ended = [("pretraining", summary) for folder in lms for summary, _ in [_lm_summary("", folder)] if summary]
    ended += [("fine-tuning", run.summary) for run in results.runs if run.summary]
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for what, summary in ended:
        found.setdefault((what, summary.get("provenance", {}).get("device", "not recorded")), []).append(summary)
    return [
        Spent(
            *of,
            len(summaries),
            sum(one.get("cpu_seconds", 0.0) for one in summaries) / 3600,
            sum(one.get("seconds", 0.0) * one.get("processes", 1) for one in summaries) / 3600,
        )
        for of, summaries in found.items()
    ]


def cost_table(results: Results, lms: Sequence[Path] = ()) -> Table:
    """Return means over seeds of what `summary.json` holds, a row a system and fraction, a row a language model."""
    columns = {
        "system": "system",
        "fraction": "labelled data",
        **{key: header for key, header, _, _ in MEASURES},
        "decoding": f"decoding, {results.task.items}/CPU s",
        "stopped_by": "stopped by",
        "seeds": "seeds",
    }
    rows = [_lm_row(name, folders) for name, folders in _by_name(lms).items()]
    rows += [_row(results, system, fraction) for system, fraction in results.cells]
    tuned = [one for one in spent(results) if one.what == "fine-tuning"]
    hours, trainings = sum(one.cpu_hours for one in tuned), sum(one.trainings for one in tuned)
    notes = [
        "Means over seeds. Padding: share of the cells of a training batch that hold no token.",
        f"Fine-tuning took {hours:.2f} CPU-hours in all ({trainings} run{'s' * (trainings > 1)}).",
        *footnotes(results, results.runs),
    ]
    return Table("cost", "Cost of training", columns, rows, notes)


def _row(results: Results, system: str, fraction: str) -> dict[str, Cell]:
    runs = results.of(system, fraction)
    ended = [run for run in runs if run.summary]
    row = {"system": text_cell(results.labels[system]), "fraction": text_cell(in_words(fraction))}
    for key, _, pattern, unit in MEASURES:
        found = estimate(
            Measurement(run.summary[key] / unit, run.seed, (run.source("summary.json"),))
            for run in ended
            if isinstance(run.summary.get(key), int | float)
        )
        row[key] = (
            Cell(format(found.mean, pattern), {"": found.mean}, found.measurements)
            if found
            else text_cell("-" if ended else NOT_RUN)
        )
    row["decoding"] = _decoding_cell(ended)
    reasons = dict.fromkeys(str(run.summary.get("stopped_by", "")) for run in ended)
    row["stopped_by"] = text_cell(", ".join(reasons))
    row["seeds"] = number_cell(len(ended), "d")
    return row


def _decoding_cell(runs: Sequence[Outcome]) -> Cell:
    """Return sentences per CPU second over all hypothesis files of these runs."""
    sentences, seconds, sources = 0, 0.0, []
    for run in runs:
        for path in sorted((run.folder / "hypotheses").rglob("*.json")):
            entry = read_json(path)
            sentences += entry.get("sentences", 0)
            seconds += entry.get("cpu_seconds", 0.0)
            sources.append(run.source(str(path.relative_to(run.folder))))
    return number_cell(sentences / seconds, ".1f", sources) if seconds else text_cell("-")


def _by_name(lms: Sequence[Path]) -> dict[str, list[Path]]:
    """Return the folders of each language model: one, or one a seed."""
    named: dict[str, list[Path]] = {}
    for folder in lms:
        named.setdefault(folder.parent.name if folder.name.startswith("seed") else folder.name, []).append(folder)
    return named


def _lm_row(name: str, folders: Sequence[Path]) -> dict[str, Cell]:
    """Return a language model, the mean of its seeds."""
    found = [(summary, source) for folder in folders for summary, source in [_lm_summary(name, folder)] if summary]
    seeds = f"{len(found)}" if len(folders) > 1 else "-"
    row = {"system": text_cell(f"LM {name}"), "fraction": text_cell("-"), "seeds": text_cell(seeds)}
    for key, _, pattern, unit in MEASURES:
        values = [
            (summary[key] / unit, source) for summary, source in found if isinstance(summary.get(key), int | float)
        ]
        row[key] = (
            number_cell(fmean(value for value, _ in values), pattern, [source for _, source in values])
            if values
            else text_cell("-")
        )
    reasons = dict.fromkeys(str(summary.get("stopped_by", "-")) for summary, _ in found)
    row["stopped_by"] = text_cell(", ".join(reasons) or NOT_RUN)
    return row


def _lm_summary(name: str, folder: Path) -> tuple[dict[str, Any], Source]:
    """Return what a language model left: its summary, or its last validation while it trains; and the file."""
    source = Source(str(folder / "summary.json"), f"lms/{name}", "", "")
    if (folder / "summary.json").exists():
        return read_json(folder / "summary.json"), source
    validations = read_validations(folder / "metrics.jsonl") if (folder / "metrics.jsonl").exists() else []
    if not validations:
        return {}, source
    last = validations[-1]
    return {"steps": last.step, "cpu_seconds": last.cpu_seconds}, source._replace(path=str(folder / "metrics.jsonl"))
