"""Collect the decisions marked in the code: where the papers are silent, and where this project does otherwise.

    python -m seqpre.report.departures --output docs/departures.md

A comment that starts with `Unstated:` is a choice that a paper leaves open; one with `Differs:` is a departure.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from seqpre.common.errors import command
from seqpre.common.files import atomic_write, read_lines

KINDS = {"Unstated": "What the papers leave open, and what was chosen", "Differs": "Where this project does otherwise"}
INTRODUCTION = """\
Every choice is marked in the code, `# Unstated:` where a paper leaves it open, `# Differs:` where this project does
otherwise. `python -m seqpre.report.departures` collects them."""
FILES = ("src/**/*.py", "workflow/**/*.yaml", "workflow/**/*.smk")


@dataclass(frozen=True)
class Departure:
    """One marked decision."""

    kind: str
    file: str
    line: int
    text: str


def departures(root: Path) -> list[Departure]:
    """Return every marked decision below `root`, file by file."""
    files = sorted(path for pattern in FILES for path in root.glob(pattern))
    return [found for path in files for found in _of_file(path, str(path.relative_to(root)))]


def _of_file(path: Path, name: str) -> Iterator[Departure]:
    kind, words, column, place = "", [""], 0, 0
    for number, line in enumerate([*read_lines(path), ""], start=1):
        start = re.search(rf"# ({'|'.join(KINDS)}): (.*)", line)
        goes_on = re.match(r"\s*# (.*)", line)
        if kind and not start and goes_on and line.index("#") == column:
            words.append(goes_on[1])
            continue
        if kind:
            yield Departure(kind, name, place, " ".join(words))
            kind = ""
        if start:
            kind, words, column, place = start[1], [start[2]], start.start(), number


def page(found: Sequence[Departure]) -> str:
    """Return the decisions as a Markdown page."""
    lines = ["# Where does this differ from the papers?", "", INTRODUCTION, ""]
    for kind, title in KINDS.items():
        lines += [f"## {title}", "", "| decision | where |", "| --- | --- |"]
        lines += [f"| {d.text[:1].upper()}{d.text[1:]} | `{d.file}` |" for d in found if d.kind == kind]
        lines.append("")
    return "\n".join(lines)


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Collect and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the working directory)")
    parser.add_argument("--output", type=Path, required=True, help="the page to write")
    args = parser.parse_args(argv)
    with atomic_write(args.output) as file:
        file.write(page(departures(args.root)))


if __name__ == "__main__":
    main()
