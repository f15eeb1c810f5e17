"""Which reader gives the articles of a corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from seqpre.common.errors import ConfigError
from seqpre.corpora.articles.article import Article, Skipped
from seqpre.corpora.articles.examples import read_examples
from seqpre.corpora.articles.gigaword import read_gigaword
from seqpre.corpora.articles.reuters import BODIES, UNLABELLED, read_reuters
from seqpre.corpora.articles.scitldr import read_scitldr
from seqpre.corpora.articles.stories import read_stories, read_table
from seqpre.corpora.catalog import Row
from seqpre.corpora.readers import read_sentences
from seqpre.corpora.treebank import tokenize

STORIES = "stories"


def read_articles(rows: Sequence[Row], split: str, downloads: Path, scratch: Path) -> Iterator[Article | Skipped]:
    """Yield the articles of one split of a corpus, those of rows read alike together; of other text, its lines.

    `scratch` is a folder for a temporary file.
    """
    for reader, group in groupby(rows, _reader):
        alike = list(group)
        if reader == "reuters:pairs":
            yield from read_reuters(alike, split, downloads)
        elif reader in (f"reuters:{UNLABELLED}", f"reuters:{BODIES}"):
            yield from read_reuters(alike, reader.removeprefix("reuters:"), downloads)
        elif reader == f"reuters:{BODIES}:tokenized":
            yield from map(_tokenized, read_reuters(alike, BODIES, downloads))
        elif reader == STORIES:
            yield from read_stories(alike, downloads, scratch)
        else:
            for row in alike:
                path = downloads / row.relative_path
                if reader == "scitldr":
                    yield from read_scitldr(row, path)
                elif reader == "csv":
                    yield from read_table(row, path)
                elif reader in ("examples", "examples:detokenized"):
                    yield from read_examples(row, path, reader == "examples:detokenized")
                elif reader == "gigaword":
                    yield from read_gigaword(path)
                elif not row.of_articles and row.languages == ("document",):
                    yield from (Article([line], [], cased=True) for line in read_sentences(path, row))
                else:
                    raise ConfigError(f"{row.name}: the reader {reader} does not go with {rows[0].reader}")


def _tokenized(article: Article | Skipped) -> Article | Skipped:
    """Return an article with its words apart, as `examples` have them, in its own letter case."""
    if isinstance(article, Skipped):
        return article
    return replace(article, document=[" ".join(tokenize(sentence)) for sentence in article.document], cased=True)


def _reader(row: Row) -> str:
    """Return the reader of a row; archives, lists and annotations of stories are read together."""
    return STORIES if row.reader in (STORIES, "annotations") or row.reader.startswith("urls:") else row.reader
