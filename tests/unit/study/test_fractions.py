"""Shares and counts of a corpus are exact, lie within each other and are refused where there is less."""

from __future__ import annotations

from typing import Any

import pytest

from seqpre.common.errors import ConfigError
from seqpre.study.fractions import by_size, count_of, fraction_of, in_words, is_count, of_labelled


@pytest.mark.parametrize(
    ("fraction", "count"), [("2.5pct", 100_000), ("100pct", 4_000_000), ("160k", 160_000), ("2.5k", 2500), ("7", 7)]
)
def test_a_fraction_takes_so_many(fraction: str, count: int) -> None:
    assert count_of(fraction, 4_000_000) == count


@pytest.mark.parametrize("of", [5, 1_001, 29_000])
def test_what_a_share_does_not_fill_is_left_out(of: int) -> None:
    assert count_of("33.3pct", of) == of * 333 // 1000


def test_a_number_of_the_file_is_a_count() -> None:
    assert (fraction_of(2500), fraction_of("2500"), fraction_of("1k")) == ("2500", "2500", "1k")


@pytest.mark.parametrize(
    "value",
    ["0pct", "100.1pct", "20 pct", "pct", "-5pct", "", "0", 0, "0k", "0.0005k", "k", "1.5", -3, 1.5, True, None, []],
)
def test_an_impossible_fraction_is_refused(value: Any) -> None:
    with pytest.raises(
        ConfigError, match=r"grid is .*; it must be a percentage above 0 and up to 100, like 2.5pct, or a count"
    ):
        fraction_of(value, "grid")


@pytest.mark.parametrize(
    ("fraction", "message"),
    [("160k", "lms.en is 160k, of 29,000 that there are; take fewer, or 100pct"), ("0.001pct", "of 29,000 is none")],
)
def test_more_than_there_is_and_nothing_at_all_are_refused(fraction: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        count_of(fraction, 29_000, "lms.en")


def test_fractions_have_an_order_and_words() -> None:
    fractions = ["100pct", "320k", "2.5pct", "20pct", "2500", "160k"]
    assert sorted(fractions, key=by_size) == ["2500", "160k", "320k", "2.5pct", "20pct", "100pct"]
    assert [in_words(fraction) for fraction in fractions[1:4]] == ["320k", "2.5 %", "20 %"]
    assert [of_labelled(one) for one in ("160k", "20pct")] == ["160k labelled pairs", "20 % of the labelled data"]
    assert [is_count(one) for one in ("160k", "20pct")] == [True, False]
