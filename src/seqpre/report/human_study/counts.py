"""What a human study counts: which output was rated higher, and which repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from seqpre.metrics.paired_counts import mcnemar_chi2, sign_test


@dataclass(frozen=True)
class Preference:
    """Documents by whose output was rated higher: the cells of Table 4."""

    baseline_higher: int
    equal: int
    system_higher: int

    @property
    def documents(self) -> int:
        """All documents."""
        return self.baseline_higher + self.equal + self.system_higher

    @property
    def sign_p(self) -> float:
        """Sign test; equal scores are left out."""
        # Unstated: what the sign test does with equal scores. Left out; halved, the paper's p would be above 0.0001.
        return sign_test(self.baseline_higher, self.system_higher)


@dataclass(frozen=True)
class Repetition:
    """Documents by whose output repeats: the cells of Table 5."""

    neither: int
    baseline_only: int
    system_only: int
    both: int

    @property
    def documents(self) -> int:
        """All documents."""
        return self.neither + self.baseline_only + self.system_only + self.both

    @property
    def system(self) -> int:
        """Documents in which the system's output repeats."""
        return self.system_only + self.both

    @property
    def baseline(self) -> int:
        """Documents in which the baseline's output repeats."""
        return self.baseline_only + self.both

    @property
    def exact_p(self) -> float:
        """McNemar's test, exact."""
        return sign_test(self.baseline_only, self.system_only)

    @property
    def chi2_p(self) -> float:
        """McNemar's test, chi-squared with continuity correction."""
        return mcnemar_chi2(self.baseline_only, self.system_only)


class HumanStudy(NamedTuple):
    """What people said of two systems' outputs."""

    scores: Preference
    repetition: Repetition


def count_preference(scores: Iterable[tuple[float, float]]) -> Preference:
    """Count pairs of scores (system, baseline)."""
    signs = Counter((system > baseline) - (system < baseline) for system, baseline in scores)
    return Preference(baseline_higher=signs[-1], equal=signs[0], system_higher=signs[1])


def count_repetition(marks: Iterable[tuple[bool, bool]]) -> Repetition:
    """Count pairs of marks (the system's output repeats, the baseline's does)."""
    pairs = Counter(marks)
    return Repetition(pairs[False, False], pairs[False, True], pairs[True, False], pairs[True, True])
