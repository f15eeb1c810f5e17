"""Seeds of a study that ran elsewhere, whose records `python -m seqpre.restore` has put back.

Their scores stand in the tables beside those of the other seeds; nothing of them is trained, decoded or scored again.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError
from seqpre.common.files import read_json
from seqpre.study.overrides import overridden
from seqpre.study.settings import Run, run_from_json
from seqpre.study.study import Study, declared_runs

FILE = "restored.json"
"""Beside the folder `runs` of a study: {"seeds": [...]}."""


def restored_seeds(study_dir: Path) -> tuple[int, ...]:
    """Return the seeds that were put back into the folder of a study's results."""
    file = study_dir / FILE
    return tuple(read_json(file)["seeds"]) if file.is_file() else ()


def restored_runs(study: Study) -> list[Run]:
    """Return the runs that the study declares for the seeds that were put back."""
    return declared_runs(dataclasses.replace(study, seeds=study.restored, ensembles={})) if study.restored else []


def check_restored(study: Study, study_dir: Path) -> None:
    """Check that what was put back is what the study declares today.

    Raises:
        ConfigError: a run is not there, or was trained with other settings.
    """
    remedy = f"remove {study_dir / FILE} to train them here"
    for run in restored_runs(study):
        folder = study_dir / run.path
        if not (folder / "scores.json").is_file():
            raise ConfigError(f"seed {run.seed} was restored, but not {folder}/scores.json; {remedy}")
        found = run_from_json(read_json(folder / "run.json")).settings
        declared = overridden(run.settings, _chosen(study, run, study_dir), study.name)
        # How outputs are searched for is another file's: another search is no other training.
        if found != dataclasses.replace(declared, decode=found.decode):
            raise ConfigError(f"{folder}/run.json, restored, has other settings than {study.name} declares; {remedy}")


def _chosen(study: Study, run: Run, study_dir: Path) -> dict[str, Any]:
    """Return the settings that a run takes from a choice on validation text, as far as the choice was put back."""
    if study.tuning is None or run.system not in study.tuned:
        return {}
    file = study_dir / study.tuning.choice_file(study.tuned[run.system], run.fraction)
    return dict(read_json(file)["settings"]) if file.is_file() else {}
