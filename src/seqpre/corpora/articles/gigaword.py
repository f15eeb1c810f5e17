"""English Gigaword from a licensed copy: the stories of its newswires, as unlabelled text.

The row's file holds the folder of the copy; every .gz below it is read, in the order of their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

from seqpre.corpora.articles.article import Article, Skipped, decode
from seqpre.corpora.progress import Progress
from seqpre.corpora.readers import opened
from seqpre.corpora.sentences import split_sentences
from seqpre.errors import DataError

# Differs: the fifth edition itself, LDC2011T07; the paper names the annotated Gigaword (Napoles et al., 2012), which is
# the same text parsed.
# Unstated: whether its language model read sentences or documents. Documents, as the encoder does.
OPENING = re.compile(r'<DOC id="([^"]*)" type="([^"]*)"')
PARAGRAPH = re.compile(r"<P>(.*?)</P>", re.DOTALL)


def read_gigaword(pointer: Path) -> Iterator[Article | Skipped]:
    """Yield the articles of the licensed copy whose folder is the content of the file `pointer`."""
    folder = Path(pointer.read_text(encoding="utf-8").strip()).expanduser()
    files = sorted(folder.rglob("*.gz"))
    if not files:
        raise DataError(f"{pointer} says {folder}: no .gz file below it; write the folder of your copy into {pointer}")
    with Progress(f"read {folder.name}") as progress:
        for path in files:
            for document in _documents(path):
                progress.add(1)
                yield _article(document, path)


def _documents(path: Path) -> Iterator[str]:
    """Yield the documents of one file, from <DOC to </DOC>; DataError if it ends within one."""
    lines: list[str] = []
    with opened(path) as stream:
        for raw in stream:
            line = decode(raw)[0]
            if lines or line.startswith("<DOC "):
                lines.append(line)
            if line.startswith("</DOC>"):
                yield "".join(lines)
                lines.clear()
    if lines:
        raise DataError(f"{path}: truncated, it ends within the document {lines[0].strip()}")


def _article(document: str, path: Path) -> Article | Skipped:
    opening = OPENING.match(document)
    name, kind = opening.groups() if opening else (path.name, "unknown")
    if kind != "story":
        return Skipped(f"type_{kind}", name)
    paragraphs = (" ".join(unescape(text).split()) for text in PARAGRAPH.findall(document))
    return Article([sentence for paragraph in paragraphs for sentence in split_sentences(paragraph)], [], name)
