"""Trainings that are killed, told to stop, or started twice end with the same weights."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from toy_language import finetune_arguments, pretrain_arguments, same_weights, untimed

from seqpre import finetune
from seqpre.common.files import take_lock
from seqpre.training.batches import PairBatches


def killed_until_done(command: list[str], checkpoint: Path, seed: int, most: int) -> int:
    """Run a command again and again, killing it shortly after a new state, at most so often; return how often."""
    rng, kills = random.Random(seed), 0
    while True:
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        process = subprocess.Popen([sys.executable, *command], stderr=subprocess.DEVNULL)
        while process.poll() is None:
            if kills < most and checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
                time.sleep(rng.random() * 0.3)
                process.send_signal(signal.SIGKILL)
                kills += process.wait() == -signal.SIGKILL
                break
            time.sleep(0.01)
        else:
            assert process.returncode == 0
            return kills


def test_a_run_killed_at_any_moment_ends_with_the_weights_of_one_that_never_stopped(
    toy: Path, trained: Path, tmp_path: Path
) -> None:
    arguments = finetune_arguments(toy, tmp_path, train={"checkpoint_minutes": 1e-9})
    kills = killed_until_done(["-m", "seqpre.finetune", *arguments], tmp_path / "checkpoints/last.pt", seed=1, most=2)
    assert kills == 2
    for name in ("weights/perplexity.safetensors", "weights/bleu.safetensors"):
        assert same_weights(tmp_path / name, trained / name)  # How often a state is written changes nothing.
    assert untimed(tmp_path / "metrics.jsonl") == untimed(trained / "metrics.jsonl")


def test_a_killed_language_model_ends_with_the_same_weights(toy: Path, tmp_path: Path) -> None:
    arguments = pretrain_arguments(toy, tmp_path, checkpoint_minutes=1e-9)
    kills = killed_until_done(["-m", "seqpre.pretrain", *arguments], tmp_path / "checkpoints/last.pt", seed=2, most=1)
    assert kills == 1
    name = "weights/perplexity.safetensors"
    assert same_weights(tmp_path / name, toy / "lm_en" / name)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_obeyed_in_the_middle_of_a_validation_which_comes_first_afterwards(
    number: signal.Signals, toy: Path, trained: Path, tmp_path: Path
) -> None:
    def told_to_stop(batches: PairBatches) -> Iterator[NDArray[np.int64]]:
        os.kill(os.getpid(), number)
        yield from all_batches(batches)

    all_batches, arguments = PairBatches.all_batches, finetune_arguments(toy, tmp_path)
    handlers = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PairBatches, "all_batches", told_to_stop)
        with pytest.raises(SystemExit, match="75"):
            finetune.main(arguments)
    for each, handler in handlers.items():
        signal.signal(each, handler)
    (line,) = (tmp_path / "checkpoints/metrics.jsonl").read_text().splitlines()
    assert json.loads(line)["event"] == "train"

    finetune.main(arguments)
    assert untimed(tmp_path / "metrics.jsonl") == untimed(trained / "metrics.jsonl")
    assert same_weights(tmp_path / "weights/perplexity.safetensors", trained / "weights/perplexity.safetensors")


TRANSFORMER = {"kind": "transformer", "dim": 12, "ff_dim": 16, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}
ALONE = {
    "init": {"encoder": "random", "decoder": "random"},
    "objectives": {"source_lm_weight": 0.0, "target_lm_weight": 0.0},
}
STEADY = {"decay": 1.0, "decay_after": 0}  # of toy_language's exponential schedule
LINES = {"objectives": {"reset": "line"}}  # LM losses of the LSTM, from pretrained LMs


@pytest.mark.parametrize(
    ("model", "sections", "optimizer", "train"),
    [
        (
            TRANSFORMER,
            ALONE,
            STEADY | {"schedule": "inverse_sqrt", "warmup": 4, "beta2": 0.98, "average": 0.9},
            {"label_smoothing": 0.1},
        ),
        (
            TRANSFORMER,
            ALONE,
            STEADY
            | {"name": "nag", "schedule": "plateau", "momentum": 0.9, "decay": 0.5, "lr": 5.0},  # high, so it falls
            {"tokens_per_update": 60},
        ),
        (
            TRANSFORMER,
            ALONE,
            STEADY | {"name": "nag", "schedule": "cosine", "warmup": 4, "lr_end": 1e-4},
            {"precision": "bf16"},
        ),
        (None, LINES, {"state": "own"}, {"precision": "bf16"}),
    ],
)
def test_a_run_stopped_after_every_update_and_in_every_validation_ends_with_the_same_weights(
    model: dict[str, Any] | None,
    sections: dict[str, Any],
    optimizer: dict[str, Any],
    train: dict[str, Any],
    toy: Path,
    tmp_path: Path,
) -> None:
    settings = {**sections, "optimizer": optimizer, "train": {"max_updates": 8, "validate_every": 2, **train}}
    finetune.main(finetune_arguments(toy, tmp_path / "reference", model, **settings))
    arguments = finetune_arguments(toy, tmp_path, model, **settings)
    stops = 0
    while not (tmp_path / "summary.json").exists():
        stops += 1
        with suppress(SystemExit):
            finetune.main([*arguments, "--stop-after", "1e-9"])
    assert stops == 8 + 4  # A validation that was broken off is brought to its end.
    for name in ("weights/perplexity.safetensors", "weights/bleu.safetensors"):
        assert same_weights(tmp_path / name, tmp_path / "reference" / name)
    if optimizer.get("schedule") == "plateau":
        lines = map(json.loads, (tmp_path / "metrics.jsonl").read_text(encoding="utf-8").splitlines())
        assert len({line["lr"] for line in lines if "lr" in line}) > 1
    assert untimed(tmp_path / "metrics.jsonl") == untimed(tmp_path / "reference/metrics.jsonl")


def test_a_time_limit_saves_a_state_and_asks_to_be_run_again(
    toy: Path, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = finetune_arguments(toy, tmp_path)
    with pytest.raises(SystemExit) as exit_:
        finetune.main([*arguments, "--stop-after", "1e-9"])
    assert exit_.value.code == 75
    assert "stopped at update 1, the job's time limit is near; run the same command again" in capsys.readouterr().err
    finetune.main([*arguments, "--stop-after", "600"])
    assert "going on after update 1" in capsys.readouterr().err
    assert same_weights(tmp_path / "weights/perplexity.safetensors", trained / "weights/perplexity.safetensors")


@pytest.mark.parametrize("threads", [1, 2])
def test_other_threads_than_before_are_named_for_they_round_otherwise(
    threads: int, toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = finetune_arguments(toy, tmp_path)
    with pytest.raises(SystemExit, match="75"):
        finetune.main([*arguments, "--stop-after", "1e-9"])
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with pytest.raises(SystemExit, match="75"):
            finetune.main([*arguments, "--stop-after", "1e-9"])
    finally:
        torch.set_num_threads(before)
    said = "results are the same only up to rounding: number of threads is 2, was 1\n" in capsys.readouterr().err
    assert said == (threads == 2)


def test_two_at_once_in_one_folder_train_once(toy: Path, trained: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "seqpre.finetune", *finetune_arguments(toy, tmp_path)]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = "".join(process.communicate()[1] for process in processes)
    assert [process.returncode for process in processes] == [0, 0], errors
    assert errors.count("stopped by max_updates after 60 updates") == 1
    assert errors.count("had finished before") == 1
    assert same_weights(tmp_path / "weights/perplexity.safetensors", trained / "weights/perplexity.safetensors")


def test_who_waits_for_a_folder_writes_nothing_there(toy: Path, tmp_path: Path) -> None:
    lock = take_lock(tmp_path / "checkpoints" / "lock")
    command = [sys.executable, "-m", "seqpre.finetune", *finetune_arguments(toy, tmp_path)]
    before = sorted(tmp_path.iterdir())
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        waited = any("another process is at work here" in line for line in process.stderr)
        after = sorted(tmp_path.iterdir())
        process.kill()
    lock.close()
    assert waited
    assert after == before
