"""Noise against rates and masks worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from seqpre.corpora.subwords import UNK
from seqpre.study.pretraining_settings import NoiseSettings
from seqpre.training.noise import CLEAN_SCORED, PUBLISHED, Unigrams, corrupted, noised, recopied, scored, shuffled

UNIGRAMS = Unigrams.of(np.array([6, 3, 1]))  # The words 4, 5 and 6.


def test_the_beta_distribution_is_the_paper_s() -> None:
    assert pytest.approx((21.1, 119.57), abs=0.05) == PUBLISHED.beta
    rates = np.random.default_rng(1).beta(*PUBLISHED.beta, 200_000)
    assert (rates.mean(), rates.std()) == pytest.approx((0.15, 0.03), abs=5e-4)


def test_two_neighbours_are_swapped_in_sixteen_of_a_hundred_cases() -> None:
    rng = np.random.default_rng(2)
    swapped = [shuffled(np.arange(2), rng, PUBLISHED.variance).tolist() == [1, 0] for _ in range(40_000)]
    # i + 1 + d' < i + d: a normal of variance 2 x 0.5 beyond 1.
    assert np.mean(swapped) == pytest.approx(1 - math.erf(1 / math.sqrt(2)) / 2 - 0.5, abs=0.006)
    assert np.mean(swapped) == pytest.approx(0.159, abs=0.006)


def test_words_are_replaced_by_how_often_they_were_seen() -> None:
    drawn = UNIGRAMS.draw(50_000, np.random.default_rng(3))
    assert [float(np.mean(drawn == word)) for word in (4, 5, 6)] == pytest.approx([0.6, 0.3, 0.1], abs=0.01)


@pytest.mark.parametrize(
    ("settings", "rate"), [(PUBLISHED, 0.15), (NoiseSettings(rate=0.4, deviation=0.05), 0.4)], ids=["paper", "more"]
)
def test_of_a_hundred_words_the_paper_deletes_fifteen_and_replaces_as_many(
    settings: NoiseSettings, rate: float
) -> None:
    rng = np.random.default_rng(4)
    unseen = Unigrams.of(np.array([1]))  # The word 4, which no sequence has.
    lengths, replaced, left = 0, 0, 0
    for _ in range(3_000):
        words = np.arange(10, 50)
        noisy, _ = noised(words, unseen, rng, settings)
        lengths, left, replaced = lengths + 40, left + len(noisy), replaced + int((noisy == 4).sum())
    assert 1 - left / lengths == pytest.approx(rate, abs=0.003)
    assert replaced / left == pytest.approx(rate, abs=0.003)


@pytest.mark.parametrize(
    ("noisy", "origins", "expected"),
    [
        ([10, 11, 12, 13], [0, 1, 2, 3], [0, 0, 0, 0]),
        ([10, 12, 13], [0, 2, 3], [0, 1, 0, 0]),  # Deleted; what follows has moved but is not corrupted.
        ([10, 5, 12, 13], [0, 1, 2, 3], [0, 1, 0, 0]),  # Replaced.
        ([10, 12, 11, 13], [0, 2, 1, 3], [0, 1, 1, 0]),  # Swapped.
        ([12, 11, 10, 13], [2, 1, 0, 3], [1, 1, 1, 0]),  # The middle one has changed sides with both.
        ([12, 10, 11, 13], [2, 0, 1, 3], [1, 1, 1, 0]),
        ([12, 10, 13], [2, 0, 3], [1, 1, 1, 0]),  # Swapped around one that is deleted.
        ([10, 5, 13], [0, 2, 3], [0, 1, 1, 0]),  # Deleted, and its neighbour replaced.
        ([10, 12, 5, 13], [0, 2, 1, 3], [0, 1, 1, 0]),  # Swapped and replaced.
        ([10, 12, 11, 5], [0, 2, 1, 3], [0, 1, 1, 1]),  # Swapped, and their neighbour replaced.
        ([5, 10, 13], [2, 0, 3], [1, 1, 1, 0]),  # Swapped, deleted and replaced.
        ([], [], [1, 1, 1, 1]),
    ],
)
def test_a_word_is_corrupted_if_deleted_replaced_or_out_of_order(
    noisy: Sequence[int], origins: Sequence[int], expected: Sequence[int]
) -> None:
    found = corrupted(np.arange(10, 14), np.array(noisy, dtype=np.int64), np.array(origins, dtype=np.int64))
    assert found.astype(int).tolist() == expected


def test_every_word_that_noise_has_left_alone_can_be_read_in_order() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        words = np.arange(10, 40)
        noisy, hurt = noised(words, UNIGRAMS, rng)
        clean = words[~hurt].tolist()
        assert [word for word in noisy.tolist() if word in clean] == clean
        assert set(words[hurt].tolist()) >= set(words.tolist()) - set(noisy.tolist())


def test_all_corrupted_positions_are_scored_and_three_of_a_hundred_others() -> None:
    rng = np.random.default_rng(6)
    hurt = np.arange(99) % 3 == 0
    masks = np.array([scored(hurt, rng) for _ in range(2_000)])
    assert masks[:, :-1][:, hurt].all()
    clean = np.concatenate([masks[:, :-1][:, ~hurt], masks[:, -1:]], axis=1)
    assert clean.mean() == pytest.approx(CLEAN_SCORED, abs=0.002)
    assert clean[:, -1].mean() == pytest.approx(CLEAN_SCORED, abs=0.012)


def test_unknown_words_are_found_by_their_first_place_in_the_noisy_source() -> None:
    # Vocabulary of 10; the words A, B, C are unknown and first stand at the places 1, 2 and 4.
    target = np.array([5, 11, 12, 11, 14, 6])
    source = np.array([12, 5, 11, 7, 11])
    noisy, clean = recopied(source, target, 10)
    assert noisy.tolist() == [10, 5, 12, 7, 12]
    assert clean.tolist() == [5, 12, 10, 12, UNK, 6]
    noisy, clean = recopied(np.array([5, 6]), target, 10)
    assert noisy.tolist() == [5, 6]
    assert clean.tolist() == [5, UNK, UNK, UNK, UNK, 6]
