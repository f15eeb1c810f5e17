"""Where a command computes, and in what memory."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from seqpre.common.device import check_gpus, compute_in, device_of
from seqpre.common.errors import ConfigError

LEFT = """
import torch
from pathlib import Path
from seqpre.common.device import device_of
def pages():
    return int(Path("/proc/self/statm").read_text().split()[0])
torch.ones(1)
{}
before = pages()
torch.ones(10_000_000)
print(pages() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it is glibc that gives memory back")
def test_freed_memory_is_kept() -> None:
    def megabytes(first: str) -> float:
        return int(subprocess.check_output([sys.executable, "-c", LEFT.format(first)])) * 4096 / 1e6

    assert megabytes("") < 4 < 36 < megabytes('device_of("cpu")')


def test_numbers_too_small_to_matter_are_zero() -> None:
    code = """
import torch
from seqpre.common.device import device_of
print(torch.set_flush_denormal(True))
torch.set_flush_denormal(False)
device_of("cpu")
print(float(torch.full((100_000,), 1e-30).mul(1e-10).sum()))
"""
    can, total = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    if can == "False":
        pytest.skip("this processor has no such mode")
    assert float(total) == 0


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that says how many GPUs torch sees."""

    def see(count: int) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    return see


def test_products_are_in_the_precision_that_is_asked_for_an_lstms_too() -> None:
    products = torch.backends.cuda.matmul, torch.backends.cudnn.rnn
    for precision, *computed in (("tf32", "tf32", "tf32"), ("bf16", "ieee", "tf32"), ("float32", "ieee", "ieee")):
        compute_in(precision)
        assert [one.fp32_precision for one in products] == computed


def test_jobs_on_one_machine_take_gpus_of_their_own(
    gpus: Callable[[int], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gpus(2)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(torch.cuda, "set_device", lambda gpu: None)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda gpu: SimpleNamespace(uuid=f"card-{gpu}"))
    held = "import fcntl, sys; fcntl.flock(file := open(sys.argv[1], 'w'), 2); print(flush=True); input()"
    other = subprocess.Popen(
        [sys.executable, "-c", held, str(tmp_path / f"seqpre-gpu-{os.getuid()}-card-0-0")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert other.stdout
    other.stdout.readline()
    assert device_of("cuda") == torch.device("cuda", 1)  # Another job computes on the first.
    assert [device_of("cuda").index for _ in range(4)] == [0, 1, 0, 1]  # None is free: they fill evenly.
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert device_of("cuda") == torch.device("cuda", 1)  # Processes of one job never meet on a GPU.
    other.communicate(b"\n")


def test_several_processes_share_a_processor_only_where_that_is_asked_for(
    gpus: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus(0)
    assert device_of("auto").type == "cpu"
    monkeypatch.setenv("WORLD_SIZE", "4")
    with pytest.raises(
        ConfigError, match=r"4 processes and no GPU: set `gpus: null` in config\.yaml, or SEQPRE_DEVICE"
    ):
        device_of("auto")
    assert device_of("cpu").type == "cpu"


def test_fewer_gpus_than_a_training_job_asks_for_are_refused(gpus: Callable[[int], None]) -> None:
    gpus(4)
    check_gpus(4)
    with pytest.raises(ConfigError, match=r"asks for 8 GPUs, torch sees 4 here: lower `gpus`"):
        check_gpus(8)
    gpus(0)
    with pytest.raises(ConfigError, match=r"asks for 1 GPU, torch sees 0 here: set `gpus: null`"):
        check_gpus(1)
    with pytest.raises(ConfigError, match=r"torch sees 0 here: add `--profile slurm`"):
        check_gpus(1, "add `--profile slurm`")
