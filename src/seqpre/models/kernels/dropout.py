"""Dropout with masks that are cheap on a CPU and do not depend on the number of processes.

On a CPU PyTorch's dropout draws one number an element, which took 6 % of an update. Several processes that share a
batch each draw the masks of the whole batch, from the same random numbers, and keep those of their rows.

Shape suffixes: B rows of the batch, D features; masks have any number of dimensions before these two.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor

from seqpre.models.batch import Rows

STEPS = 2**16
"""A random 64-bit word decides four elements, so probabilities have steps of 1 / 65,536."""


_rows: Rows | None = None


@contextmanager
def rows_of_batch(rows: Rows) -> Iterator[None]:
    """Set which rows of the batch this process computes."""
    global _rows
    _rows, before = None if rows.whole else rows, _rows
    try:
        yield
    finally:
        _rows = before


def dropout_mask(shape_BD: tuple[int, ...], rate: float, like: Tensor) -> Tensor:
    """Return a mask of 0 (with probability `rate`) and 1 / (1 - rate), with the type and device of `like`."""
    *before, B, D = shape_BD
    whole = torch.Size((*before, B if _rows is None else _rows.total, D))
    if like.device.type == "cpu":
        words = torch.empty(-(-whole.numel() // 4), dtype=torch.int64).random_(-(2**63), None)
        threshold = min(round(rate * STEPS), STEPS - 1) - STEPS // 2  # 16-bit integers start at -32,768.
        kept = words.view(torch.int16)[: whole.numel()].view(whole) >= threshold
    else:
        kept = torch.rand(whole, device=like.device) >= rate
    if _rows is not None:
        kept = kept[..., _rows.slice, :]
    return kept.to(like.dtype).div_(1 - rate)


def drawn_by_torch(x: Tensor) -> bool:
    """Return whether PyTorch's dropout is used for `x`: on a GPU, if no other process shares the batch."""
    return x.device.type != "cpu" and _rows is None


def dropout(x_BD: Tensor, rate: float, training: bool) -> Tensor:
    """Drop elements of `x` and scale the others by 1 / (1 - rate), in training only."""
    if not training or rate == 0:
        return x_BD
    if drawn_by_torch(x_BD):
        return F.dropout(x_BD, rate)
    return x_BD * dropout_mask(tuple(x_BD.shape), rate, x_BD)
