"""GLEU for corrections (Napoles et al., 2015; the 2016 version without a weight to tune), with several references.

Like BLEU over n-grams of up to four words, but an n-gram of the hypothesis that is in the source and not in the
reference counts against it: it should have been changed. Each sentence's reference is drawn at random; the corpus score
is the mean over 500 draws, the same as the official program makes under Python 3. `gleu_expected` uses mean counts over
references and needs no draws; intervals and tests are computed from it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from seqpre.common.errors import DataError
from seqpre.metrics.bleu import bleu_from_statistics
from seqpre.metrics.metric import Metric, Score, Texts
from seqpre.metrics.ngrams import MAX_ORDER, ngrams_of

gleu_from_statistics = partial(bleu_from_statistics, smoothing="none")
"""Maps summed statistics, shape (..., 10), to scores of shape (...), 0 if an order has no match."""
DRAWS, SEED_STEP = 500, 101
"""Number of draws; draw j has the seed 101 j."""


def gleu(hypotheses: Sequence[str], sources: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, Score]:
    """Score tokenized lines; `references` has one or more texts, all parallel to the sources.

    `gleu` is the mean over draws, as in the official program. `gleu_expected` uses the mean counts over references,
    (sentences, 10), which are the statistics of both; it is close to the mean over all draws but not equal. Raises
    DataError if texts are not parallel.
    """
    for name, lines in (
        ("hypotheses", hypotheses),
        *((f"lines of reference {n}", r) for n, r in enumerate(references)),
    ):
        if len(lines) != len(sources):
            raise DataError(f"{len(lines):,} {name} for {len(sources):,} sources: they must be parallel")
    if not sources or not references:
        raise DataError("no sentence to score: sources or references are empty")
    by_reference = np.array(
        [
            [sentence_statistics(hypothesis, source, reference) for reference in options]
            for hypothesis, source, *options in zip(hypotheses, sources, *references, strict=True)
        ],
        dtype=np.float64,
    )
    totals = np.array([by_reference[np.arange(len(sources)), drawn].sum(axis=0) for drawn in draws(by_reference)])
    statistics = by_reference.mean(axis=1)
    drawn, expected = gleu_from_statistics(totals).mean(), gleu_from_statistics(statistics.sum(axis=0))
    signature = f"GLEU|nrefs:{len(references)}|order:{MAX_ORDER}"
    return {
        "gleu": Score(float(drawn), f"{signature}|draws:{DRAWS}|random:python3", statistics),
        "gleu_expected": Score(float(expected), f"{signature}|mean counts", statistics),
    }


def draws(by_reference: NDArray[np.float64]) -> list[list[int]]:
    """Return the reference of each sentence in each draw, from statistics (sentences, references, columns)."""
    sentences, references, _ = by_reference.shape
    if references == 1:
        return [[0] * sentences]
    generators = (random.Random(SEED_STEP * number) for number in range(DRAWS))
    return [[generator.randint(0, references - 1) for _ in range(sentences)] for generator in generators]


def sentence_statistics(hypothesis: str, source: str, reference: str) -> list[int]:
    """Count one sentence: both lengths, matches minus wrongly kept n-grams, and n-grams of the hypothesis, by order."""
    words, source_words, reference_words = hypothesis.split(), source.split(), reference.split()
    matches, totals = [], []
    for order in range(1, MAX_ORDER + 1):
        ours, theirs, right = (ngrams_of(text, order) for text in (words, source_words, reference_words))
        to_change = Counter({ngram: count for ngram, count in theirs.items() if ngram not in right})
        matches.append(max(0, (ours & right).total() - (ours & to_change).total()))
        totals.append(max(0, len(words) - order + 1))
    return [len(words), len(reference_words), *matches, *totals]


@lru_cache(maxsize=1)
def _both(texts: Texts) -> dict[str, Score]:
    assert texts.gold is not None
    return gleu(texts.outputs, texts.gold.sources, texts.gold.references)


def _of_items(texts: Texts) -> list[float]:
    assert texts.gold is not None
    lines = zip(texts.outputs, texts.gold.sources, texts.references, strict=True)
    # As in the official program, no count of a single sentence is below 1.
    return [float(gleu_from_statistics(np.maximum(sentence_statistics(*line), 1))) for line in lines]


GLEU = Metric(
    "gleu", "GLEU", lambda texts: _both(texts)["gleu"], gleu_from_statistics, _of_items, frozenset({"sources"})
)
"""The reference draws follow the official program."""
GLEU_EXPECTED = Metric(
    "gleu_expected",
    "GLEU of mean counts",
    lambda texts: _both(texts)["gleu_expected"],
    gleu_from_statistics,
    needs=frozenset({"sources"}),
)
