"""ROUGE F1 of whole summaries (Lin, 2004), by item and as the mean over items, with either of two stemmers.

- `ROUGE_155`, the papers' scorer: what `ROUGE-1.5.5.pl -a -m -n 2` with its exception list gives an item, to 1e-5.
- `NLTK`: what `rouge_score.rouge_scorer.RougeScorer(use_stemmer=True)` gives, about 0.2 points less.

`rouge_lsum` takes every line of a summary as a sentence (the official ROUGE-L of one sentence a line), `rouge_l` takes
the summary as one sentence (the official ROUGE-L of one line). The counting is rouge-score's; one reference an item.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from seqpre.common.errors import DataError
from seqpre.metrics.significance import Scorer, mean_of_items

Stemmer = Literal["rouge-1.5.5", "nltk"]
ROUGE_155: Stemmer = "rouge-1.5.5"
NLTK: Stemmer = "nltk"

# Our names and rouge-score's.
TYPES = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL", "rouge_lsum": "rougeLsum"}
# Pairs a process is handed at once.
CHUNK = 100


@dataclass(frozen=True)
class Rouge:
    """A mean F1 in 0..100, how it was computed, and what `significance` resamples: a row (F1, 1) an item."""

    score: float
    signature: str
    statistics: NDArray[np.float64]

    @property
    def scorer(self) -> Scorer:
        """From summed statistics to the score."""
        return mean_of_items


def rouge(
    summaries: Sequence[str], references: Sequence[str], stemmer: Stemmer = ROUGE_155, workers: int = 1
) -> dict[str, Rouge]:
    """Score summaries, whose sentences are lines, by the four types; `workers` processes share the work.

    An empty summary scores 0. Raises DataError for a reference without a word and for lists that are not parallel.
    """
    if len(summaries) != len(references):
        raise DataError(f"{len(summaries):,} summaries for {len(references):,} references: they must be parallel")
    if not references:
        raise DataError("no summary to score: summaries and references are empty")
    chunks = [
        (stemmer, start, summaries[start : start + CHUNK], references[start : start + CHUNK])
        for start in range(0, len(references), CHUNK)
    ]
    if workers > 1 and len(chunks) > 1:
        with ProcessPoolExecutor(min(workers, len(chunks))) as pool:
            parts = list(pool.map(_f1_of_chunk, *zip(*chunks, strict=True)))
    else:
        parts = [_f1_of_chunk(*chunk) for chunk in chunks]
    f1 = 100 * np.concatenate(parts)
    return {
        name: Rouge(
            float(f1[:, column].mean()), _signature(name, stemmer), np.stack([f1[:, column], np.ones(len(f1))], axis=1)
        )
        for column, name in enumerate(TYPES)
    }


def _f1_of_chunk(
    stemmer: Stemmer, first: int, summaries: Sequence[str], references: Sequence[str]
) -> NDArray[np.float64]:
    """Return F1 in 0..1, shape (items, types); `first` counts the items before this chunk."""
    scorer = _scorer(stemmer)
    rows = []
    for number, (summary, reference) in enumerate(zip(summaries, references, strict=True), start=first + 1):
        if not _tokenizer(stemmer).tokenize(reference):
            raise DataError(
                f"reference {number} is {reference!r}, without a letter a-z or digit, which is all that ROUGE counts"
            )
        scores = scorer.score(reference, summary)
        rows.append([scores[name].fmeasure for name in TYPES.values()])
    return np.array(rows, dtype=np.float64)


@cache
def _tokenizer(stemmer: Stemmer) -> Any:
    # Imported here because NLTK takes seconds to import and only summaries need it.
    from seqpre.metrics.rouge_tokens import NltkTokenizer, Rouge155Tokenizer

    return Rouge155Tokenizer() if stemmer == ROUGE_155 else NltkTokenizer()


@cache
def _scorer(stemmer: Stemmer) -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    return RougeScorer(list(TYPES.values()), tokenizer=_tokenizer(stemmer))


def _signature(name: str, stemmer: Stemmer) -> str:
    stems = f"stem:{stemmer}"
    if stemmer == ROUGE_155:
        stems += f"|exceptions:wordnet-2.0|py-rouge:{version('py-rouge')}"
    return (
        f"nrefs:1|type:{TYPES[name]}|stat:f1|mean:items|case:lower|{stems}"
        f"|nltk:{version('nltk')}|rouge-score:{version('rouge-score')}"
    )
