"""The layers with their own backward pass against a plain loop that autograd differentiates."""

import pytest
import torch
from torch import Tensor

from seqpre.models.kernels.recurrence import input_fed_lstm, lstm, lstm_of_lengths, packed_lstm

T, B, D, H, S, C = 4, 3, 2, 3, 5, 6


def normal(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def plain_cell(gates: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
    """One LSTM step as a textbook writes it; gate order output, input, forget, candidate."""
    o, i, f, g = gates.chunk(4, dim=1)
    cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(cell), cell


def plain_lstm(x: Tensor, w_x: Tensor, w_h: Tensor, b: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    hiddens, cells = [], []
    for x_t in x:
        h, c = plain_cell(x_t @ w_x.t() + h @ w_h.t() + b, c)
        hiddens.append(h)
        cells.append(c)
    return torch.stack(hiddens), torch.stack(cells)


def plain_input_fed(
    x: Tensor, layers: list, states: list, keys: Tensor, values: Tensor, pad: Tensor
) -> tuple[Tensor, Tensor]:
    context, tops, contexts = torch.zeros(B, C, dtype=x.dtype), [], []
    for x_t in x:
        below, new_states = torch.cat([x_t, context], dim=1), []
        for (w_x, w_h, b), (h, c) in zip(layers, states, strict=True):
            below, c = plain_cell(below @ w_x.t() + h @ w_h.t() + b, c)
            new_states.append((below, c))
        states = new_states
        scores = (keys * below[:, None]).sum(-1).masked_fill(pad, float("-inf"))
        context = (scores.softmax(1)[:, :, None] * values).sum(1)
        tops.append(below)
        contexts.append(context)
    return torch.stack(tops), torch.stack(contexts)


@pytest.fixture
def lstm_arguments() -> list[Tensor]:
    torch.manual_seed(0)
    return [normal(T, B, D), normal(4 * H, D), normal(4 * H, H), normal(4 * H), normal(B, H), normal(B, H)]


def test_lstm_equals_the_textbook_loop_and_its_gradients(lstm_arguments: list[Tensor]) -> None:
    ours, plain = lstm(*lstm_arguments), plain_lstm(*lstm_arguments)
    weights = [torch.randn_like(tensor) for tensor in plain]
    for mine, theirs in zip(ours, plain, strict=True):
        torch.testing.assert_close(mine, theirs)
    mine = torch.autograd.grad(sum((o * w).sum() for o, w in zip(ours, weights, strict=True)), lstm_arguments)
    theirs = torch.autograd.grad(sum((o * w).sum() for o, w in zip(plain, weights, strict=True)), lstm_arguments)
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("run", [lstm_of_lengths, packed_lstm])
def test_padding_changes_neither_states_nor_gradients(run, lstm_arguments: list[Tensor]) -> None:
    x, *weights = lstm_arguments[:4]
    lengths = [2, T, 1]
    start = torch.zeros(1, H, dtype=torch.float64)
    plain = [plain_lstm(x[:length, [b]], *weights, start, start) for b, length in enumerate(lengths)]
    outputs, last = run(x, torch.tensor(lengths), *weights)
    for b, (length, (hiddens, cells)) in enumerate(zip(lengths, plain, strict=True)):
        torch.testing.assert_close(outputs[:length, b], hiddens[:, 0])
        torch.testing.assert_close(last[0][b], hiddens[-1, 0])
        torch.testing.assert_close(last[1][b], cells[-1, 0])

    ours = sum(outputs[:length, b].sin().sum() for b, length in enumerate(lengths)) + (last[0] * last[1]).sum()
    theirs = sum(h.sin().sum() + (h[-1] * c[-1]).sum() for h, c in plain)
    gradients = (torch.autograd.grad(total, [x, *weights]) for total in (ours, theirs))
    for mine, his in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, his)


def test_lstm_equals_torch_with_its_gates_in_our_order(lstm_arguments: list[Tensor]) -> None:
    x, w_x, w_h, b, h, c = (a.detach() for a in lstm_arguments)
    theirs = torch.nn.LSTM(D, H, dtype=torch.float64)
    order = torch.cat(
        [torch.arange(k * H, (k + 1) * H) for k in (1, 2, 3, 0)]
    )  # torch: input, forget, candidate, output
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(w_x[order])
        theirs.weight_hh_l0.copy_(w_h[order])
        theirs.bias_ih_l0.copy_(b[order])
        theirs.bias_hh_l0.zero_()
        expected, (_, last_cell) = theirs(x, (h[None], c[None]))
    hiddens, cells = lstm(x, w_x, w_h, b, h, c)
    torch.testing.assert_close(hiddens, expected)
    torch.testing.assert_close(cells[-1], last_cell[0])


@pytest.mark.parametrize("num_layers", [1, 2, 3])
def test_input_feeding_equals_the_plain_loop_and_its_gradients(num_layers: int) -> None:
    torch.manual_seed(num_layers)
    pad = torch.arange(S) >= torch.tensor([5, 3, 1])[:, None]
    x, keys, values = normal(T, B, D), normal(B, S, H), normal(B, S, C)
    layers = [
        (normal(4 * H, D + C if level == 0 else H), normal(4 * H, H), normal(4 * H)) for level in range(num_layers)
    ]
    states = [(normal(B, H), normal(B, H)) for _ in range(num_layers)]
    leaves = [x, keys, values, *(t for layer in layers for t in layer), *(t for state in states for t in state)]
    ours = input_fed_lstm(x, layers, states, keys, values, pad)
    plain = plain_input_fed(x, layers, states, keys, values, pad)
    weights = [torch.randn_like(tensor) for tensor in plain]
    for mine, theirs in zip(ours, plain, strict=True):
        torch.testing.assert_close(mine, theirs)
    mine = torch.autograd.grad(sum((o * w).sum() for o, w in zip(ours, weights, strict=True)), leaves)
    theirs = torch.autograd.grad(sum((o * w).sum() for o, w in zip(plain, weights, strict=True)), leaves)
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b)


def test_input_feeding_with_dropout_passes_gradcheck() -> None:
    torch.manual_seed(0)
    pad = torch.zeros(B, S, dtype=torch.bool)
    x, keys, values = normal(T, B, D), normal(B, S, H), normal(B, S, C)
    layers = [
        (normal(4 * H, D + C), normal(4 * H, H), normal(4 * H)),
        (normal(4 * H, H), normal(4 * H, H), normal(4 * H)),
    ]
    states = [(normal(B, H), normal(B, H)) for _ in range(2)]

    def run(*leaves: Tensor) -> tuple[Tensor, Tensor]:
        torch.manual_seed(7)  # The same masks at every call.
        w1, u1, b1, w2, u2, b2 = leaves[3:9]
        return input_fed_lstm(leaves[0], [(w1, u1, b1), (w2, u2, b2)], states, leaves[1], leaves[2], pad, dropout=0.5)

    assert torch.autograd.gradcheck(run, [x, keys, values, *layers[0], *layers[1]])


def test_padding_gets_no_attention() -> None:
    torch.manual_seed(0)
    x, keys, values = (normal(T, B, D), normal(B, S, H), normal(B, S, C))
    layers = [(normal(4 * H, D + C), normal(4 * H, H), normal(4 * H))]
    states = [(normal(B, H), normal(B, H))]
    pad = torch.arange(S) >= torch.tensor([5, 3, 1])[:, None]
    before = input_fed_lstm(x, layers, states, keys, values, pad)
    other_keys, other_values = keys.masked_fill(pad[:, :, None], 99.0), values.masked_fill(pad[:, :, None], -99.0)
    after = input_fed_lstm(x, layers, states, other_keys, other_values, pad)
    for a, b in zip(before, after, strict=True):
        assert torch.equal(a, b)
