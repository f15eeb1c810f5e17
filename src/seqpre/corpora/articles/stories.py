"""CNN/DailyMail from its story files: the text of an article, then its highlights, each behind `@highlight`.

Lists of addresses say which story belongs to which split: a story's file is named by the SHA-1 of its address (Hermann
et al., 2015; the lists are those of See et al., 2017). Stories are given in the order of the lists. With the
annotations of the original authors the same stories are anonymised, see `anonymise`.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import decoded
from seqpre.corpora.articles.anonymise import anonymise
from seqpre.corpora.articles.article import Article, Skipped, decode
from seqpre.corpora.articles.spool import Spool
from seqpre.corpora.catalog import Row
from seqpre.corpora.progress import Progress
from seqpre.corpora.readers import archived, opened
from seqpre.corpora.sentences import split_sentences

HIGHLIGHT = "@highlight"
MARK = re.compile(rf"^[^\S\n]*{HIGHLIGHT}[^\S\n]*$", re.MULTILINE)  # alone on its line: addresses have it too
ENDS = (".", "!", "?", "'", "`", '"', "\u2019", "”", ")")
# The Daily Mail's: By / its authors / PUBLISHED: / when / | / UPDATED: / when, each a line.
BYLINE = re.compile(
    r"(?:By(?:[^\S\n]*+\n)++[^\n]{1,80}\n+(?:and [^\n]{1,60}\n+)*)?"
    r"(?:(?:PUBLISHED:|UPDATED:|CREATED:|Last updated at|\||\d\d?:\d\d [A-Z]{2,4},)[^\n]*\n+)*"
)
LOST_STOP = re.compile(r" \.(?: |$)")


def expected_articles(rows: Iterable[Row]) -> int | None:
    """Return how many articles the lists of a split say it gives, if they do; ConfigError where they disagree."""
    counts = {int(row.reader.removeprefix("urls:")) for row in rows if row.reader.startswith("urls:")}
    if len(counts) > 1:
        raise ConfigError(f"the lists of one split expect different numbers of articles: {sorted(counts)}")
    return counts.pop() if counts else None


def read_stories(rows: Sequence[Row], downloads: Path, scratch: Path) -> Iterator[Article | Skipped]:
    """Yield the stories that the lists among `rows` name, from the archives among them; `scratch` holds a copy."""
    lists = [row for row in rows if row.reader.startswith("urls:")]
    archives = [row for row in rows if row.reader == "stories"]
    annotations = [row for row in rows if row.reader == "annotations"]
    if not lists or not archives:
        raise ConfigError(f"{rows[0].name}: needs rows of the readers urls:<n> and stories")
    wanted: dict[str, None] = {}
    for row in lists:
        for name in map(_file_name, _addresses(downloads / row.relative_path)):
            if name in wanted:
                yield Skipped("listed_twice", name)
            wanted[name] = None
    with Spool(scratch) as spool:
        for row in archives:
            _collect(downloads / row.relative_path, ".story", wanted, spool)
        for row in annotations:
            _collect(downloads / row.relative_path, ".txt", wanted, spool)
        for name in wanted:
            story = spool.get(f"stories/{name}")
            if story is None:
                yield Skipped("no_story", name)
            elif annotations:
                yield anonymise(name, story, spool.get(f"tokens/{name}"), spool.get(f"entities/{name}"))
            else:
                yield parse_story(story, name)


def parse_story(content: bytes, name: str) -> Article:
    """Return article and highlights of a story file; either may be empty."""
    # Unstated: how the stories were cleaned. Bylines go, broken lines are joined, and a full stop ends what had none.
    text, repaired = decode(content)
    article, *highlights = MARK.split(text)
    document = [sentence for paragraph in _paragraphs(article) for sentence in split_sentences(paragraph)]
    summary = [_ended(" ".join(highlight.split())) for highlight in highlights if _has_words(highlight)]
    return Article(document, summary, name, repaired)


def read_table(row: Row, path: Path) -> Iterator[Article]:
    """Yield the articles of a CSV file with the columns `article` and `highlights`, a highlight a line.

    Such files hold a story's lines joined, with " ." behind a line that had no stop; they are taken apart again.
    """
    # A cell may be as long as an article; the default limit is 128 KiB.
    csv.field_size_limit(1 << 30)
    with opened(path, row.member) as stream, Progress(f"read {path.name}") as progress:
        table = csv.DictReader((f"{line}\n" for line in decoded(stream, str(path))), strict=True)
        try:
            columns = table.fieldnames or ()
            if not {"article", "highlights"} <= set(columns):
                raise DataError(f"{path}: no columns `article` and `highlights`; it has {table.fieldnames}")
            for cells in table:
                if None in cells or None in cells.values():
                    raise DataError(
                        f"{path}, line {table.line_num}: more or fewer cells than {len(columns)} columns; a cell with"
                        " a comma needs quotes"
                    )
                highlights = (LOST_STOP.sub("", line) for line in cells["highlights"].split("\n"))
                story = f"\n\n{HIGHLIGHT}\n\n".join([LOST_STOP.sub("\n\n", cells["article"]), *highlights])
                progress.add(1)
                yield parse_story(story.encode(), cells.get("id") or f"line {table.line_num}")
        except csv.Error as error:
            raise DataError(f"{path}, line {table.line_num}: {error}") from error


def _paragraphs(article: str) -> list[str]:
    """Return the paragraphs of an article without its byline; a line that breaks off within a sentence is mended."""
    lines = [line for line in map(str.strip, BYLINE.sub("", f"{article.strip()}\n", count=1).splitlines()) if line]
    paragraphs: list[str] = []
    for line in filter(_has_words, lines):
        if paragraphs and line[0].islower() and not paragraphs[-1].endswith(ENDS):
            paragraphs[-1] += f" {line}"
        else:
            paragraphs.append(line)
    return [_ended(paragraph) for paragraph in paragraphs]


def _ended(text: str) -> str:
    """End captions and headings that lack it with a full stop, as See et al. do: else they run into what follows."""
    return text if text.endswith(ENDS) else f"{text}."


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _addresses(path: Path) -> Iterator[str]:
    with opened(path) as stream:
        yield from filter(None, map(str.strip, decoded(stream, str(path))))


def _file_name(address: str) -> str:
    return hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()


def _collect(path: Path, suffix: str, wanted: dict[str, None], spool: Spool) -> None:
    """Keep the wanted files of an archive as `<folder>/<name>`: stories/, tokens/ or entities/."""
    with Progress(f"read {path.name}") as progress:
        for member, content in archived(path, suffix):
            progress.add(1)
            if member.stem in wanted:
                spool.add(f"{member.parent.name}/{member.stem}", content)
