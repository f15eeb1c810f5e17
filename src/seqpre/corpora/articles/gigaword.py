"""English Gigaword from a licensed copy: the stories of its newswires, as unlabelled text.

The row's file holds the folder of the copy; every .gz below it is read, in the order of their names. Besides documents
of another type than `story`, these are left out and counted:

    outside_documents     a line that is in no document
    unclosed_paragraph    a document with a paragraph that does not end
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from seqpre.common.errors import DataError
from seqpre.common.files import LONGEST_LINE
from seqpre.corpora.archives import LARGEST_FILE, File, opened, own_copy
from seqpre.corpora.articles.article import Article, Skipped, decode
from seqpre.corpora.progress import Progress
from seqpre.corpora.sentences import split_sentences, unescape

# Differs: Gigaword is read from its fifth edition itself, LDC2011T07; the paper names the annotated Gigaword (Napoles
# et al., 2012), which is the same text parsed.
# Unstated: whether the language model of Gigaword read sentences or documents. Documents, as the encoder does.
OPENING = re.compile(r'<DOC id="([^"]*)" type="(\w*)"')


def read_gigaword(file: File) -> Iterator[Article | Skipped]:
    """Yield the articles of the licensed copy; the file contains the path of its folder."""
    pointer, folder = file.path, own_copy(file.path, folder=True)
    files = sorted(path for path in folder.rglob("*.gz") if path.is_file())
    if not files:
        raise DataError(f"{pointer} says {folder}: no .gz file below it; write the folder of your copy into {pointer}")
    with Progress(f"read {folder.name}") as progress:
        for path in files:
            for document in _documents(path):
                progress.add(1)
                yield document


def _documents(path: Path) -> Iterator[Article | Skipped]:
    """Yield the documents of one file, from <DOC to </DOC>. Raises DataError if a document does not end."""
    lines: list[bytes] = []
    size = 0
    with opened(path) as stream:
        for raw in iter(lambda: stream.readline(LONGEST_LINE), b""):
            line = raw if lines else raw.removeprefix(BOM_UTF8)  # at the start of a file, or of an appended one
            if lines and line.startswith(b"<DOC "):
                raise _unended(path, lines)
            if lines or line.startswith(b"<DOC "):
                lines.append(line)
                size += len(line)
                if size > LARGEST_FILE:
                    raise _unended(path, lines)
            elif line.strip():
                yield Skipped("outside_documents", path.name, decode(line[:300])[0])
            if lines and line.startswith(b"</DOC>"):
                yield _article(*decode(b"".join(lines)), path)
                lines, size = [], 0
    if lines:
        raise _unended(path, lines)


def _unended(path: Path, lines: list[bytes]) -> DataError:
    opening = decode(lines[0])[0].strip()
    return DataError(f"{path}: truncated or damaged, the document {opening} does not end; copy it again")


def _article(document: str, repaired: str, path: Path) -> Article | Skipped:
    opening = OPENING.match(document)
    name, kind = opening.groups() if opening else (path.name, "unknown")
    if kind != "story":
        return Skipped(f"type_{kind}", name)
    cut = [part.partition("</P>") for part in document.split("<P>")[1:]]
    if not all(end for _, end, _ in cut) or document.count("</P>") != len(cut):
        return Skipped("unclosed_paragraph", name, document[:300])
    paragraphs = (" ".join(unescape(text).split()) for text, _, _ in cut)
    sentences = [sentence for paragraph in paragraphs for sentence in split_sentences(paragraph)]
    return Article(sentences, [], name, repaired)
