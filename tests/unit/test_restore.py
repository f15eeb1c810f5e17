"""What is put back of a study's records, and what cannot be is refused by name."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from seqpre import restore
from seqpre.report.records import ARCHIVE

STUDY = Path("results/small/mine")
LM = Path("results/small/lms/shared/denoiser")
RUN: dict[str, Any] = {
    "study": "mine", "system": "full", "fraction": "100pct", "seed": 1, "dir": f"{STUDY}/runs/full/100pct/seed1",
}  # fmt: skip
OTHER = RUN | {"system": "other", "dir": f"{STUDY}/runs/other/100pct/seed1"}
LEAD = RUN | {"system": "lead_3", "seed": None, "dir": f"{STUDY}/trivial/lead_3"}
ELSEWHERE = RUN | {"dir": RUN["dir"].replace("results", "elsewhere")}
ALL = {"seeds_draw": "all"}
DECLARED = {"name": "denoiser", "settings": {}}
CHOICE = {"choices": ["tuning/full.json"], "lms": {"shared/denoiser": DECLARED}}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def losses(loss: float) -> str:
    return json.dumps({"event": "validation", "step": 5, "valid_loss": loss}) + "\n"


def packed(runs: list[dict[str, Any]], scored: list[dict[str, Any]], listed: Path = STUDY / "runs.json") -> None:
    """Write an archive that lists some runs, has the scores of others, a choice, and a shared model's losses."""
    STUDY.mkdir(parents=True)
    with zipfile.ZipFile(STUDY / ARCHIVE, "w") as archive:
        archive.writestr(str(listed), json.dumps(runs))
        for run in scored:
            archive.writestr(f"{run['dir']}/scores.json", "[]")
        archive.writestr(f"{STUDY}/tuning/full.json", '{"settings": {"lr": 1}}')
        archive.writestr(f"{LM}/metrics.jsonl", losses(0.1))
        archive.writestr(f"{LM}/lm.json", json.dumps(DECLARED))


def pretrained(loss: float) -> None:
    """Leave a shared model here."""
    LM.mkdir(parents=True)
    (LM / "weights").mkdir()
    (LM / "metrics.jsonl").write_text(losses(loss), encoding="utf-8")


def back() -> dict[str, Any]:
    """Put back what there is; return what is said to be back, checked against what lies there."""
    restore.main([str(STUDY)])
    said: dict[str, Any] = json.loads((STUDY / "restored.json").read_text())
    assert len(list(STUDY.rglob("scores.json"))) == len(said["runs"]) + len(said["others"])
    return said


@pytest.mark.parametrize(
    ("runs", "listed", "says"),
    [
        ([RUN], STUDY / "runs.json", f"{LM}/weights is not there"),
        ([ELSEWHERE], Path("elsewhere/small/mine/runs.json"), "start this in the folder of the Snakefile"),
        ([OTHER | ALL | {"seed": 7}], STUDY / "runs.json", "no seed of which every run is scored"),
    ],
)
def test_records_that_nothing_can_be_added_to_are_refused(
    runs: list[dict[str, Any]], listed: Path, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    packed(runs, [RUN], listed)
    with pytest.raises(SystemExit):
        restore.main([str(STUDY)])
    assert says in capsys.readouterr().err
    assert not (STUDY / "restored.json").exists()


def test_an_archive_of_code_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = tmp_path / "src/seqpre/__init__.py"
    code.parent.mkdir(parents=True)
    code.write_text("right", encoding="utf-8")
    foreign = RUN | {"dir": "src/seqpre"}
    packed([foreign], [foreign])
    with zipfile.ZipFile(STUDY / ARCHIVE, "a") as archive:
        archive.writestr("src/seqpre/__init__.py", "wrong")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SystemExit):
        restore.main([str(STUDY)])
    assert "names src/seqpre, which is no folder of a run of results/small/mine" in capsys.readouterr().err
    assert (sorted(tmp_path.rglob("*")), code.read_text()) == (before, "right")


def test_files_that_records_do_not_have_are_not_written(tmp_path: Path) -> None:
    packed([RUN], [RUN])
    pretrained(0.1)
    with zipfile.ZipFile(STUDY / ARCHIVE, "a") as archive:
        for name in ("sitecustomize.py", "checkpoints/last.pt", "model.safetensors", "hypotheses/a/test.txt"):
            archive.writestr(f"{RUN['dir']}/{name}", "x")
        archive.writestr("src/seqpre/__init__.py", "x")
        archive.writestr(f"{RUN['dir']}/run.json", "{}")
    back()
    assert sorted(path.name for path in Path(RUN["dir"]).iterdir()) == ["run.json", "scores.json"]
    assert not Path("src").exists()


