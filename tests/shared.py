"""What tests of several folders use."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from pathlib import Path


def write_lines(path: Path, lines: Iterable[object]) -> Path:
    """Write a text, one item a line, in a folder that is made if need be; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def words(markup: str) -> str:
    """Return what a reader of a page sees, in one line."""
    text = re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", markup, flags=re.DOTALL)
    return " ".join(html.unescape(text).split())


def section_of(markup: str, study: str) -> str:
    """Return the part of a report's page that is of one study."""
    return markup.partition(f'<h3 id="{study}">')[2].partition('<section class="study')[0]
