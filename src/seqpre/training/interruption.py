"""Stop a training job early, on a signal or shortly before its time limit."""

from __future__ import annotations

import argparse
import signal
import time
from types import FrameType

from seqpre.common.errors import ConfigError

INTERRUPTED = 75
"""Exit status of a run that was told to stop (EX_TEMPFAIL). The same command resumes it."""
MARGIN_MINUTES = 5.0


class Interrupted(Exception):  # noqa: N818 (a request, not an error)
    """Raised when a job is told to stop during a validation. Resuming starts this validation again."""


def add_stop_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--stop-after`."""
    parser.add_argument(
        "--stop-after",
        type=float,
        metavar="MINUTES",
        help="the job's time limit. Shortly before it (5 minutes, or a fifth of the limit if that is less) the run's "
        f"state is saved and the exit status is {INTERRUPTED}; the same command resumes it (default: no limit)",
    )


class Interruption:
    """True when the job has to save and stop: after SIGTERM or SIGINT, or shortly before its limit of `minutes`."""

    def __init__(self, minutes: float | None) -> None:
        """Start the time limit; None: no limit. Raises ConfigError unless it is above 0."""
        if minutes is not None and not minutes > 0:
            raise ConfigError(f"--stop-after is {minutes:g}; it must be above 0 minutes; leave it out for no limit")
        self.reason = ""
        self.deferred = False
        """Whether stopping has to wait, so that every job makes some progress."""
        margin = min(MARGIN_MINUTES, minutes / 5) if minutes else 0.0
        self.end = time.monotonic() + 60 * (minutes - margin) if minutes else float("inf")

    def listen(self) -> None:
        """Handle SIGTERM and SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def __bool__(self) -> bool:
        if not self.reason and time.monotonic() > self.end:
            self.reason = "the job's time limit is near"
        return bool(self.reason) and not self.deferred

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.reason = f"{signal.Signals(number).name} came"