def test_language_models_of_other_studies_are_not_written() -> None:
    packed([RUN | ALL], [RUN])
    with zipfile.ZipFile(STUDY / ARCHIVE, "a") as archive:
        for owner in ("mine", "yours"):
            archive.writestr(f"results/small/lms/{owner}/lm_en/seed1/metrics.jsonl", losses(0.1))
    back()
    assert [path.parts[3] for path in Path().glob("results/small/lms/*/lm_en/seed1/metrics.jsonl")] == ["mine"]


def test_a_folder_that_is_no_study_s_own_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    packed([RUN], [RUN])
    beside = STUDY.parent / ".."
    listed = [RUN | {"dir": f"{beside}/runs/full/100pct/seed1"}]
    with zipfile.ZipFile(beside / ARCHIVE, "w") as archive:
        archive.writestr(f"{beside}/runs.json", json.dumps(listed))
        archive.writestr(f"{listed[0]['dir']}/scores.json", "[]")
    with pytest.raises(SystemExit):
        restore.main([str(beside)])
    assert "its study is results/small/..; records are read of a folder below" in capsys.readouterr().err
    assert not Path("results/runs").exists()


def test_of_seeds_with_models_of_their_own_the_complete_ones_are_put_back() -> None:
    second, missing = (run | ALL | {"seed": 2, "dir": run["dir"][:-1] + "2"} for run in (RUN, OTHER))
    packed([RUN | ALL, second, missing, LEAD | ALL], [RUN, second, LEAD])
    assert back() == {"runs": [["full", "100pct", 1]], "others": ["lead_3"], **CHOICE}


def test_of_seeds_that_share_a_model_every_scored_run_is_put_back_beside_that_model() -> None:
    packed([RUN, OTHER, LEAD], [RUN])
    pretrained(0.1)
    assert back() == {"runs": [["full", "100pct", 1]], "others": [], **CHOICE}


def test_runs_are_not_put_back_beside_another_model(capsys: pytest.CaptureFixture[str]) -> None:
    packed([RUN], [RUN])
    pretrained(0.1 + 1e-12)
    with pytest.raises(SystemExit):
        restore.main([str(STUDY)])
    assert f"{LM}/metrics.jsonl has other losses than {STUDY}/records.zip" in capsys.readouterr().err
    assert not (STUDY / "runs").exists()


def test_runs_that_were_begun_here_stay_and_are_not_said_to_be_back() -> None:
    packed([RUN, OTHER], [RUN])
    pretrained(0.1)
    begun = Path(OTHER["dir"]) / "checkpoints/metrics.jsonl"
    begun.parent.mkdir(parents=True)
    begun.write_text(losses(3.0), encoding="utf-8")
    assert back() == {"runs": [["full", "100pct", 1]], "others": [], **CHOICE}
    assert begun.read_text(encoding="utf-8") == losses(3.0)


@pytest.mark.parametrize(
    ("path", "content", "says"),
    [
        (
            f"{RUN['dir']}/checkpoints/metrics.jsonl",
            losses(3.0),
            f"{RUN['dir']} is there already, and in {STUDY}/records.zip",
        ),
        (f"{RUN['dir']}/metrics.jsonl", losses(3.0), f"{RUN['dir']} is there already, and in {STUDY}/records.zip"),
        (f"{RUN['dir']}/scores.json", "[]", f"{RUN['dir']} is there already, and in {STUDY}/records.zip"),
        (f"{STUDY}/tuning/full.json", '{"settings": {"lr": 2}}', "tuning/full.json has chosen {'lr': 2} here"),
    ],
)
def test_nothing_that_was_done_here_is_replaced(
    path: str, content: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    packed([RUN], [RUN])
    pretrained(0.1)
    Path(path).parent.mkdir(parents=True)
    Path(path).write_text(content, encoding="utf-8")
    with pytest.raises(SystemExit):
        restore.main([str(STUDY)])
    assert says in capsys.readouterr().err
    assert Path(path).read_text(encoding="utf-8") == content
    assert not (STUDY / "restored.json").exists()
