"""When a number counts as reproduced."""

from __future__ import annotations

from dataclasses import replace

import pytest
from study_tree import STUDY

from seqpre.report.estimates import Estimate, Measurement, estimate
from seqpre.report.published import PublishedNumber, of_study
from seqpre.report.verdicts import agrees, difference_verdict, score_verdict, worst


def seeds(*values: float, p_value: float | None = None) -> Estimate:
    found = estimate(Measurement(value, seed, (), p_value=p_value) for seed, value in enumerate(values))
    assert found is not None
    return found


@pytest.fixture
def number(published: list[PublishedNumber]) -> PublishedNumber:
    """Return 24.0, printed with a tolerance of 0.05."""
    row = of_study(published, STUDY, "Table 1")[0]
    return replace(row, printed="24.0", tolerance=0.05)


def test_a_score_is_judged_at_the_scale_of_the_paper_only(number: PublishedNumber) -> None:
    assert score_verdict(seeds(23.5), number, same_scale=True) == "reproduced"
    assert score_verdict(seeds(23.4), number, same_scale=True) == "not reproduced"
    assert score_verdict(seeds(24.0), number, same_scale=False) == "other scale \N{EN DASH} not comparable"
    assert score_verdict(None, number, same_scale=False) == "not run"
    assert score_verdict(seeds(24.0), None, same_scale=True) == ""


def test_a_wider_spread_of_our_seeds_allows_a_larger_distance() -> None:
    # sd 0.4: two of them are 0.8.
    assert agrees(seeds(23.2 - 0.4, 23.2, 23.2 + 0.4), 24.0, 0.05)
    assert not agrees(seeds(23.2 - 0.1, 23.2, 23.2 + 0.1), 24.0, 0.05)


def test_a_difference_at_another_scale_is_reproduced_in_direction_at_most() -> None:
    assert difference_verdict(seeds(-2.0, -2.0), -2.0, 0.05, same_scale=True) == "reproduced"
    assert difference_verdict(seeds(-2.0, -2.0), -2.0, 0.05, same_scale=False) == "direction only"
    assert difference_verdict(seeds(-5.0, -6.0), -2.0, 0.05, same_scale=True) == "direction only"
    assert difference_verdict(seeds(2.0, 2.1), -2.0, 0.05, same_scale=False) == "not reproduced"
    assert difference_verdict(None, -2.0, 0.05, same_scale=True) == "not run"


def test_a_direction_must_be_clearer_than_the_noise() -> None:
    # Mean -0.5, sd 0.99: the sign alone says nothing.
    assert difference_verdict(seeds(-1.2, 0.2), -2.0, 0.05, same_scale=False) == "not reproduced"
    assert difference_verdict(seeds(-1.0, p_value=0.3), -2.0, 0.05, same_scale=False) == "not reproduced"
    assert difference_verdict(seeds(-1.0, p_value=0.01), -2.0, 0.05, same_scale=False) == "direction only"


def test_a_row_is_as_good_as_its_worst_column() -> None:
    assert worst(["reproduced", "direction only"]) == "direction only"
    assert worst(["reproduced", "not run"]) == "not run"
    assert worst(["", "reproduced"]) == "reproduced"
    assert worst([]) == ""
