"""Records of a study are restored, and what cannot be is refused by name."""

import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from seqpre import restore
from seqpre.report.records import ARCHIVE
from seqpre.study.reported import GridRun

STUDY = Path("results/small/mine")
LM = Path("results/small/lms/shared/denoiser")
RUN, OTHER, SECOND, MISSING = (
    GridRun(system, "100pct", seed) for seed in (1, 2) for system in ("full", "other")
)  # fmt: skip
FOLDER = f"{STUDY}/{RUN.folder}"
ALL = {"seeds_draw": "all"}
DECLARED = {"name": "denoiser", "settings": {}}
CHOICE = {"choices": ["tuning/full.json"], "lms": {"shared/denoiser": DECLARED}, "elsewhere": []}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def losses(loss: float) -> str:
    return json.dumps({"event": "validation", "step": 5, "valid_loss": loss}) + "\n"


def packed(runs: Sequence[GridRun], scored: Sequence[str], listed: Path = STUDY / "study.json", **said: object) -> None:
    """Write an archive of a study with some runs and a lead that has the scores of others, a choice, and a model."""
    STUDY.mkdir(parents=True)
    described = {
        "name": "mine", "scale": "small", "paper": "none", "published_as": "mine", "task": "summarization",
        "labels": {}, "languages": ["document", "summary"], "corpus": "pairs", "tests": ["test"],
        "trivial": ["lead_3"], "runs": list(map(vars, runs)), **said,
    }  # fmt: skip
    with zipfile.ZipFile(STUDY / ARCHIVE, "w") as archive:
        archive.writestr(str(listed), json.dumps(described))
        for folder in scored:
            archive.writestr(f"{STUDY}/{folder}/scores.json", "[]")
        archive.writestr(f"{STUDY}/tuning/full.json", '{"settings": {"lr": 1}}')
        archive.writestr(f"{LM}/metrics.jsonl", losses(0.1))
        archive.writestr(f"{LM}/lm.json", json.dumps(DECLARED))


def pretrained(loss: float) -> None:
    """Leave a shared model here."""
    LM.mkdir(parents=True)
    (LM / "weights").mkdir()
    (LM / "metrics.jsonl").write_text(losses(loss), encoding="utf-8")


def back() -> dict[str, Any]:
    """Restore the records; return what restored.json says, checked against the files that are there."""
    restore.main([str(STUDY)])
    said: dict[str, Any] = json.loads((STUDY / "restored.json").read_text())
    assert len(list(STUDY.rglob("scores.json"))) == len(said["runs"]) + len(said["others"])
    return said


def test_records_of_another_folder_are_refused(refused: Callable[..., str]) -> None:
    packed([RUN], [RUN.folder], Path("results/demo/mine/study.json"))
    assert "start this in the folder of the Snakefile" in refused(restore.main, [str(STUDY)])
    assert not (STUDY / "restored.json").exists()


def test_a_model_that_is_not_here_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    packed([RUN, OTHER], [RUN.folder])
    assert back() == {"runs": [["full", "100pct", 1]], "others": [], **CHOICE, "elsewhere": ["shared/denoiser"]}
    assert "not here: shared/denoiser; before other runs start from it" in capsys.readouterr().out


def test_a_restore_that_was_interrupted_goes_on() -> None:
    packed([RUN], [RUN.folder])
    pretrained(0.1)
    before = back()
    for file in (STUDY / "restored.json", Path(FOLDER) / "scores.json"):
        file.unlink()
    assert back() == before


def test_records_are_put_back_wherever_the_folder_of_results_is(tmp_path: Path) -> None:
    packed([RUN], [RUN.folder])
    pretrained(0.1)
    Path("results").rename("moved")
    restore.main([str(tmp_path / "moved/small/mine")])
    assert (tmp_path / "moved/small/mine" / RUN.folder / "scores.json").is_file()
    assert not Path("results").exists()


def test_files_that_records_do_not_have_are_not_written() -> None:
    packed([RUN], [RUN.folder])
    pretrained(0.1)
    with zipfile.ZipFile(STUDY / ARCHIVE, "a") as archive:
        for name in ("sitecustomize.py", "checkpoints/last.pt", "model.safetensors", "hypotheses/a/test.txt"):
            archive.writestr(f"{FOLDER}/{name}", "x")
        archive.writestr("src/seqpre/__init__.py", "x")
        archive.writestr(f"{FOLDER}/run.json", "{}")
    back()
    assert sorted(path.name for path in Path(FOLDER).iterdir()) == ["run.json", "scores.json"]
    assert not Path("src").exists()


def test_language_models_of_other_studies_are_not_written() -> None:
    packed([RUN], [RUN.folder], **ALL)
    with zipfile.ZipFile(STUDY / ARCHIVE, "a") as archive:
        for owner in ("mine", "yours"):
            archive.writestr(f"results/small/lms/{owner}/lm_en/seed1/metrics.jsonl", losses(0.1))
    back()
    assert [path.parts[3] for path in Path().glob("results/small/lms/*/lm_en/seed1/metrics.jsonl")] == ["mine"]


