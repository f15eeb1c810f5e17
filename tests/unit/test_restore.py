"""What cannot be put back is refused by name."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from seqpre import restore
from seqpre.report.records import ARCHIVE

STUDY = Path("results/small/mine")
RUN: dict[str, Any] = {"study": "mine", "system": "full", "seed": 1, "dir": f"{STUDY}/runs/full/100pct/seed1"}


def packed(listed: Path, runs: list[dict[str, Any]], scored: list[dict[str, Any]]) -> None:
    """Write an archive that lists some runs and has the scores of others."""
    STUDY.mkdir(parents=True)
    with zipfile.ZipFile(STUDY / ARCHIVE, "w") as archive:
        archive.writestr(str(listed), json.dumps(runs))
        for run in scored:
            archive.writestr(f"{run['dir']}/scores.json", "[]")


@pytest.mark.parametrize(
    ("listed", "runs", "says"),
    [
        (STUDY / "runs.json", [RUN], "start from the same pretrained models"),
        (Path("elsewhere/small/mine/runs.json"), [RUN], "start this in the folder of the Snakefile"),
        (
            STUDY / "runs.json",
            [RUN | {"seeds_draw": "all", "seed": 7, "dir": "x"}],
            "no seed of which every run is scored",
        ),
    ],
)
def test_records_that_nothing_can_be_added_to_are_refused(
    listed: Path,
    runs: list[dict[str, Any]],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    packed(listed, runs, [RUN])
    with pytest.raises(SystemExit):
        restore.main([str(STUDY)])
    assert says in capsys.readouterr().err
    assert not (STUDY / "restored.json").exists()


def test_only_seeds_that_are_complete_are_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = RUN | {"seeds_draw": "all"}
    second = first | {"seed": 2, "dir": f"{STUDY}/runs/full/100pct/seed2"}
    missing = second | {"system": "other", "dir": f"{STUDY}/runs/other/100pct/seed2"}
    packed(STUDY / "runs.json", [first, second, missing], [first, second])
    restore.main([str(STUDY)])
    assert json.loads((STUDY / "restored.json").read_text()) == {"seeds": [1]}
    assert [str(path.parent) for path in STUDY.rglob("scores.json")] == [first["dir"]]
