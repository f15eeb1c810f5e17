"""A progress line on a terminal, or an occasional plain line in a log."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

PREFIXES = (("G", 1e9), ("M", 1e6), ("k", 1e3))


def human(number: float) -> str:
    """Shorten a count: 12,300,000 becomes `12.3M`."""
    for letter, size in PREFIXES:
        if number >= size:
            return f"{number / size:.1f}{letter}"
    return f"{number:.0f}"


class Progress:
    """Shows the progress of a long step: done, total, speed and time left."""

    def __init__(
        self, label: str, total: int | None = None, unit: str = " lines", stream: TextIO | None = None
    ) -> None:
        self.label, self.total, self.unit = label, total, unit
        self.stream = stream or sys.stderr
        self.on_terminal = self.stream.isatty()
        self.interval = 0.2 if self.on_terminal else 15.0
        self.started = self.shown = time.monotonic()
        self.done = self.resumed_from = 0

    def start_at(self, done: int) -> None:
        """Begin at `done`, reached by an earlier attempt; it does not count towards the speed."""
        self.done = self.resumed_from = done

    def add(self, count: int) -> None:
        """Count `count` more units as done."""
        self.done += count
        if time.monotonic() - self.shown >= self.interval:
            self.shown = time.monotonic()
            self._show()

    def _show(self, last: bool = False) -> None:
        seconds = max(time.monotonic() - self.started, 1e-9)
        speed = (self.done - self.resumed_from) / seconds
        text = f"{self.label}: {human(self.done)}{self.unit}"
        if self.total and not last:
            text += f" of {human(self.total)} ({100 * self.done / self.total:.0f} %)"
        text += f", {human(speed)}/s"
        if last:
            text += f", {seconds:.1f} s"
        elif self.total and speed > 0:
            text += f", {max(self.total - self.done, 0) / speed:.0f} s left"
        if self.on_terminal:
            self.stream.write(f"\r{text}\033[K" + ("\n" if last else ""))
        else:
            self.stream.write(text + "\n")
        self.stream.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._show(last=True)
        elif self.on_terminal:
            self.stream.write("\n")
