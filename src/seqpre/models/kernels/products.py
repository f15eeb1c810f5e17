"""Products with weight matrices, computed by MKL or oneDNN, whichever is faster here.

PyTorch multiplies float32 matrices on a CPU with MKL. It also contains oneDNN, which is twice as fast on an AMD
processor with AVX-512, where MKL uses AVX2 only (`benchmarks/gemm_ceiling.py`). No public function calls oneDNN; these
are the operators that torch.compile emits. On other processors both are equally fast, but oneDNN needs copies first.
There, and for everything but float32 on a CPU, PyTorch's usual product is used.

Within `bf16_operands` both operands are rounded to bfloat16, and multiplied and summed in float32: on a GPU by its
tensor cores, elsewhere by float32 products of rounded numbers, which are the same up to the order of sums.

Shape suffixes: N rows, I inputs, O outputs; before a lone I or O there may be any dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

Product = Callable[[Tensor], Tensor]
Addition = Callable[[Tensor, Tensor], Tensor]
ROWS, MOST_ROWS = 64, 1024
"""oneDNN gets multiples of ROWS rows, at most MOST_ROWS; the rest is multiplied as usual."""

_bf16 = False


@contextmanager
def bf16_operands(enabled: bool = True) -> Iterator[None]:
    """Have the products of this module round their operands to bfloat16; their sums and results are float32.

    A backward pass does as its forward pass did.
    """
    global _bf16
    _bf16, before = enabled, _bf16
    try:
        yield
    finally:
        _bf16 = before


@contextmanager
def in_place_of_autocast(device: str) -> Iterator[None]:
    """Have the products of this module round their operands where PyTorch's autocast would round results, too."""
    with bf16_operands(_bf16 or torch.is_autocast_enabled(device)), torch.autocast(device, enabled=False):
        yield


def operand(x: Tensor) -> Tensor:
    """Return a matrix as it is multiplied, to round one that several products share only once."""
    return x.bfloat16() if _bf16 else x


def matmul(x_NI: Tensor, y_IO: Tensor) -> Tensor:
    """Return the product of two matrices, in PyTorch's usual way."""
    if not _bf16:
        return x_NI @ y_IO
    x_NI, y_IO = operand(x_NI), operand(y_IO)
    return torch.mm(x_NI, y_IO, out_dtype=torch.float32) if x_NI.is_cuda else x_NI.float() @ y_IO.float()


def remember_precision(ctx: Any) -> None:
    """Note in a forward pass what `as_forward` gives its backward pass."""
    ctx.bf16 = _bf16


