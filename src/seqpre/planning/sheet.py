"""A text table, for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Sheet:
    """A table and notes, either of which may be empty. The first column names the row, the others are numbers."""

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()

    def show(self, console: Console) -> None:
        """Print the table and its notes to a console."""
        console.print(self.title, style="bold", markup=False, highlight=False)
        if self.rows:
            table = Table(box=SIMPLE_HEAD, pad_edge=False)
            for number, column in enumerate(self.columns):
                table.add_column(column, justify="right" if number else "left", vertical="bottom")
            for row in self.rows:
                table.add_row(*row)
            console.print(table)
        for note in self.notes:
            console.print(f"- {note}", markup=False, highlight=False)
        console.print()

    def markdown(self) -> str:
        """Return the table and its notes as Markdown."""
        lines = [f"## {self.title}", ""]
        if self.rows:
            ruler = ["---", *["---:"] * (len(self.columns) - 1)]
            lines += [f"| {' | '.join(cells)} |" for cells in (self.columns, ruler, *self.rows)] + [""]
        lines += [f"- {note}" for note in self.notes]
        return "\n".join(lines).rstrip() + "\n"


def number(value: float) -> str:
    """Format a number with three digits, or all digits before the point; empty for zero."""
    if value == 0:
        return ""
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def size(count: float) -> str:
    """Format bytes as MB or GB; empty for zero."""
    return f"{number(count / 1e9)} GB" if count >= 1e9 else f"{number(count / 1e6)} MB" if count else ""


def duration(hours: float) -> str:
    """Format a time in the largest unit of which there are at least two."""
    for unit, length in (("days", 24.0), ("hours", 1.0), ("minutes", 1 / 60)):
        if hours >= 2 * length:
            return f"{hours / length:.1f} {unit}"
    return f"{3600 * hours:.0f} seconds"
