"""Restored runs are checked while the workflow loads."""

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from seqpre import restore
from seqpre.common.errors import ConfigError
from seqpre.study.load import load_study
from seqpre.study.restored import FILE, with_restored
from seqpre.study.study import GridSection, declared_runs, runs_here

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


def test_runs_are_added_to_records_without_a_model_unless_they_start_from_it(tmp_path: Path) -> None:
    file = STUDY.with_name("poda-headlines.yaml")
    folder = tmp_path / "small" / file.stem
    folder.mkdir(parents=True)
    shutil.copy(STUDY.parents[2] / f"results/small/{file.stem}/records.zip", folder)
    restore.main([str(folder)])
    assert not runs_here(with_restored(load_study(file, "small"), folder))
    plain = load_study(file, "small", [1, 2, 3, 5])
    plain = dataclasses.replace(plain, grid={"one": GridSection(("no_pretraining",), ("100pct",))}, ensembles={})
    assert [run.seed for run in runs_here(with_restored(plain, folder))] == [5]
    with pytest.raises(ConfigError, match=rf"model poda/denoiser, .*; remove {folder / FILE}, train the model"):
        with_restored(load_study(file, "small", [1, 2, 3, 5]), folder)
