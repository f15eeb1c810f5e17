"""A batch that processes share."""

from __future__ import annotations

import torch
from torch import nn

from seqpre.models.batch import Batch
from seqpre.models.kernels.dropout import rows_of_batch
from seqpre.training.processes import Processes


def assert_parts_add_up(model: nn.Module, pairs: Batch) -> None:
    """Two processes, each with its rows of a batch of three, drop what one alone drops: their losses add up to its."""
    state = torch.get_rng_state()
    whole, parts = model.loss(pairs), []
    for rank in range(2):
        torch.set_rng_state(state)
        rows = Processes(rank, 2).rows(3)
        with rows_of_batch(rows):
            parts.append(model.loss(pairs.part(rows)))
    torch.testing.assert_close(sum(parts), whole)
