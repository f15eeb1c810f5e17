"""Bootstrap over test items: how much a corpus score, or the difference of two, may vary between test sets.

Items (sentences, documents) are drawn with replacement, their counts summed, and the corpus score computed for each
resample (Koehn, 2004). If the score is a mean over items, an item counts (its score, 1). Everything is a function of
the seed; the draws are those of sacreBLEU for the same seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Statistics = NDArray[np.int64] | NDArray[np.float64]
"""Counts, shape (items, columns)."""
Scorer = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Maps summed statistics, shape (resamples, columns), to one corpus score for each resample."""

RESAMPLES = 1000
SEED = 12345
# Resamples at a time: 50 x 100,000 sentences are 40 MB of weights; the draws of all, which are kept, 200 MB.
BLOCK = 50


def interval_name(items: str) -> str:
    """Return the name of `bootstrap_interval` for signatures; `items` is what is drawn, `sentences` or `documents`."""
    return f"95 % percentile bootstrap, {RESAMPLES} resamples of {items}, seed {SEED}"


def paired_test_name(items: str) -> str:
    """Return the name of `paired_bootstrap` for signatures."""
    return f"two-sided paired bootstrap, centred on its mean, {RESAMPLES} resamples of {items}, seed {SEED}"


@dataclass(frozen=True)
class PairedTest:
    """Score of the system minus score of the baseline, and the p-value of the difference."""

    delta: float
    p_value: float


def mean_of_items(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return mean scores, shape (...), from summed rows (score, 1), shape (..., 2)."""
    return totals[..., 0] / totals[..., 1]


def bootstrap_scores(
    statistics: Statistics, scorer: Scorer, *, resamples: int = RESAMPLES, seed: int = SEED
) -> NDArray[np.float64]:
    """Return one corpus score for each resample, shape (resamples,). `statistics` has one row for each item."""
    columns = statistics.astype(np.float64)
    draws = _draws(len(statistics), resamples, seed)
    blocks = (draws[start : start + BLOCK].astype(np.float64) for start in range(0, resamples, BLOCK))
    return np.concatenate([scorer(weights @ columns) for weights in blocks])


def bootstrap_interval(
    statistics: Statistics, scorer: Scorer, *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float]:
    """Return the 2.5th and the 97.5th percentile of the resampled scores."""
    low, high = np.quantile(bootstrap_scores(statistics, scorer, resamples=resamples, seed=seed), [0.025, 0.975])
    return float(low), float(high)


def paired_bootstrap(
    system: Statistics, baseline: Statistics, scorer: Scorer, *, resamples: int = RESAMPLES, seed: int = SEED
) -> PairedTest:
    """Test whether two systems differ on the same items.

    Both are scored on the same resamples. The resampled differences, shifted to mean zero, are what would be seen if
    the systems were equal (the shift method of Noreen, 1989, as in Riezler and Maxwell, 2005), and p = (#{|d* -
    mean(d*)| >= |d|} + 1) / (resamples + 1). sacreBLEU shifts the *absolute* differences instead, which gives much
    smaller values.
    """
    assert system.shape == baseline.shape, "paired systems have a row for each item of the same text"
    scores = scorer(np.stack([system.sum(axis=0), baseline.sum(axis=0)]).astype(np.float64))
    observed = float(scores[0] - scores[1])
    ours, theirs = (bootstrap_scores(one, scorer, resamples=resamples, seed=seed) for one in (system, baseline))
    resampled = ours - theirs
    # The margin keeps ties, whatever the order of the float sums.
    as_extreme = np.abs(resampled - resampled.mean()) >= abs(observed) - 1e-9
    return PairedTest(observed, (int(as_extreme.sum()) + 1) / (resamples + 1))


@lru_cache(maxsize=4)
def _draws(sentences: int, resamples: int, seed: int) -> NDArray[np.uint16]:
    """Return how often each resample draws each sentence (resamples, sentences), the same for all systems."""
    generator = np.random.default_rng(seed)
    blocks = []
    for start in range(0, resamples, BLOCK):
        rows = min(BLOCK, resamples - start)
        drawn = generator.choice(sentences, size=(rows, sentences), replace=True)
        offsets = np.arange(rows)[:, None] * sentences
        counts = np.bincount((drawn + offsets).ravel(), minlength=rows * sentences)
        blocks.append(counts.reshape(rows, sentences).astype(np.uint16))
    return np.concatenate(blocks)
