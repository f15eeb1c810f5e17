"""The loss of a pointer-generator, a mixture of softmax and copy probability, computed in chunks.

Shape suffixes: N positions, K of them whose target is in the vocabulary, D features, V vocabulary; n and k are those of
a chunk.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqpre.models.kernels.products import MOST_ROWS, pieces, product, weight_gradients
from seqpre.models.kernels.softmax import CHUNK_LOGITS

FLOOR = 1e-12
"""Added to every probability, so that 0 has a logarithm."""


class _Mixture(torch.autograd.Function):
    """Sum of -log p. Gradients are computed chunk by chunk, while the logits exist.

    With p = g p_v + (1 - g) c, the gradient of -log p in the logits is r (softmax - [target]), where r = g p_v / p is
    the vocabulary's share of p.
    """

    @staticmethod
    def forward(
        ctx: Any, features_ND: Tensor, weight_VD: Tensor, gate_N: Tensor, copied_N: Tensor, targets_N: Tensor
    ) -> Tensor:
        V = weight_VD.shape[0]
        generate_N = torch.sigmoid(gate_N)
        known_K = (targets_N < V).nonzero()[:, 0]  # Elsewhere p_v is 0 and no logits are needed.
        features_KD = features_ND[known_K]
        generated_N = torch.zeros_like(copied_N)
        d_features_KD = torch.empty_like(features_KD)
        d_weight_VD: Tensor | None = None
        for chunk in pieces(len(known_K), min(MOST_ROWS, CHUNK_LOGITS[weight_VD.device.type] // V), features_ND):
            places_k, features_kD = known_K[chunk], features_KD[chunk]
            targets_k1 = targets_N[places_k, None]
            logits_kV = product(features_kD, weight_VD).to(weight_VD.dtype)
            d_logits_kV = torch.softmax(logits_kV, dim=1, out=logits_kV)
            found_k = d_logits_kV.gather(1, targets_k1)[:, 0]
            generated_N[places_k] = found_k
            if any(ctx.needs_input_grad):
                copied_k, generate_k = copied_N[places_k], generate_N[places_k]
                p_k = generate_k * found_k + (1 - generate_k) * copied_k + FLOOR
                share_k1 = (generate_k * found_k / p_k)[:, None]
                d_logits_kV.scatter_add_(1, targets_k1, d_logits_kV.new_full(targets_k1.shape, -1.0))
                d_features_KD[chunk] = product(d_logits_kV, weight_VD.t()) * share_k1
                more_VD = weight_gradients(d_logits_kV, features_kD * share_k1)[0].to(weight_VD.dtype)
                d_weight_VD = more_VD if d_weight_VD is None else d_weight_VD.add_(more_VD)
        p_N = generate_N * generated_N + (1 - generate_N) * copied_N + FLOOR
        d_features_ND = torch.zeros_like(features_ND).index_copy_(0, known_K, d_features_KD)
        d_gate_N = (copied_N - generated_N) / p_N * generate_N * (1 - generate_N)
        ctx.save_for_backward(d_features_ND, d_weight_VD, d_gate_N, (generate_N - 1) / p_N)
        return -p_N.log().sum()

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Tensor | None, ...]:
        (d_total,) = d_outputs
        return *(None if g is None else g.mul_(d_total) for g in ctx.saved_tensors), None


def mixture_loss(features_ND: Tensor, weight_VD: Tensor, gate_N: Tensor, copied_N: Tensor, targets_N: Tensor) -> Tensor:
    """Return the sum of -log(g softmax(h W^T)[target] + (1 - g) copied), with g = sigmoid(gate), in float32.

    `copied` is the probability of copying each target. A target id of V or more is out of vocabulary and can only be
    copied.
    """
    if not torch.is_grad_enabled():
        features_ND, weight_VD = features_ND.detach(), weight_VD.detach()
        gate_N, copied_N = gate_N.detach(), copied_N.detach()
    arguments = (features_ND, weight_VD, gate_N.float(), copied_N.float(), targets_N)
    result: Tensor = _Mixture.apply(*arguments)  # type: ignore[no-untyped-call]
    return result
