"""The way back from a number: how the run behind it came about, and the texts it was made from.

What a run left is read as it lies there. What is not there is named as missing, and why records lack it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from seqpre.common.files import read_json, read_lines
from seqpre.corpora.catalog import Row
from seqpre.report.curves import Validation, read_validations
from seqpre.report.results import settings_hash

SETTINGS = ("run.json", "ensemble.json", "lm.json")
"""Files of settings, one of which a folder has."""
CURVE = "Validations"
THE_SETTINGS, TRANSFER, OUTPUTS = "settings", "what became of every tensor (transfer.md)", "outputs beside references"
NOT_PACKED = {
    THE_SETTINGS: "which the first records lack of language models",
    TRANSFER: "which the first records lack",
    OUTPUTS: "since records hold no text of corpora",
}
"""Why records of a study do not have it."""
ITEMS = 10
"""Outputs that are shown beside their references."""
IDENTITY = ("study", "scale", "system", "fraction")
"""Keys of a run's settings that say which it is."""


@dataclass(frozen=True)
class Lineage:
    """What is known of one training, ensemble or other system; what is empty was not left, or does not apply."""

    folder: str
    settings: Mapping[str, Any]
    """What differs from the defaults, {dotted name: value}."""
    settings_sha256: str
    """First 12 digits; as in provenance.csv."""
    curve: Sequence[Validation]
    ended: Mapping[str, Any]
    """What training left as its summary."""
    made_by: Mapping[str, Any]
    """Commit, versions, machine."""
    transfer: Sequence[str]
    """What became of the tensors, in parameters; then tensor by tensor."""
    scores: Sequence[Mapping[str, Any]]
    outputs: str
    """The file that `items` are the beginning of."""
    items: Sequence[tuple[str, str]]
    """Outputs and their references."""
    missing: Sequence[str]


@dataclass(frozen=True)
class Text:
    """A corpus that training read: how many lines filters kept, and the files that all its splits are made of."""

    name: str
    languages: str
    kept: int
    lines: int
    files: Sequence[Row]


def lineage(folder: Path) -> Lineage:
    """Return how what lies in a folder came about."""
    settings = next((folder / name for name in SETTINGS if (folder / name).is_file()), None)
    said = read_json(settings) if settings else {}
    summary = dict(_json(folder / "summary.json") or {})
    made_by = summary.pop("provenance", {})
    metrics, transfer = folder / "metrics.jsonl", folder / "transfer.md"
    scores = _json(folder / "scores.json") or []
    outputs, items = _items(folder, scores)
    trained = bool(summary) or metrics.exists() or (settings is not None and settings.name != "ensemble.json")
    needed = {
        THE_SETTINGS: settings is not None or not trained,
        "validations": metrics.exists() or not trained,
        "summary of the training": bool(summary) or not trained,
        TRANSFER: transfer.exists() or not (trained and scores),
        "commit and machine": bool(made_by) or not trained,
        OUTPUTS: bool(items) or not scores,
    }
    flat = flattened({key: value for key, value in said.items() if key not in IDENTITY})
    return Lineage(
        str(folder),
        {name.removeprefix("settings."): value for name, value in flat.items()},
        settings_hash(settings) if settings else "",
        read_validations(metrics) if metrics.exists() else [],
        {key: value for key, value in flattened(summary).items() if key not in (*IDENTITY, "seed")},
        made_by,
        _transfer(transfer) if transfer.exists() else [],
        scores,
        outputs,
        items,
        [what for what, there in needed.items() if not there],
    )


def texts(stats: Iterable[Path], catalog: Sequence[Row]) -> list[Text]:
    """Return the corpora that filters left these counts of, with their files."""
    found = []
    for path in stats:
        counts, name = read_json(path), path.parent.name
        languages = path.name.removeprefix("train.").removesuffix(".stats.json")
        files = [row for row in catalog if row.name == name and {*row.languages} & {*languages.split("_")}]
        found.append(Text(name, languages.replace("_", ", "), counts["kept"], counts["lines"], files))
    return found


