"""Collect the decisions marked in the code: where the papers are silent, and where this project departs from them.

    python -m seqpre.report.departures --output docs/departures.md

A comment that starts with `Unstated:` is a choice that a paper leaves open; one with `Differs:` is a departure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from seqpre.common.arguments import parser_of
from seqpre.common.errors import DataError, command
from seqpre.common.files import atomic_write, read_lines

KINDS = {"Unstated": "What the papers leave open, and what was chosen", "Differs": "Where this project does otherwise"}
INTRODUCTION = """\
Every choice is marked in the code, `# Unstated:` where a paper leaves it open, `# Differs:` where this project does
otherwise. `python -m seqpre.report.departures` collects them."""
MARKS = "|".join(KINDS)
FILES = ("src/**/*.py", "workflow/**/*.yaml", "workflow/**/*.smk")


class Departure(NamedTuple):
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
    text = "\n".join(read_lines(path))
    for start in re.finditer(rf"# ({MARKS}): (.*)", text):
        column = start.start() - text.rfind("\n", 0, start.start()) - 1
        goes_on = re.compile(rf"\n[^\S\n]{{{column}}}# (?!.*# ({MARKS}): )(?!({MARKS}): )(.*)")
        words, end = [start[2]], start.end()
        while below := goes_on.match(text, end):
            words.append(below[3])
            end = below.end()
        yield Departure(start[1], name, text.count("\n", 0, start.start()) + 1, " ".join(words))


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
    parser = parser_of(__doc__)
    parser.add_argument("--root", type=Path, default=Path(), help="the checkout (default: the working directory)")
    parser.add_argument("--output", type=Path, required=True, help="the page to write")
    args = parser.parse_args(argv)
    found = departures(args.root)
    if not found:
        raise DataError(f"no decision is marked below {args.root}; name the checkout with --root")
    with atomic_write(args.output) as file:
        file.write(page(found))


if __name__ == "__main__":
    main()
