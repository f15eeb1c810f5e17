"""Which reader gives the articles of a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from seqpre.common.errors import ConfigError
from seqpre.corpora.articles.article import Article, Skipped
from seqpre.corpora.articles.examples import read_examples
from seqpre.corpora.articles.gigaword import read_gigaword
from seqpre.corpora.articles.reuters import UNLABELLED, read_reuters
from seqpre.corpora.articles.scitldr import read_scitldr
from seqpre.corpora.articles.stories import read_stories, read_table
from seqpre.corpora.catalog import Row


def read_articles(rows: Sequence[Row], split: str, downloads: Path, scratch: Path) -> Iterator[Article | Skipped]:
    """Yield the articles of one split of a corpus; `scratch` is a folder for a temporary file."""
    reader = rows[0].reader
    if reader == f"reuters:{UNLABELLED}":
        yield from read_reuters(rows, UNLABELLED, downloads)
    elif reader == "reuters:pairs":
        yield from read_reuters(rows, split, downloads)
    elif any(row.reader == "stories" for row in rows):
        yield from read_stories(rows, downloads, scratch)
    else:
        for row in rows:
            path = downloads / row.relative_path
            if row.reader == "scitldr":
                yield from read_scitldr(row, path)
            elif row.reader == "csv":
                yield from read_table(row, path)
            elif row.reader in ("examples", "examples:detokenized"):
                yield from read_examples(row, path, row.reader == "examples:detokenized")
            elif row.reader == "gigaword":
                yield from read_gigaword(path)
            else:
                raise ConfigError(f"{row.name}: the reader {row.reader} does not go with {reader}")
