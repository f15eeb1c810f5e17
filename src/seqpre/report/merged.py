"""A study's records and the runs made here, read as one folder.

A local run, ensemble or trivial baseline replaces the recorded one once it has scores, a pretrained model once it has
weights. Recorded runs that do not match the local ones are left out: those of a system that ran here with other
settings, and those scored in another way. Records of another text are refused.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from seqpre.common.errors import DataError
from seqpre.common.files import write_json
from seqpre.metrics.texts import way_of_scoring
from seqpre.report.outcome import Outcome
from seqpre.study.declarations import WEIGHTS
from seqpre.study.reported import FILE as STUDY
from seqpre.study.reported import read_reported, together
from seqpre.study.restored import FILE, from_records
from seqpre.study.run import SCORES

UNITS = ("runs/*/*/seed*/", "ensembles/*/", "trivial/*/")
"""Runs, ensembles and trivial baselines, relative to a study's folder."""


def lay_over(here: Path, there: Path) -> None:
    """Link a study's local results over its unpacked records, and write which results come from records to `there`.

    Raises DataError if the records are of another corpus or of other languages.
    """
    if (here / STUDY).is_file():
        local, packed_study = read_reported(here / STUDY), read_reported(there / STUDY)
        if local.text != packed_study.text:
            raise DataError(
                f"{here}: the study is of {local.text} here, and of {packed_study.text} in its records.zip, so their "
                "scores are of different texts; give the study another name, or move records.zip away"
            )
        write_json(there / STUDY, together(local, packed_study).to_json())
    back, unpacked = from_records(here).folders, _units(there)
    ours = {unit for unit in _units(here) - back if (here / unit / SCORES).is_file()}
    for unit in _units(here):
        if unit in ours or unit not in unpacked:
            _replace(here / unit, there / unit)
    packed = (unpacked - ours) | (back & _units(there))
    left_out = _left_out(there, ours, packed)
    for unit in left_out:
        shutil.rmtree(there / unit)
    models = _lay_over_models(here.parent, there.parent)
    # Files besides runs: human ratings, filter counts, references of outputs.
    beside = {here / "human_study": there / "human_study", here.parent / "corpora": there.parent / "corpora"}
    beside |= {one: there.parent / one.relative_to(here.parent) for one in here.parent.glob("text/*/*/*.stats.json")}
    for one, other in beside.items():
        if one.exists() and not other.exists():
            other.parent.mkdir(parents=True, exist_ok=True)
            other.symlink_to(one)
    kept = [unit.split("/") for unit in sorted(packed - left_out.keys())]
    runs = [(where[0], where[1], int(where[2].removeprefix("seed"))) for kind, *where in kept if kind == "runs"]
    others = [where[0] for kind, *where in kept if kind != "runs"]
    write_json(there / FILE, {"runs": runs, "others": others, "models": models, "left_out": left_out})


def _units(study_dir: Path) -> set[str]:
    return {str(unit.relative_to(study_dir)) for pattern in UNITS for unit in study_dir.glob(pattern)}


def _lay_over_models(here: Path, there: Path) -> list[str]:
    """Link local pretrained models over those of the records; return the folders that are still the records'."""
    of_records = {path.parent.relative_to(there) for path in there.glob("lms/**/summary.json")}
    for file in here.glob("lms/**/lm.json"):
        place = file.parent.relative_to(here)
        if place not in of_records or (file.parent / WEIGHTS).is_dir():
            _replace(file.parent, there / place)
            of_records.discard(place)
    return sorted(map(str, of_records))


def _replace(one: Path, other: Path) -> None:
    """Replace a folder by links to the files of another."""
    if other.exists():
        shutil.rmtree(other)
    shutil.copytree(one, other, copy_function=os.symlink)


def _left_out(there: Path, ours: set[str], packed: set[str]) -> dict[str, str]:
    """Return the recorded runs that do not match the local ones, {folder: why}."""
    outcomes = {unit: Outcome(there / unit) for unit in sorted(ours | packed)}
    local = sorted(ours)  # the last one counts, if local runs differ
    settings = {str(Path(unit).parent): _trained(outcomes[unit]) for unit in local if unit.startswith("runs/")}
    scorers = dict(way for unit in local for way in _ways(outcomes[unit]))
    found = {}
    for unit in sorted(packed):
        trained, theirs = settings.get(str(Path(unit).parent)), outcomes[unit]
        otherwise = [what for what, how in _ways(theirs) if scorers.get(what, how) != how]
        if trained is not None and trained != _trained(theirs):
            found[unit] = "the system ran here with other settings"
        elif otherwise:
            found[unit] = f"{otherwise[0]} was computed in another way than here"
    return found


def _ways(of: Outcome) -> list[tuple[str, str]]:
    """Return how the scores of an outcome were computed, [(metric and split, how)]."""
    return [(f"{one['metric']} of {one['split']}", way_of_scoring(one)) for one in of.scores]


def _trained(run: Outcome) -> dict[str, Any]:
    """Return the settings of a run's training, without those of decoding."""
    return {key: value for key, value in run.settings.items() if key != "decode"}
