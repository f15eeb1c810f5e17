"""MaxMatch on cases worked out by hand, and its time on texts that repeat themselves."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest

from seqpre.common.errors import DataError
from seqpre.corpora.m2 import Annotated, Edit
from seqpre.metrics.m2 import Span, f_score, m2, readings
from seqpre.metrics.significance import bootstrap_interval


def edit(start: int, end: int, *corrections: str) -> Edit:
    return Edit(start, end, tuple(tuple(text.split()) for text in corrections))


def annotated(source: str, *annotators: Sequence[Edit]) -> Annotated:
    return Annotated(tuple(source.split()), dict(enumerate(map(tuple, annotators))))


def counts(hypothesis: str, source: str, *annotators: Sequence[Edit]) -> list[int]:
    return readings([hypothesis], [annotated(source, *annotators)])[0].counts.tolist()


def test_a_text_is_read_as_the_edits_that_are_gold() -> None:
    source = "the cat sat at mat"
    # One edit or two: both readings are there.
    assert counts("the dog sat on mat", source, [edit(1, 2, "dog"), edit(3, 4, "on")]) == [2, 2, 2]
    assert counts("the dog sat on mat", source, [edit(1, 4, "dog sat on")]) == [1, 1, 1]
    assert counts("the dog sat on mat", source, [edit(1, 3, "dog sat")]) == [1, 2, 1]
    # Where none is gold, changes with two unchanged words or fewer between them are one edit.
    assert counts("the dog sat on mat", source, []) == [0, 1, 0]
    assert counts("a cat sat at rug", source, []) == [0, 2, 0]


def test_no_edit_holds_three_unchanged_words() -> None:
    assert counts("x b c y", "a b c d", [edit(0, 4, "x b c y")]) == [1, 1, 1]
    assert counts("x b c d y", "a b c d e", [edit(0, 5, "x b c d y")]) == [0, 2, 1]


def test_start_end_and_one_of_the_alternatives_must_agree() -> None:
    source = "he go home"
    assert counts("he goes home", source, [edit(1, 2, "went", "goes")]) == [1, 1, 1]
    assert counts("he gone home", source, [edit(1, 2, "went", "goes")]) == [0, 1, 1]
    assert counts("he home", source, [edit(1, 2, "")]) == [1, 1, 1]
    assert counts("he goes back home", source, [edit(1, 2, "goes"), edit(2, 2, "back")]) == [2, 2, 2]


def test_words_that_stay_are_no_edit() -> None:
    source = "he goes home"
    assert counts(source, source, [edit(1, 2, "goes")]) == [0, 0, 1]
    assert counts(source, source, [edit(1, 2, "went", "goes")]) == [0, 0, 1]
    assert counts("he went home", source, [edit(1, 2, "goes", "went")]) == [1, 1, 1]
    assert counts("he goes back", source, [edit(1, 2, "goes"), edit(2, 3, "back")]) == [1, 1, 2]


def test_gold_edits_are_gone_through_in_the_order_of_the_file() -> None:
    hypothesis, source = "a x c y e", "a b c d e"
    assert counts(hypothesis, source, [edit(1, 2, "x"), edit(3, 4, "y")]) == [2, 2, 2]
    assert counts(hypothesis, source, [edit(3, 4, "y"), edit(1, 2, "x")]) == [1, 2, 2]


def test_two_insertions_at_one_place_need_two_gold_ones() -> None:
    assert counts("a very b", "a b", [edit(1, 1, "very")]) == [1, 1, 1]
    assert counts("a very very b", "a b", [edit(1, 1, "very")])[0] == 1
    assert counts("a very very b", "a b", [edit(1, 1, "very"), edit(1, 1, "very")]) == [2, 2, 2]


def test_two_words_before_the_first_are_no_edit_of_version_3_2() -> None:
    assert counts("so a b", "a b", [edit(0, 0, "so")]) == [1, 1, 1]
    assert counts("and so a b", "a b", [edit(0, 0, "and so")]) == [0, 1, 1]
    assert counts("a and so b", "a b", [edit(1, 1, "and so")]) == [1, 1, 1]
    # Its offsets are those of `a`, which it does not replace.
    (found,) = readings(["and so a b"], [annotated("a b", [edit(0, 1, "and so")])])
    assert found.counts.tolist() == [0, 1, 1]
    assert found.wrong == (Span(0, 1, (), ("and", "so")),)


def test_the_annotator_is_chosen_that_serves_the_score_so_far() -> None:
    one, other = [edit(0, 1, "x")], [edit(0, 1, "y"), edit(1, 2, "z")]
    assert counts("x b", "a b", one, other) == [1, 1, 1]
    assert counts("y z", "a b", one, other) == [2, 2, 2]
    # Nothing proposed: the one with nothing to find, or the fewest edits.
    assert counts("a b", "a b", one, []) == [0, 0, 0]
    assert counts("a b", "a b", other, one) == [0, 0, 1]


def test_nothing_proposed_is_precise_and_finds_nothing() -> None:
    found = m2(["a b"], [annotated("a b", [edit(0, 1, "x")])])
    assert {name: one.score for name, one in found.items()} == {"m2_f0.5": 0, "m2_precision": 100, "m2_recall": 0}
    assert m2(["a b"], [annotated("a b", [])])["m2_f0.5"].score == 100
    assert f_score(np.array([[3, 4, 6], [0, 0, 0]])).tolist() == pytest.approx([100 * 1.25 * 3 / (0.25 * 6 + 4), 100])


def test_an_empty_output_deletes_everything() -> None:
    assert counts("", "a b c", [edit(0, 1, ""), edit(1, 3, "")]) == [2, 2, 2]
    assert counts("", "a b c", []) == [0, 1, 0]
    assert counts("a b", "", []) == [0, 1, 0]
    assert counts("", "", []) == [0, 0, 0]


def test_texts_of_unequal_length_are_refused() -> None:
    with pytest.raises(DataError, match="1 sentences for 2 annotated ones"):
        m2(["a"], [annotated("a", []), annotated("b", [])])


def test_intervals_are_over_sentences() -> None:
    gold = [annotated("a b c", [edit(0, 1, "x")]) for _ in range(40)]
    found = m2(["x b c"] * 20 + ["a b y"] * 20, gold)["m2_f0.5"]
    low, high = bootstrap_interval(found.statistics, f_score)
    assert found.score == pytest.approx(50)
    assert low < 45 < 55 < high


@pytest.mark.parametrize(
    ("source", "hypothesis"),
    [
        ("one sentence of eight words stands here .", "of the " * 500),
        ("the of " * 60, "of the " * 60),
        (" ".join(f"a{n}" for n in range(120)), " ".join(f"b{n}" for n in range(120))),
    ],
)
def test_texts_that_have_millions_of_readings_take_seconds(source: str, hypothesis: str) -> None:
    # The official scorer goes through all triples of places in the lattice, for hours on such texts.
    start = time.process_time()
    counts(hypothesis, source, [edit(0, 1, "of"), edit(3, 3, "the", "of the")])
    assert time.process_time() - start < 60
