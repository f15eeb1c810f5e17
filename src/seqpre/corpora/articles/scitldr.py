"""SciTLDR: abstracts of papers, cut into sentences, and what their authors say of them in a sentence or two."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from seqpre.corpora.articles.article import Article
from seqpre.corpora.catalog import Row
from seqpre.corpora.readers import decoded, opened
from seqpre.corpora.sentences import split_sentences
from seqpre.errors import DataError


def read_scitldr(row: Row, path: Path) -> Iterator[Article]:
    """Yield the articles of one JSON-lines file; of several summaries the first, the author's own, is taken."""
    with opened(path, row.member) as stream:
        for number, line in enumerate(decoded(stream, str(path)), start=1):
            try:
                paper = json.loads(line)
                summary = paper["target"][0] if paper["target"] else ""
                yield Article(list(paper["source"]), split_sentences(summary), paper["paper_id"])
            except (json.JSONDecodeError, KeyError, TypeError) as error:
                raise DataError(
                    f"{path}, line {number}: not a paper with paper_id, source and target ({error!r})"
                ) from error
