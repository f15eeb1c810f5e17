"""Map a function over chunks with worker processes, with results in order and bounded memory."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import Any, TypeVar

Item = TypeVar("Item")
Chunk = TypeVar("Chunk")
Result = TypeVar("Result")

PARENT_CHECK = 1.0  # seconds
AHEAD = 3  # chunks queued for each worker: enough to keep it busy, few enough for memory


def chunked(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield `items` in lists of `size`; the last may be shorter."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk


def ordered_map(
    function: Callable[[Chunk], Result],
    chunks: Iterable[Chunk],
    workers: int,
    initializer: Callable[..., None],
    initargs: tuple[Any, ...],
) -> Iterator[Result]:
    """Yield `function(chunk)` for every chunk, in order.

    `initializer(*initargs)` prepares each process. With one worker everything runs in this process.
    `multiprocessing.Pool.imap` would read the whole input ahead; here at most AHEAD chunks a worker are in flight.
    """
    if workers <= 1:
        initializer(*initargs)
        yield from map(function, chunks)
        return
    start = (os.getpid(), initializer, initargs)
    with ProcessPoolExecutor(workers, initializer=_start_worker, initargs=start) as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for chunk in chunks:
                waiting.append(pool.submit(function, chunk))
                if len(waiting) >= AHEAD * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _start_worker(parent: int, initializer: Callable[..., None], initargs: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    initializer(*initargs)


def _end_with(parent: int) -> None:
    """End this process when its parent is gone: workers of a killed command would wait for work forever."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK)
    os._exit(1)
