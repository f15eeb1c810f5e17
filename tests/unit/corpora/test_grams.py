"""Near texts, told by runs of six words that were counted by hand."""

import pytest

from seqpre.corpora.grams import HeldOut

ROAD = "we walked along the old road to the sea and back again before it was dark and cold outside"  # 19 words, 14 runs
WORDS = ROAD.split()
REST = " ".join(f"other{number}" for number in range(60))
SHORT = "he took advantage of the opportunity"  # one run


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (f"{REST} {ROAD} {REST}", True),  # All of it inside, a tenth of the other.
        (f"{REST} {' '.join(WORDS[:13])} {REST}", True),  # Eight of its fourteen runs.
        (f"{REST} {' '.join(WORDS[:12])} {REST}", False),  # Seven.
        (" ".join(WORDS[:9]), True),  # All four of the text's own.
        (f"{SHORT} to visit us", True),  # One of four runs.
        (f"{SHORT} to visit us all", False),  # One of five.
        (f"{REST} {SHORT} {REST}", False),
        ("back again", False),
    ],
)
def test_a_text_is_near_another_if_more_than_half_of_either_is_in_the_other(text: str, near: bool) -> None:
    assert HeldOut([ROAD, SHORT, "something else"]).is_near(text) is near


def test_runs_of_several_texts_do_not_add_up_to_one_of_them() -> None:
    other = "nobody has ever seen such a storm on this coast before now and it lasted for two days"
    seven_each = " ".join([*WORDS[:12], REST, *other.split()[:11]])
    assert not HeldOut([ROAD, other]).is_near(seven_each)
    assert HeldOut([ROAD, other]).is_near(" ".join([*WORDS[:13], REST, *other.split()[:11]]))


def test_a_run_belongs_to_every_text_that_has_it() -> None:
    long = f"{ROAD} {REST}"
    inside = f"then {ROAD} {REST.replace('other', 'more')}"
    assert HeldOut([ROAD, long]).is_near(inside)
    assert HeldOut([long, ROAD]).is_near(inside)
    assert not HeldOut([long]).is_near(inside)


def test_nothing_is_near_to_no_text() -> None:
    assert not HeldOut([]).is_near(ROAD)
