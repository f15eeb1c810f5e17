"""The one text normalisation of the pipeline, applied before filtering and before encoding."""

from __future__ import annotations

import unicodedata


def normalise(text: str) -> str:
    """Return `text` in Unicode NFC, without control characters, every run of whitespace one space, none at the ends.

    A NUL is whitespace, so that it does not glue its neighbours. Invisible format characters (soft hyphen, zero-width
    space, byte order mark, text direction marks) go as well: they would split words into subwords that look alike.
    Nothing visible changes; applying it twice changes nothing.
    """
    if not text.isprintable():
        text = "".join(map(_visible, text))
    return " ".join(unicodedata.normalize("NFC", text).split())


def _visible(character: str) -> str:
    if character.isspace() or character == "\0":
        return " "
    return "" if unicodedata.category(character) in ("Cc", "Cf", "Cs") else character
