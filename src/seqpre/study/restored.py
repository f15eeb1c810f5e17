"""Runs of a study that were run elsewhere and restored from records by `python -m seqpre.restore`.

The tables show their scores with those of the other runs. They are not trained, decoded or scored again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError
from seqpre.common.files import read_json
from seqpre.study.declarations import WEIGHTS
from seqpre.study.reported import pretrained
from seqpre.study.run import SCORES, Run, folder_of, run_from_json
from seqpre.study.settings import RunSettings
from seqpre.study.study import Restored, Study, declared_runs, lm_of, lm_to_json, runs_here
from seqpre.study.typed import mapping, overridden, require_keys

FILE = "restored.json"
"""Next to the folder `runs` of a study: {"runs": [[system, fraction, seed], ...], "others": [...], ...}, where `others`
are names of ensembles and trivial baselines.

`seqpre.restore` adds "choices", files of tuned settings; "lms", {name: content of its `lm.json`}, of the pretrained
models whose settings are in the records; and "elsewhere", names of those that were not here to be compared.
`seqpre.report.merged` adds "models", folders of pretrained models, and "left_out", {folder of a run: why}.
"""


@dataclasses.dataclass(frozen=True)
class FromRecords:
    """What of a study comes from its records and was not run here: restored, or merged with the local runs."""

    folders: frozenset[str] = frozenset()
    """Folders of runs, ensembles and trivial baselines, relative to the study's."""
    models: frozenset[str] = frozenset()
    """Folders of pretrained models, relative to the scale's; empty if they were restored instead of merged."""
    left_out: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Folders of runs that do not fit the local ones, and why."""


def from_records(study_dir: Path) -> FromRecords:
    """Return the content of `restored.json` in a study's folder; empty if there is none."""
    file = study_dir / FILE
    said = read_json(file) if file.is_file() else {}
    runs = {folder_of(*run) for run in said.get("runs", ())}
    others = {f"{kind}/{name}" for kind in ("ensembles", "trivial") for name in said.get("others", ())}
    # Members of an ensemble are trained here, even if they were restored.
    folders = {one for one in runs | others if not (study_dir / one / WEIGHTS).is_dir()}
    return FromRecords(frozenset(folders), frozenset(said.get("models", ())), said.get("left_out", {}))


def with_restored(study: Study, study_dir: Path) -> Study:
    """Return a study that knows what was restored into the folder of its results.

    A restored run whose folder was deleted is run here. So are members of an ensemble that was not restored itself,
    because it needs their weights.

    Raises ConfigError if restored files are missing, or if a run, or a model that it started from, was trained with
    other settings than the study declares today, or if runs here would start from a model of theirs that is not here.
    """
    file = study_dir / FILE
    if not file.is_file():
        return study
    said = read_json(file)
    for choice in said["choices"]:
        if not (study_dir / choice).is_file():
            raise ConfigError(
                f"{study_dir / choice} was restored, but is not there; restore it again (python -m seqpre.restore "
                f"{study_dir}), or remove {file} to tune here"
            )
    others = frozenset(said["others"])
    members = {
        (system, ensemble.fraction, seed)
        for name, ensemble in study.ensembles.items()
        if name not in others
        for system, seed in ensemble.candidates(study.seeds)
    }
    there = frozenset(run for run in map(tuple, said["runs"]) if (study_dir / folder_of(*run)).is_dir())
    restored = Restored(there - members, others, frozenset(said["choices"]))
    study = dataclasses.replace(study, restored=restored)
    back = [run for run in declared_runs(study) if (run.system, run.fraction, run.seed) in restored.runs]
    for run in back:
        _check(run, study, study_dir)
    for name, seed in sorted({(lm, run.seed) for run in back for lm in run.settings.init.lms}):
        _check_lm(study, name, seed, said.get("lms", {}), study_dir)
    elsewhere = {*said.get("elsewhere", ())} & {*pretrained(study, back)}
    for name in pretrained(study, runs_here(study)):
        if name in elsewhere:
            model = study_dir.parent / "lms" / name / WEIGHTS
            raise ConfigError(
                f"runs that were restored into {study_dir} started from a model {name}, and so would others here, but "
                f"records hold no weights; remove {file}, train the model (snakemake ... {model}), and restore again"
            )
    return study


def _check(run: Run, study: Study, study_dir: Path) -> None:
    """Check that a restored run has the settings that the study declares."""
    folder = study_dir / run.path
    remedy = f"remove {folder} to train it here, or {folder.parents[1]} to train all of {run.system}"
    for name in (SCORES, "run.json"):
        if not (folder / name).is_file():
            raise ConfigError(f"{folder} was restored, but has no {name}; {remedy}")
    found = run_from_json(read_json(folder / "run.json")).settings
    declared: RunSettings = overridden(run.settings, _chosen(study, run, study_dir), study.name)
    if found.trained() != declared.trained():
        raise ConfigError(
            f"{folder}/run.json, restored from records, has other settings than {study.name} declares; {remedy}"
        )


def _check_lm(study: Study, name: str, seed: int, said: dict[str, dict[str, Any]], study_dir: Path) -> None:
    """Check that a pretrained model has the settings declared today, if the records have its settings."""
    owner, lm = study.owner_of(name), lm_of(study, name, seed)
    path = f"{owner.name}/{lm}"
    if path not in said:
        return
    defaults = type(owner.lm_settings)()
    trained, declared = (
        lm_json | {"settings": overridden(defaults, lm_json["settings"], path).identity()}
        for lm_json in (said[path], lm_to_json(owner, lm))
    )
    if trained != declared:
        raise ConfigError(
            f"runs that were restored into {study_dir} started from a model {path} that was trained otherwise than "
            f"{owner.name} declares; remove {study_dir / FILE} to train them here"
        )


def _chosen(study: Study, run: Run, study_dir: Path) -> dict[str, Any]:
    """Return the tuned settings of a run, if their choice was restored."""
    if study.tuning is None or run.system not in study.tuned:
        return {}
    file = study.tuning.choice_file(study.tuned[run.system], run.fraction)
    if file not in study.restored.choices:
        return {}
    found = read_json(study_dir / file)
    require_keys(found, ("settings",), str(study_dir / file))
    return dict(mapping(found["settings"], f"{study_dir / file}: settings"))
