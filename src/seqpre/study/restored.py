"""Runs of a study that ran elsewhere, whose records `python -m seqpre.restore` has put back.

Their scores stand in the tables beside those of the other runs; nothing of them is trained, decoded or scored again.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError
from seqpre.common.files import read_json
from seqpre.study.overrides import overridden
from seqpre.study.run import Run, run_from_json
from seqpre.study.study import Restored, Study, declared_runs

FILE = "restored.json"
"""Beside the folder `runs` of a study: {"runs": [[system, fraction, seed], ...], "others": [...], "choices": [...]}."""


def with_restored(study: Study, study_dir: Path) -> Study:
    """Return a study that knows what was put back into the folder of its results.

    Members of an ensemble that was not put back itself are run here, since it needs their weights.

    Raises:
        ConfigError: what was put back is not there, or was trained with other settings than the study declares today.
    """
    file = study_dir / FILE
    if not file.is_file():
        return study
    said = read_json(file)
    others = frozenset(said["others"])
    members = {
        (system, ensemble.fraction, seed)
        for name, ensemble in study.ensembles.items()
        if name not in others
        for system, seed in ensemble.candidates(study.seeds)
    }
    restored = Restored(frozenset(map(tuple, said["runs"])) - members, others, frozenset(said["choices"]))
    study = dataclasses.replace(study, restored=restored)
    for run in declared_runs(study):
        if (run.system, run.fraction, run.seed) in restored.runs:
            _check(run, study, study_dir)
    return study


def _check(run: Run, study: Study, study_dir: Path) -> None:
    """Check that a run that was put back is what the study declares."""
    folder, remedy = study_dir / run.path, f"remove {study_dir / FILE} to train it here"
    if not (folder / "scores.json").is_file():
        raise ConfigError(f"{folder} was put back, but has no scores.json; {remedy}")
    found = run_from_json(read_json(folder / "run.json")).settings
    declared = overridden(run.settings, _chosen(study, run, study_dir), study.name)
    # How outputs are searched for is another file's: another search is no other training.
    if found != dataclasses.replace(declared, decode=found.decode):
        raise ConfigError(f"{folder}/run.json, put back, has other settings than {study.name} declares; {remedy}")


def _chosen(study: Study, run: Run, study_dir: Path) -> dict[str, Any]:
    """Return the settings that a run takes from a choice on validation text, as far as the choice was put back."""
    if study.tuning is None or run.system not in study.tuned:
        return {}
    file = study.tuning.choice_file(study.tuned[run.system], run.fraction)
    return dict(read_json(study_dir / file)["settings"]) if file in study.restored.choices else {}
