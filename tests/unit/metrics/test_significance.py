"""The bootstrap against an obvious loop and against sacreBLEU's resamples."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import _bootstrap_resample

from seqpre.metrics.bleu import bleu_from_statistics, detokenized_bleu
from seqpre.metrics.significance import bootstrap_interval, bootstrap_scores, paired_bootstrap

SCORER = partial(bleu_from_statistics, smoothing="exp")


def corpus(seed: int, keep: float, sentences: int = 40) -> tuple[list[str], list[str]]:
    """Return hypotheses that keep this share of the words of the references; the references depend on no argument."""
    rng = random.Random(0)
    references = [" ".join(rng.choices("abcdefgh", k=rng.randint(4, 15))) for _ in range(sentences)]
    rng = random.Random(seed)
    return [" ".join(w if rng.random() < keep else "x" for w in line.split()) for line in references], references


def statistics(seed: int, keep: float) -> NDArray[np.int64]:
    return detokenized_bleu(*corpus(seed, keep)).statistics


def test_resampled_scores_equal_those_of_a_loop_that_scores_every_resampled_text() -> None:
    hypotheses, references = corpus(1, 0.8)
    fast = bootstrap_scores(statistics(1, 0.8), SCORER, resamples=60, seed=3)
    generator = np.random.default_rng(3)
    slow = []
    for _ in range(60):
        drawn = generator.choice(len(references), size=len(references), replace=True)
        slow.append(detokenized_bleu([hypotheses[i] for i in drawn], [references[i] for i in drawn]).score)
    assert fast.tolist() == pytest.approx(slow)
    low, high = bootstrap_interval(statistics(1, 0.8), SCORER, resamples=60, seed=3)
    assert (low, high) == pytest.approx((np.percentile(slow, 2.5), np.percentile(slow, 97.5)))


def test_resamples_are_those_of_sacrebleu_for_its_default_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    counts = statistics(1, 0.8)
    _, theirs = _bootstrap_resample(counts.tolist(), BLEU(), 1000)
    assert bootstrap_scores(counts, SCORER).tolist() == pytest.approx([score.score for score in theirs])


def test_the_interval_contains_the_score_and_a_sure_score_has_no_width() -> None:
    hypotheses, references = corpus(1, 0.8)
    low, high = bootstrap_interval(statistics(1, 0.8), SCORER)
    assert low < detokenized_bleu(hypotheses, references).score < high
    assert bootstrap_interval(statistics(1, 1.0), SCORER) == pytest.approx((100, 100))


def test_paired_p_value_equals_that_of_a_loop() -> None:
    system, baseline = statistics(1, 0.82), statistics(2, 0.78)
    observed = float(SCORER(system.sum(axis=0)) - SCORER(baseline.sum(axis=0)))
    generator = np.random.default_rng(5)
    differences = []
    for _ in range(200):
        drawn = generator.choice(len(system), size=len(system), replace=True)
        differences.append(float(SCORER(system[drawn].sum(axis=0)) - SCORER(baseline[drawn].sum(axis=0))))
    mean = sum(differences) / len(differences)
    extreme = sum(abs(difference - mean) >= abs(observed) for difference in differences)
    test = paired_bootstrap(system, baseline, SCORER, resamples=200, seed=5)
    assert test.delta == pytest.approx(observed)
    assert test.p_value == pytest.approx((extreme + 1) / 201)
    assert 0.01 < test.p_value < 0.9, "the case must be one where the count matters"


def test_equal_systems_have_p_1_and_far_apart_ones_the_smallest_possible() -> None:
    assert paired_bootstrap(statistics(1, 0.8), statistics(1, 0.8), SCORER).p_value == 1.0
    assert paired_bootstrap(statistics(1, 0.98), statistics(2, 0.5), SCORER).p_value == pytest.approx(1 / 1001)


def test_swapping_the_systems_changes_the_sign_only() -> None:
    one, other = statistics(1, 0.82), statistics(2, 0.78)
    forth, back = paired_bootstrap(one, other, SCORER), paired_bootstrap(other, one, SCORER)
    assert forth.delta == pytest.approx(-back.delta)
    assert forth.p_value == back.p_value


def test_p_values_of_equally_good_systems_are_not_small_too_often() -> None:
    """Under the null hypothesis p < 0.05 must be about as rare as it says; shifted absolute values fail this."""
    values = [paired_bootstrap(statistics(s, 0.8), statistics(s + 500, 0.8), SCORER, resamples=200).p_value
              for s in range(1, 81)]  # fmt: skip
    assert sum(value < 0.05 for value in values) <= 12
    assert 0.3 < float(np.mean(values)) < 0.7