def as_forward(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Have a backward pass round operands as the forward pass did."""

    @wraps(backward)
    def rounded(ctx: Any, *d_outputs: Tensor) -> Any:
        with bf16_operands(ctx.bf16):
            return backward(ctx, *d_outputs)

    return rounded


def has_onednn(tensor: Tensor) -> bool:
    """Return whether oneDNN can multiply this matrix here."""
    plain = tensor.device.type == "cpu" and tensor.dtype == torch.float32
    return plain and tensor.numel() > 0 and torch._C._get_mkldnn_enabled()


@cache
def mkl_is_slow() -> bool:
    """Return whether oneDNN uses wider vectors than MKL here: AVX-512, which MKL uses on Intel's processors only.

    This is a rule, not a measurement, so that one machine always computes the same bits.
    """
    try:
        intel = "GenuineIntel" in Path("/proc/cpuinfo").read_text()
    except OSError:  # Not Linux: use MKL.
        intel = True
    return not intel and torch.backends.cpu.get_cpu_capability().startswith("AVX512")


def goes_to_onednn(tensor: Tensor) -> bool:
    """Return whether oneDNN multiplies this matrix."""
    return not _bf16 and has_onednn(tensor) and mkl_is_slow()


def _onednn(x_I: Tensor, weight_OI: Tensor, bias_O: Tensor | None) -> Tensor:
    y_O: Tensor = torch.ops.mkldnn._linear_pointwise(x_I, weight_OI, bias_O, "none", [], "")
    return y_O


def _usual(x_I: Tensor, weight_OI: Tensor, bias_O: Tensor | None) -> Tensor:
    """Multiply with PyTorch. On a CPU the bias is added afterwards, because PyTorch first copies it into every row."""
    if _bf16:
        y_NO = matmul(x_I.flatten(0, -2), weight_OI.t())
        y_O = y_NO if x_I.dim() == 2 else y_NO.view(*x_I.shape[:-1], -1)
        return y_O if bias_O is None else y_O.add_(bias_O)
    if bias_O is None or x_I.device.type != "cpu":
        return F.linear(x_I, weight_OI, bias_O)
    return F.linear(x_I, weight_OI).add_(bias_O)


def pieces(rows: int, most: int, of: Tensor) -> list[slice]:
    """Cut rows into pieces of at most `most` rows; for oneDNN, into multiples of ROWS and a rest.

    oneDNN compiles and keeps a program of up to 2 MB for each number of rows, so there should be few numbers.
    """
    if not goes_to_onednn(of):
        count = max(1, -(-rows // max(ROWS, most)))
        return [slice(rows * number // count, rows * (number + 1) // count) for number in range(count)]
    most, whole = max(ROWS, most - most % ROWS), rows - rows % ROWS
    cut = [slice(start, min(start + most, whole)) for start in range(0, whole, most)]
    return cut if whole == rows and rows else [*cut, slice(whole, rows)]


def product(x_I: Tensor, weight_OI: Tensor, bias_O: Tensor | None = None) -> Tensor:
    """Return x W^T + b (..., O) without gradients. `W` may be a transpose or a part of a matrix."""
    if not goes_to_onednn(x_I):
        return _usual(x_I, weight_OI, bias_O)
    # oneDNN is hundreds of times slower on a matrix that has gaps.
    if not (weight_OI.is_contiguous() or weight_OI.t().is_contiguous()):
        weight_OI = weight_OI.contiguous()
    x_NI = x_I.flatten(0, -2)
    parts = [
        (F.linear if len(x_nI) % ROWS else _onednn)(x_nI, weight_OI, bias_O)
        for x_nI in (x_NI[piece] for piece in pieces(len(x_NI), MOST_ROWS, x_NI))
    ]
    y_NO = parts[0] if len(parts) == 1 else torch.cat(parts)
    # Avoid a view if possible: a view that a Function returns cannot be changed in place.
    return y_NO if x_I.dim() == 2 else y_NO.view(*x_I.shape[:-1], -1)


def product_with(weight_OI: Tensor, bias_O: Tensor | None = None) -> Product:
    """Return the function x (..., I) -> x W^T + b (..., O), without gradients, for many small `x`.

    `W` is reordered for oneDNN once. Neither W nor b may change while the function is used.
    """
    if not goes_to_onednn(weight_OI):
        rounded = operand(weight_OI)
        return lambda x: _usual(x, rounded, bias_O)
    packed = torch.ops.mkldnn._reorder_linear_weight(weight_OI.detach())
    return lambda x: _onednn(x, packed, bias_O)


class PackedWeights:
    """Copies of a model's weight matrices in the order that is fastest for small products, kept between searches.

    With few rows and W outside the near caches, MKL reads the transpose of W a tenth to a third faster than W. A copy
    is made at first use, and again when PyTorch's counter of in-place changes says that W has changed.
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[int, Tensor]] = {}

    def product_with(self, weight_OI: Tensor, bias_O: Tensor | None = None) -> Product:
        """Return the function x (N, I) -> x W^T + b (N, O), without gradients, for many small `x`."""
        if weight_OI.device.type != "cpu" or weight_OI.is_inference():  # Inference tensors have no such counter.
            return lambda x: _usual(x, weight_OI, bias_O)
        version, packed = self._kept.get(weight_OI.data_ptr(), (-1, weight_OI))
        if version != weight_OI._version:
            with torch.inference_mode(False), torch.no_grad():
                if goes_to_onednn(weight_OI):
                    packed = torch.ops.mkldnn._reorder_linear_weight(weight_OI.detach())
                else:
                    packed = weight_OI.detach().t().contiguous()
            self._kept[weight_OI.data_ptr()] = weight_OI._version, packed
        if goes_to_onednn(weight_OI):
            return lambda x: _onednn(x, packed, bias_O)
        if bias_O is None:
            return lambda x: x @ packed
        return lambda x: (x @ packed).add_(bias_O)

    def clear(self) -> None:
        """Delete all copies."""
        self._kept.clear()


