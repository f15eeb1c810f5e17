"""CNN/DailyMail from its story files: the text of an article, then its highlights, each after `@highlight`.

Lists of URLs say which story belongs to which split: a story's file is named by the SHA-1 of its URL (Hermann et al.,
2015; the lists are those of See et al., 2017). Stories come in the order of the lists. With the original authors'
annotations the same stories are anonymised, see `anonymise`.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.archives import File, archived
from seqpre.corpora.articles.anonymise import anonymise
from seqpre.corpora.articles.article import Article, Skipped, decode
from seqpre.corpora.progress import Progress
from seqpre.corpora.sentences import split_sentences
from seqpre.corpora.treebank import tokenize

TOKENIZED = "stories:tokenized"
"""The reader of stories whose sentences become tokens with spaces between them."""
HIGHLIGHT = "@highlight"
MARK = re.compile(rf"^[^\S\n]*{HIGHLIGHT}[^\S\n]*$", re.MULTILINE)  # alone on its line: addresses have it too
ENDS = (".", "!", "?", "'", "`", '"', "\u2019", "”", ")")
# The Daily Mail's: By / its authors / PUBLISHED: / when / | / UPDATED: / when, each a line.
BYLINE = re.compile(
    r"(?:By(?:[^\S\n]*+\n)++[^\n]{1,80}\n+(?:and [^\n]{1,60}\n+)*)?"
    r"(?:(?:PUBLISHED:|UPDATED:|CREATED:|Last updated at|\||\d\d?:\d\d [A-Z]{2,4},)[^\n]*\n+)*"
)
LOST_STOP = re.compile(r" \.(?: |$)")


def read_stories(files: Sequence[File], split: str, scratch: Path) -> Iterator[Article | Skipped]:
    """Yield the stories that the lists in `files` name, from the archives in `files`; `scratch` holds a copy."""
    kinds: dict[str, list[File]] = {"urls": [], "stories": [], "annotations": []}
    for file in files:
        kinds[file.reader.partition(":")[0]].append(file)
    if not kinds["urls"] or not kinds["stories"]:
        raise ConfigError(f"{files[0].where}: needs rows of the readers urls:<n> and stories")
    tokenized = any(file.reader == TOKENIZED for file in files)
    wanted: dict[str, None] = {}
    for file in kinds["urls"]:
        for name in map(_file_name, filter(None, map(str.strip, file.lines()))):
            if name in wanted:
                yield Skipped("listed_twice", name)
            wanted[name] = None
    places: dict[str, tuple[int, int]] = {}  # in an unnamed temporary file: start and length
    scratch.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=scratch) as kept:

        def content(name: str) -> bytes | None:
            start, length = places.get(name, (0, -1))
            kept.seek(start)
            return kept.read(length) if name in places else None

        for file in [*kinds["stories"], *kinds["annotations"]]:
            suffix = ".story" if file in kinds["stories"] else ".txt"
            with Progress(f"read {file.path.name}") as progress:
                for member, text in archived(file.path, suffix):
                    progress.add(1)
                    if member.stem in wanted:  # in a folder stories/, tokens/ or entities/
                        places[f"{member.parent.name}/{member.stem}"] = kept.seek(0, 2), len(text)
                        kept.write(text)
        for name in wanted:
            story = content(f"stories/{name}")
            if story is None:
                yield Skipped("no_story", name)
            elif kinds["annotations"]:
                yield anonymise(name, story, content(f"tokens/{name}"), content(f"entities/{name}"))
            elif tokenized:
                # Differs: the articles that PoDA summarises are tokenized by NLTK; the scripts of See et al. (2017)
                # have Stanford's tokenizer.
                article = parse_story(story, name)
                document, summary = (
                    [" ".join(tokenize(one)) for one in text] for text in (article.document, article.summary)
                )
                yield replace(article, document=document, summary=summary)
            else:
                yield parse_story(story, name)


def parse_story(content: bytes, name: str) -> Article:
    """Return the article and highlights of a story file; either may be empty."""
    # Unstated: how the stories were cleaned. Bylines go, broken lines are joined, and a full stop ends what had none.
    text, repaired = decode(content)
    article, *highlights = MARK.split(text)
    document = [sentence for paragraph in _paragraphs(article) for sentence in split_sentences(paragraph)]
    summary = [_ended(" ".join(highlight.split())) for highlight in highlights if _has_words(highlight)]
    return Article(document, summary, name, repaired)


def read_table(file: File) -> Iterator[Article]:
    """Yield the articles of a CSV file with the columns `article` and `highlights`, one highlight a line.

    In such files a story's lines are joined, with " ." after a line without a stop; they are split again.
    """
    csv.field_size_limit(1 << 30)  # The default limit is 128 KiB; a cell can hold a whole article.
    table = csv.DictReader((f"{line}\n" for line in file.lines()), strict=True)
    try:
        columns = table.fieldnames or ()
        if not {"article", "highlights"} <= set(columns):
            raise DataError(f"{file.where}: no columns `article` and `highlights`; it has {table.fieldnames}")
        for cells in table:
            if None in cells or None in cells.values():
                raise DataError(
                    f"{file.where}, line {table.line_num}: more or fewer cells than {len(columns)} columns; a cell with"
                    " a comma needs quotes"
                )
            highlights = (LOST_STOP.sub("", line) for line in cells["highlights"].split("\n"))
            story = f"\n\n{HIGHLIGHT}\n\n".join([LOST_STOP.sub("\n\n", cells["article"]), *highlights])
            yield parse_story(story.encode(), cells.get("id") or f"line {table.line_num}")
    except csv.Error as error:
        raise DataError(f"{file.where}, line {table.line_num}: {error}") from error


def _paragraphs(article: str) -> list[str]:
    """Return the paragraphs of an article without its byline; broken lines are joined."""
    lines = [line for line in map(str.strip, BYLINE.sub("", f"{article.strip()}\n", count=1).splitlines()) if line]
    paragraphs: list[str] = []
    for line in filter(_has_words, lines):
        if paragraphs and line[0].islower() and not paragraphs[-1].endswith(ENDS):
            paragraphs[-1] += f" {line}"
        else:
            paragraphs.append(line)
    return [_ended(paragraph) for paragraph in paragraphs]


def _ended(text: str) -> str:
    """Append a missing full stop to captions and headings, as See et al. do, so that they do not run on."""
    return text if text.endswith(ENDS) else f"{text}."


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _file_name(address: str) -> str:
    return hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
