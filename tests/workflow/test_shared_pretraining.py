"""A model that several studies start from is trained once, on text that none of them is evaluated on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from checkout import REPOSITORY, Project, copy_of_repository
from seqpre.planning.planner import make_plan
from seqpre.study.configuration import read_configuration

TINY = ("--configfile", "tests/config.tiny.yaml", "--config")
ONE, TWO = (
    [f"results/tiny/{study}/runs/{system}/100pct/seed1/weights" for system in ("full", "no_pretraining")]
    for study in ("one", "two")
)
"""The trainings of two studies; what is made of them is the same whatever they start from."""
PRETRAINING = {
    "models": {"news_en": {"language": "en", "corpus": "news"}, "news_de": {"language": "de", "corpus": "news"}},
    "settings": {
        "first_layer": {"embedding_dim": 16, "hidden_dim": 16, "projection_dim": 0},
        "optimizer": {"name": "adam", "lr": 0.005},
    },
    "scales": {
        "tiny": {
            "corpora": {"news": "demo_monolingual"},
            "vocabulary": {"kind": "subwords", "size": 500},
            "filter": {"identifier": "none"},
            "settings": {
                "train": {"streams": 16, "bptt": 10, "max_tokens": 3_200, "validate_every": 10, "held_out": 20}
                | {"patience": 0, "keep": [10]}
            },
        }
    },
}


def study(**scale: Any) -> dict[str, Any]:
    """Return a study that starts from the pretraining: from its end and, in another system, from a checkpoint."""
    text: dict[str, Any] = yaml.safe_load(
        (REPOSITORY / "tests/studies/tiny-translation.yaml").read_text(encoding="utf-8")
    )
    tiny = text["scales"]["tiny"]
    for key in ("vocab_size", "lm_settings", "tuning"):
        del tiny[key]
    del text["lms"], text["ensembles"]
    text["pretraining"], text["labels"] = "news", {}
    text["base"] = {
        "init": {"encoder": "news_en", "decoder": "news_de"},
        "vocabulary": {"source": "news", "target": "news"},
        "objectives": {"target_lm_weight": 1.0, "target_lm": "news_de"},
    }
    text["systems"] = {"full": {}, "no_pretraining": {"init.encoder": "news_en@10", "init.decoder": "random"}}
    tiny["base"]["train"] = {"batch_sentences": 16, "max_updates": 4, "validate_every": 4, "metric": "none"}
    tiny |= {"selection": "perplexity", **scale}
    return text


def write(project: Project, name: str, text: dict[str, Any]) -> None:
    path = project.folder / f"workflow/{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")


def shared(folder: Path) -> Project:
    """Return a checkout with two studies that share a pretraining."""
    project = copy_of_repository(folder)
    write(project, "pretraining/news", PRETRAINING)
    write(project, "studies/one", study())
    write(project, "studies/two", study(tests=["test_b"]))
    return project


@pytest.fixture(scope="module")
def one_done(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout that has trained the first of them."""
    project = shared(tmp_path_factory.mktemp("shared") / "project")
    done = project.snakemake("--cores", "1", *ONE, *TINY, "studies=[one]")
    assert done.returncode == 0, done.stdout
    return project


def test_the_second_study_trains_its_runs_and_nothing_else(one_done: Project) -> None:
    assert one_done.planned(*ONE, *TINY, "studies=[one]") == {}
    assert one_done.planned(*ONE, *TINY, "studies=[one,two]") == {}
    planned = one_done.planned(*TWO, *TINY, "studies=[two]")
    assert planned["finetune"] == 2
    assert not planned.keys() & {"pretrain", "resolve_lm", "learn_bpe"}
    assert planned["filter"] == 1  # Its own pairs; both sides are encoded with the vocabulary that is shared.
    assert planned["encode"] == 4


def test_a_study_that_shares_nothing_changes_nothing(one_done: Project) -> None:
    studies = "studies=[one,tests/studies/tiny-translation.yaml]"
    assert one_done.planned(*ONE, *TINY, studies) == {}
    planned = one_done.planned("tiny-translation", *TINY, studies)
    assert planned["pretrain"] == 2  # Of its own, from text of its own.
    assert planned["filter"] == 2


