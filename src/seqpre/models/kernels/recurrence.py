"""LSTM layers with their own backward pass, for stacks that no library call can compute.

Whatever does not depend on the previous step is computed for all steps at once: input projections before the loop;
factors of the derivatives, weight gradients and gradients of the attended states after it. The loop itself has one
matrix product a layer, the gates and the attention.

Shape suffixes: T steps, B batch, D input size, H cells, G = 4H gates in the order output, input, forget, candidate
(sigmoids side by side, and so are the three gates with a derivative from the cell), S source positions,
C context size.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqpre.models.kernels.dropout import dropout_mask
from seqpre.models.kernels.products import (
    addition_with,
    as_forward,
    joined_weight_gradients,
    product,
    product_with,
    remember_precision,
    weight_gradients,
)

FunctionContext = Any


def _cell(gates_BG: Tensor, cell_BH: Tensor, next_cell_BH: Tensor, tanh_BH: Tensor, hidden_BH: Tensor) -> None:
    """Compute one LSTM step in place: `gates` become activations; cell, its tanh and the hidden state are written."""
    H = cell_BH.shape[1]
    gates_BG[:, : 3 * H].sigmoid_()
    gates_BG[:, 3 * H :].tanh_()
    output, input_, forget, candidate = gates_BG.chunk(4, dim=1)
    torch.mul(forget, cell_BH, out=next_cell_BH)
    next_cell_BH.addcmul_(input_, candidate)
    torch.tanh(next_cell_BH, out=tanh_BH)
    torch.mul(output, tanh_BH, out=hidden_BH)


class _CellDerivatives:
    """The local derivatives of all steps of one layer, for the two gradients that each step receives."""

    def __init__(self, gates_TBG: Tensor, cells_TBH: Tensor, tanh_TBH: Tensor) -> None:
        """`cells` has one step more than `gates`, the initial cell first."""
        T, B, G = gates_TBG.shape
        H = G // 4
        output, input_, forget, candidate = gates_TBG.chunk(4, dim=2)
        self.forget_TBH = forget
        self.output_from_hidden_TBH = tanh_TBH * output * (1 - output)
        self.cell_from_hidden_TBH = output * (1 - tanh_TBH * tanh_TBH)
        self.gates_from_cell_TB3H = torch.empty(T, B, 3, H, dtype=gates_TBG.dtype, device=gates_TBG.device)
        torch.mul(candidate, input_ * (1 - input_), out=self.gates_from_cell_TB3H[:, :, 0])
        torch.mul(cells_TBH[:-1], forget * (1 - forget), out=self.gates_from_cell_TB3H[:, :, 1])
        torch.mul(input_, 1 - candidate * candidate, out=self.gates_from_cell_TB3H[:, :, 2])

    def step(self, t: int, d_hidden_BH: Tensor, d_cell_BH: Tensor, d_gates_BG: Tensor) -> Tensor:
        """Write the gradient of the gates' inputs; return the gradient of the previous cell."""
        B, H = d_hidden_BH.shape
        d_cell_BH = torch.addcmul(d_cell_BH, d_hidden_BH, self.cell_from_hidden_TBH[t])
        torch.mul(d_hidden_BH, self.output_from_hidden_TBH[t], out=d_gates_BG[:, :H])
        torch.mul(d_cell_BH[:, None], self.gates_from_cell_TB3H[t], out=d_gates_BG[:, H:].view(B, 3, H))
        d_previous_BH: Tensor = d_cell_BH * self.forget_TBH[t]
        return d_previous_BH


