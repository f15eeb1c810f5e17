"""The learning rate against its definition."""

import pytest

from seqpre.study.settings import OptimizerSettings, TrainSettings
from seqpre.training.loop import learning_rate


def test_the_rate_falls_in_steps_after_the_first_updates() -> None:
    settings = OptimizerSettings(lr=1.0, decay=0.5, decay_after=10, decay_every=5)
    assert [learning_rate(settings, update, 100) for update in (0, 14, 15, 19, 20)] == [1, 1, 0.5, 0.5, 0.25]


def test_an_annealed_rate_is_held_then_falls_to_its_share_at_the_end() -> None:
    settings = OptimizerSettings(lr=2.0, hold=0.4, anneal_to=0.04)
    assert [learning_rate(settings, update, 200) for update in (0, 79, 80)] == [2, 2, 2]
    assert learning_rate(settings, 140, 200) == pytest.approx(2 * 0.2)  # Half of the way, the root of the share.
    assert learning_rate(settings, 200, 200) == pytest.approx(2 * 0.04)


@pytest.mark.parametrize("a_pass", [1, 7, 23, 85, 100.5])
def test_as_many_validations_fit_in_the_passes_as_they_are_passes_apart(a_pass: float) -> None:
    most, every = TrainSettings(passes=20, validate_passes=2.5).updates(a_pass)
    assert abs(most - 20 * a_pass) <= 0.5
    assert -(-most // every) <= 8  # The last update is validated in any case.


@pytest.mark.parametrize("a_pass", [0.0, 0.01, 0.3])
def test_there_is_an_update_and_a_validation_however_few_the_pairs(a_pass: float) -> None:
    assert min(TrainSettings(passes=20, validate_passes=2.5).updates(a_pass)) >= 1
