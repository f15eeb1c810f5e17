"""Products of many inputs with one weight matrix, which is packed once for the processor.

PyTorch multiplies float32 matrices on a CPU with MKL. It holds oneDNN too, which is faster on weights that lie in an
order of its own (`benchmarks/gemm_ceiling.py` measures by how much), but offers it through no public function: these
are the operators that torch.compile writes. Packing must pay for itself, so small matrices stay as they are, and so
does everything that is not float32 on a CPU.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

PACKED_FROM = 2**19
"""Weight matrices of so many elements are packed; smaller ones gain too little."""

Product = Callable[[Tensor], Tensor]


def product_with(weight_OI: Tensor, bias_O: Tensor | None = None) -> Product:
    """Return the function x (..., I) -> x W^T + b (..., O), without gradients.

    W and b must not change while it is used.
    """
    if not can_pack(weight_OI) or weight_OI.numel() < PACKED_FROM:
        return lambda x: F.linear(x, weight_OI, bias_O)
    packed = torch.ops.mkldnn._reorder_linear_weight(weight_OI.detach())
    product: Callable[..., Tensor] = torch.ops.mkldnn._linear_pointwise
    return lambda x: product(x, packed, bias_O, "none", [], "")


def can_pack(weight: Tensor) -> bool:
    """Return whether oneDNN takes such a matrix here."""
    return weight.device.type == "cpu" and weight.dtype == torch.float32 and torch._C._get_mkldnn_enabled()
