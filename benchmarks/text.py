"""Lines of text for the measurements: the demo's German, generated, or a file that is given."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path

from side_by_side import WORK, arguments

from seqpre.common.files import read_lines
from seqpre.demo.generate import SIZES, generate_translation

LANGUAGE = "de"
LINES = 150_000


def text_arguments(description: str | None, windows: int, work: int) -> argparse.ArgumentParser:
    """Return the options of a measurement on text."""
    parser = arguments(description, windows, work, "lines")
    parser.add_argument("--text", type=Path, help="German text, one sentence a line (default: generated)")
    return parser


def prepare(text: Path | None) -> tuple[Path, str]:
    """Return a file of sentences and what it is."""
    if text:
        return text.resolve(), text.name
    folder = WORK / "text"
    path = folder / f"demo_monolingual/train.{LANGUAGE}"
    if not path.exists():
        generate_translation(folder, 1, {**SIZES, "monolingual": LINES})
    return path, "the demo's generated German"


def first_lines(path: Path, count: int) -> list[str]:
    """Return the first different lines."""
    lines = list(islice(dict.fromkeys(read_lines(path)), count))
    if len(lines) < count:
        raise SystemExit(f"{path} has {len(lines):,} different lines; {count:,} are needed: give it fewer with --work")
    return lines
