"""The loss of a pointer-generator, a mixture of softmax and copy probability, computed in chunks.

Shape suffixes: N positions, K of them whose target is in the vocabulary, D features, V vocabulary; n and k are those of
a chunk.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqpre.models.kernels.products import in_place_of_autocast, operand, pieces, product, weight_gradients
from seqpre.models.kernels.softmax import rows_at_once

FLOOR = 1e-12
"""Added to every probability, so that 0 has a logarithm. Next to it none is so small that float32 would lose it."""


class _Mixture(torch.autograd.Function):
    """Sum of -log p. Gradients are computed chunk by chunk, while the logits exist.

    With p = g p_v + (1 - g) c, the gradient of -log p in the logits is r (softmax - [target]), where r = g p_v / p is
    the vocabulary's share of p. 1 - g is the sigmoid of minus the gate: a difference from 1 has few digits, or none.
    """

    @staticmethod
    def forward(
        ctx: Any, features_ND: Tensor, weight_VD: Tensor, gate_N: Tensor, copied_N: Tensor, targets_N: Tensor
    ) -> Tensor:
        V, own = len(weight_VD), weight_VD.dtype  # Products may have a lower precision; probabilities do not.
        generate_N, copy_N = torch.sigmoid(gate_N), torch.sigmoid(-gate_N)
        known_K = (targets_N < V).nonzero()[:, 0]  # Elsewhere p_v is 0 and no logits are needed.
        features_KD = features_ND[known_K]
        generated_N = torch.zeros_like(copied_N)
        d_features_KD = torch.empty_like(features_KD)
        d_weight_VD: Tensor | None = None
        weight_VD = operand(weight_VD)
        for chunk in pieces(len(known_K), rows_at_once(V, weight_VD.device.type), features_ND):
            places_k, features_kD = known_K[chunk], features_KD[chunk]
            targets_k1 = targets_N[places_k, None]
            logits_kV = product(features_kD, weight_VD).to(own)
            d_logits_kV = torch.softmax(logits_kV, dim=1, out=logits_kV)
            found_k = d_logits_kV.gather(1, targets_k1)[:, 0]
            generated_N[places_k] = found_k
            if any(ctx.needs_input_grad):
                generate_k = generate_N[places_k]
                p_k = generate_k * found_k + copy_N[places_k] * copied_N[places_k] + FLOOR
                share_k1 = (generate_k * found_k / p_k)[:, None]
                d_logits_kV.scatter_add_(1, targets_k1, d_logits_kV.new_full(targets_k1.shape, -1.0))
                rounded_kV = operand(d_logits_kV)
                d_features_KD[chunk] = (product(rounded_kV, weight_VD.t()) * share_k1).to(features_KD.dtype)
                more_VD = weight_gradients(rounded_kV, features_kD * share_k1)[0].to(own)
                d_weight_VD = more_VD if d_weight_VD is None else d_weight_VD.add_(more_VD)
        p_N = generate_N * generated_N + copy_N * copied_N + FLOOR
        d_features_ND = torch.zeros_like(features_ND).index_copy_(0, known_K, d_features_KD)
        d_gate_N = (copied_N - generated_N) / p_N * generate_N * copy_N
        ctx.save_for_backward(d_features_ND, d_weight_VD, d_gate_N, -copy_N / p_N)
        return -p_N.log().sum()

    @staticmethod
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Tensor | None, ...]:
        (d_total,) = d_outputs
        return *(None if g is None else g.mul_(d_total) for g in ctx.saved_tensors), None


def mixture_loss(features_ND: Tensor, weight_VD: Tensor, gate_N: Tensor, copied_N: Tensor, targets_N: Tensor) -> Tensor:
    """Return the sum of -log(g softmax(h W^T)[target] + (1 - g) copied) in the weights' type, with g = sigmoid(gate).

    `copied` is the probability of copying each target. A target id of V or more is out of vocabulary and can only be
    copied.
    """
    if not torch.is_grad_enabled():
        features_ND, weight_VD = features_ND.detach(), weight_VD.detach()
        gate_N, copied_N = gate_N.detach(), copied_N.detach()
    own = weight_VD.dtype
    with in_place_of_autocast(weight_VD.device.type):
        result: Tensor = _Mixture.apply(  # type: ignore[no-untyped-call]
            features_ND, weight_VD, gate_N.to(own), copied_N.to(own), targets_N
        )
    return result
