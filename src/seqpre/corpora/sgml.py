"""The WMT test sets: segments in documents, each with an id, in markup that is not quite SGML.

Anything that would silently misalign text is rejected: a truncated file, a segment without end or id, two references in
one file. Segments of two files correspond if document and segment ids are the same.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from lxml import etree

from seqpre.common.errors import DataError
from seqpre.common.files import decoded
from seqpre.corpora.archives import File

# The files do not escape `&` and `<` ("Standard & Poor's"), so only these tags and complete references are markup.
TEXT = re.compile(
    r"&(?!(?:[a-z][a-z0-9]+|#[0-9]{1,7}|#x[0-9a-f]{1,6});)|<(?!/?(?:seg|doc|srcset|refset|tstset)\b|!--)", re.IGNORECASE
)
OPENING, CLOSING = re.compile(r"<seg\b", re.IGNORECASE), re.compile(r"</seg\s*>|<seg\b[^<>]*/>", re.IGNORECASE)
SETS = ("srcset", "refset", "tstset")
Segments = dict[tuple[str, str], str]  # (document id, segment id): text


def read_segments(file: File) -> Segments:
    """Return the segments of one set in order, each as one line.

    Raises DataError unless the file is one complete set of documents whose segments have unique ids.
    """
    where = file.where
    markup = "\n".join(decoded(io.BytesIO(file.whole()), where))
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    escaped = TEXT.sub(lambda found: "&amp;" if found[0] == "&" else "&lt;", markup)
    root = etree.fromstring(f"<html><body>{escaped}</body></html>".encode(), parser)
    found = list(root.iter("seg"))
    comments = "".join(str(comment.text) for comment in root.iter(etree.Comment))
    begun, ended = (len(tag.findall(markup)) - len(tag.findall(comments)) for tag in (OPENING, CLOSING))
    if not len(found) == begun == ended:
        raise DataError(f"{where}: {begun:,} segments begin, {ended:,} end, {len(found):,} could be read; get it again")
    sets = list(root.iter(*SETS))
    closed = sum(markup.lower().count(f"</{name}") for name in SETS)
    if len(sets) != 1 or closed != 1:
        raise DataError(f"{where}: {len(sets)} sets begin and {closed} end; one whole set is read, of one reference")
    segments: Segments = {}
    for element in found:
        document = next(element.iterancestors("doc"), None)
        key = ("" if document is None else document.get("docid", ""), element.get("id", ""))
        if not all(key):
            raise DataError(f"{where}: segment {len(segments) + 1} has no id, or its document has no docid")
        if key in segments:
            raise DataError(f"{where}: {_named(key)} is there twice; keep one reference")
        if any(isinstance(child.tag, str) for child in element):
            raise DataError(f"{where}: {_named(key)} has others in it")
        segments[key] = " ".join(map(str.strip, "".join(element.itertext()).split("\n"))).strip()
    return segments


def read_texts(file: File) -> Iterator[str]:
    """Yield the texts of the segments."""
    return iter(read_segments(file).values())


def read_beside(file: File, first_file: File) -> list[str]:
    """Return the texts of a file in the order of another one. Raises DataError unless both have the same ids."""
    segments, first, where, first_where = read_segments(file), read_segments(first_file), file.where, first_file.where
    for one, name, other, other_name in ((first, first_where, segments, where), (segments, where, first, first_where)):
        if missing := next((key for key in one if key not in other), None):
            raise DataError(f"{other_name} has no {_named(missing)}, as {name} has; parallel files have the same ids")
    return [segments[key] for key in first]


def _named(key: tuple[str, str]) -> str:
    return f"segment {key[1]} of document {key[0]}"