class _LSTM(torch.autograd.Function):
    """One LSTM layer over a full sequence. See `lstm`."""

    @staticmethod
    def forward(
        ctx: FunctionContext,
        x_TBD: Tensor,
        w_input_GD: Tensor,
        w_hidden_GH: Tensor,
        bias_G: Tensor,
        hidden_BH: Tensor,
        cell_BH: Tensor,
    ) -> tuple[Tensor, Tensor]:
        T, B, _ = x_TBD.shape
        H = hidden_BH.shape[1]
        gates_TBG = product(x_TBD, w_input_GD, bias_G)
        hiddens_TBH = x_TBD.new_empty(T + 1, B, H)
        cells_TBH = x_TBD.new_empty(T + 1, B, H)
        tanh_TBH = x_TBD.new_empty(T, B, H)
        hiddens_TBH[0], cells_TBH[0] = hidden_BH, cell_BH
        add_hidden = addition_with(w_hidden_GH)
        for t in range(T):
            add_hidden(gates_TBG[t], hiddens_TBH[t])
            _cell(gates_TBG[t], cells_TBH[t], cells_TBH[t + 1], tanh_TBH[t], hiddens_TBH[t + 1])
        remember_precision(ctx)
        ctx.save_for_backward(x_TBD, w_input_GD, w_hidden_GH, gates_TBG, hiddens_TBH, cells_TBH, tanh_TBH)
        return hiddens_TBH[1:], cells_TBH[1:]

    @staticmethod
    @as_forward
    def backward(ctx: FunctionContext, *d_outputs: Tensor) -> tuple[Tensor | None, ...]:
        d_hiddens_TBH, d_cells_TBH = d_outputs
        x_TBD, w_input_GD, w_hidden_GH, gates_TBG, hiddens_TBH, cells_TBH, tanh_TBH = ctx.saved_tensors
        T, B, D = x_TBD.shape
        derivatives = _CellDerivatives(gates_TBG, cells_TBH, tanh_TBH)
        d_gates_TBG = torch.empty_like(gates_TBG)
        d_hidden_BH, d_cell_BH = torch.zeros_like(hiddens_TBH[0]), torch.zeros_like(cells_TBH[0])
        gates_to_hidden = product_with(w_hidden_GH.t())
        for t in reversed(range(T)):
            d_hidden_BH = d_hidden_BH + d_hiddens_TBH[t]
            d_cell_BH = derivatives.step(t, d_hidden_BH, d_cell_BH + d_cells_TBH[t], d_gates_TBG[t])
            d_hidden_BH = gates_to_hidden(d_gates_TBG[t])
        d_gates_NG = d_gates_TBG.view(T * B, -1)
        needs = ctx.needs_input_grad
        return (
            product(d_gates_TBG, w_input_GD.t()) if needs[0] else None,
            *weight_gradients(d_gates_NG, x_TBD.reshape(T * B, D), hiddens_TBH[:-1].view(T * B, -1)),
            d_gates_NG.sum(dim=0) if needs[3] else None,
            d_hidden_BH,
            d_cell_BH,
        )


def lstm(
    x_TBD: Tensor, w_input_GD: Tensor, w_hidden_GH: Tensor, bias_G: Tensor, hidden_BH: Tensor, cell_BH: Tensor
) -> tuple[Tensor, Tensor]:
    """Run one LSTM layer; return its hidden states and cells at every step, both (T, B, H).

    `torch.nn.LSTM` returns only the last cell, which is wrong for padded sequences.
    """
    hiddens_TBH, cells_TBH = _LSTM.apply(x_TBD, w_input_GD, w_hidden_GH, bias_G, hidden_BH, cell_BH)  # type: ignore[no-untyped-call]
    return hiddens_TBH, cells_TBH


