"""Restored runs are checked while the workflow loads."""

import dataclasses
import json
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.study.load import load_study
from seqpre.study.restored import FILE, with_restored
from seqpre.study.study import Study, declared_runs, runs_here

STUDY = Path(__file__).parents[3] / "workflow/studies/ramachandran-translation.yaml"


def test_a_run_that_was_put_back_needs_its_scores_and_settings(tmp_path: Path) -> None:
    study = load_study(STUDY, "demo")
    run = declared_runs(study)[0]
    said = {"runs": [[run.system, run.fraction, run.seed]], "others": [*study.ensembles], "choices": []}
    (tmp_path / FILE).write_text(json.dumps(said), encoding="utf-8")
    assert runs_here(with_restored(study, tmp_path)) == runs_here(study), "its folder was deleted: it is run here"
    folder = tmp_path / run.path
    folder.mkdir(parents=True)
    for name, content in (("scores.json", []), ("run.json", run.to_json())):
        with pytest.raises(ConfigError, match=rf"{run.path} was restored, but has no {name}; remove {folder} to train"):
            with_restored(study, tmp_path)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    assert run not in runs_here(with_restored(study, tmp_path))


def test_no_run_here_starts_from_a_model_of_restored_runs_that_is_not_here(tmp_path: Path) -> None:
    study = dataclasses.replace(load_study(STUDY, "demo"), ensembles={})
    lm = f"{study.name}/monolingual_en"
    runs = {run.system: run for run in declared_runs(study)}

    def restored(*systems: str) -> Study:
        back = [run for run in declared_runs(study) if run.system in systems]
        for run in back:
            (tmp_path / run.path).mkdir(parents=True, exist_ok=True)
            for name, content in (("scores.json", []), ("run.json", run.to_json())):
                (tmp_path / run.path / name).write_text(json.dumps(content), encoding="utf-8")
        said = {"runs": [[run.system, run.fraction, run.seed] for run in back], "others": [], "choices": []}
        (tmp_path / FILE).write_text(json.dumps(said | {"elsewhere": [lm]}), encoding="utf-8")
        return with_restored(study, tmp_path)

    starts = {system for system, run in runs.items() if "monolingual_en" in run.settings.init.lms}
    assert len(starts) > 1
    assert {run.system for run in runs_here(restored(*starts))} == runs.keys() - starts
    restored(*(runs.keys() - starts))
    with pytest.raises(ConfigError, match=rf"from a model {lm}, .* remove {tmp_path / FILE}, train"):
        restored("full")
