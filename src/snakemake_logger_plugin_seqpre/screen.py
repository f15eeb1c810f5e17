"""A terminal with live lines at its end, or a plain log."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text


class Screen:
    """Writes permanent lines and, on a terminal, live lines below them."""

    def __init__(self, stream: TextIO, color: bool = True) -> None:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what its encoding lacks is shown as an escape
        self.terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        self.console = Console(file=stream, force_terminal=self.terminal, no_color=not color)
        self.live: Live | None = None

    def say(self, text: str, style: str = "") -> None:
        """Write a permanent line."""
        self.console.print(Text(text, style), soft_wrap=not self.terminal)

    def show(self, lines: Sequence[str]) -> None:
        """Redraw the live lines; does nothing without a terminal."""
        if not self.terminal:
            return
        if self.live is None:
            self.live = Live(console=self.console, auto_refresh=False, transient=True)
            self.live.start()
            self.console.show_cursor(True)  # A killed Snakemake could not restore it.
        self.live.update(Text("\n".join(lines), "dim"), refresh=True)

    def hide(self) -> None:
        """Remove the live lines."""
        if self.live is not None:
            self.live.stop()
            self.live = None
