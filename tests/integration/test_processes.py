"""Training by several processes (torchrun, gloo): the curve of one, states that any number resumes."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from toy_language import RUN, events, finetune_arguments, pretrain_arguments

from seqpre import finetune
from seqpre.training.checkpoint import load_weights
from seqpre.training.processes import Processes

DROPOUT = {"model": {**RUN["settings"]["model"], "dropout": 0.3}}  # type: ignore[index]
LEAVES_NO_THREAD = ["--", str(Path(__file__).with_name("leaves_no_thread.py"))]


@pytest.fixture(autouse=True)
def _on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several processes without GPUs want to be asked for."""
    monkeypatch.setenv("SEQPRE_DEVICE", "cpu")


def torchrun(processes: int, module: str, arguments: Sequence[str], via: Sequence[str] = ("-m", "--")) -> list[str]:
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    return [*launcher, *via, f"seqpre.{module}", *arguments]


def values(folder: Path, event: str, key: str) -> list[float]:
    return [line[key] for line in events(folder / "metrics.jsonl", event)]


def assert_same_curves(one: Path, other: Path) -> None:
    """Losses agree to float tolerance, and so do the weights in the end."""
    for event, key in (("train", "train_loss"), ("validation", "valid_loss")):
        assert values(other, event, key) == pytest.approx(values(one, event, key), rel=1e-4)
    (first, _), (second, _) = (load_weights(folder / "weights/perplexity.safetensors") for folder in (one, other))
    for name in first:
        torch.testing.assert_close(first[name], second[name], rtol=1e-2, atol=2e-4)


@pytest.fixture(scope="module")
def alone(toy: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run by one process, with dropout."""
    output = tmp_path_factory.mktemp("alone")
    finetune.main(finetune_arguments(toy, output, **DROPOUT))
    return output


def test_fine_tuning_by_two_is_fine_tuning_by_one(toy: Path, alone: Path, tmp_path: Path) -> None:
    subprocess.run(torchrun(2, "finetune", finetune_arguments(toy, tmp_path, **DROPOUT), LEAVES_NO_THREAD), check=True)
    assert_same_curves(alone, tmp_path)
    one, two = (json.loads((folder / "summary.json").read_text()) for folder in (alone, tmp_path))
    assert (one["processes"], two["processes"]) == (1, 2)
    for key in ("tokens", "epochs", "padding_share", "best_step"):  # The global batch is the same.
        assert one[key] == two[key]


def test_a_layer_that_is_left_out_is_so_in_every_process(toy: Path, tmp_path: Path) -> None:
    """Processes that share gradients wait for those of all parameters, left out or not."""
    model = {
        **{"kind": "transformer", "dim": 12, "ff_dim": 16, "heads": 2, "encoder_layers": 2, "decoder_layers": 2},
        **{"encoder_layerdrop": 0.4, "decoder_layerdrop": 0.4, "target_word_dropout": 0.2, "source_word_dropout": 0.2},
    }
    sections = {
        "init": {"encoder": "random", "decoder": "random"},
        "objectives": {"source_lm_weight": 0.0, "target_lm_weight": 0.0, "source_lm": "", "target_lm": ""},
        "train": {"max_updates": 20},
    }
    finetune.main(finetune_arguments(toy, tmp_path / "one", model, **sections))
    arguments = finetune_arguments(toy, tmp_path / "two", model, **sections)
    subprocess.run(torchrun(2, "finetune", arguments, LEAVES_NO_THREAD), check=True)
    # Only the losses: attention has key biases that no loss depends on, and Adam makes steps of their rounding errors.
    one, two = (values(tmp_path / folder, "train", "train_loss") for folder in ("one", "two"))
    assert len(one) > 0
    assert two == pytest.approx(one, rel=1e-4)


def test_a_language_model_by_three_is_one_by_one(toy: Path, tmp_path: Path) -> None:
    subprocess.run(torchrun(3, "pretrain", pretrain_arguments(toy, tmp_path), LEAVES_NO_THREAD), check=True)
    assert_same_curves(toy / "lm_en", tmp_path)


def test_a_state_of_one_number_is_resumed_by_another(
    toy: Path, alone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Begun by one, continued by two until they are interrupted, ended by one."""
    arguments, metrics = finetune_arguments(toy, tmp_path, **DROPOUT), tmp_path / "checkpoints/metrics.jsonl"
    with pytest.raises(SystemExit, match="75"):
        finetune.main([*arguments, "--stop-after", "1e-9"])
    with subprocess.Popen(torchrun(2, "finetune", arguments), stderr=subprocess.PIPE, text=True) as process:
        while not (metrics.exists() and metrics.read_text()):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate()
    assert "going on after update 1\n" in errors
    assert "SIGTERM came; run the same command again" in errors
    assert process.returncode != 0
    finetune.main(arguments)
    assert re.search(r"going on after update [1-5]\d", capsys.readouterr().err)
    assert_same_curves(alone, tmp_path)


@pytest.mark.parametrize("processes", [1, 2, 3, 7])
@pytest.mark.parametrize("total", [1, 2, 7, 64])
def test_rows_cover_a_batch_once(processes: int, total: int) -> None:
    counted = [row for rank in range(processes) for row in counted_rows(Processes(rank, processes).rows(total))]
    assert counted == list(range(total))


def counted_rows(rows: Any) -> list[int]:
    assert rows.stop > rows.start
    return list(range(rows.start, rows.stop)) if rows.weight else []
