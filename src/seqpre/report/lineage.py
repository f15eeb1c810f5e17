"""The lineage of a number: how its run was trained and scored, and the texts behind it.

Files are read as they are. Missing ones are listed, with the reason why records lack them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from seqpre.common.files import read_json, read_lines
from seqpre.corpora.catalog import Row
from seqpre.report.curves import Validation
from seqpre.report.outcome import Outcome
from seqpre.study.reported import languages_of
from seqpre.study.run import IDENTITY
from seqpre.study.tasks import VALIDATION

CURVE = "Validations"
TRAINING, TRANSFER, OUTPUTS = "settings", "what became of every tensor (transfer.md)", "outputs beside references"
NOT_PACKED = {
    TRAINING: "which the first records lack of language models",
    TRANSFER: "which the first records lack",
    OUTPUTS: "since records hold no text of corpora",
}
"""Why a study's records do not contain it."""
ITEMS = 10
"""Outputs shown with their references."""
Part = tuple[str, list[str]]
"""A heading, and the lines below it."""


@dataclass(frozen=True)
class Lineage:
    """What is known about one training, ensemble or baseline; empty if missing or not applicable."""

    settings: Mapping[str, Any]
    """Settings that differ from the defaults, {dotted name: value}."""
    parts: Sequence[Part]
    """All of it, as readable text."""
    missing: Sequence[str]

    def absent(self, *, packed: bool) -> str:
        """Return the missing files, in words; with the reason for those of `packed` records."""
        why = NOT_PACKED if packed else {}
        return "; ".join(", ".join(filter(None, (what, why.get(what)))) for what in self.missing)


def lineage(of: Outcome) -> Lineage:
    """Return the lineage of the results in a folder."""
    scores, curve, transfer = of.scores, of.validations, _transfer(of.folder / "transfer.md")
    summary = {key: value for key, value in of.summary.items() if key not in (*IDENTITY, "provenance")}
    outputs, items = _items(of.folder, scores)
    trained = bool(summary or curve or (of.said and not (of.folder / "ensemble.json").is_file()))
    needed = {
        TRAINING: (of.said, trained),
        "validations": (curve, trained),
        "summary of the training": (summary, trained),
        TRANSFER: (transfer, trained and scores),
        "commit and machine": (of.made_by, trained),
        OUTPUTS: (items, scores),
    }
    flat = flattened({key: value for key, value in of.said.items() if key not in IDENTITY[:-1]})
    settings = {name.removeprefix("settings."): value for name, value in flat.items()}
    parts = {
        f"Settings other than the defaults (SHA-256 {of.settings_sha256})": _lines(settings),
        "How training ended": _lines(flattened(summary)),
        CURVE: list(map(_validation_in_words, curve)),
        "What became of the tensors": transfer,
        "Scores": list(map(_score_in_words, scores)),
        "How scores are computed": _signatures(scores),
        f"The first outputs of {outputs}": [line for one, other in items for line in (one, f"(reference) {other}")],
        "Commit and machine": _lines(of.made_by),
    }
    missing = [what for what, (there, asked) in needed.items() if asked and not there]
    return Lineage(settings, [(heading, lines) for heading, lines in parts.items() if lines], missing)


def texts(stats: Iterable[Path], catalog: Sequence[Row]) -> list[tuple[Part, Sequence[Row]]]:
    """Return a description and the corpus files of each text, given the filters' counts files."""
    found: list[tuple[Part, Sequence[Row]]] = []
    for path in stats:
        counts, name = read_json(path), path.parent.name
        languages = languages_of(path)
        files = [row for row in catalog if row.name == name and {*row.languages} & {*languages}]
        heading = (
            f"Text of the study, {name} ({', '.join(languages)}): {counts['kept']:,} of {counts['lines']:,} lines of "
            "training kept"
        )
        found.append(((heading, list(map(_row_in_words, files))), files))
    return found


def flattened(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested mappings flattened to dotted keys; list items are numbered."""
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        name = f"{prefix}{key}"
        if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            value = {str(number): one for number, one in enumerate(value, start=1)}
        flat |= flattened(value, f"{name}.") if isinstance(value, Mapping) else {name: value}
    return flat


def _lines(said: Mapping[str, Any]) -> list[str]:
    return [f"{name}: {value}" for name, value in said.items()]


def _score_in_words(score: Mapping[str, Any]) -> str:
    """Return an entry of `scores.json` as a sentence."""
    where = f"{score['split']}, {score['metric']}, checkpoint by {score['selection']}"
    return f"{where}: {score['score']:.2f} [{score['low']:.2f}, {score['high']:.2f}]"


def _signatures(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each way of scoring, with the splits scored that way."""
    splits: dict[tuple[str, str], dict[str, None]] = {}
    for score in scores:
        splits.setdefault((score["metric"], score["signature"]), {})[score["split"]] = None
    return [f"{metric} of {', '.join(of)}: {signature}" for (metric, signature), of in splits.items()]


def _row_in_words(row: Row) -> str:
    """Return a corpus file with its checksum, size and licence, as a line."""
    size = f", {row.bytes:,} bytes" if row.bytes else ""
    checksum = f", SHA-256 {row.sha256}" if row.sha256 else ""
    return f"{row.split}.{row.language}: {row.url}{checksum}{size}, {row.licence}"


def _validation_in_words(one: Validation) -> str:
    score = "" if math.isnan(one.score) else f", greedy score {one.score:.2f}"
    return f"after {one.step:,} updates: perplexity {one.perplexity:.2f}{score}"


def _transfer(path: Path) -> list[str]:
    """Return the totals of a transfer report, then a line for each tensor; empty if there is none."""
    lines = [line for line in read_lines(path) if line] if path.is_file() else []
    rows = [", ".join(filter(None, map(str.strip, line.strip("|").split("|")))) for line in lines if line[0] == "|"]
    return [line for line in lines if line[0] != "|"] + rows[2:]


def _items(folder: Path, scores: Sequence[Mapping[str, Any]]) -> tuple[str, list[tuple[str, str]]]:
    """Return the first outputs of a test with their references, line by line; empty if the files are missing.

    Only outputs in the run's folder are used: records may name others.
    """
    for score in sorted(scores, key=lambda score: score["split"] == VALIDATION):
        paths = _placed([Path(score.get(key, "")) for key in ("hypotheses", "references")], folder)
        if paths and all(path.is_file() and path.suffix != ".m2" for path in paths):
            outputs, references = (islice(read_lines(path), ITEMS) for path in paths)
            return str(paths[0]), list(zip(outputs, references, strict=False))
    return "", []


def _placed(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Return the current paths of files that had these paths when a run was scored.

    Empty if the first is not in the run's folder, or the folder was renamed.
    """
    if not paths[0].is_absolute():
        parents = [one for one in paths[0].parents if one.name and folder.parts[-len(one.parts) :] == one.parts]
        root = folder.parts[: -len(parents[0].parts)] if parents else ()
        paths = [Path(*root, path) for path in paths]
    inside = ".." not in paths[0].parts and paths[0].is_relative_to(folder)
    return [*paths] if inside else []
