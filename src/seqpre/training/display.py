"""Progress of a training run: a live line on a terminal, plain lines in a log file."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from rich.console import Console
from rich.live import Live
from rich.text import Text

from seqpre.study.tasks import TASKS

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 30


class TrainingDisplay:
    """Shows speed, the longest time left, and the validation curve."""

    def __init__(self, title: str, max_updates: int, quiet: bool = False) -> None:
        self.title, self.max_updates, self.quiet = title, max_updates, quiet
        self.curve: list[float] = []
        self.last = ""
        self.first: tuple[float, int, int] | None = None
        self.live = (
            Live(console=Console(file=sys.stderr), refresh_per_second=2) if sys.stderr.isatty() and not quiet else None
        )
        if self.live:
            self.live.start()

    def update(self, update: int, tokens: int) -> None:
        """Redraw the live line."""
        if self.first is None:
            self.first = time.monotonic(), update, tokens
        if self.live:
            self.live.update(Text(f"{self._pace(update, tokens)}  {sparkline(self.curve)}  {self.last}"))
        self.at = update, tokens

    def validated(self, found: dict[str, float]) -> None:
        """Show one validation."""
        self.curve.append(-found["valid_perplexity"])
        self.last = f"perplexity {found['valid_perplexity']:.2f}"
        for task in TASKS.values():
            if (metric := f"valid_{task.metric}") in found:
                self.curve[-1] = found[metric]
                self.last += f"  {task.score} {found[metric]:.1f}"
        if not self.live:
            self._print(f"{self._pace(*self.at)}  {self.last}  {sparkline(self.curve)}")

    def resumed(self, update: int, others: Sequence[str] = ()) -> None:
        """Report that training resumes, and which of the conditions that affect rounding have changed (`others`)."""
        self._print(f"{self.title}: going on after update {update:,}")
        if others:
            self._print(f"{self.title}: from here on results are the same only up to rounding: {', '.join(others)}")

    def close(self, message: str) -> None:
        if self.live:
            self.live.stop()
        self._print(f"{self.title}: {message}  {self.last}")

    def _pace(self, update: int, tokens: int) -> str:
        assert self.first is not None
        started, first_update, first_tokens = self.first
        elapsed = max(time.monotonic() - started, 1e-9)
        done = max(update - first_update, 1)
        left = elapsed / done * (self.max_updates - update)
        speed = (tokens - first_tokens) / elapsed
        return f"{self.title}: {update:,}/{self.max_updates:,} updates  {speed:,.0f} tokens/s  < {clock(left)} left"

    def _print(self, line: str) -> None:
        if not self.quiet:
            print(line, file=sys.stderr, flush=True)


def sparkline(values: list[float]) -> str:
    """Draw the last `WIDTH` values as a line of bars, scaled from their lowest to their highest."""
    values = values[-WIDTH:]
    if not values:
        return ""
    low, span = min(values), (max(values) - min(values)) or 1.0
    return "".join(BARS[int((value - low) / span * (len(BARS) - 1))] for value in values)


def clock(seconds: float) -> str:
    """Write a duration as h:mm:ss."""
    minutes, seconds = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
