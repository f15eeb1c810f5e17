"""When a training job has to end before its run does: on a signal, or when the job's time is nearly over."""

from __future__ import annotations

import argparse
import signal
import time
from types import FrameType

INTERRUPTED = 75
"""Exit status of a run that was told to stop and can go on (EX_TEMPFAIL): run the same command again."""
MARGIN_MINUTES = 5.0


class Interrupted(Exception):  # noqa: N818 (told, not an error)
    """A job was told to stop in the middle of a validation, which is begun again when it goes on."""


def add_stop_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--stop-after`."""
    parser.add_argument(
        "--stop-after",
        type=float,
        metavar="MINUTES",
        help="the job's time limit: shortly before it (5 minutes, or a fifth of it if that is less) the run's state is "
        f"saved and the exit status is {INTERRUPTED}; the same command goes on from there (default: no limit)",
    )


class Interruption:
    """Whether to save and stop: set by SIGTERM, by SIGINT, or by the clock. Time counts from its making."""

    def __init__(self, minutes: float | None) -> None:
        self.reason = ""
        self.deferred = False
        """Whether stopping has to wait, so that something is done each time."""
        margin = min(MARGIN_MINUTES, minutes / 5) if minutes else 0.0
        self.end = time.monotonic() + 60 * (minutes - margin) if minutes else float("inf")

    def listen(self) -> None:
        """Take over SIGTERM and SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def __bool__(self) -> bool:
        if not self.reason and time.monotonic() > self.end:
            self.reason = "the job's time limit is near"
        return bool(self.reason) and not self.deferred

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.reason = f"{signal.Signals(number).name} came"
