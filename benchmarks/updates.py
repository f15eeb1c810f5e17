"""Updates as the training loop takes them: loss, gradients, clipping, step."""

from __future__ import annotations

from torch import nn

from seqpre.common.device import device_of
from seqpre.study.settings import OptimizerSettings
from seqpre.training.objectives import Objective
from seqpre.training.optimisation import make_optimizer

ADAM = OptimizerSettings(name="adam", lr=1e-3, clip_norm=1.0)


class Updates:
    """Takes a window of updates of one objective; the sum of tokens is what it did."""

    def __init__(self, model: nn.Module, objective: Objective, updates: int) -> None:
        device_of("cpu")  # As our commands do: it keeps freed memory.
        self.objective, self.updates = objective, updates
        self.optimizer = make_optimizer(list(model.parameters()), ADAM)
        model.train()

    def __call__(self) -> float:
        total = 0
        for _ in range(self.updates):
            ((loss, tokens),) = self.objective.next_losses()
            loss.backward()  # type: ignore[no-untyped-call]
            norm = nn.utils.clip_grad_norm_(self.objective.parameters, ADAM.clip_norm)
            assert float(norm) < float("inf")
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            total += tokens
        return total


def trained_parameters(model: nn.Module, objective: Objective) -> int:
    """Return how many weights one update of this objective moves."""
    ((loss, _),) = objective.next_losses()
    loss.backward()  # type: ignore[no-untyped-call]
    count = sum(parameter.numel() for parameter in model.parameters() if parameter.grad is not None)
    model.zero_grad(set_to_none=True)
    return count
