"""Where a command computes, and in what memory."""

import subprocess
import sys

import pytest

FAULTS = """
import resource, torch
from seqpre.device import device_of
{}
def faults():
    torch.ones(10_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
first = faults()
for _ in range(20):
    last = faults()
print(last - first)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it is glibc that gives memory back")
def test_freed_memory_is_used_again() -> None:
    def pages(before: str) -> int:
        return int(subprocess.check_output([sys.executable, "-c", FAULTS.format(before)]))

    assert pages('device_of("cpu")') < pages("") / 10
