"""The other end of `side_by_side`: answers requests for windows of work. Runs in a peer's environment too."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any


class Answers:
    """Speaks on the process's original standard output; whatever a toolkit prints goes to standard error."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)

    def ready(self, **about: Any) -> None:
        self._say(about)

    def wait(self) -> bool:
        """Wait for the next request; False when there will be none."""
        if not sys.stdin.readline():
            return False
        self._start = time.perf_counter(), time.process_time()
        return True

    def done(self, amount: float) -> None:
        seconds, cpu_seconds = time.perf_counter() - self._start[0], time.process_time() - self._start[1]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self._say({"amount": amount, "seconds": seconds, "cpu_seconds": cpu_seconds, "peak_memory_mb": peak})

    def serve(self, window: Callable[[], float]) -> None:
        """Do one window a request; `window` returns how much work it did."""
        while self.wait():
            self.done(window())

    def _say(self, message: dict[str, Any]) -> None:
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()
