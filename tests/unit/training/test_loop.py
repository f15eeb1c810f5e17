"""What an update asks PyTorch for."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import torch
from calls import Calls
from torch import Tensor, nn

from seqpre.training.loop import Trainer
from seqpre.training.objectives import Objective
from seqpre.training.processes import Processes


class ThreeBatches(Objective):
    """Three batches an update."""

    name, weight, size = "label", 1.0, "train.batch_sentences"

    def __init__(self) -> None:
        self.model = nn.Linear(2, 1)

    def next_losses(self) -> Iterator[tuple[Tensor, int]]:
        for tokens in (3, 4, 5):
            yield self.model(torch.ones(2)).sum() / 3, tokens

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        pass


def test_no_loss_is_read_before_the_last_batch_is_on_its_way_and_small_gradients_are_not_multiplied() -> None:
    objective = ThreeBatches()
    trainer = cast(Trainer, SimpleNamespace(processes=Processes()))
    with Calls() as calls:
        losses, tokens = Trainer._backward(trainer, objective)
    assert "aten::_local_scalar_dense" not in calls.names
    assert (len(losses), tokens) == (3, 12)
    with Calls() as calls:
        sum(map(float, losses))
    assert calls.names.count("aten::_local_scalar_dense") == 3
    for limit, multiplied in ((1e9, False), (1e-9, True)):
        with Calls() as calls:
            objective.limit_gradients(limit)
        assert calls.names.count("aten::_local_scalar_dense") == 1
        assert any("mul" in name for name in calls.names) == multiplied