def addition_with(weight_OI: Tensor) -> Addition:
    """Return the function that adds x (N, I) W^T to its first argument y (N, O) in place; see `product_with`."""
    if not goes_to_onednn(weight_OI):
        weight_IO = operand(weight_OI.detach()).t()
        return lambda y, x: y.add_(matmul(x, weight_IO)) if _bf16 else y.addmm_(x, weight_IO)
    multiply = product_with(weight_OI)
    return lambda y, x: y.add_(multiply(x))


def joined_weight_gradients(d_y_NO: Tensor, *inputs_NI: Tensor) -> Tensor:
    """Return the gradient of W (O, I) in y = [x; x'; ...] W^T, given that of y."""
    if _bf16 or goes_to_onednn(d_y_NO):
        return torch.cat(weight_gradients(d_y_NO, *(x_NI.contiguous() for x_NI in inputs_NI)), dim=1)
    widths = [x_NI.shape[1] for x_NI in inputs_NI]
    d_weight_OI = d_y_NO.new_empty(d_y_NO.shape[1], sum(widths))
    for x_NI, columns_OI in zip(inputs_NI, torch.split(d_weight_OI, widths, dim=1), strict=True):
        torch.mm(d_y_NO.t(), x_NI, out=columns_OI)
    return d_weight_OI


def weight_gradients(d_y_NO: Tensor, *inputs_NI: Tensor) -> list[Tensor]:
    """Return the gradient of each W (O, I) in y = x W^T + x' W'^T + ..., given that of y."""
    if not goes_to_onednn(d_y_NO):
        d_y_ON = operand(d_y_NO).t()
        return [matmul(d_y_ON, x_NI) for x_NI in inputs_NI]
    sums: list[Tensor] = []
    for piece in pieces(len(d_y_NO), MOST_ROWS, d_y_NO):
        d_y_nO = d_y_NO[piece]
        if len(d_y_nO) % ROWS:
            parts = [d_y_nO.t() @ x_NI[piece] for x_NI in inputs_NI]
        else:
            d_y_On = d_y_nO.t().contiguous()
            parts = [_onednn(d_y_On, x_NI[piece].t(), None) for x_NI in inputs_NI]
        sums = [total.add_(part) for total, part in zip(sums, parts, strict=True)] if sums else parts
    return sums


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x_NI: Tensor, weight_OI: Tensor, bias_O: Tensor | None) -> Tensor:
        ctx.save_for_backward(x_NI, weight_OI)
        remember_precision(ctx)
        return product(x_NI, weight_OI, bias_O)

    @staticmethod
    @as_forward
    def backward(ctx: Any, *d_outputs: Tensor) -> tuple[Tensor | None, ...]:
        (d_y_NO,) = d_outputs
        x_NI, weight_OI = ctx.saved_tensors
        needs = ctx.needs_input_grad
        return (
            product(d_y_NO, weight_OI.t()) if needs[0] else None,
            weight_gradients(d_y_NO, x_NI)[0] if needs[1] else None,
            d_y_NO.sum(dim=0) if needs[2] else None,
        )


def linear(x_I: Tensor, weight_OI: Tensor, bias_O: Tensor | None = None) -> Tensor:
    """Return x W^T + b (..., O), with gradients."""
    if torch.is_autocast_enabled(x_I.device.type):
        return F.linear(x_I, weight_OI, bias_O)  # In autocast's precision.
    y_NO: Tensor = _Linear.apply(x_I.flatten(0, -2), weight_OI, bias_O)  # type: ignore[no-untyped-call]
    return y_NO.view(*x_I.shape[:-1], len(weight_OI))