def lstm_of_lengths(
    x_TBD: Tensor, lengths_B: Tensor, w_input_GD: Tensor, w_hidden_GH: Tensor, bias_G: Tensor
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Run one LSTM layer from the zero state over sequences that are padded at the end.

    Returns hidden states (T, B, H), undefined at padding, and the hidden state and cell of each sequence's last real
    step, both (B, H).
    """
    weights = w_input_GD, w_hidden_GH, bias_G
    if x_TBD.is_cuda:
        return packed_lstm(x_TBD, lengths_B, *weights)
    B, H = x_TBD.shape[1], w_hidden_GH.shape[1]
    start_BH = x_TBD.new_zeros(B, H)
    hiddens_TBH, cells_TBH = lstm(x_TBD, *weights, start_BH, start_BH)
    last = lengths_B - 1, torch.arange(B, device=x_TBD.device)
    return hiddens_TBH, (hiddens_TBH[last], cells_TBH[last])


def packed_lstm(
    x_TBD: Tensor, lengths_B: Tensor, w_input_GD: Tensor, w_hidden_GH: Tensor, bias_G: Tensor
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Do what `lstm_of_lengths` does by one call of PyTorch's library, which skips padding and needs fewer kernels."""
    T, B, _ = x_TBD.shape
    H = w_hidden_GH.shape[1]
    packed = pack_padded_sequence(x_TBD, lengths_B.cpu(), enforce_sorted=False)
    weights = [weight.roll(-H, dims=0) for weight in (w_input_GD, w_hidden_GH, bias_G)]  # The output gate comes last.
    start_1BH = x_TBD.new_zeros(1, B, H)
    with warnings.catch_warnings():  # Joining the weights costs nothing beside hundreds of steps.
        warnings.filterwarnings("ignore", message="RNN module weights are not part of single contiguous chunk")
        hiddens_NH, *last_1BH = torch._VF.lstm(
            packed.data,
            packed.batch_sizes,
            (start_1BH, start_1BH),
            [*weights, torch.zeros_like(bias_G)],
            True,  # With biases.
            1,  # Layers.
            0.0,  # Dropout between them.
            torch.is_grad_enabled(),
            False,  # In both directions.
        )
    hiddens_TBH, _ = pad_packed_sequence(packed._replace(data=hiddens_NH), total_length=T)
    hidden_BH, cell_BH = (state_1BH[0, packed.unsorted_indices] for state_1BH in last_1BH)
    return hiddens_TBH, (hidden_BH, cell_BH)


def reorder_gates(layer: nn.LSTM) -> tuple[Tensor, Tensor, Tensor]:
    """Return input weights, hidden weights and bias of an `nn.LSTM`, with its last gate, the output gate, put first."""
    names = "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"
    w_input_GD, w_hidden_GP, *biases_G = (layer.get_parameter(name).roll(layer.hidden_size, dims=0) for name in names)
    return w_input_GD, w_hidden_GP, biases_G[0] + biases_G[1]


def lstm_step(gates_BG: Tensor, cell_BH: Tensor) -> tuple[Tensor, Tensor]:
    """Run one layer for one step; return its hidden state and cell (B, H). `gates` is overwritten."""
    next_cell_BH, tanh_BH, next_hidden_BH = (torch.empty_like(cell_BH) for _ in range(3))
    _cell(gates_BG, cell_BH, next_cell_BH, tanh_BH, next_hidden_BH)
    return next_hidden_BH, next_cell_BH


def _dot(query_BD: Tensor, states_BSD: Tensor) -> Tensor:
    """Return each query's dot products with its states (B, S). This form is nine times faster on a CPU."""
    return torch.bmm(query_BD[:, None], states_BSD.transpose(1, 2))[:, 0]


class _Layer(NamedTuple):
    """One layer's weights and initial state.

    Inputs of the first layer are `x`, then the fed context, which depends on the step. Others read the layer below.
    """

    w_input_GI: Tensor
    w_hidden_GH: Tensor
    bias_G: Tensor
    hidden_BH: Tensor
    cell_BH: Tensor

    def weights_of_step(self, known: int) -> Tensor:
        """Return the weights for [inputs that depend on the step; the layer's previous hidden state].

        The first `known` inputs do not depend on the step.
        """
        return torch.cat([self.w_input_GI[:, known:], self.w_hidden_GH], dim=1)


class _Steps(NamedTuple):
    """What one layer saves for the backward pass. Of U = T + 1 steps the first is the initial state."""

    gates_TBG: Tensor
    inputs_UBI: Tensor
    """Inputs that depend on the step, then the layer's previous hidden state."""
    cells_UBH: Tensor
    tanh_TBH: Tensor


def _layers(tensors: Sequence[Tensor]) -> list[_Layer]:
    size = len(_Layer._fields)
    return [_Layer(*tensors[start : start + size]) for start in range(0, len(tensors), size)]


def _steps(tensors: Sequence[Tensor]) -> list[_Steps]:
    size = len(_Steps._fields)
    return [_Steps(*tensors[start : start + size]) for start in range(0, len(tensors), size)]


class _InputFedLSTM(torch.autograd.Function):
    """A stack of LSTM layers with input feeding. See `input_fed_lstm`."""

    @staticmethod
    def forward(
        ctx: FunctionContext,
        x_TBD: Tensor,
        keys_BSH: Tensor,
        values_BSC: Tensor,
        pad_bias_BS: Tensor,
        context_mask_TBC: Tensor | None,
        layer_mask_LTBH: Tensor | None,
        *parameters: Tensor,
    ) -> tuple[Tensor, Tensor]:
        layers = _layers(parameters)
        T, B, D = x_TBD.shape
        C, H = values_BSC.shape[2], keys_BSH.shape[2]
        steps = []
        for level, layer in enumerate(layers):
            if level == 0:
                gates_TBG = product(x_TBD, layer.w_input_GI[:, :D], layer.bias_G)
            else:
                gates_TBG = layer.bias_G.expand(T, B, 4 * H).clone()
            below = C if level == 0 else H
            inputs_UBI, cells_UBH = x_TBD.new_empty(T + 1, B, below + H), x_TBD.new_empty(T + 1, B, H)
            inputs_UBI[0][:, below:], cells_UBH[0] = layer.hidden_BH, layer.cell_BH
            steps.append(_Steps(gates_TBG, inputs_UBI, cells_UBH, x_TBD.new_empty(T, B, H)))
        add_to_gates = [
            addition_with(layer.weights_of_step(D if level == 0 else 0)) for level, layer in enumerate(layers)
        ]
        fed_UBC, top_UBH = steps[0].inputs_UBI[:, :, :C], steps[-1].inputs_UBI[:, :, -H:]
        fed_UBC[0] = 0
        tops_TBH, contexts_TBC = x_TBD.new_empty(T, B, H), x_TBD.new_empty(T, B, C)
        weights_TBS = x_TBD.new_empty(T, B, keys_BSH.shape[1])
        for t in range(T):
            for level, (gates_TBG, inputs_UBI, cells_UBH, tanh_TBH) in enumerate(steps):
                if level > 0:
                    below_BH = steps[level - 1].inputs_UBI[t + 1][:, -H:]
                    inputs_UBI[t][:, :H] = (
                        below_BH if layer_mask_LTBH is None else below_BH * layer_mask_LTBH[level - 1, t]
                    )
                add_to_gates[level](gates_TBG[t], inputs_UBI[t])
                _cell(gates_TBG[t], cells_UBH[t], cells_UBH[t + 1], tanh_TBH[t], inputs_UBI[t + 1][:, -H:])
            query_BH = top_UBH[t + 1]
            tops_TBH[t] = query_BH
            scores_BS = _dot(query_BH, keys_BSH).add_(pad_bias_BS)
            torch.softmax(scores_BS, dim=1, out=weights_TBS[t])
            context_BC = torch.bmm(weights_TBS[t][:, None], values_BSC)[:, 0]
            contexts_TBC[t] = context_BC
            fed_UBC[t + 1] = context_BC if context_mask_TBC is None else context_BC * context_mask_TBC[t]
        ctx.L = len(layers)
        remember_precision(ctx)
        ctx.save_for_backward(
            x_TBD,
            keys_BSH,
            values_BSC,
            context_mask_TBC,
            layer_mask_LTBH,
            tops_TBH,
            weights_TBS,
            *parameters,
            *chain.from_iterable(steps),
        )
        return tops_TBH, contexts_TBC

    @staticmethod
    @as_forward
    def backward(ctx: FunctionContext, *d_outputs: Tensor) -> tuple[Tensor | None, ...]:
        d_tops_TBH, d_contexts_TBC = d_outputs
        x_TBD, keys_BSH, values_BSC, context_mask_TBC, layer_mask_LTBH, tops_TBH, weights_TBS, *rest = ctx.saved_tensors
        of_layers = ctx.L * len(_Layer._fields)
        layers, steps = _layers(rest[:of_layers]), _steps(rest[of_layers:])
        T, B, D = x_TBD.shape
        C, H = values_BSC.shape[2], keys_BSH.shape[2]
        from_gates = [
            product_with(layer.weights_of_step(D if level == 0 else 0).t()) for level, layer in enumerate(layers)
        ]
        derivatives = [_CellDerivatives(step.gates_TBG, step.cells_UBH, step.tanh_TBH) for step in steps]
        d_gates = [torch.empty_like(step.gates_TBG) for step in steps]
        d_hiddens = [torch.zeros_like(layer.hidden_BH) for layer in layers]
        d_cells = [torch.zeros_like(layer.cell_BH) for layer in layers]
        d_all_contexts_TBC = d_contexts_TBC.clone()
        d_scores_TBS = torch.empty_like(weights_TBS)
        for t in reversed(range(T)):
            d_context_BC = d_all_contexts_TBC[t]
            d_weights_BS = _dot(d_context_BC, values_BSC)
            attended_BS = weights_TBS[t] * d_weights_BS
            torch.addcmul(
                attended_BS, weights_TBS[t], attended_BS.sum(dim=1, keepdim=True), value=-1, out=d_scores_TBS[t]
            )
            d_hiddens[-1] = d_hiddens[-1] + d_tops_TBH[t] + torch.bmm(d_scores_TBS[t][:, None], keys_BSH)[:, 0]
            for level in reversed(range(len(layers))):
                d_cells[level] = derivatives[level].step(t, d_hiddens[level], d_cells[level], d_gates[level][t])
                d_input = from_gates[level](d_gates[level][t])
                d_hiddens[level] = d_input[:, -H:]
                if level > 0:
                    d_below_BH = d_input[:, :H]
                    d_hiddens[level - 1] = d_hiddens[level - 1] + (
                        d_below_BH if layer_mask_LTBH is None else d_below_BH * layer_mask_LTBH[level - 1, t]
                    )
                elif t > 0:
                    d_fed_BC = d_input[:, :C]
                    d_all_contexts_TBC[t - 1] += (
                        d_fed_BC if context_mask_TBC is None else d_fed_BC * context_mask_TBC[t - 1]
                    )
        d_layers = []
        for level, step in enumerate(steps):
            d_gates_NG = d_gates[level].view(T * B, 4 * H)
            inputs_NI = step.inputs_UBI[:-1].view(T * B, -1)
            known = [x_TBD.reshape(T * B, D)] if level == 0 else []
            d_layers.append(
                _Layer(
                    w_input_GI=joined_weight_gradients(d_gates_NG, *known, inputs_NI[:, :-H]),
                    w_hidden_GH=joined_weight_gradients(d_gates_NG, inputs_NI[:, -H:]),
                    bias_G=d_gates_NG.sum(dim=0),
                    hidden_BH=d_hiddens[level],
                    cell_BH=d_cells[level],
                )
            )
        return (
            product(d_gates[0], layers[0].w_input_GI[:, :D].t()),
            torch.bmm(d_scores_TBS.permute(1, 2, 0), tops_TBH.transpose(0, 1)),
            torch.bmm(weights_TBS.permute(1, 2, 0), d_all_contexts_TBC.transpose(0, 1)),
            None,
            None,
            None,
            *chain.from_iterable(d_layers),
        )


def input_fed_lstm(
    x_TBD: Tensor,
    layers: list[tuple[Tensor, Tensor, Tensor]],
    states: list[tuple[Tensor, Tensor]],
    keys_BSH: Tensor,
    values_BSC: Tensor,
    pad_BS: Tensor,
    dropout: float = 0.0,
) -> tuple[Tensor, Tensor]:
    """Run a stack of LSTM layers with attention and input feeding: the first layer reads the previous step's context.

    `layers` holds (input weights, hidden weights, bias) from the bottom up; the first layer's input weights are
    (G, D + C): `x` first, then the fed context. `states` holds each layer's initial (hidden, cell). `keys` are scored
    by dot product with the top layer's state; `values` are averaged; `pad` is True at padding. `dropout` applies to fed
    contexts and between layers, never to recurrent connections.

    Returns the top layer's states (T, B, H) and the contexts (T, B, C).
    Source: Ramachandran et al. (2017), Section 2.2, attention over multiple layers.
    """
    T, B, _ = x_TBD.shape
    C, H = values_BSC.shape[2], keys_BSH.shape[2]
    pad_bias_BS = torch.zeros_like(pad_BS, dtype=x_TBD.dtype).masked_fill_(pad_BS, float("-inf"))
    context_mask = dropout_mask((T, B, C), dropout, x_TBD) if dropout else None
    layer_mask = dropout_mask((len(layers) - 1, T, B, H), dropout, x_TBD) if dropout and len(layers) > 1 else None
    parameters = [tensor for layer, state in zip(layers, states, strict=True) for tensor in (*layer, *state)]
    tops_TBH, contexts_TBC = _InputFedLSTM.apply(  # type: ignore[no-untyped-call]
        x_TBD, keys_BSH, values_BSC, pad_bias_BS, context_mask, layer_mask, *parameters
    )
    return tops_TBH, contexts_TBC
