"""What the readers of documents yield."""

from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass(frozen=True)
class Article:
    """The sentences of a document and of its summary; `repaired` says how its text was rescued, if it was.

    `cased` ones keep their letter case, others are put into lower case.
    """

    document: list[str]
    summary: list[str]
    name: str = ""
    repaired: str = ""
    cased: bool = False


@dataclass(frozen=True)
class Skipped:
    """A document that is left out, and why; `text` shows it."""

    reason: str
    name: str
    text: str = ""


def decode(content: bytes) -> tuple[str, str]:
    """Return the text of a small file and, if it is not UTF-8, the encoding it seems to have, in part at least."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace"), "utf-16"
    try:
        return content.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return content.decode("utf-8-sig", errors=WINDOWS), "windows-1252"


def _windows(error: UnicodeError) -> tuple[str, int]:
    """Read bytes that are no UTF-8 as windows-1252, and these only: one bad byte does not spoil its neighbours."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", errors="replace"), error.end


WINDOWS = "seqpre.windows-1252"
codecs.register_error(WINDOWS, _windows)