def test_the_models_are_in_a_place_of_their_own_and_runs_start_from_them(one_done: Project) -> None:
    tiny = one_done.folder / "results/tiny"
    folder = tiny / "lms/news/news_en"
    kept, best = ((folder / f"weights/{name}.safetensors").stat().st_size for name in (10, "perplexity"))
    assert abs(kept - best) < 100  # What is said of them differs.
    assert not (tiny / "lms/one").exists()
    assert not (tiny / "subwords/one").exists()
    about = json.loads((folder / "lm.json").read_text(encoding="utf-8"))
    assert list(about) == ["name", "language", "corpus", "fraction", "settings"]
    transfer = {
        system: (tiny / f"one/runs/{system}/100pct/seed1/transfer.md").read_text(encoding="utf-8")
        for system in ("full", "no_pretraining")
    }
    assert "| encoder.lm.embedding.weight | 500 x 16 | 8,000 | loaded | news_en |" in transfer["full"]
    assert "| encoder.lm.embedding.weight | 500 x 16 | 8,000 | loaded | news_en@10 |" in transfer["no_pretraining"]


def test_the_text_leaves_out_what_any_of_them_is_evaluated_on(one_done: Project) -> None:
    text = one_done.folder / "results/tiny/text/news/demo_monolingual"
    stats = json.loads((text / "train.en.stats.json").read_text(encoding="utf-8"))
    assert {Path(path).name for path in stats["exclude"]} == {
        f"{split}.{side}" for split in ("valid", "test_a", "test_b") for side in ("en", "de")
    }
    raw = one_done.folder / "results/tiny/corpora"
    evaluated = {line for split in ("valid", "test_a", "test_b") for line in (raw / f"demo_ende/raw/{split}.en").open()}
    assert not evaluated & set((text / "train.en/train.en").open())


def test_plan_prices_it_once_and_doctor_names_it(one_done: Project, tmp_path: Path) -> None:
    project = one_done.copy(tmp_path / "project")
    configuration = project.folder / "config.yaml"
    text = (project.folder / "tests/config.tiny.yaml").read_text(encoding="utf-8")
    configuration.write_text(text.replace("[tests/studies/tiny-translation.yaml]", "[one, two]"), encoding="utf-8")
    plan = make_plan(read_configuration(configuration), project.folder, 0, 2)
    trained = [job for job in plan.jobs if job.rule.startswith("pretrain")]
    assert sorted((job.study, job.owner) for job in trained) == [("news", "LM news_de"), ("news", "LM news_en")]
    assert not any(job.left for job in trained)
    assert Counter(job.study for job in plan.jobs if job.rule == "learn_bpe") == {"news": 1}
    assert {job.study for job in plan.jobs if job.rule == "encode"} == {"news", "one", "two"}
    size = (project.folder / "results/tiny/lms/news/news_en/weights/perplexity.safetensors").stat().st_size
    assert 1.5 * size < trained[0].kept < 2.5 * size  # The end, and a checkpoint.
    (project.folder / "results/tiny/lms/news/news_fr").mkdir()
    command = [sys.executable, "-m", "seqpre.doctor"]
    said = subprocess.run(command, cwd=project.folder, text=True, capture_output=True, check=False).stdout
    assert "✓ configuration: one, two from the pretraining news at the tiny scale" in said
    assert "nothing reads results/tiny/lms/news/news_fr ->" in said


def test_another_study_that_names_it_is_left_out_of_its_text_and_another_setting_restarts_only_what_reads_it(
    one_done: Project, tmp_path: Path
) -> None:
    project = one_done.copy(tmp_path / "project")
    changed = yaml.safe_load(yaml.safe_dump(PRETRAINING))
    changed["scales"]["tiny"]["settings"]["train"]["keep"] = [10, 20]
    write(project, "pretraining/news", changed)
    planned = project.planned(*ONE, *TINY, "studies=[one]")
    assert planned["pretrain"] == planned["resolve_lm"] == planned["finetune"] == 2
    assert not planned.keys() & {"filter", "learn_bpe", "encode", "resolve_run"}
    write(project, "pretraining/news", PRETRAINING)
    assert project.planned(*ONE, *TINY, "studies=[one]") == {}
    write(project, "studies/three", study(tests=["test_a", "test_b"], corpora={"bitext": "demo_ende"}))
    assert project.planned(*ONE, *TINY, "studies=[one]") == {}  # Its tests were left out before.
    (project.folder / "workflow/studies/two.yaml").unlink()
    (project.folder / "workflow/studies/three.yaml").unlink()
    assert project.planned(*ONE, *TINY, "studies=[one]")["filter"] == 2
