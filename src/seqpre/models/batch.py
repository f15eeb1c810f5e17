"""Batches, as models read them: pairs of sequences, batch first, padded at their end.

Shape suffixes: B rows of the batch, S source positions, T target positions, N scored positions.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from seqpre.corpora.subwords import EOS


@dataclass(frozen=True)
class Rows:
    """One process's rows of a batch of `total`, neighbours from `start` to `stop`."""

    start: int
    stop: int
    total: int
    weight: float = 1.0
    """0 where there are fewer rows than processes and this one only keeps the others company."""

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)

    @property
    def whole(self) -> bool:
        return self.stop - self.start == self.total


@dataclass(frozen=True)
class Batch:
    """Pairs of a source and a target; of sentences alone both are the same.

    Only the targets at (`rows_N`, `steps_N`) are scored; they come in order of time, and none is padding.
    """

    source_BS: Tensor
    lengths_B: Tensor
    """Real tokens of each source."""
    inputs_BT: Tensor
    """What the decoder reads: EOS, then the target but for its last token."""
    targets_BT: Tensor
    rows_N: Tensor
    steps_N: Tensor

    @classmethod
    def of(cls, source_BS: Tensor, lengths_B: Tensor, targets_BT: Tensor, scored_BT: Tensor) -> Batch:
        """Return the batch of these pairs, whose targets count where `scored` is True."""
        inputs_BT = torch.full_like(targets_BT, EOS)  # The decoder's first input is EOS (Ramachandran, Figure 1).
        inputs_BT[:, 1:] = targets_BT[:, :-1]
        # In order of time, so that a step's tokens stay neighbours where models compute step by step.
        steps_N, rows_N = scored_BT.t().nonzero(as_tuple=True)
        return cls(source_BS, lengths_B, inputs_BT, targets_BT, rows_N, steps_N)

    @property
    def tokens(self) -> int:
        """How many targets are scored."""
        return len(self.rows_N)

    def scored(self, values_BT: Tensor) -> Tensor:
        """Return what (B, T, ...) has at the scored positions (N, ...)."""
        return values_BT[self.rows_N, self.steps_N]

    def part(self, rows: Rows) -> Batch:
        """Return some of the pairs, padded as the whole batch is."""
        if rows.whole:
            return self
        here_N = (rows.start <= self.rows_N) & (self.rows_N < rows.stop)
        return Batch(
            self.source_BS[rows.slice],
            self.lengths_B[rows.slice],
            self.inputs_BT[rows.slice],
            self.targets_BT[rows.slice],
            self.rows_N[here_N] - rows.start,
            self.steps_N[here_N],
        )

    def to(self, device: torch.device) -> Batch:
        """Return the batch on a device."""
        return Batch(*(tensor.to(device, non_blocking=True) for tensor in vars(self).values()))
