"""What a few seeds and one test set can say: differences of systems with their intervals and p-values.

A difference is one of means over seeds. It would come out otherwise with other seeds and on other sentences. These two
parts of its error are estimated apart, because resampling two to five seeds themselves gives intervals that are much
too narrow. Seeds: the residuals of score = system + seed, pooled over the systems trained on the same data where their
spread is alike; for two systems alone this is the paired t-test. Sentences: the bootstrap of `significance`. Half the
width of an interval is the root of the sum of the squares of the parts' (Zou and Donner, 2008), which errs on the wide
side; adding variances with Satterthwaite's degrees of freedom finds twice too much with two seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

LEVEL = 0.05
"""How often a verdict may be wrong where nothing is to be found."""

# Shape suffixes: K systems, S seeds.
Scores = NDArray[np.float64]
VarianceComponent = tuple[float, float]
"""A variance and its degrees of freedom; inf where it is as good as known."""


@dataclass(frozen=True)
class Estimate:
    """A number and the independent components of its error; a component of variance inf leaves nothing to say of it."""

    value: float
    components: tuple[VarianceComponent, ...]

    def interval(self, level: float = 1 - LEVEL) -> tuple[float, float]:
        """Return the bounds that hold the true number in this share of studies, or more."""
        half = self._half((1 + level) / 2)
        return self.value - half, self.value + half

    def p_within(self, low: float, high: float) -> float:
        """Return the p-value of "the true number is between", two one-sided tests (Schuirmann, 1987); ends may be inf.

        The larger of the two: both must be passed.
        """
        return max(self._p(self.value - low), self._p(high - self.value))

    def p_beyond(self, low: float, high: float) -> float:
        """Return the p-value of "the true number is below `low` or above `high`", each by a one-sided test."""
        return min(self._p(low - self.value), self._p(self.value - high))

    def p_zero(self) -> float:
        """Return the two-sided p-value of "the true number is not 0"."""
        return min(1.0, 2 * self.p_beyond(0.0, 0.0))

    def _half(self, confidence: float) -> float:
        quantiles = np.array([special.stdtrit(df, confidence) for _, df in self.components])
        return float(np.sqrt(quantiles**2 @ np.array([variance for variance, _ in self.components])))

    def _p(self, excess: float) -> float:
        """Return the one-sided p-value of a number that exceeds its bound by so much."""
        if any(variance == np.inf for variance, _ in self.components):
            return 0.0 if excess == np.inf else 0.5
        if excess <= 0:
            return 1 - self._p(-excess) if excess else 0.5
        # The level at which the interval just reaches the bound.
        least = 1e-12
        if self._half(1 - least) <= excess:
            return 0.0
        return float(optimize.brentq(lambda p: self._half(1 - p) - excess, least, 0.5))


def alike(scores_KS: Scores) -> bool:
    """Tell whether the systems' variances over seeds may be pooled: Bartlett's test does not say that they differ."""
    if len(scores_KS) < 2 or (scores_KS.var(axis=1) == 0).any():
        return False
    return bool(stats.bartlett(*scores_KS).pvalue >= LEVEL)


def seed_variance(scores_KS: Scores, weights_K: Scores) -> tuple[float, float]:
    """Return the variance of the weighted sum of means over seeds, and its degrees of freedom.

    All systems have the same seeds. Weights that sum to 0 make a difference, in which what a seed does to all systems
    cancels; systems of weight 0 are there to be pooled. With one seed the variance is inf.
    """
    seeds = scores_KS.shape[1]
    if seeds < 2:
        return np.inf, np.inf
    difference = bool(abs(weights_K.sum()) < 1e-9)
    used_KS = scores_KS if alike(scores_KS) else scores_KS[weights_K != 0]
    residuals_KS: Scores = used_KS - used_KS.mean(axis=1, keepdims=True)
    if difference:
        residuals_KS = residuals_KS - residuals_KS.mean(axis=0)
    df = (len(used_KS) - difference) * (seeds - 1)
    return float((residuals_KS**2).sum() / df * (weights_K**2).sum() / seeds), float(df)


def sentence_variance(resampled: Sequence[Scores], weights: Sequence[float]) -> float:
    """Return the bootstrap variance of a weighted sum of corpus scores.

    `resampled` has the scores of each run (resamples,), on the same resamples of the same items
    (`significance.bootstrap_scores`); a mean over seeds has a weight of 1 / seeds each.
    """
    return float((np.asarray(weights) @ np.stack(resampled)).var(ddof=1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, so that `LEVEL` holds for all together (Holm, 1979)."""
    order = np.argsort(p_values)
    corrected = np.empty(len(p_values))
    sizes = np.arange(len(p_values), 0, -1)
    corrected[order] = np.maximum.accumulate(np.asarray(p_values, dtype=np.float64)[order] * sizes)
    return [float(p) for p in np.minimum(corrected, 1.0)]