def test_a_folder_that_is_no_study_s_own_is_refused(refused: Callable[..., str]) -> None:
    packed([RUN], [RUN.folder])
    beside = STUDY.parent / ".."
    with zipfile.ZipFile(beside / ARCHIVE, "w") as archive:
        archive.writestr(f"{beside}/study.json", "{}")
        archive.writestr(f"{beside}/{RUN.folder}/scores.json", "[]")
    assert "its study is results/small/..; records are read of a folder below" in refused(restore.main, [str(beside)])
    assert not Path("results/runs").exists()


def test_of_seeds_with_models_of_their_own_the_complete_ones_are_put_back() -> None:
    packed([RUN, SECOND, MISSING], [RUN.folder, SECOND.folder, "trivial/lead_3"], **ALL)
    assert back() == {"runs": [["full", "100pct", 1]], "others": ["lead_3"], **CHOICE}


def test_of_an_incomplete_seed_runs_are_put_back_beside_its_models(
    capsys: pytest.CaptureFixture[str], refused: Callable[..., str]
) -> None:
    packed([SECOND, MISSING], [SECOND.folder, "trivial/lead_3"], **ALL)
    pretrained(0.1)
    own = f"results/small/lms/mine/lm_en/seed{SECOND.seed}"
    with zipfile.ZipFile(STUDY / ARCHIVE, "a") as archive:
        archive.writestr(f"{own}/metrics.jsonl", losses(0.1))
    assert back()["runs"] == []
    assert f"left out: seeds {SECOND.seed}. " in capsys.readouterr().out
    Path(own, "weights").mkdir(parents=True)
    Path(own, "metrics.jsonl").write_text(losses(0.2), encoding="utf-8")
    assert f"{own}/metrics.jsonl has other losses than" in refused(restore.main, [str(STUDY)])
    Path(own, "metrics.jsonl").write_text(losses(0.1), encoding="utf-8")
    assert back()["runs"] == [["full", "100pct", SECOND.seed]]


def test_of_seeds_that_share_a_model_every_scored_run_is_put_back_beside_that_model() -> None:
    packed([RUN, OTHER], [RUN.folder])
    pretrained(0.1)
    assert back() == {"runs": [["full", "100pct", 1]], "others": [], **CHOICE}


def test_runs_are_not_put_back_beside_another_model(refused: Callable[..., str]) -> None:
    packed([RUN], [RUN.folder])
    pretrained(0.1 + 1e-12)
    assert f"{LM}/metrics.jsonl has other losses than {STUDY}/records.zip" in refused(restore.main, [str(STUDY)])
    assert not (STUDY / "runs").exists()


def test_runs_that_were_begun_here_stay_and_are_not_said_to_be_back() -> None:
    packed([RUN, OTHER], [RUN.folder])
    pretrained(0.1)
    begun = STUDY / OTHER.folder / "checkpoints/metrics.jsonl"
    begun.parent.mkdir(parents=True)
    begun.write_text(losses(3.0), encoding="utf-8")
    assert back() == {"runs": [["full", "100pct", 1]], "others": [], **CHOICE}
    assert begun.read_text(encoding="utf-8") == losses(3.0)


@pytest.mark.parametrize(
    ("path", "content", "says"),
    [
        (f"{FOLDER}/checkpoints/metrics.jsonl", losses(3.0), f"{FOLDER} is there already, and in {STUDY}/records.zip"),
        (f"{FOLDER}/metrics.jsonl", losses(3.0), f"{FOLDER} is there already, and in {STUDY}/records.zip"),
        (f"{FOLDER}/scores.json", "[1]", f"{FOLDER} is there already, and in {STUDY}/records.zip"),
        (f"{STUDY}/tuning/full.json", '{"settings": {"lr": 2}}', "tuning/full.json has chosen {'lr': 2} here"),
    ],
)
def test_nothing_that_was_done_here_is_replaced(
    path: str, content: str, says: str, refused: Callable[..., str]
) -> None:
    packed([RUN], [RUN.folder])
    pretrained(0.1)
    Path(path).parent.mkdir(parents=True)
    Path(path).write_text(content, encoding="utf-8")
    assert says in refused(restore.main, [str(STUDY)])
    assert Path(path).read_text(encoding="utf-8") == content
    assert not (STUDY / "restored.json").exists()


@pytest.mark.parametrize(
    ("folder", "of_seed_1"), [("seed1", True), ("seed2", False), ("news", True), ("seed_text", True)]
)
def test_a_pretrained_model_serves_its_own_seed_or_all(folder: str, of_seed_1: bool) -> None:
    assert restore.serves(f"results/small/lms/shared/{folder}/lm.json", 1) == of_seed_1
