"""A training resumes only where the files that its state counts on are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.training.run_folder import RunFolder


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A training after update 20, with the weights that were best so far and a log of two lines."""
    found = RunFolder(tmp_path, "mine", keep=(), average_last=0)
    found.best("perplexity").touch()
    found.metrics.write_text("one\ntwo\n")
    found.states.save({"progress": {"update": 20, "best": {"perplexity": -3.0}, "metrics_bytes": 8}})
    found.states.wait()
    return found


def test_a_state_whose_best_weights_are_gone_is_set_aside(
    folder: RunFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder.newest_state() is not None
    folder.best("perplexity").unlink()
    assert folder.newest_state() is None
    assert "last.pt is of a training that did not keep best_perplexity.safetensors" in capsys.readouterr().err


def test_the_log_is_cut_to_what_the_state_knew_of_and_is_never_filled_up(folder: RunFolder) -> None:
    folder.cut_log(4)
    assert folder.metrics.read_text() == "one\n"
    with pytest.raises(DataError, match=r"metrics.jsonl: has 4 bytes, and had 8 when the state was saved"):
        folder.cut_log(8)
    folder.metrics.unlink()
    with pytest.raises(DataError, match=r"has 0 bytes, .* delete .*/\*\.pt to train from the beginning"):
        folder.cut_log(0)
