"""Tests of two systems judged on the same items, from counts only.

Both are two-sided and use only the items on which the systems differ; ties say nothing about which is better. For
McNemar's test these are the items on which exactly one of the two has the property, and its exact form is the sign test
of those two counts.
"""

from __future__ import annotations

from scipy import stats


def sign_test(first: int, second: int) -> float:
    """Return the exact p-value for `first` items on which one is better and `second` on which the other is.

    The binomial test with probability 1/2 (Dixon and Mood, 1946). Without any differing item p = 1.
    """
    return float(stats.binomtest(first, first + second).pvalue) if first + second else 1.0


def mcnemar_chi2(first: int, second: int) -> float:
    """Return the p-value of McNemar's chi-squared statistic with Edwards' continuity correction.

    (|first - second| - 1)^2 / (first + second), one degree of freedom; 1 where the counts are equal.
    """
    if first == second:
        return 1.0
    return float(stats.chi2.sf((abs(first - second) - 1) ** 2 / (first + second), df=1))
