"""Where a command computes, and in what memory."""

import subprocess
import sys

import pytest

LEFT = """
import torch
from pathlib import Path
from seqpre.device import device_of
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
