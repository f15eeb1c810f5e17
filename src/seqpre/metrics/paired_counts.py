"""Tests of two systems judged on the same items, from counts alone.

Both are two-sided and look only at the items on which the systems differ; the others say nothing about which is better.
For McNemar's test these are the items on which exactly one of the two has the property, and its exact form is the sign
test of those two counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator


def sign_test(first: int, second: int) -> float:
    """Return the exact p-value for `first` items on which one is better and `second` on which the other is.

    Twice the smaller tail of the binomial distribution with probability 1/2, at most 1 (Dixon and Mood, 1946). Without
    an item that differs there is no evidence: p = 1.
    """
    differing = first + second
    tail = sum(binomial_coefficients(differing, min(first, second)))
    return min(1.0, 2 * tail / (1 << differing))


def binomial_coefficients(total: int, last: int) -> Iterator[int]:
    """Yield (total over 0), (total over 1), ..., (total over last), each from the one before."""
    coefficient = 1
    for count in range(last + 1):
        yield coefficient
        coefficient = coefficient * (total - count) // (count + 1)


def mcnemar_chi2(first: int, second: int) -> float:
    """Return the p-value of McNemar's chi-squared statistic with Edwards' continuity correction.

    (|first - second| - 1)^2 / (first + second), the difference taken as 0 where the correction would turn its sign;
    one degree of freedom, whose upper tail is erfc(sqrt(x / 2)).
    """
    if first == second:
        return 1.0
    statistic = (abs(first - second) - 1) ** 2 / (first + second)
    return math.erfc(math.sqrt(statistic / 2))
