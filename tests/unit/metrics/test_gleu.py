"""GLEU by hand, against the official draws, and of mean counts."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from seqpre.common.errors import DataError
from seqpre.metrics.gleu import DRAWS, draws, gleu, gleu_from_statistics, sentence_statistics


def test_what_should_have_been_changed_counts_against_a_text() -> None:
    # Of five words four are right; `go`, which the reference has not, costs one more.
    source, reference = "he go to the school", "he goes to the school"
    assert sentence_statistics("he go to the school", source, reference) == [5, 5, 3, 0, 0, 0, 5, 4, 3, 2]
    # A wrong word of its own costs only itself.
    assert sentence_statistics("he gone to the school", source, reference) == [5, 5, 4, 2, 1, 0, 5, 4, 3, 2]
    assert sentence_statistics(reference, source, reference) == [5, 5, 5, 4, 3, 2, 5, 4, 3, 2]
    assert sentence_statistics("", source, reference) == [0, 5, 0, 0, 0, 0, 0, 0, 0, 0]


def test_the_score_is_a_geometric_mean_with_a_penalty_for_short_texts() -> None:
    totals = np.array([[10, 12, 8, 6, 4, 2, 10, 9, 8, 7], [10, 9, 10, 9, 8, 0, 10, 9, 8, 7]])
    by_hand = 100 * math.exp(1 - 12 / 10) * (8 / 10 * 6 / 9 * 4 / 8 * 2 / 7) ** 0.25
    assert gleu_from_statistics(totals).tolist() == pytest.approx([by_hand, 0.0])


def test_references_are_drawn_as_the_official_program_draws_them() -> None:
    drawn = draws(np.zeros((3, 4, 10)))
    assert len(drawn) == DRAWS
    random.seed(2 * 101)
    assert drawn[2] == [random.randint(0, 3) for _ in range(3)]
    assert draws(np.zeros((3, 1, 10))) == [[0, 0, 0]]


def test_the_draws_come_near_the_score_of_mean_counts() -> None:
    rng = random.Random(1)
    words = [f"w{n}" for n in range(30)]

    def text(of: list[str]) -> str:
        return " ".join(rng.choice(words) if rng.random() < 0.1 else word for word in of)

    plain = [[rng.choice(words) for _ in range(12)] for _ in range(200)]
    sources, hypotheses, *references = ([text(line) for line in plain] for _ in range(6))
    drawn, expected = gleu(hypotheses, sources, references).values()
    assert drawn.score == pytest.approx(expected.score, abs=0.5)
    drawn, expected = gleu(hypotheses, sources, references[:1]).values()
    assert drawn.score == expected.score == pytest.approx(float(gleu_from_statistics(drawn.statistics.sum(axis=0))))


def test_texts_that_are_not_parallel_are_refused() -> None:
    with pytest.raises(DataError, match="1 hypotheses for 2 sources"):
        gleu(["a"], ["a", "b"], [["a", "b"]])
    with pytest.raises(DataError, match="1 lines of reference 1 for 2 sources"):
        gleu(["a", "b"], ["a", "b"], [["a", "b"], ["a"]])
