"""Rates, optimisers and averages against their definitions."""

import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import pytest
import torch
from calls import Calls
from torch import nn

from seqpre.study.settings import OptimizerSettings, TrainSettings
from seqpre.training.optimisation import Optimisation, learning_rate, make_optimizer


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


def test_the_rate_rises_linearly_then_falls_with_the_root_of_the_updates() -> None:
    settings = OptimizerSettings(lr=1.0, schedule="inverse_sqrt", warmup=4, warmup_from=0.2)
    rates = [learning_rate(settings, update, 100) for update in (0, 1, 3, 4, 15, 63)]
    assert rates == pytest.approx([0.4, 0.6, 1.0, math.sqrt(4 / 5), 0.5, 0.25])


def test_half_a_cosine_leads_to_the_end_of_the_rate() -> None:
    settings = OptimizerSettings(lr=1.0, schedule="cosine", warmup=10, lr_end=0.2)
    assert [learning_rate(settings, update, 110) for update in (9, 10, 60, 110)] == pytest.approx([1.0, 1.0, 0.6, 0.2])


def one_weight(**settings: object) -> tuple[nn.Linear, Optimisation]:
    """A model of a single weight, 1, and what moves it."""
    model = nn.Linear(1, 1, bias=False)
    nn.init.ones_(model.weight)
    return model, Optimisation(model, OptimizerSettings(**settings), 100)  # type: ignore[arg-type]


def move(model: nn.Linear, optimisation: Optimisation, gradient: float) -> float:
    model.weight.grad = torch.full((1, 1), gradient)
    optimisation.step()
    optimisation.updated()
    return float(model.weight.detach())


def test_the_rate_falls_when_the_loss_has_not_until_training_ends() -> None:
    model, optimisation = one_weight(lr=1.0, schedule="plateau", decay=0.5, lr_end=0.25, warmup=1)
    assert not optimisation.validated(9.0)
    assert not optimisation.validated(9.0)  # In the warm-up nothing falls.
    move(model, optimisation, 0.0)
    found = [(optimisation.validated(loss), optimisation.rate) for loss in (8.0, 8.5, 7.0, 7.0, 7.5)]
    assert found == [(False, 1.0), (False, 0.5), (False, 0.5), (False, 0.25), (True, 0.125)]


def test_a_plateau_is_resumed_where_it_was() -> None:
    _, one = one_weight(lr=1.0, schedule="plateau", decay=0.5)
    for loss in (8.0, 9.0):
        one.validated(loss)
    _, other = one_weight(lr=1.0, schedule="plateau", decay=0.5)
    other.load_state_dict(one.state_dict(), 0)
    assert [optimisation.validated(8.5) for optimisation in (one, other)] == [False, False]
    assert one.rate == other.rate == 0.25


def test_a_loss_that_is_no_number_counts_as_no_improvement_and_is_forgotten() -> None:
    _, optimisation = one_weight(lr=1.0, schedule="plateau", decay=0.5)
    rates = []
    for loss in (8.0, math.nan, 7.0, 7.5):
        optimisation.validated(loss)
        rates.append(optimisation.rate)
    assert rates == [1.0, 0.5, 0.5, 0.25]


def test_nesterov_s_gradient_looks_ahead_along_the_momentum() -> None:
    model, optimisation = one_weight(name="nag", lr=0.1, momentum=0.5)
    weight = velocity = 0.0
    for gradient in (1.0, -2.0, 0.5):
        velocity = 0.5 * velocity + gradient
        weight -= 0.1 * (gradient + 0.5 * velocity)
        assert move(model, optimisation, gradient) == pytest.approx(1 + weight)


def test_averages_are_lent_and_the_weights_come_back() -> None:
    model, optimisation = one_weight(name="nag", lr=1.0, momentum=1e-12, average=0.25)
    average = 1.0
    for update, memory in ((1, 2 / 11), (2, 3 / 12), (3, 0.25)):  # Never a longer memory than there are updates for.
        weight = move(model, optimisation, 1.0)
        average = memory * average + (1 - memory) * weight
        assert weight == pytest.approx(1 - update)
        with optimisation.averaged():
            assert float(model.weight) == pytest.approx(average)
        assert float(model.weight) == weight


def test_all_weights_are_averaged_by_one_call_to_the_bits_of_a_call_each() -> None:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(30, 40), nn.Linear(40, 50))
    optimisation = Optimisation(model, OptimizerSettings(average=0.9), 100)
    averages = {name: average.clone() for name, average in optimisation.averages.items()}
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter))
        for name, average in averages.items():
            average.lerp_(optimisation.parameters[name], 1 - 2 / 11)
    with Calls() as calls:
        optimisation.updated()
    assert calls.names == ["aten::_foreach_lerp_"]
    assert all(torch.equal(average, averages[name]) for name, average in optimisation.averages.items())


@pytest.mark.parametrize(
    ("settings", "theirs"),
    [
        (OptimizerSettings(name="adam", lr=0.1), partial(torch.optim.Adam, betas=(0.9, 0.999), fused=True)),
        (OptimizerSettings(name="adagrad", lr=0.1), partial(torch.optim.Adagrad, initial_accumulator_value=1.0)),
        (OptimizerSettings(name="nag", lr=0.1, momentum=0.9), partial(torch.optim.SGD, momentum=0.9, nesterov=True)),
    ],
)
def test_weights_move_as_pytorch_s_optimisers_move_them(
    settings: OptimizerSettings, theirs: Callable[..., torch.optim.Optimizer]
) -> None:
    both = [nn.Parameter(torch.linspace(-1, 1, 7)) for _ in range(2)]
    own, other = make_optimizer([both[0]], settings), theirs([both[1]], lr=0.1)
    for update in range(5):
        for weight, optimizer in zip(both, (own, other), strict=True):
            optimizer.zero_grad()
            ((weight - update).square().sum()).backward()
            optimizer.step()
        own.load_state_dict(own.state_dict())
        assert torch.equal(*both)


def test_losses_with_a_state_of_their_own_do_not_feel_each_other_s_gradients() -> None:
    settings = OptimizerSettings(lr=0.1, state="own")
    both, alone = nn.Linear(1, 1, bias=False), nn.Linear(1, 1, bias=False)
    optimisation, one = Optimisation(both, settings, 100, losses=2), Optimisation(alone, settings, 100)
    for gradient in (3.0, -1.0, 0.5):
        moved = []
        for model, its in ((both, optimisation), (alone, one)):
            model.weight.grad = torch.full((1, 1), gradient)
            before = model.weight.detach().clone()
            its.step()
            moved.append(model.weight.detach() - before)
        torch.testing.assert_close(*moved)
        both.weight.grad = torch.full((1, 1), 100.0)
        optimisation.step(1)
        optimisation.load_state_dict(optimisation.state_dict(), 1)


def test_an_update_starts_no_compiler() -> None:
    update = """
import sys, torch
from seqpre.study.settings import OptimizerSettings
from seqpre.training.optimisation import Optimisation
model = torch.nn.Linear(1, 1)
optimisation = Optimisation(model, OptimizerSettings(), 1)
model(torch.ones(1)).backward()
optimisation.step()
optimisation.state_dict()
assert "torch._dynamo" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", update], check=True)
