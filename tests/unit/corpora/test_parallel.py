import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from seqpre.corpora.parallel import AHEAD, chunked, ordered_map

_offset = 0


def prepare(offset: int) -> None:
    global _offset
    _offset = offset


def total(chunk: list[int]) -> int:
    return sum(chunk) + _offset


def process(_: list[int]) -> int:
    return os.getpid()


def fail(chunk: list[int]) -> int:
    raise ValueError(f"bad chunk {chunk[0]}")


def test_chunks_hold_every_item_once() -> None:
    assert list(chunked(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(chunked([], 3)) == []


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_order_with_every_process_prepared(workers: int) -> None:
    found = list(ordered_map(total, chunked(range(100), 7), workers, prepare, (1000,)))
    assert found == [sum(chunk) + 1000 for chunk in chunked(range(100), 7)]


def test_work_happens_in_other_processes_unless_there_is_one_worker() -> None:
    assert os.getpid() not in set(ordered_map(process, chunked(range(20), 1), 2, prepare, (0,)))
    assert set(ordered_map(process, chunked(range(20), 1), 1, prepare, (0,))) == {os.getpid()}


def test_the_input_is_read_only_a_little_ahead() -> None:
    read = 0

    def endless() -> Iterator[list[int]]:
        nonlocal read
        while True:
            read += 1
            yield [read]

    results = ordered_map(total, endless(), 2, prepare, (0,))
    assert [next(results) for _ in range(5)] == [1, 2, 3, 4, 5]
    assert read <= 5 + AHEAD * 2
    results.close()  # type: ignore[attr-defined]


def test_an_error_in_a_worker_reaches_the_caller() -> None:
    with pytest.raises(ValueError, match="bad chunk 0"):
        list(ordered_map(fail, chunked(range(9), 3), 2, prepare, (0,)))


ENDLESS = """
import itertools, os
from seqpre.corpora import parallel

def worker(chunk):
    return os.getpid()

parallel.PARENT_CHECK = 0.05
for pid in parallel.ordered_map(worker, ([number] for number in itertools.count()), 2, int, ()):
    print(pid, flush=True)
"""


def alive(process: int) -> bool:
    """A process that has ended but waits for its parent to notice counts as ended."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks processes up in /proc")
def test_workers_end_when_the_command_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        workers = {int(line) for line, _ in zip(command.stdout, range(200), strict=False)}
        command.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 60
    while any(map(alive, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert workers
    assert not any(map(alive, workers))
