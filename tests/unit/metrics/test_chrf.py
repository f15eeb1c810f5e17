"""chrF2 is sacreBLEU's, of corpora, of sentences and of resampled counts."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sacrebleu.metrics.chrf import CHRF

from seqpre.common.errors import DataError
from seqpre.metrics.chrf import CHRF2, chrf2_from_statistics, sentence_statistics
from seqpre.metrics.metric import Score, Texts


def scored(outputs: list[str], references: list[str]) -> Score:
    score = CHRF2.score(Texts(outputs, references))
    assert score is not None
    return score


def noisy(seed: int, lines: int = 30) -> tuple[list[str], list[str]]:
    """Return outputs and references that share some of their characters; some lines are empty or short."""
    rng = random.Random(seed)
    references = ["".join(rng.choices("aäb c.", k=rng.choice((0, 1, 3, 20, 40)))) for _ in range(lines)]
    outputs = ["".join(c if rng.random() < 0.8 else rng.choice("abd ") for c in line) for line in references]
    return [line[rng.choice((0, 0, 2)) :] for line in outputs], references


def test_a_pair_worked_by_hand() -> None:
    # Without spaces abc and abd: 1-grams a b of a b c and a b d, 2-grams ab of ab bc and ab bd, no 3-gram.
    assert sentence_statistics("a bc", "ab d") == [3, 3, 2, 2, 2, 1, 1, 1, 0, *[0] * 9]
    # Precision and recall are both (2/3 + 1/2 + 0) / 3, so F is that, too.
    assert scored(["a bc"], ["ab d"]).score == pytest.approx(100 * (2 / 3 + 1 / 2) / 3)
    # abcd for ab: precision (2/4 + 1/3) / 2, recall 1; 5 P R / (4 P + R).
    precision = (2 / 4 + 1 / 3) / 2
    assert scored(["abcd"], ["ab"]).score == pytest.approx(100 * 5 * precision / (4 * precision + 1))


@pytest.mark.parametrize("seed", range(5))
def test_corpora_and_sentences_have_the_scores_of_sacrebleu(seed: int) -> None:
    outputs, references = noisy(seed)
    assert scored(outputs, references).score == pytest.approx(CHRF().corpus_score(outputs, [references]).score)
    assert CHRF2.of_items is not None
    assert CHRF2.of_items(Texts(outputs, references)) == pytest.approx(
        [CHRF().sentence_score(*pair).score for pair in zip(outputs, ([one] for one in references), strict=True)]
    )


def test_a_resample_has_the_score_of_the_sentences_that_were_drawn() -> None:
    outputs, references = noisy(7)
    statistics = scored(outputs, references).statistics
    draws = np.random.default_rng(1).integers(0, len(outputs), size=(20, len(outputs)))
    resampled = chrf2_from_statistics(np.stack([statistics[drawn].sum(axis=0) for drawn in draws]))
    expected = [
        CHRF().corpus_score([outputs[i] for i in drawn], [[references[i] for i in drawn]]).score for drawn in draws
    ]
    assert resampled.tolist() == pytest.approx(expected)


def test_the_signature_is_that_of_sacrebleu() -> None:
    chrf = CHRF()
    chrf.corpus_score(["a"], [["a"]])
    assert scored(["a"], ["a"]).signature == str(chrf.get_signature())


def test_texts_without_a_common_character_have_no_score_and_empty_ones_are_refused() -> None:
    assert scored(["ab", ""], ["cd", "e"]).score == 0.0
    with pytest.raises(DataError, match="1 hypotheses for 2 references"):
        scored(["a"], ["a", "b"])
    with pytest.raises(DataError, match="no sentence to score"):
        scored([], [])
