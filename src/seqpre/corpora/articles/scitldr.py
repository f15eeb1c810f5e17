"""SciTLDR: abstracts of papers, split into sentences, with the authors' one- or two-sentence summaries."""

from __future__ import annotations

import json
from collections.abc import Iterator

from seqpre.common.errors import DataError
from seqpre.corpora.archives import File
from seqpre.corpora.articles.article import Article
from seqpre.corpora.normalise import normalise
from seqpre.corpora.sentences import split_sentences


def read_scitldr(file: File) -> Iterator[Article]:
    """Yield the articles of a JSON-lines file, with the first summary of each, which is the author's own."""
    for number, line in enumerate(file.lines(), start=1):
        try:
            paper = json.loads(line)
            name, source, target = paper["paper_id"], _strings(paper["source"]), _strings(paper["target"])
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            raise DataError(
                f"{file.where}, line {number}: not a paper with paper_id, source and target ({error!r})"
            ) from error
        yield Article(source, split_sentences(target[0]) if target else [], normalise(str(name)))


def _strings(value: object) -> list[str]:
    """Return a list of strings unchanged. Raises TypeError for anything else, also for a string."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{str(value)[:60]} is not a list of strings")
    return value
