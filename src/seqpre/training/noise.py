"""The noise of PoDA: words are shuffled, deleted and replaced; a mask says which ones the loss scores.

Wang et al. (2019), Algorithm 1 and Section 2.2. Shape suffixes: N words of a sequence, M words after noise, W words of
the vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqpre.corpora.subwords import SPECIALS, UNK
from seqpre.study.pretraining_settings import NoiseSettings

Ids = NDArray[np.int64]
PUBLISHED = NoiseSettings()
CLEAN_SCORED = 0.03
"""Share of the uncorrupted words that are scored."""


@dataclass(frozen=True)
class Unigrams:
    """The unigram distribution of replacements."""

    # Unstated: the unigram distribution that PoDA's replacements are drawn from. The counts of the vocabulary's words
    # in the text that it was learned from.
    cumulative_W: NDArray[np.int64]

    @classmethod
    def of(cls, counts_W: NDArray[np.int64]) -> Unigrams:
        """Build it from the counts of the words with ids from len(SPECIALS) on."""
        return cls(np.cumsum(counts_W))

    def draw(self, count: int, rng: np.random.Generator) -> Ids:
        """Draw word ids (count,)."""
        places = rng.integers(self.cumulative_W[-1], size=count)
        return np.searchsorted(self.cumulative_W, places, side="right") + len(SPECIALS)


def shuffled(origins_M: Ids, rng: np.random.Generator, variance: float) -> NDArray[Any]:
    """Return the order after SHUFFLE: positions plus normal noise, sorted (M,)."""
    return np.argsort(np.arange(len(origins_M)) + rng.normal(0, variance**0.5, len(origins_M)), kind="stable")


def noised(
    words_N: Ids, unigrams: Unigrams, rng: np.random.Generator, settings: NoiseSettings = PUBLISHED
) -> tuple[Ids, NDArray[np.bool_]]:
    """Return the noisy words (M,) and the mask of the clean words that are corrupted (N,)."""
    alpha, beta = settings.beta
    noisy_M, origins_M = words_N.copy(), np.arange(len(words_N))
    for noise in rng.permutation(3):
        if noise == 0:
            order_M = shuffled(origins_M, rng, settings.variance)
            noisy_M, origins_M = noisy_M[order_M], origins_M[order_M]
        elif noise == 1:
            kept_M = rng.random(len(noisy_M)) >= rng.beta(alpha, beta)
            noisy_M, origins_M = noisy_M[kept_M], origins_M[kept_M]
        else:
            hit_M = rng.random(len(noisy_M)) < rng.beta(alpha, beta)
            noisy_M[hit_M] = unigrams.draw(int(hit_M.sum()), rng)
    return noisy_M, corrupted(words_N, noisy_M, origins_M)


def corrupted(words_N: Ids, noisy_M: Ids, origins_M: Ids) -> NDArray[np.bool_]:
    """Return the mask of words that are deleted, replaced, or out of order with a word that is left (N,).

    `origins_M` are the positions that the noisy words had.
    """
    # Unstated: what "corrupted" means for words that moved. A word that changed its order with another one is
    # corrupted; a word that moved only because others were deleted is not.
    corrupted_N = np.ones(len(words_N), dtype=bool)
    before_M = np.maximum.accumulate(origins_M) > origins_M
    after_M = np.minimum.accumulate(origins_M[::-1])[::-1] < origins_M
    corrupted_N[origins_M] = before_M | after_M | (noisy_M != words_N[origins_M])
    return corrupted_N


def scored(corrupted_N: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return the mask of Equation 2 for a target's words and EOS (N + 1,)."""
    # Unstated: whether PoDA's loss scores the end of a sequence. Like a word that is never corrupted.
    clean_N = rng.random(len(corrupted_N) + 1) < CLEAN_SCORED
    clean_N[:-1] |= corrupted_N
    return clean_N


def recopied(source_M: Ids, target_N: Ids, known: int) -> tuple[Ids, Ids]:
    """Renumber out-of-vocabulary words (ids from `known` on) by their first position in the noisy source; return both.

    Such a word of the target becomes UNK if the noisy source lacks it.
    """
    unknown_M = source_M >= known
    if not unknown_M.any():
        return source_M, np.where(target_N >= known, UNK, target_N)
    values, firsts, inverse = np.unique(source_M[unknown_M], return_index=True, return_inverse=True)
    places = known + unknown_M.nonzero()[0][firsts]
    source_M = source_M.copy()
    source_M[unknown_M] = places[inverse]
    found_N = np.minimum(np.searchsorted(values, target_N), len(values) - 1)
    same_N = values[found_N] == target_N
    return source_M, np.where(same_N, places[found_N], np.where(target_N >= known, UNK, target_N))
