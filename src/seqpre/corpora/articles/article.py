"""The output of document readers."""

from __future__ import annotations

import codecs
from dataclasses import dataclass


@dataclass(frozen=True)
class Article:
    """The sentences of a document and of its summary; `repaired` says how its encoding was repaired, if it was.

    `cased` articles keep their letter case, others are lower-cased.
    """

    document: list[str]
    summary: list[str]
    name: str = ""
    repaired: str = ""
    cased: bool = False


@dataclass(frozen=True)
class Skipped:
    """A document that is left out, and the reason; `text` is shown as an example."""

    reason: str
    name: str
    text: str = ""


def decode(content: bytes) -> tuple[str, str]:
    """Return the text of a small file and, if it is not UTF-8, its probable encoding."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace"), "utf-16"
    try:
        return content.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return content.decode("utf-8-sig", errors=WINDOWS), "windows-1252"


def _windows(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are not UTF-8 as windows-1252, and only these: one bad byte does not affect its neighbours."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("cp1252", errors="replace"), error.end


WINDOWS = "seqpre.windows-1252"
codecs.register_error(WINDOWS, _windows)
