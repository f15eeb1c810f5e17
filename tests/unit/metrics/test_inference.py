"""Verdicts on studies in which nothing is to be found are wrong as often as they say, and no more."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from seqpre.metrics.bleu import bleu_from_statistics, detokenized_bleu
from seqpre.metrics.inference import Estimate, alike, holm, seed_variance, sentence_variance
from seqpre.metrics.significance import bootstrap_scores, mean_of_items

STUDIES = 600
# Of 600 studies, 5 % give 30; fewer than 17 or more than 44 would be a chance in a hundred.
FEW, MANY = 17, 44


def two_systems(generator: np.random.Generator, seeds: int, sentences: int = 60) -> NDArray[np.float64]:
    """Return scores of equally good systems, shape (2, seeds, sentences).

    Each does better on sentences of its own, a seed shifts both alike, and each training has luck of its own.
    """
    parts = (8, (1, 1, sentences)), (2, (2, 1, sentences)), (1, (1, seeds, 1)), (0.3, (2, seeds, 1))
    return np.asarray(sum(generator.normal(0, sd, shape) for sd, shape in parts))


def difference(scores: NDArray[np.float64]) -> Estimate:
    """Return the first system minus the second, as the report estimates it."""
    _, seeds, sentences = scores.shape
    rows = [np.stack([run, np.ones(sentences)], axis=1) for run in scores.reshape(-1, sentences)]
    weights = [sign / seeds for sign in (1, -1) for _ in range(seeds)]
    by_seed = scores.mean(axis=2)
    luck = seed_variance(by_seed, np.array([1.0, -1.0]))
    resampled = [bootstrap_scores(row, mean_of_items, resamples=200) for row in rows]
    text = (sentence_variance(resampled, weights), np.inf)
    return Estimate(float(by_seed[0].mean() - by_seed[1].mean()), (luck, text))


@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_a_null_study_gives_5_percent_false_verdicts(seeds: int) -> None:
    """On a mean larger than its sd, as verdicts once were reached, one study in three is wrong."""
    generator, found, once = np.random.default_rng(seeds), 0, 0
    for _ in range(STUDIES):
        scores = two_systems(generator, seeds)
        found += difference(scores).p_zero() < 0.05
        deltas = (scores[0] - scores[1]).mean(axis=1)
        once += abs(deltas.mean()) > deltas.std(ddof=1)
    assert STUDIES / 100 <= found <= MANY, "5 % at most: two errors of like size are added generously"
    assert once > STUDIES / 3


def table(generator: np.random.Generator, systems: int, seeds: int) -> NDArray[np.float64]:
    """Return scores of equally good systems, shape (systems, seeds)."""
    return generator.normal(0, 1, (1, seeds)) + generator.normal(0, 0.3, (systems, seeds))


@pytest.mark.parametrize("seeds", [2, 5])
def test_a_table_of_nine_null_differences_has_a_false_one_in_5_percent_of_studies(seeds: int) -> None:
    generator, found, uncorrected, first = np.random.default_rng(seeds), 0, 0, 0
    for _ in range(STUDIES):
        scores = table(generator, 10, seeds)
        # The same for every difference: the spread is pooled.
        luck = seed_variance(scores, np.eye(10)[1] - np.eye(10)[0])
        p_values = [Estimate(float(system.mean() - scores[0].mean()), (luck,)).p_zero() for system in scores[1:]]
        found += min(holm(p_values)) < 0.05
        uncorrected += min(p_values) < 0.05
        first += p_values[0] < 0.05
    assert FEW <= first <= MANY
    assert found <= MANY
    assert uncorrected > 0.15 * STUDIES


@pytest.mark.parametrize(("times", "row_low", "row_high", "most"), [(2, 0.08, 0.2, 0.09), (3, 0.13, 0.29, 0.15)])
def test_one_system_that_is_noisier_than_others_has_a_false_verdict_more_often(
    times: float, row_low: float, row_high: float, most: float
) -> None:
    """As docs/statistics.md says: a pooled spread is too small for it."""
    generator, studies, found, own = np.random.default_rng(6), 300, 0, 0
    for _ in range(studies):
        scores = generator.normal(0, 1, (10, 3)) * np.array([1.0] * 9 + [times])[:, None]
        p_values = []
        for system in range(1, 10):
            luck = seed_variance(scores[[0, system, *({*range(1, 10)} - {system})]], np.eye(10)[1] - np.eye(10)[0])
            p_values.append(Estimate(float(scores[system].mean() - scores[0].mean()), (luck,)).p_zero())
        found += min(holm(p_values)) < 0.05
        own += p_values[-1] < 0.05
    assert row_low <= own / studies <= row_high
    assert found / studies <= most


def test_a_table_of_several_fractions_has_a_false_difference_in_5_percent_of_studies() -> None:
    """Corrected by fraction it would have one in two or three times as many."""
    generator, studies, seeds, found, by_fraction = np.random.default_rng(3), 200, 3, 0, 0
    for _ in range(studies):
        p_values = []
        for rows in (9, 4, 4, 6):
            scores = table(generator, rows + 1, seeds)
            luck = seed_variance(scores, np.eye(rows + 1)[1] - np.eye(rows + 1)[0])
            deltas = scores[1:].mean(axis=1) - scores[0].mean()
            p_values.append([Estimate(float(delta), (luck,)).p_zero() for delta in deltas])
        found += min(holm([p for one in p_values for p in one])) < 0.05
        by_fraction += min(p for one in p_values for p in holm(one)) < 0.05
    assert found <= 18  # Of 200 studies, 5 % give 10.
    assert by_fraction > 0.1 * studies


@pytest.mark.parametrize(("true", "least", "most"), [(0.5, 0, MANY), (0.0, STUDIES // 2, STUDIES)])
def test_what_is_just_outside_the_margin_is_called_equal_in_5_percent_and_what_is_equal_mostly(
    true: float, least: int, most: int
) -> None:
    generator, found = np.random.default_rng(1), 0
    for _ in range(STUDIES):
        seeds = generator.normal(true, 0.3, (1, 5))
        one = Estimate(float(seeds.mean()), (seed_variance(seeds, np.ones(1)),))
        found += one.p_within(-0.5, 0.5) < 0.05
    assert least <= found <= most


def test_a_table_of_differences_just_outside_the_margin_has_one_called_equal_in_5_percent_of_studies() -> None:
    generator, rows, seeds, found, uncorrected = np.random.default_rng(2), 9, 5, 0, 0
    for _ in range(STUDIES):
        scores = generator.normal(0, 0.1, (rows + 1, seeds))
        scores[1:] += 0.5
        luck = seed_variance(scores, np.eye(rows + 1)[1] - np.eye(rows + 1)[0])
        deltas = scores[1:].mean(axis=1) - scores[0].mean()
        least = min(Estimate(float(delta), (luck,)).p_within(-0.5, 0.5) for delta in deltas)
        found += least < 0.05 / rows
        uncorrected += least < 0.05
    assert found <= MANY
    assert uncorrected > 0.1 * STUDIES


def test_two_systems_give_the_paired_t_test() -> None:
    scores = table(np.random.default_rng(3), 2, 4)
    one = Estimate(float(scores[0].mean() - scores[1].mean()), (seed_variance(scores, np.array([1.0, -1.0])),))
    theirs = stats.ttest_rel(scores[0], scores[1])
    assert one.p_zero() == pytest.approx(theirs.pvalue)
    assert one.interval() == pytest.approx(tuple(theirs.confidence_interval()))
    assert one.p_within(-np.inf, 0) == pytest.approx(stats.ttest_rel(scores[0], scores[1], alternative="less").pvalue)


def test_one_system_gives_the_t_test_of_its_mean() -> None:
    seeds = np.array([[20.0, 21.0, 23.5]])
    one = Estimate(21.5, (seed_variance(seeds, np.ones(1)),))
    assert one.interval() == pytest.approx(tuple(stats.ttest_1samp(seeds[0], 0).confidence_interval()))


def test_systems_of_another_spread_are_not_pooled() -> None:
    generator = np.random.default_rng(0)
    scores = generator.normal(0, 0.1, (6, 5))
    assert alike(scores)
    weights = np.array([1.0, -1.0, 0, 0, 0, 0])
    assert seed_variance(scores, weights)[1] == 20
    scores[5] *= 100
    assert not alike(scores)
    assert seed_variance(scores, weights)[1] == 4


def test_one_seed_decides_nothing() -> None:
    one = Estimate(3.0, (seed_variance(np.array([[3.0], [0.0]]), np.array([1.0, -1.0])),))
    assert one.p_zero() == 1.0
    assert one.interval() == (-np.inf, np.inf)
    assert one.p_within(0, np.inf) > 0.05
    assert one.p_beyond(-1, 1) > 0.05


def test_half_the_width_is_the_root_of_the_squared_half_widths() -> None:
    both, one, other = (
        Estimate(1.0, parts) for parts in (((4.0, 3.0), (9.0, np.inf)), ((4.0, 3.0),), ((9.0, np.inf),))
    )
    halves = [estimate.interval()[1] - 1 for estimate in (both, one, other)]
    assert halves[0] == pytest.approx(np.hypot(halves[1], halves[2]))
    assert halves[2] == pytest.approx(3 * stats.norm.ppf(0.975))
    # The p-value is the level whose interval ends at the bound.
    low, _ = both.interval(0.9)
    assert both.p_within(low, np.inf) == pytest.approx(0.05)
    assert both.p_beyond(-np.inf, low) == pytest.approx(0.05)


def test_the_bootstrap_of_a_difference_is_that_of_a_loop() -> None:
    lines = ["a b c d e f", "g h i j k", "l m n o p q r", "s t u v w"]
    runs = [detokenized_bleu([line.replace(gone, "x") for line in lines], lines).statistics for gone in "bnw"]
    scorer = partial(bleu_from_statistics, smoothing="exp")
    generator, values = np.random.default_rng(7), []
    for _ in range(50):
        drawn = generator.choice(4, size=4)
        one, two, three = (float(scorer(run[drawn].sum(axis=0))) for run in runs)
        values.append(one / 2 + two / 2 - three)
    resampled = [bootstrap_scores(run, scorer, resamples=50, seed=7) for run in runs]
    ours = sentence_variance(resampled, [0.5, 0.5, -1.0])
    assert ours == pytest.approx(float(np.var(values, ddof=1)))


def test_holm_corrects_as_worked_out_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []
