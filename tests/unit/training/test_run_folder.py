"""A training resumes, or is restored, only if the files that it counts on are there and whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from seqpre.common.errors import DataError
from seqpre.training.checkpoint import save_tensors
from seqpre.training.run_folder import RunFolder, TrainingRecord


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A training after update 20, with the weights that were best so far and a log of two lines."""
    found = RunFolder(tmp_path, "mine", keep=(), average_last=0)
    save_tensors(found.best("perplexity"), {"w": torch.ones(2)}, {})
    found.metrics.write_text("one\ntwo\n")
    found.states.save({"progress": {"update": 20, "best": {"perplexity": -3.0}, "metrics_bytes": 8}})
    found.states.wait()
    return found


@pytest.mark.parametrize(("how", "why"), [("gone", "no such model"), ("damaged", "not a model of this project")])
def test_a_state_whose_best_weights_are_gone_or_damaged_is_set_aside(
    how: str, why: str, folder: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder.newest_state() is not None
    folder.best("perplexity").unlink()
    if how == "damaged":
        folder.best("perplexity").write_bytes(b"no weights")
    assert folder.newest_state() is None
    said = capsys.readouterr().err
    assert "last.pt counts on lost weights" in said
    assert f"best_perplexity.safetensors: {why}" in said


def test_a_state_of_another_version_is_set_aside(folder: RunFolder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.states.save({"progress": {"update": 30, "of_later": 1}})
    folder.states.wait()
    found = folder.newest_state()
    assert found is not None
    assert found[0].name == "previous.pt"
    assert "last.pt is a state of another version" in capsys.readouterr().err


def test_the_log_is_cut_to_what_the_state_knew_of_and_is_never_filled_up(folder: RunFolder) -> None:
    folder.cut_log(4)
    assert folder.metrics.read_text() == "one\n"
    with pytest.raises(DataError, match=r"metrics.jsonl: has 4 bytes, and had 8 when the state was saved"):
        folder.cut_log(8)
    folder.metrics.unlink()
    with pytest.raises(DataError, match=r"has 0 bytes, .* delete .*/\*\.pt to train from the beginning"):
        folder.cut_log(0)


@pytest.fixture
def finished(folder: RunFolder, tmp_path: Path) -> RunFolder:
    """The same training, finished."""
    folder.summary.write_text('{"steps": 20}')
    (tmp_path / "run").mkdir()
    folder.publish(tmp_path / "run", TrainingRecord(update=20, improved_to=3.0, best={"perplexity": -3.0}))
    return folder


def test_a_finished_training_is_known_by_its_note(finished: RunFolder) -> None:
    found = finished.enter()
    assert found is not None
    assert (found.update, found.best) == (20, {"perplexity": -3.0})


@pytest.mark.parametrize("name", ["summary.json", "metrics.jsonl"])
def test_a_finished_training_with_a_damaged_log_is_not_restored(
    name: str, finished: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    (finished.path / name).write_text('{"steps": ')
    assert finished.enter() is None
    assert f"{name} is damaged: it is trained again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ([], "lacks 'fingerprint'"),
        ({"fingerprint": "mine"}, "lacks 'progress'"),
        ({"fingerprint": "mine", "progress": {"best": 3}}, "progress.best must be a mapping, got 3"),
        ({"fingerprint": "mine", "progress": {"of_later": 3}}, "progress has no key 'of_later'"),
        ({"fingerprint": "mine", "progress": {}, "sha256": [3]}, "sha256 must be a mapping"),
    ],
)
def test_a_note_of_another_version_is_refused_and_nothing_is_trained_again(
    note: Any, why: str, finished: RunFolder
) -> None:
    finished.finished.write_text(json.dumps(note))
    with pytest.raises(DataError, match=rf"finished.json.* {why}.* delete it to train again"):
        finished.enter()
    assert finished.finished.exists()
