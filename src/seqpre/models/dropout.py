"""Dropout whose masks are cheap on a CPU, where PyTorch's draws one number an element and takes 6 % of an update."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

STEPS = 2**16
"""A mask's element is kept with a probability in steps of 1 / 65,536: each random 64-bit word decides four."""


def dropout_mask(shape: tuple[int, ...], rate: float, like: Tensor) -> Tensor:
    """Return zeros (with probability `rate`) and 1 / (1 - rate), of `like`'s type and device."""
    if like.device.type != "cpu":
        return torch.empty(shape, dtype=like.dtype, device=like.device).bernoulli_(1 - rate).div_(1 - rate)
    size = torch.Size(shape).numel()
    words = torch.empty(-(-size // 4), dtype=torch.int64).random_(-(2**63), None)
    threshold = min(round(rate * STEPS), STEPS - 1) - STEPS // 2  # As a 16-bit integer, so from -32,768 on.
    kept = words.view(torch.int16)[:size].view(shape) >= threshold
    return kept.to(like.dtype).div_(1 - rate)


def dropout(x: Tensor, rate: float, training: bool) -> Tensor:
    """Return `x` with elements dropped and the others scaled by 1 / (1 - rate), in training."""
    if not training or rate == 0:
        return x
    if x.device.type != "cpu":
        return F.dropout(x, rate)
    return x * dropout_mask(tuple(x.shape), rate, x)
