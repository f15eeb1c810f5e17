"""Two results folders: what was set otherwise is said, and a number has moved only if seeds do not explain it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path

import pytest
from scipy import stats
from study_tree import PUBLISHED, STUDY, SUMMARIZATION, Tree, write

from seqpre import compare
from seqpre.report import records, tables

ROOT = PUBLISHED.parents[1]
BEFORE: Mapping[str, Sequence[float]] = {"full": (30.0, 30.4, 29.8), "no_pretraining": (25.0, 25.5, 24.8)}


def study(root: Path, scores: Mapping[str, Sequence[float]], scale: str = "small", **settings: float) -> Path:
    """Write a study whose runs have these validation scores, a seed each; return its folder."""
    tree = Tree(root, scale, tests=("test_2016_flickr",))
    for system, values in scores.items():
        for seed, value in enumerate(values, start=1):
            folder = tree.add(system, "100pct", seed, value)
            changed = {"optimizer": settings} if system == "full" else {}
            write(folder / "run.json", {"system": system, "seed": seed, "settings": changed})
    tree.described()
    return tree.study_dir


def printed(capsys: pytest.CaptureFixture[str], one: Path, other: Path) -> str:
    """Return what the command prints."""
    compare.main([str(one), str(other)])
    return capsys.readouterr().out


def found(page: str) -> dict[str, str]:
    """Return what is found of each number, by system and split."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:1] == "|"][2:]
    return {f"{row[0]} {row[2]}": row[-1] for row in rows}


def test_a_number_moves_only_beyond_the_noise_of_seeds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    after = {"full": (35.0, 35.3, 34.9), "no_pretraining": (25.3, 24.9, 25.2)}
    one, other = study(tmp_path / "a", BEFORE), study(tmp_path / "b", after, lr=0.5)
    page = printed(capsys, one, other)
    assert found(page) == {
        "full valid": "moved",
        "full test_2016_flickr": "moved",
        "no_pretraining valid": "within the noise of seeds",
        "no_pretraining test_2016_flickr": "within the noise of seeds",
    }
    assert "- optimizer.lr: default -> 0.5 (full, 100pct)\n" in page
    assert page.index("| full ") < page.index("| no_pretraining ")
    assert set(found(printed(capsys, one, one)).values()) == {"the same"}
    assert "- none differ" in printed(capsys, one, one)


def test_p_values_are_corrected_for_the_number_of_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = (30.0, 30.4, 29.8), (30.7, 31.1, 30.5)
    p = stats.ttest_ind(before, after).pvalue
    assert 0.025 < p < 0.05  # with a second number, on the test, twice that
    page = printed(capsys, study(tmp_path / "a", {"full": before}), study(tmp_path / "b", {"full": after}))
    assert set(found(page).values()) == {"within the noise of seeds"}


