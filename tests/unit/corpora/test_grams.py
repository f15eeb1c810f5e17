"""Near texts, told by runs of six words that were counted by hand."""

import pytest

from seqpre.corpora.grams import HeldOut

ROAD = "we walked along the old road to the sea and back again"  # Twelve words, seven runs.
BEFORE = "on the first day of the year"


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (f"{BEFORE} {ROAD} , and nobody of us had seen so many people in all these years", True),  # All of it inside.
        # The first nine words, so four of its seven runs, and the first eight, so three.
        (f"{BEFORE} we walked along the old road to the sea at night , as we always did then", True),
        (f"{BEFORE} we walked along the old road to the city at night , as we always did then", False),
        ("we walked along the old road to the sea", True),  # All four of the text's own.
        ("back again", False),
    ],
)
def test_a_text_is_near_one_of_which_more_than_half_of_the_runs_stand_in_it(text: str, near: bool) -> None:
    assert HeldOut([ROAD, "something else"]).is_near(text) is near


def test_runs_of_several_texts_do_not_add_up_to_one_of_them() -> None:
    # Three of seven runs of each of two texts, in twenty-five.
    other = "nobody has ever seen such a storm on this coast before now"
    text = " ".join([*ROAD.split()[:8], *BEFORE.split(), *BEFORE.split(), *other.split()[:8]])
    held_out = HeldOut([ROAD, other])
    assert not held_out.is_near(text)
    assert held_out.is_near(" ".join([*ROAD.split()[:9], *BEFORE.split(), *BEFORE.split(), *other.split()[:8]]))


def test_a_run_belongs_to_every_text_that_has_it() -> None:
    long = f"{ROAD} when it was late and the others had gone home without us"
    inside = f"{BEFORE} {ROAD} before the others came with all the things that we had left"
    assert HeldOut([ROAD, long]).is_near(inside)
    assert HeldOut([long, ROAD]).is_near(inside)
    assert not HeldOut([long]).is_near(inside)


def test_nothing_is_near_to_no_text() -> None:
    assert not HeldOut([]).is_near(ROAD)
