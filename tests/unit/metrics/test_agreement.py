"""Krippendorff's alpha gives the values of his own worked examples."""

from __future__ import annotations

import pytest

from seqpre.metrics.agreement import krippendorff_alpha

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", example C: four observers, twelve units, gaps.
OBSERVERS = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
UNITS = [[int(value) for value in unit if value != "."] for unit in zip(*map(str.split, OBSERVERS), strict=True)]


def test_the_published_example_with_gaps() -> None:
    assert krippendorff_alpha(UNITS, "nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(UNITS, "ordinal") == pytest.approx(0.815, abs=5e-4)


def test_the_published_example_of_two_observers_and_two_values() -> None:
    # Example A of the same paper.
    first, second = "0 1 0 0 0 0 0 0 1 0", "1 1 1 0 0 1 0 0 0 0"
    units = [[int(one), int(other)] for one, other in zip(first.split(), second.split(), strict=True)]
    assert krippendorff_alpha(units, "nominal") == pytest.approx(0.095, abs=5e-4)


def test_perfect_agreement_is_1_and_a_unit_of_one_value_says_nothing() -> None:
    units = [[1, 1], [5, 5], [3, 3]]
    assert krippendorff_alpha(units, "ordinal") == 1.0
    assert krippendorff_alpha([*units, [4]], "ordinal") == 1.0


def test_where_nothing_can_differ_there_is_no_alpha() -> None:
    assert krippendorff_alpha([[2, 2], [2, 2]], "nominal") is None
    assert krippendorff_alpha([[1], [2]], "nominal") is None
    assert krippendorff_alpha([], "ordinal") is None
