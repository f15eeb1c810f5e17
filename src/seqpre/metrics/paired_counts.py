"""Tests of two systems judged on the same items, from counts alone.

Both are two-sided and look only at the items on which the systems differ; the others say nothing about which is better.
For McNemar's test these are the items on which exactly one of the two has the property, and its exact form is the sign
test of those two counts.
"""

from __future__ import annotations

from scipy import stats


def sign_test(first: int, second: int) -> float:
    """Return the exact p-value for `first` items on which one is better and `second` on which the other is.

    The binomial test with probability 1/2 (Dixon and Mood, 1946). Without an item that differs there is no evidence:
    p = 1.
    """
    return float(stats.binomtest(first, first + second).pvalue) if first + second else 1.0


def mcnemar_chi2(first: int, second: int) -> float:
    """Return the p-value of McNemar's chi-squared statistic with Edwards' continuity correction.

    (|first - second| - 1)^2 / (first + second), one degree of freedom; 1 where the counts are equal.
    """
    if first == second:
        return 1.0
    return float(stats.chi2.sf((abs(first - second) - 1) ** 2 / (first + second), df=1))
