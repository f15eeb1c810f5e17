"""Character references of HTML."""

from __future__ import annotations

import html
import re

ENDLESS = re.compile(r"&(?=#[0-9]{9})")  # no character has such a number, and Python refuses thousands of digits


def unescape(text: str) -> str:
    """Return `text` with `&amp;`, `&#38;`, ... resolved; numbers that no character can have are left as they are."""
    return html.unescape(ENDLESS.sub("&amp;", text))