def test_the_interval_is_that_of_students_t(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = (30.0, 30.4, 29.8), (31.0, 31.5, 31.1)
    page = printed(capsys, study(tmp_path / "a", {"full": before}), study(tmp_path / "b", {"full": after}))
    half = stats.t.ppf(0.975, 2) * sqrt(sum(stats.sem(values) ** 2 for values in (before, after)))
    change = sum(after) / 3 - sum(before) / 3
    assert f"{change:+.1f} [{change - half:+.1f}, {change + half:+.1f}]" in page


def test_one_seed_shows_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = study(tmp_path / "a", {"full": (30.0,)}), study(tmp_path / "b", {"full": (60.0,)})
    assert set(found(printed(capsys, one, other)).values()) == {"not tested: one seed"}


def test_seeds_that_agree_are_tested_by_the_others_noise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    equal, noisy = study(tmp_path / "a", {"full": (9.0,) * 3}), study(tmp_path / "b", {"full": (14.0, 14.4, 13.9)})
    assert set(found(printed(capsys, equal, noisy)).values()) == {"moved"}
    assert set(found(printed(capsys, equal, study(tmp_path / "c", {"full": (9.5,) * 3}))).values()) == {"moved"}


def test_an_ensemble_is_not_said_to_be_of_one_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = []
    for name, score in (("a", 20.0), ("b", 20.5)):
        tree = Tree(tmp_path / name)
        tree.add("full", "100pct", 1, 30.0)
        tree.add_ensemble("ensemble_5", score)
        tree.described()
        folders.append(tree.study_dir)
    page = printed(capsys, *folders)
    assert found(page)["ensemble_5 valid"] == "not tested: an ensemble"
    assert re.search(r"ensemble_5 .* \+0\.5 +\| +- +\| not tested", page)


def test_what_nobody_trains_moves_by_any_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = []
    for name, score in (("a", 20.0), ("b", 20.5)):
        tree = Tree(tmp_path / name, study=SUMMARIZATION, tests=("test",))
        tree.add("full", "100pct", 1, 30.0)
        tree.add_trivial("lead_3", score)
        tree.described()
        folders.append(tree.study_dir)
    page = printed(capsys, *folders)
    assert found(page)["lead_3 valid"] == "moved"
    assert found(page)["full valid"] == "the same"
    assert re.search(r"lead_3 .* \+0\.5 +\| +- +\| moved", page)


def test_another_scorer_and_what_one_side_lacks_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = study(tmp_path / "a", BEFORE), study(tmp_path / "b", {"full": BEFORE["full"]})
    for path in other.rglob("scores.json"):
        path.write_text(path.read_text().replace("signature-of-bleu_sacre_13a", "another"))
    page = printed(capsys, one, other)
    assert "- only in A: no_pretraining, 100pct; no_pretraining, 100pct, valid;" in page
    assert "- scored otherwise: valid, bleu_sacre_13a: signature-of-bleu_sacre_13a -> another\n" in page


def test_records_stand_for_runs_and_scales_for_their_studies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    one, other = study(Path("a"), BEFORE), study(Path("b"), BEFORE, lr=0.5)
    tables.main([str(one), "--checkout", str(ROOT)])
    records.main([str(one)])
    (one / "runs").rename("elsewhere")
    capsys.readouterr()
    page = printed(capsys, one.parent, other.parent)
    assert page.startswith("# ramachandran-translation\n")
    assert "optimizer.lr: default -> 0.5" in page
    assert set(found(page).values()) == {"the same"}


def test_each_folder_is_read_where_it_lies_whatever_the_working_directory_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for root, scores in (("a", {"full": (25.0,)}), ("b", {"full": (22.5,)})):
        (tmp_path / root).mkdir()
        monkeypatch.chdir(tmp_path / root)
        folder = study(Path("results"), scores)
        assert str(folder) == f"results/small/{STUDY}"
    page = printed(capsys, Path("../a") / folder, folder)
    assert re.search(r"full +\| 100pct .* 25\.00 \| +22\.50 \| +-2\.5", page)


def test_a_seed_that_has_not_begun_changes_no_setting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = study(tmp_path / "a", BEFORE, lr=0.5), study(tmp_path / "b", BEFORE, lr=0.5)
    said = json.loads((other / "study.json").read_text())
    more = [[run | {"seed": seed} for run in said["runs"] if run["seed"] == 1] for seed in (9, 10)]
    write(other / "study.json", said | {"runs": more[0] + said["runs"] + more[1]})
    assert "- none differ" in printed(capsys, one, other)
    for file in one.rglob("run.json"):
        file.unlink()  # as the first records have none of language models
    assert "- none differ" in printed(capsys, one, other)


def test_what_cannot_be_compared_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small, demo = study(tmp_path, BEFORE), study(tmp_path, BEFORE, "demo")
    captions = study(tmp_path / "b", BEFORE)
    said = json.loads((captions / "study.json").read_text())
    write(captions / "study.json", said | {"corpus": "captions"})
    for one, other, message in (
        (small, demo, "A is of the scale small, B of demo"),
        (small, captions, "A is of multi30k (en, de), B of captions (en, de), so their numbers are not comparable"),
        (small, small.parent, "one is the folder of a study, or empty, and the other of a scale"),
        (tmp_path / "none", small, "none is no folder"),
    ):
        with pytest.raises(SystemExit):
            compare.main([str(one), str(other)])
        said = capsys.readouterr().err
        assert message in said
        assert said.count("\n") == 1
