"""What is chosen on validation text: settings, which a run takes, and the members of an ensemble."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seqpre import choose, decode
from seqpre.common.errors import ConfigError
from seqpre.study.run import run_from_json


def candidate(folder: Path, lr: float, bleu: float, perplexity: float) -> Path:
    folder.mkdir()
    run = {"study": "s", "scale": "small", "system": folder.name, "fraction": "10pct", "seed": 9, "lms": {}}
    (folder / "run.json").write_text(json.dumps({**run, "settings": {"optimizer": {"lr": lr}}}))
    reached = {"best_valid_bleu": bleu, "best_valid_perplexity": perplexity}
    (folder / "summary.json").write_text(json.dumps(run | reached))
    return folder


@pytest.mark.parametrize(("criterion", "best"), [("bleu", 0.004), ("perplexity", 0.002)])
def test_the_best_on_validation_is_chosen_and_a_run_takes_it(tmp_path: Path, criterion: str, best: float) -> None:
    folders = [candidate(tmp_path / "low", 0.002, 10.0, 30.0), candidate(tmp_path / "high", 0.004, 12.0, 31.0)]
    tuned = tmp_path / "full.json"
    options = ["--settings", "optimizer.lr", "model.dropout", "--criterion", criterion, "--output", str(tuned)]
    choose.main(["--candidates", *map(str, folders), *options])
    found = json.loads(tuned.read_text())
    assert found["settings"] == {"optimizer.lr": best, "model.dropout": 0.2}
    assert found["candidates"][0]["settings"]["optimizer.lr"] == best

    declared = json.loads((folders[0] / "run.json").read_text()) | {"settings": {"optimizer": {"lr": 1.0, "hold": 0.4}}}
    assert choose.with_choice(declared, tuned)["settings"] == {"optimizer": {"lr": best, "hold": 0.4}}


def test_the_runs_of_lowest_validation_perplexity_are_the_members_of_an_ensemble(tmp_path: Path) -> None:
    folders = [
        candidate(tmp_path / name, 0.002, 10.0, value)
        for name, value in zip("abcd", (9.5, 10.5, 9.0, 100.0), strict=True)
    ]
    output = tmp_path / "ensemble.json"
    choose.main(["--candidates", *map(str, folders), "--keep", "2", "--output", str(output)])
    assert decode.members(output) == [folders[member] / "weights/perplexity.safetensors" for member in (2, 0)]
    with pytest.raises(ConfigError, match=r"ensemble\.json, which names the models of an ensemble, and others"):
        decode.parsed(
            ["--model", str(output), "x.safetensors", "--subwords", "m", "--input", "a=b", "--output-dir", "o"]
        )
    with pytest.raises(ConfigError, match=r"ensemble\.json lacks 'settings'"):
        choose.with_choice(json.loads((folders[0] / "run.json").read_text()), output)
    with pytest.raises(ConfigError, match="lacks 'criterion'"):
        decode.members(folders[0] / "summary.json")
    listed = json.loads(output.read_text())["candidates"]
    assert [(one["system"], one["member"]) for one in listed] == [("c", True), ("a", True), ("b", False), ("d", False)]


@pytest.mark.parametrize(
    ("candidates", "said"),
    [
        (None, "lacks 'candidates'"),
        ("all", "candidates is 'all'; it must be a list"),
        ([["a"]], r"candidates\[0\] must be a mapping, got \['a'\]"),
        ([{"member": "yes", "model": "a"}], r"candidates\[0\].member must be true or false, got 'yes'"),
        ([{"member": True}], r"candidates\[0\] lacks 'model'"),
        ([{"member": True, "model": 3}], r"candidates\[0\].model must be text, got 3"),
        ([{"member": False, "model": "a"}], "has no members"),
    ],
)
def test_an_ensemble_that_was_edited_is_refused_with_its_place(tmp_path: Path, candidates: Any, said: str) -> None:
    file = tmp_path / "ensemble.json"
    file.write_text(json.dumps({"criterion": "best_valid_bleu", "candidates": candidates}))
    with pytest.raises(ConfigError, match=rf"ensemble\.json:? {said}"):
        decode.members(file)


@pytest.mark.parametrize("content", [[], {"best_valid_perplexity": 3.0}])
def test_a_summary_that_names_no_run_is_refused(tmp_path: Path, content: Any) -> None:
    (candidate(tmp_path / "one", 0.002, 10.0, 30.0) / "summary.json").write_text(json.dumps(content))
    with pytest.raises(ConfigError, match=r"one/summary\.json lacks 'system'"):
        choose.best_first([tmp_path / "one"], "perplexity")


def test_a_run_that_diverged_is_not_chosen_however_good_it_was_before(tmp_path: Path) -> None:
    folders = [candidate(tmp_path / name, 0.002, bleu, 30.0) for name, bleu in (("high", 21.5), ("low", 20.0))]
    file = folders[0] / "summary.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"stopped_by": "diverged"}))
    assert [folder.name for folder, _ in choose.best_first(folders, "bleu")] == ["low", "high"]


@pytest.mark.parametrize("keep", ["0", "3"])
def test_more_members_than_candidates_are_refused(tmp_path: Path, keep: str, refused: Callable[..., str]) -> None:
    folders = [str(candidate(tmp_path / name, 0.002, 10.0, 9.0)) for name in "ab"]
    said = refused(choose.main, ["--candidates", *folders, "--keep", keep, "--output", str(tmp_path / "e")])
    assert f"--keep is {keep}, but there are 2 candidates" in said


def test_a_score_that_was_not_measured_cannot_choose(tmp_path: Path, refused: Callable[..., str]) -> None:
    folder = candidate(tmp_path / "one", 0.002, 10.0, 30.0)
    options = ["--settings", "optimizer.lr", "--criterion", "rouge_1", "--output", str(tmp_path / "out.json")]
    assert "best_valid_rouge_1" in refused(choose.main, ["--candidates", str(folder), *options])


@pytest.mark.parametrize("value", [float("nan"), "low"])
def test_a_score_that_is_no_number_cannot_choose(value: float | str, tmp_path: Path) -> None:
    folder = candidate(tmp_path / "one", 0.002, 10.0, 30.0)
    file = folder / "summary.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"best_valid_bleu": value}))
    with pytest.raises(ConfigError, match=r"summary.json: best_valid_bleu must be a number, got '(nan|low)'"):
        choose.best_first([folder], "bleu")


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [("seed", "one", "a whole number"), ("system", 3, "text"), ("fraction", "most", "a percentage")],
)
def test_a_run_of_no_such_name_is_refused(key: str, value: Any, why: str, tmp_path: Path) -> None:
    declared = json.loads((candidate(tmp_path / "one", 0.002, 10.0, 30.0) / "run.json").read_text())
    with pytest.raises(ConfigError, match=f"run.json: {key} .*must be {why}"):
        run_from_json({**declared, key: value})


@pytest.mark.parametrize(
    ("name", "says"), [("optimizer.rate", "no run has such a setting"), ("optimizer", "a group of settings")]
)
def test_a_setting_that_there_is_not_is_refused(
    tmp_path: Path, name: str, says: str, refused: Callable[..., str]
) -> None:
    folder = candidate(tmp_path / "one", 0.002, 10.0, 30.0)
    options = ["--settings", name, "--criterion", "bleu", "--output", str(tmp_path / "out.json")]
    assert says in refused(choose.main, ["--candidates", str(folder), *options])
