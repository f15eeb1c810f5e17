"""A disk that fills up while a run trains, on a real file system of a few megabytes."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_language import finetune_arguments, pretrain_arguments, same_weights

from seqpre import finetune, pretrain
from seqpre.corpora import encode
from seqpre.training.checkpoint import read_state

BALLAST = "ballast"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(place)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(disk: Path) -> None:
    """Write until nothing more fits."""
    with (disk / BALLAST).open("ab", buffering=0) as file:
        for size in (1 << 16, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


@pytest.mark.parametrize("command", ["finetune", "pretrain"])
def test_a_full_disk_is_named_and_costs_no_state(
    command: str, toy: Path, trained: Path, disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = disk / "run"
    arguments = (
        finetune_arguments(toy, run, train={"checkpoint_minutes": 1e-9})
        if command == "finetune"
        else pretrain_arguments(toy, run, checkpoint_minutes=1e-9)
    )
    process = subprocess.Popen([sys.executable, "-m", f"seqpre.{command}", *arguments], stderr=subprocess.PIPE)
    while not (run / "checkpoints/last.pt").exists():
        assert process.poll() is None
        time.sleep(0.01)
    while process.poll() is None:  # A state that is replaced makes room again.
        fill(disk)
    message = process.stderr.read().decode().splitlines()[-1] if process.stderr else ""
    assert process.returncode == 2
    assert message.startswith(f"DiskFull: no space left on {disk} for {run}/checkpoints/")
    assert message.endswith("free some and run the same command again")
    kept = read_state(run / "checkpoints/last.pt")["progress"]["update"]
    assert not list(run.rglob("*.partial"))

    (disk / BALLAST).unlink()
    {"finetune": finetune, "pretrain": pretrain}[command].main(arguments)
    assert f"going on after update {kept}" in capsys.readouterr().err
    undisturbed = trained if command == "finetune" else toy / "lm_en"
    assert same_weights(run / "weights/perplexity.safetensors", undisturbed / "weights/perplexity.safetensors")


def test_a_token_store_that_does_not_fit_leaves_nothing(
    toy: Path, disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(disk)
    with pytest.raises(SystemExit):
        encode.main(
            ["--input", f"{toy}/train.en", "--subwords", f"{toy}/bpe.model", "--output", f"{disk}/tokens/train.en"]
        )
    assert f"DiskFull: no space left on {disk} for {disk}/tokens/train.en" in capsys.readouterr().err
    assert [path.name for path in disk.rglob("*") if path.is_file()] == [BALLAST]
