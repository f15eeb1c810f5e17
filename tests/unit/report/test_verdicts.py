"""When a number counts as reproduced, when as not, and when nothing can be said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from study_tree import STUDY

from seqpre.metrics.inference import Estimate
from seqpre.report.estimates import Comparison, Measurement, SeedMean, seed_mean
from seqpre.report.published import PublishedNumber, of_study
from seqpre.report.verdicts import OTHER_SCALE, difference_verdict, score_verdict, worst


def seeds(*values: float) -> SeedMean:
    found = seed_mean(Measurement(value, seed, ()) for seed, value in enumerate(values))
    assert found is not None
    return found


def known(value: float, error: float, p: float | None = None, rows: int = 1) -> Comparison:
    """Return a number whose standard error is as good as known, as one of the rows of a table."""
    one = Estimate(value, ((error**2, np.inf),))
    return Comparison(one, (), one.p_zero() if p is None else p, rows)


UNKNOWN = Comparison(None, (), 1.0, 1)


@pytest.fixture
def number(published: list[PublishedNumber]) -> PublishedNumber:
    """Return 24.0, printed with a tolerance of 0.05."""
    row = of_study(published, STUDY, "Table 1")[0]
    return replace(row, printed="24.0", tolerance=0.05)


def test_a_score_is_judged_at_the_scale_of_the_paper_only(number: PublishedNumber) -> None:
    assert score_verdict(seeds(23.9, 24.0, 24.1), number, "") == "reproduced"
    assert score_verdict(seeds(20.9, 21.0, 21.1), number, "") == "not reproduced"
    assert score_verdict(seeds(24.0), number, OTHER_SCALE) == "other scale \N{EN DASH} not comparable"
    assert score_verdict(None, number, OTHER_SCALE) == "not run"


def test_noise_is_not_rewarded(number: PublishedNumber) -> None:
    """A mean on the point with seeds far apart shows nothing; within 2 sd it once was reproduced."""
    assert score_verdict(seeds(22.5, 24.0, 25.5), number, "") == "undecided"


@pytest.mark.parametrize(
    ("middle", "apart", "finding"),
    [
        (24.0, 0.32, "reproduced"),  # 0.55 is 2.98 standard errors away, and the 95 % point of t (two degrees) 2.92
        (24.0, 0.33, "undecided"),
        (24.81, 0.1, "not reproduced"),  # 4.50 beyond 24.55, and the 97.5 % point is 4.30
        (24.79, 0.1, "undecided"),
    ],
)
def test_a_score_is_judged_by_student_s_t(number: PublishedNumber, middle: float, apart: float, finding: str) -> None:
    assert score_verdict(seeds(middle - apart, middle, middle + apart), number, "") == finding


def test_no_difference_has_no_direction(number: PublishedNumber) -> None:
    alike = difference_verdict(seeds(0.3, 0.4, 0.5), known(0.4, 0.05, rows=9), 0.0, 0.05, same_scale=True)
    assert alike == "undecided"


def test_one_seed_reproduces_nothing_and_refutes_nothing(number: PublishedNumber) -> None:
    assert score_verdict(seeds(24.0), number, "") == "undecided"
    assert score_verdict(seeds(14.0), number, "") == "undecided"


def test_two_seeds_show_a_direction_at_most(number: PublishedNumber) -> None:
    assert score_verdict(seeds(24.0, 24.0), number, "") == "undecided"
    assert verdict(seeds(-2.0, -2.0), known(-2.0, 0.1), same_scale=True) == "direction only"
    assert verdict(seeds(2.0, 2.1), known(2.0, 0.1), same_scale=True) == "other direction"
    assert verdict(seeds(0.1, 0.1), known(0.1, 0.1)) == "undecided"


def verdict(ours: SeedMean | None, tested: Comparison, *, same_scale: bool = False) -> str:
    return difference_verdict(ours, tested, -2.0, 0.05, same_scale=same_scale)


def test_a_difference_at_another_scale_is_reproduced_in_direction_at_most() -> None:
    alike = seeds(-2.0, -2.0, -2.01)
    assert verdict(alike, known(-2.0, 0.1), same_scale=True) == "reproduced"
    assert verdict(seeds(-1.9, -2.0, -2.2), known(-2.0, 0.1), same_scale=True) == "reproduced"
    assert verdict(seeds(-1.9, -2.0, -2.2), known(-2.0, 0.1, rows=20), same_scale=True) == "direction only"
    assert verdict(alike, known(-2.0, 0.1)) == "direction only"
    assert verdict(seeds(-5.0, -6.0), known(-5.5, 0.5), same_scale=True) == "direction only"
    assert verdict(seeds(2.0, 2.1, 2.0), known(2.0, 0.1)) == "not reproduced"
    assert verdict(None, UNKNOWN) == "not run"


def test_a_difference_that_could_be_none_is_undecided() -> None:
    assert verdict(seeds(-1.2, 0.2), known(-0.5, 0.7)) == "undecided"
    assert verdict(seeds(-1.0), UNKNOWN) == "undecided"
    assert verdict(seeds(-1.0, -1.0), known(-1.0, 0.4)) == "direction only"
    assert verdict(seeds(-1.0, -1.0), known(-1.0, 0.4, p=0.2)) == "undecided", "one of many comparisons"


def test_a_difference_shown_to_be_none_is_not_the_published_one() -> None:
    assert verdict(seeds(0.1, 0.1, 0.1), known(0.1, 0.1)) == "not reproduced"
    assert verdict(seeds(0.1, 0.1, 0.1), known(0.1, 0.2)) == "not reproduced"
    assert verdict(seeds(0.1, 0.1, 0.1), known(0.1, 0.2, rows=3)) == "undecided", "one of three comparisons"
    small = difference_verdict(seeds(0.1, 0.1), known(0.1, 0.1), -0.3, 0.05, same_scale=False)
    assert small == "undecided", "the published one may be none as well"


def test_a_row_is_as_good_as_its_worst_column() -> None:
    assert worst(["reproduced", "direction only"]) == "direction only"
    assert worst(["direction only", "undecided"]) == "undecided"
    assert worst(["undecided", "not reproduced"]) == "not reproduced"
    assert worst(["reproduced", "not run"]) == "not run"
    assert worst(["", "reproduced"]) == "reproduced"
    assert worst([]) == ""
