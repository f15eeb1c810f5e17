"""Runs of committed records that are trained again: what is drawn, what is compared, and what is said of it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from study_tree import Tree, write

from seqpre import verify
from seqpre.report import records

STUDY = Path("results/small/ramachandran-translation")
SCORES = {"full": (30.0, 30.4, 29.9), "no_pretraining": (25.0, 25.5, 24.8)}
MADE_BY = {"device": "some processor", "torch": "2", "python": "3.11", "commit": "abc", "processors": 2}
RUN = {"study": STUDY.name, "scale": "small", "fraction": "100pct", "lms": {}, "settings": {"optimizer": {"lr": 0.5}}}
Train = Callable[..., list[tuple[str, ...]]]


def said(folder: Path) -> dict[str, Any]:
    """Return what `run.json` in a folder is to hold."""
    system, fraction, seed = folder.parts[-3:]
    return RUN | {"system": system, "fraction": fraction, "seed": int(seed[4:])}


@pytest.fixture
def train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Train:
    """Leave records here; return what stands for Snakemake: runs come out `above` the records', which have `seeds`."""
    monkeypatch.chdir(tmp_path)

    def trained(above: float = 0.0, seeds: int = 3, settings: dict[str, Any] | None = None) -> list[tuple[str, ...]]:
        tree, asked = Tree(Path("results"), tests=("test_2016_flickr",)), list[tuple[str, ...]]()
        for system, values in SCORES.items():
            for seed, value in enumerate(values[:seeds], start=1):
                folder = tree.add(system, "100pct", seed, value)
                write(folder / "run.json", said(folder))
        tree.described()
        write(STUDY / "tuning/full.json", {"settings": {"optimizer.lr": 0.5}})
        (STUDY / "tables").mkdir()
        (STUDY / "tables/provenance.csv").write_text(f"file,corpora\n{folder}/scores.json,\n")
        records.main([str(STUDY)])
        (STUDY / "runs").rename("elsewhere")

        def make(targets: Sequence[Path], cores: int, config: Sequence[str]) -> None:
            asked.append((*config, *map(str, targets)))
            for target in targets:
                folder, seed = target.parent, int(target.parent.name[4:])
                value = SCORES[folder.parts[-3]][seed - 1] if seed <= 3 else 30.1
                write(folder / "run.json", said(folder) | (settings or {}))
                entries = tree.entries(value + above, None)
                write(folder / "scores.json", [*entries, entries[0] | {"metric": "added_since"}])
                write(folder / "summary.json", {"provenance": MADE_BY})

        monkeypatch.setattr(verify, "make", make)
        return asked

    return trained


def found(*options: str) -> list[list[str]]:
    """Return the cells of the rows of the answer, the study's name left out."""
    verify.main([str(STUDY), *options])
    lines = [line for line in (STUDY / "verification.md").read_text().splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in line.strip("|").split("|")][1:] for line in lines[2:]]


def half_width() -> float:
    """Return half the interval of one more seed, by hand: all six runs' residuals within systems and seeds."""
    rows = [[value - 0.3 for value in values] for values in SCORES.values()]
    means = [sum(row) / 3 for row in rows]
    of_systems = sum((value - mean) ** 2 for row, mean in zip(rows, means, strict=True) for value in row)
    return float(stats.t.ppf(0.975, 4) * (of_systems / 4 * (1 + 1 / 3)) ** 0.5)


@pytest.mark.parametrize(
    ("above", "equal", "verdict"), [(0.0, "6 of 6", "equal"), (0.1, "0 of 6", "within"), (3.0, "0 of 6", "outside")]
)
def test_a_run_is_equal_within_or_outside(train: Train, above: float, equal: str, verdict: str) -> None:
    train(above)
    (row,) = found("--runs", "1", "--seed", "1", "--by", "somebody")
    system, seed = row[0].split("/")[0], int(row[0][-1])
    before = SCORES[system][seed - 1] - 0.8
    mean = sum(SCORES[system]) / 3 - 0.8
    assert row[1:3] == [f"{before:.2f}", f"{before + above:.2f}"]
    assert row[3] == f"{mean - half_width():.2f} to {mean + half_width():.2f}"
    assert (row[4], row[-1]) == (equal, verdict)
    page = (STUDY / "verification.md").read_text()
    assert f"1 of 6 runs: 1 {verdict}." in page
    assert "- By: somebody\n" in page
    assert "- Commit: abc\n" in page


def test_one_seed_has_no_interval(train: Train) -> None:
    train(0.1, seeds=1)
    (row,) = found("--seed", "1")
    assert row[-1] == "other; one seed has no interval"


def test_a_fresh_seed_is_set_against_the_mean(train: Train) -> None:
    asked = train()
    rows = found("--runs", "2", "--fresh")
    assert [row[0] for row in rows] == ["full/100pct/seed4", "no_pretraining/100pct/seed4"]
    assert [row[-1] for row in rows] == ["within", "outside"]
    assert "seeds=[4]" in asked[0]


def test_the_draw_is_that_of_its_seed_and_a_list_trains_nothing(
    train: Train, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = train()
    shutil.copytree(STUDY, STUDY.parent / "mine", ignore=shutil.ignore_patterns("records.zip"))
    draws = []
    for seed in ("1", "1", "2", "3"):
        capsys.readouterr()
        verify.main([str(STUDY.parent), "--runs", "2", "--seed", seed, "--list"])
        draws.append(capsys.readouterr().out.partition("\n")[2])
    assert draws[0] == draws[1]
    assert len({*draws}) > 1
    assert asked == []


def test_more_runs_than_there_are_and_a_folder_without_records_are_refused(
    train: Train, refused: Callable[..., str]
) -> None:
    train()
    for argv, says in (
        ([str(STUDY), "--runs", "7"], "--runs is 7; the records have 6 runs"),
        (["."], "has no records.zip"),
        ([str(STUDY), "--work", "results"], "--work is results, where the results are"),
    ):
        assert says in refused(verify.main, argv)


def test_a_run_that_is_declared_otherwise_is_not_trained(train: Train, capsys: pytest.CaptureFixture[str]) -> None:
    asked = train(settings={"settings": {"optimizer": {"lr": 0.25}}})
    with pytest.raises(SystemExit):
        found("--seed", "1")
    assert "is declared otherwise than in the records: optimizer.lr 0.5 -> 0.25" in capsys.readouterr().err
    assert len(asked) == 1


def test_chosen_settings_are_put_where_the_workflow_finds_them_once(train: Train) -> None:
    asked = train()
    found("--seed", "1", "--config", "mirror=/data")
    choice = Path("results/verify/small", STUDY.name, "tuning/full.json")
    os.utime(choice, (1, 1))
    found("--seed", "1")
    assert choice.stat().st_mtime == 1
    assert json.loads((choice.parents[1] / "restored.json").read_text())["choices"] == ["tuning/full.json"]
    assert asked[0][:2] == ("mirror=/data", "scale=small")
