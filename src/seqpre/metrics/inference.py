"""Inference from a few seeds and one test set: differences between systems, with intervals and p-values.

A difference is between means over seeds. It varies with the seeds and with the test sentences. These two parts of its
error are estimated separately, because resampling two to five seeds gives intervals that are much too narrow. Seeds:
the residuals of score = system + seed, pooled over the systems trained on the same data if their variances are alike;
for two systems this is the paired t-test. Sentences: the bootstrap of `significance`. Half the width of an interval is
the root of the sum of squares of the two half-widths (Zou and Donner, 2008), which is slightly conservative; adding
variances with Satterthwaite's degrees of freedom has twice the nominal error with two seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

LEVEL = 0.05
"""Significance level of verdicts."""

# Shape suffixes: K systems, S seeds.
Scores = NDArray[np.float64]
VarianceComponent = tuple[float, float]
"""A variance and its degrees of freedom; inf if it is practically known."""


@dataclass(frozen=True)
class Estimate:
    """A number and the independent components of its error; if one has variance inf, nothing is significant."""

    value: float
    components: tuple[VarianceComponent, ...]

    def interval(self, level: float = 1 - LEVEL) -> tuple[float, float]:
        """Return the confidence interval, with at least this coverage."""
        half = self._half((1 + level) / 2)
        return self.value - half, self.value + half

    def p_within(self, low: float, high: float) -> float:
        """Return the p-value of "the true number is between" by two one-sided tests (Schuirmann, 1987); inf is allowed.

        It is the larger p-value, because both tests must be passed.
        """
        return max(self._p(self.value - low), self._p(high - self.value))

    def p_beyond(self, low: float, high: float) -> float:
        """Return the p-value of "the true number is below `low` or above `high`": the smaller of two one-sided ones."""
        return min(self._p(low - self.value), self._p(self.value - high))

    def p_zero(self) -> float:
        """Return the two-sided p-value of "the true number is not 0"."""
        return min(1.0, 2 * self.p_beyond(0.0, 0.0))

    def _half(self, confidence: float) -> float:
        quantiles = np.array([special.stdtrit(df, confidence) for _, df in self.components])
        return float(np.sqrt(quantiles**2 @ np.array([variance for variance, _ in self.components])))

    def _p(self, excess: float) -> float:
        """Return the one-sided p-value of a number that exceeds its bound by `excess`."""
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
    """Return whether variances over seeds may be pooled: Bartlett's test does not show that they differ."""
    if len(scores_KS) < 2 or (scores_KS.var(axis=1) == 0).any():
        return False
    return bool(stats.bartlett(*scores_KS).pvalue >= LEVEL)


def seed_variance(scores_KS: Scores, weights_K: Scores) -> tuple[float, float]:
    """Return the variance of a weighted sum of means over seeds, and its degrees of freedom.

    All systems have the same seeds. If the weights sum to 0, the effect of a seed that all systems share cancels.
    Systems with weight 0 only contribute to the pooled variance. With one seed the variance is inf.
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
    (`significance.bootstrap_scores`); in a mean over seeds each run has the weight 1 / seeds.
    """
    return float((np.asarray(weights) @ np.stack(resampled)).var(ddof=1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm-corrected p-values, so that `LEVEL` holds for all together (Holm, 1979)."""
    order = np.argsort(p_values)
    corrected = np.empty(len(p_values))
    sizes = np.arange(len(p_values), 0, -1)
    corrected[order] = np.maximum.accumulate(np.asarray(p_values, dtype=np.float64)[order] * sizes)
    return [float(p) for p in np.minimum(corrected, 1.0)]
