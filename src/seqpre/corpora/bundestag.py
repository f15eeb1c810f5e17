"""German speech: minutes of the Bundestag's sittings, as text files of the 17th and 18th electoral terms.

A file is one sitting: contents, speeches between `Beginn:` and `(Schluss:`, annexes. A line is a paragraph of a speech,
a speaker's name, or an interjection in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from seqpre.common.errors import DataError
from seqpre.corpora.archives import File
from seqpre.corpora.sentences import split_sentences

BEGIN = re.compile(r"\s*\(?Beginn:?\s")
END = re.compile(r"\s*\(Schlu(?:ss|ß)\b")
BRACKETS = re.compile(r"\s*\(.*\)\s*")
SPEAKER = re.compile(r".{3,120}:\s*")
BROKEN = re.compile(r"(?<=[a-zäöüß])-(?=[a-zäöüß])|(?<=\s)-(?=\w)")
"""A hyphen from a printed line break: `ab-arbeiten`, `Bau und -Reaktorsicherheit`."""
DASHES = " \u2013-"
COMPLETE = (".", "!", "?", "“", "…")
MIN_WORDS = 3


def read_sitting(file: File) -> Iterator[str]:
    """Yield the sentences of the speeches. Raises DataError if a file is no sitting or cannot be decoded."""
    lines = iter(_text(file).splitlines())
    if not any(map(BEGIN.match, lines)):
        raise DataError(f"{file.where}: no line `Beginn: ...`; this is no sitting of the Bundestag")
    for paragraph in _paragraphs(lines):
        for sentence in split_sentences(paragraph, ordinals=True):
            if len(sentence.split()) >= MIN_WORDS:
                yield sentence


def _text(file: File) -> str:
    content = file.whole()
    for encoding in ("utf-8-sig", "windows-1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError as error:
            where = error.start
    raise DataError(f"{file.where}: byte {where} is neither UTF-8 nor Windows-1252; download the file again")


def _paragraphs(lines: Iterator[str]) -> Iterator[str]:
    """Yield the paragraphs of speeches; a sentence interrupted by an interjection is joined."""
    said = ""
    for line in lines:
        if END.match(line):
            break
        if BRACKETS.fullmatch(line) or SPEAKER.fullmatch(line):
            continue
        words = BROKEN.sub("", " ".join(line.split())).lstrip(DASHES)
        if said.endswith(COMPLETE):
            yield said
            said = ""
        said = f"{said} {words}".strip()
    yield said