def flattened(nested: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested mappings as one, keys dotted; those in a list are numbered."""
    flat: dict[str, Any] = {}
    for key, value in nested.items():
        name = f"{prefix}{key}"
        if isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
            value = {str(number): one for number, one in enumerate(value, start=1)}
        flat |= flattened(value, f"{name}.") if isinstance(value, Mapping) else {name: value}
    return flat


def absent(one: Lineage, *, packed: bool) -> str:
    """Return what is not there of a lineage, in words; of one that was `packed` into records, why."""
    why = NOT_PACKED if packed else {}
    return "; ".join(", ".join(filter(None, (what, why.get(what)))) for what in one.missing)


def parts(one: Lineage) -> Iterator[tuple[str, list[str]]]:
    """Yield what there is to read of a lineage: headings, and the lines below each."""
    if one.settings:
        heading = f"Settings other than the defaults (SHA-256 {one.settings_sha256})"
        yield heading, [f"{name}: {value}" for name, value in one.settings.items()]
    if one.ended:
        yield "How training ended", [f"{name}: {value}" for name, value in one.ended.items()]
    if one.curve:
        yield CURVE, [_validation_in_words(validation) for validation in one.curve]
    if one.transfer:
        yield "What became of the tensors", list(one.transfer)
    if one.scores:
        yield "Scores", [_score_in_words(score) for score in one.scores]
        yield "How scores are computed", _signatures(one.scores)
    if one.items:
        lines = [line for output, reference in one.items for line in (output, f"(reference) {reference}")]
        yield f"The first outputs of {one.outputs}", lines
    if one.made_by:
        yield "Commit and machine", [f"{name}: {value}" for name, value in one.made_by.items()]


def parts_of_texts(found: Iterable[Text]) -> Iterator[tuple[str, list[str]]]:
    """Yield what there is to read of corpora, likewise."""
    for text in found:
        heading = (
            f"Text of the study, {text.name} ({text.languages}): {text.kept:,} of {text.lines:,} lines of training kept"
        )
        yield heading, [_row_in_words(row) for row in text.files]


def _score_in_words(score: Mapping[str, Any]) -> str:
    """Return a line of `scores.json` as a sentence."""
    where = f"{score['split']}, {score['metric']}, checkpoint by {score['selection']}"
    return f"{where}: {score['score']:.2f} [{score['low']:.2f}, {score['high']:.2f}]"


def _signatures(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each way in which scores were computed, with the splits that it is of."""
    splits: dict[tuple[str, str], dict[str, None]] = {}
    for score in scores:
        splits.setdefault((score["metric"], score["signature"]), {})[score["split"]] = None
    return [f"{metric} of {', '.join(of)}: {signature}" for (metric, signature), of in splits.items()]


def _row_in_words(row: Row) -> str:
    """Return a file of a corpus with its checksum, size and licence."""
    size = f", {row.bytes:,} bytes" if row.bytes else ""
    checksum = f", SHA-256 {row.sha256}" if row.sha256 else ""
    return f"{row.split}.{row.language}: {row.url}{checksum}{size}, {row.licence}"


def _validation_in_words(one: Validation) -> str:
    score = "" if math.isnan(one.score) else f", greedy score {one.score:.2f}"
    return f"after {one.step:,} updates: perplexity {one.perplexity:.2f}{score}"


def _json(path: Path) -> Any:
    return read_json(path) if path.is_file() else None


def _transfer(path: Path) -> list[str]:
    """Return the totals of a transfer report, then a line a tensor."""
    lines = [line for line in read_lines(path) if line]
    rows = [", ".join(filter(None, map(str.strip, line.strip("|").split("|")))) for line in lines if line[0] == "|"]
    return [line for line in lines if line[0] != "|"] + rows[2:]


def _items(folder: Path, scores: Sequence[Mapping[str, Any]]) -> tuple[str, list[tuple[str, str]]]:
    """Return the first outputs of a test that are there with their references, line by line; nothing where none are.

    Outputs are in the folder of the run: what records name elsewhere is no business of theirs.
    """
    for score in sorted(scores, key=lambda score: score["split"] == "valid"):
        paths = _placed([Path(score.get(key, "")) for key in ("hypotheses", "references")], folder)
        if paths and all(path.is_file() and path.suffix != ".m2" for path in paths):
            outputs, references = (islice(read_lines(path), ITEMS) for path in paths)
            return str(paths[0]), list(zip(outputs, references, strict=False))
    return "", []


def _placed(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Return where files are whose paths are as they were where a run was scored.

    None if the first does not lie in the run's folder, or the folder has another name than it had.
    """
    if not paths[0].is_absolute():
        parents = [one for one in paths[0].parents if one.name and folder.parts[-len(one.parts) :] == one.parts]
        root = folder.parts[: -len(parents[0].parts)] if parents else ()
        paths = [Path(*root, path) for path in paths]
    inside = ".." not in paths[0].parts and paths[0].is_relative_to(folder)
    return [*paths] if inside else []
