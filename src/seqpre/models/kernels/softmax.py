"""The cross-entropy of a softmax layer in chunks, so that the logits of all positions never exist at once.

Shape suffixes: N positions, D features, V vocabulary.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqpre.models.kernels.products import MOST_ROWS, in_place_of_autocast, operand, pieces, product, weight_gradients
from seqpre.study.models.model import CHUNK_LOGITS

MOST_LOGITS = {"cpu": 2**24, "cuda": CHUNK_LOGITS}
"""Most logits at a time (64 MiB and 2 GiB in float32), but at least those of 64 positions. The CPU's number was
measured. On a GPU a batch of the papers' sizes is one chunk: for each more, all weights' gradient is added up again."""


def rows_at_once(vocabulary: int, device: str) -> int:
    """Return how many positions have their logits at a time; oneDNN, on a CPU, is given no more rows than MOST_ROWS."""
    rows = MOST_LOGITS[device] // vocabulary
    return min(MOST_ROWS, rows) if device == "cpu" else rows


class _CrossEntropy(torch.autograd.Function):
    """Sum of -log softmax(h W^T + b)[target]. Gradients are computed chunk by chunk, while the logits exist.

    With `smoothing` e the label is (1 - e) [target] + e / V everywhere. This adds e (mean of the logits - target's
    logit) to log softmax[target]. It is linear, so the mean of the weights gives it without a pass over the logits.
    """

    @staticmethod
    def forward(
        ctx: Any, features_ND: Tensor, weight_VD: Tensor, bias_V: Tensor | None, targets_N: Tensor, smoothing: float
    ) -> Tensor:
        needs = ctx.needs_input_grad
        d_features_ND = torch.empty_like(features_ND) if needs[0] else None
        d_weight_VD = None
        d_bias_V = torch.zeros_like(bias_V) if bias_V is not None and needs[2] else None
        own = weight_VD.dtype  # Products may have a lower precision; sums and the softmax do not.
        total = weight_VD.new_zeros(())
        mean_weight_D1 = weight_VD.mean(dim=0)[:, None] if smoothing else None
        V, weight_VD = len(weight_VD), operand(weight_VD)
        N = len(targets_N)
        for chunk in pieces(N, rows_at_once(V, weight_VD.device.type), features_ND):
            targets_n1 = targets_N[chunk, None]
            features_nD = features_ND[chunk]
            rounded_nD = operand(features_nD)
            logits_nV = product(rounded_nD, weight_VD, bias_V).to(own)
            logs_n1 = logits_nV.gather(1, targets_n1)
            if mean_weight_D1 is not None:
                mean_n1 = features_nD.to(own) @ mean_weight_D1
                logs_n1.lerp_(mean_n1 if bias_V is None else mean_n1 + bias_V.mean(), smoothing)
            logs_n1 -= logits_nV.amax(dim=1, keepdim=True)
            # One pass of exponentials is enough: the largest probability, at least 1 / V, gives the log of their sum.
            d_logits_nV = torch.softmax(logits_nV, dim=1, out=logits_nV)
            total -= logs_n1.add_(d_logits_nV.amax(dim=1, keepdim=True).log_()).sum()
            if any(needs[:3]):
                d_logits_nV.scatter_add_(1, targets_n1, d_logits_nV.new_full(targets_n1.shape, smoothing - 1.0))
                if d_bias_V is not None:
                    d_bias_V += d_logits_nV.sum(dim=0)
                rounded_nV = operand(d_logits_nV)
                if d_features_ND is not None:
                    d_features_ND[chunk] = product(rounded_nV, weight_VD.t())
                if needs[1]:
                    more_VD = weight_gradients(rounded_nV, rounded_nD)[0].to(own)
                    d_weight_VD = more_VD if d_weight_VD is None else d_weight_VD.add_(more_VD)
                    del more_VD
                del rounded_nV
            del logits_nV, d_logits_nV  # Before there are the next ones.
        if mean_weight_D1 is not None:
            if d_features_ND is not None:
                d_features_ND -= smoothing * mean_weight_D1[:, 0]
            if d_weight_VD is not None:
                d_weight_VD -= smoothing / V * features_ND.sum(dim=0)
            if d_bias_V is not None:
                d_bias_V -= smoothing * N / V
        ctx.save_for_backward(d_features_ND, d_weight_VD, d_bias_V)
        return total

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Tensor | None, ...]:
        (d_total,) = d_outputs
        # In place, which saves a copy of the largest gradient. So there is only one backward pass; PyTorch checks that.
        return *(None if g is None else g.mul_(d_total) for g in ctx.saved_tensors), None, None


def cross_entropy(
    features_ND: Tensor, weight_VD: Tensor, bias_V: Tensor | None, targets_N: Tensor, smoothing: float = 0.0
) -> Tensor:
    """Return the summed cross-entropy (nats) of a softmax layer, for positions without padding.

    `smoothing` is the share of each label that is spread over the vocabulary (Szegedy et al., 2016, Section 7).
    """
    if not torch.is_grad_enabled():  # The function cannot see this and would compute unused gradients.
        features_ND, weight_VD = features_ND.detach(), weight_VD.detach()
        bias_V = None if bias_V is None else bias_V.detach()
    arguments = (features_ND, weight_VD, bias_V, targets_N, smoothing)
    with in_place_of_autocast(weight_VD.device.type):
        result: Tensor = _CrossEntropy.apply(*arguments)  # type: ignore[no-untyped-call]
    return result
