"""Pretrainings whose models are whole: what is written of them, and which runs may start from one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from project_files import change, copy_of

from seqpre.common.errors import ConfigError
from seqpre.study.load import load_study
from seqpre.study.pretraining_settings import DenoiserSettings
from seqpre.study.study import declared_runs, lm_to_json

POD, RUN, FULL = (
    "pretraining/poda scales demo",
    "studies/poda-headlines scales demo",
    "studies/poda-headlines systems full",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that has the headline study alone, and its denoiser."""
    return copy_of(tmp_path, "studies/poda-headlines", "pretraining/poda")


def loaded(project: Path) -> Any:
    return load_study(project / "workflow/studies/poda-headlines.yaml", "demo")


def test_a_study_starts_from_the_denoiser_and_has_its_words(project: Path) -> None:
    study = loaded(project)
    assert study.pretrained_names == ["denoiser", "denoiser@50", "denoiser@100", "denoiser@200"]
    settings = study.systems["full"]
    assert study.vocabulary(settings).words
    assert study.vocabulary(settings).key == "poda"
    runs = {run.system: run for run in declared_runs(study)}
    assert runs["full"].lms["denoiser"].corpus == "news"
    assert runs["no_pretraining"].lms == {}
    assert runs["no_finetuning"].settings.train.max_updates == 0


def test_what_is_written_of_it_differs_from_the_paper_s_denoiser(project: Path) -> None:
    said = lm_to_json(loaded(project).pretraining, "denoiser")
    assert said["settings"]["model"]["dim"] == 64
    assert "kind" not in said["settings"]["model"]  # There is only one.
    assert (said["name"], said["language"], said["corpus"]) == ("denoiser", "document", "news")


def test_a_run_may_start_from_its_checkpoints_too(project: Path) -> None:
    change(project, "pretraining/poda", "scales demo settings train keep", [100])
    change(project, "studies/poda-headlines", "systems full", {"init.encoder": "denoiser@100"})
    study = loaded(project)
    assert study.pretrained_names == ["denoiser", "denoiser@100"]
    assert study.systems["full"].init.encoder == "denoiser@100"


def test_what_is_kept_changes_no_identity_and_a_new_setting_would_not() -> None:
    one, other = DenoiserSettings(), DenoiserSettings(seed=2)
    assert one.identity() == {}
    assert other.identity() == {"seed": 2}


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        (POD, "vocabulary kind", "subwords", "is 'subwords'; it must be 'words', which a model of the kind 'denoiser'"),
        (POD, "settings train streams", 64, "settings.train has no key 'streams'"),
        (POD, "settings train keep", [500], "train.keep is [500]; it must be at most 400, the last update"),
        (POD, "settings model heads", 3, "model.dim is 64; it must be a multiple of model.heads (3)"),
        (POD, "settings model kind", "transformer", "model.kind is 'transformer'; known are pointer_generator"),
        (
            POD,
            "settings noise",
            {"deviation": 0.4},
            "noise.deviation is 0.4; it must be below 0.36, as no rate between",
        ),
        ("pretraining/poda", "settings kind", "denoser", "kind is 'denoser'; did you mean 'denoiser'?"),
        (RUN, "base model dim", 32, "model.dim is 32; it must be 64, as the models of 'poda' have it"),
        (RUN, "base model norm", "post", "norm is 'post'; it must be 'pre', as the models of 'poda' have it"),
        (
            RUN,
            "base model kind",
            "transformer",
            "init.encoder is 'denoiser'; it must be random: a transformer reads no LM there",
        ),
        ("studies/poda-headlines", "base vocabulary", {}, "lacks 'vocab_size'"),
        (FULL, "init.freeze", ["embedding"], "init.freeze is ('embedding',)"),
        (
            FULL,
            "init.encoder",
            "denoiser@9",
            "init.encoder is 'denoiser@9', which is not kept; kept are denoiser@50, denoiser@100, denoiser@200",
        ),
        (FULL, "train.label_smoothing", 0.1, "label_smoothing is 0.1; it must be 0 where words are copied"),
    ],
)
def test_what_cannot_be_is_one_line(project: Path, name: str, place: str, value: Any, message: str) -> None:
    file, _, above = name.partition(" ")
    change(project, file, f"{above} {place}".strip(), value)
    with pytest.raises(ConfigError) as refused:
        loaded(project)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("system", "settings", "words"),
    [
        ("no_finetuning", {"train.max_updates": 0}, ""),
        ("no_pretrained_encoder", {"init.encoder": "random", "train.max_updates": 0}, "init.encoder is 'random', and"),
        ("no_finetuning", {"train.max_updates": 0, "train.passes": 5}, "at least 1: train.passes is 5.0 and counts"),
    ],
)
def test_without_training_only_what_starts_from_the_denoiser_on_both_sides_is_of_use(
    project: Path, system: str, settings: dict[str, Any], words: str
) -> None:
    change(project, "studies/poda-headlines", f"systems {system}", settings)
    if not words:
        assert loaded(project).systems[system].train.max_updates == 0
        return
    refused = rf"systems\.{system}: train\.max_updates is 0; it must be .*{re.escape(words)}"
    with pytest.raises(ConfigError, match=refused):
        loaded(project)
