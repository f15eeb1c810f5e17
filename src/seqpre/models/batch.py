"""Batches of sequence pairs as models read them: batch first, padded at the end.

Shape suffixes: B rows of the batch, S source positions, T target positions, N scored positions.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from seqpre.corpora.subwords import EOS


@dataclass(frozen=True)
class Rows:
    """One process's rows of a batch of `total` rows: `start` to `stop`."""

    start: int
    stop: int
    total: int
    weight: float = 1.0
    """0 if there are fewer rows than processes: this process computes a row that does not count."""

    @property
    def slice(self) -> slice:
        """The slice that selects these rows."""
        return slice(self.start, self.stop)

    @property
    def whole(self) -> bool:
        """Whether these are all rows of the batch."""
        return self.stop - self.start == self.total


@dataclass(frozen=True)
class Batch:
    """Pairs of a source and a target. For a language model both are the same sentence.

    The loss scores the targets at (`rows_N`, `steps_N`), in order of time; padding is not among them.
    """

    source_BS: Tensor
    lengths_B: Tensor
    """Tokens of each source without padding."""
    inputs_BT: Tensor
    """Decoder inputs: EOS, then the target without its last token."""
    targets_BT: Tensor
    rows_N: Tensor
    steps_N: Tensor

    @classmethod
    def of(cls, source_BS: Tensor, lengths_B: Tensor, targets_BT: Tensor, scored_BT: Tensor) -> Batch:
        """Return the batch of these pairs. Targets are scored where `scored` is True."""
        inputs_BT = torch.full_like(targets_BT, EOS)  # The decoder's first input is EOS (Ramachandran, Figure 1).
        inputs_BT[:, 1:] = targets_BT[:, :-1]
        # In order of time: models that compute step by step find a step's tokens side by side.
        steps_N, rows_N = scored_BT.t().nonzero(as_tuple=True)
        return cls(source_BS, lengths_B, inputs_BT, targets_BT, rows_N, steps_N)

    @property
    def tokens(self) -> int:
        """The number of scored targets."""
        return len(self.rows_N)

    def scored(self, values_BT: Tensor) -> Tensor:
        """Select the scored positions (N, ...) of values (B, T, ...)."""
        return values_BT[self.rows_N, self.steps_N]

    def part(self, rows: Rows) -> Batch:
        """Return a process's rows, padded like the whole batch."""
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
        """Copy the batch to a device."""
        return Batch(*(on_device(tensor, device) for tensor in vars(self).values()))


def on_device(tensor: Tensor, device: torch.device) -> Tensor:
    """Copy a tensor to a device. To a GPU it goes from pinned memory, so that nothing waits for the copy."""
    if device.type == "cuda" and not tensor.is_cuda:
        tensor = tensor.pin_memory()  # PyTorch keeps such memory, and uses it again once the copy is done.
    return tensor.to(device, non_blocking=True)
