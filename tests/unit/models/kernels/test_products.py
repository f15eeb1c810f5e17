"""Products by oneDNN against plain ones."""

import pytest
import torch
import torch.nn.functional as F

from seqpre.models.batch import Batch
from seqpre.models.kernels import products
from seqpre.models.kernels.products import (
    PackedWeights,
    addition_with,
    bf16_operands,
    has_onednn,
    joined_weight_gradients,
    linear,
    product,
    product_with,
    weight_gradients,
)
from seqpre.models.lstm import Seq2Seq
from seqpre.study.models.lstm import FirstLayer, LSTMSettings

needs_onednn = pytest.mark.skipif(not has_onednn(torch.empty(1)), reason="this PyTorch was built without oneDNN")


@pytest.fixture(params=[True, False], ids=["oneDNN", "MKL"])
def either_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has products take the way of either kind of processor, whichever this one is."""
    monkeypatch.setattr(products, "mkl_is_slow", lambda: request.param)


@pytest.mark.usefixtures("either_library")
@pytest.mark.parametrize("bias", [torch.randn(70), None])
@pytest.mark.parametrize("transposed", [True, False])
def test_products_equal_plain_ones(bias: torch.Tensor | None, transposed: bool) -> None:
    weight = torch.randn(40, 70).t() if transposed else torch.randn(70, 40)
    multiply = product_with(weight, bias)
    for x in (torch.randn(1, 40), torch.randn(0, 40), torch.randn(3, 64, 40), torch.randn(40, 130).t()):
        expected = F.linear(x, weight, bias)
        torch.testing.assert_close(multiply(x), expected, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(product(x, weight, bias), expected, atol=1e-4, rtol=1e-4)


@pytest.mark.usefixtures("either_library")
@pytest.mark.parametrize("rows", [1, 64, 1100])
@pytest.mark.parametrize("bias", [torch.randn(70), None])
def test_what_a_linear_map_returns_may_be_changed_in_place(rows: int, bias: torch.Tensor | None) -> None:
    x, weight = torch.randn(2, rows, 40, requires_grad=True), torch.randn(70, 40, requires_grad=True)
    linear(x, weight, bias).relu_().sum().backward()
    found = x.grad
    x.grad = None
    F.linear(x, weight, bias).relu().sum().backward()
    torch.testing.assert_close(found, x.grad, atol=1e-4, rtol=1e-4)


@pytest.mark.usefixtures("either_library")
@pytest.mark.parametrize("rows", [0, 1, 64, 1100])
def test_the_gradient_of_weights_sums_outer_products(rows: int) -> None:
    d_y, inputs = torch.randn(rows, 70), [torch.randn(rows, 40), torch.randn(rows, 30)]
    for x, found in zip(inputs, weight_gradients(d_y, *inputs), strict=True):
        expected = sum((torch.outer(d, row) for d, row in zip(d_y, x, strict=True)), torch.zeros(70, x.shape[1]))
        torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.usefixtures("either_library")
@pytest.mark.parametrize("rows", [0, 1, 64, 1100])
def test_the_gradient_of_weights_of_joined_inputs_is_joined(rows: int) -> None:
    d_y, inputs = torch.randn(rows, 70), torch.randn(rows, 90)
    found = joined_weight_gradients(d_y, inputs[:, :40], inputs[:, 50:])
    expected = d_y.t() @ torch.cat([inputs[:, :40], inputs[:, 50:]], dim=1)
    assert found.is_contiguous()
    torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.usefixtures("either_library")
def test_operands_are_rounded_to_bfloat16_and_sums_are_not() -> None:
    x, d_y, weight, bias = torch.randn(64, 200), torch.randn(64, 70), torch.randn(70, 200), torch.randn(70)
    rounded, d_rounded, w = (one.bfloat16().double() for one in (x, d_y, weight))
    leaf, trained = x.clone().requires_grad_(), weight.clone().requires_grad_()
    with bf16_operands():
        y, added = linear(leaf, trained, bias), d_y.clone()
        addition_with(weight)(added, x)
        found = [product(x, weight, bias), product_with(weight, bias)(x), y, added, joined_weight_gradients(d_y, x)]
    y.backward(d_y)  # Outside the block: as the forward pass did.
    found += [trained.grad, leaf.grad]
    product_of = rounded @ w.t()
    outer, back = d_rounded.t() @ rounded, d_rounded @ w
    expected = [*[product_of + bias.double()] * 3, d_y.double() + product_of, outer, outer, back]
    for mine, exact in zip(found, expected, strict=True):
        assert mine.dtype == torch.float32
        torch.testing.assert_close(mine.double(), exact, atol=1e-4, rtol=1e-5)
    assert float((product(x, weight) - product_of).abs().max()) > 1e-2  # And after the block nothing is rounded.


@pytest.mark.usefixtures("either_library")
def test_products_are_added_in_place() -> None:
    weight, y, x = torch.randn(70, 40), torch.randn(64, 70), torch.randn(64, 90)[:, 10:50]
    expected = y + x @ weight.t()
    add = addition_with(weight)
    add(y, x)
    torch.testing.assert_close(y, expected, atol=1e-4, rtol=1e-4)


def test_linear_has_the_gradients_of_its_definition() -> None:
    def double(*shape: int) -> torch.Tensor:
        return torch.randn(shape, dtype=torch.float64, requires_grad=True)

    x, weight, bias = double(2, 3, 5), double(4, 5), double(4)
    torch.testing.assert_close(linear(x, weight, bias), x @ weight.t() + bias)
    assert torch.autograd.gradcheck(linear, (x, weight, bias))
    assert torch.autograd.gradcheck(linear, (x, weight))


@pytest.mark.parametrize("rows", [0, 1, 64, 65, 640, 1000, 2048, 5000])
@pytest.mark.parametrize("most", [1, 200, 1024])
def test_pieces_are_of_few_sizes_and_hold_every_row_once(rows: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "goes_to_onednn", lambda _: False)
    even = products.pieces(rows, most, torch.empty(1))
    assert [row for piece in even for row in range(rows)[piece]] == list(range(rows))
    assert max(len(range(rows)[piece]) for piece in even) <= max(64, most)
    monkeypatch.setattr(products, "goes_to_onednn", lambda _: True)
    cut = products.pieces(rows, most, torch.empty(1))
    assert [row for piece in cut for row in range(rows)[piece]] == list(range(rows))
    sizes = [len(range(rows)[piece]) for piece in cut]
    assert all(size % 64 == 0 for size in sizes[:-1])
    assert len(set(sizes[:-1])) <= 2
    assert max(sizes) <= max(64, most)


@needs_onednn
def test_onednn_packs_matrices_here() -> None:
    """A PyTorch that no longer has the operators fails here, not in a benchmark."""
    assert "mkldnn" in str(torch.ops.mkldnn._reorder_linear_weight(torch.randn(64, 32)).layout)


def training_curve() -> tuple[list[float], list[torch.Tensor]]:
    """Return the losses of a few updates with dropout, and the weights after them."""
    torch.manual_seed(0)
    model = Seq2Seq(50, 60, LSTMSettings(FirstLayer(8, 10, 0), upper_layers=2, upper_dim=12, dropout=0.2))
    source, target = torch.randint(4, 50, (64, 6)), torch.randint(4, 60, (64, 7))
    lengths = torch.randint(2, 7, (64,)).sort(descending=True).values
    batch = Batch.of(source, lengths, target, torch.ones(64, 7, dtype=torch.bool))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    for _ in range(10):
        loss = model.loss(batch)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    return losses, list(model.state_dict().values())


@needs_onednn
def test_onednn_is_given_no_matrix_with_gaps_and_no_odd_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    multiply = products._onednn

    def watched(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        dense = weight.is_contiguous() or weight.t().is_contiguous()
        rows = len(x) % products.ROWS == 0 or x.shape[1] % products.ROWS == 0  # Of weights' gradients: the second.
        given.append(weight.is_mkldnn or (dense and rows))
        return multiply(x, weight, bias)

    monkeypatch.setattr(products, "mkl_is_slow", lambda: True)
    monkeypatch.setattr(products, "_onednn", watched)
    training_curve()
    assert given
    assert all(given)


@needs_onednn
def test_training_with_onednn_follows_the_plain_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    given = 0
    multiply = products._onednn

    def counted(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        nonlocal given
        given += 1
        return multiply(x, weight, bias)

    monkeypatch.setattr(products, "_onednn", counted)
    monkeypatch.setattr(products, "mkl_is_slow", lambda: True)
    losses, weights = training_curve()
    assert given >= 10 * 20  # Updates, products of each: two layers on either side, the sum, the softmax.
    given = 0
    monkeypatch.setattr(products, "mkl_is_slow", lambda: False)
    plain, plain_weights = training_curve()
    assert given == 0  # They were computed in two ways, which on some processors give the same bits.
    assert plain[-1] < plain[0]
    torch.testing.assert_close(losses, plain, atol=1e-2, rtol=1e-5)
    for mine, theirs in zip(weights, plain_weights, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ("vendor", "capability", "slow"),
    [("AuthenticAMD", "AVX512", True), ("AuthenticAMD", "AVX2", False), ("GenuineIntel", "AVX512", False)],
)
def test_onednn_multiplies_where_mkl_keeps_to_narrower_vectors(
    vendor: str, capability: str, slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products.Path, "read_text", lambda _: f"vendor_id : {vendor}")
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    assert products.mkl_is_slow.__wrapped__() is slow


def test_float64_is_left_to_the_usual_way() -> None:
    assert not has_onednn(torch.empty(1, dtype=torch.float64))


@pytest.mark.usefixtures("either_library")
@torch.inference_mode()
def test_packed_weights_are_those_that_the_model_has_now() -> None:
    with torch.inference_mode(False):
        weight, bias = torch.nn.Parameter(torch.randn(5, 3)), torch.randn(5)
    packed, x = PackedWeights(), torch.randn(4, 3)
    for b in (None, bias):
        torch.testing.assert_close(packed.product_with(weight, b)(x), torch.nn.functional.linear(x, weight, b))
    for change in (lambda: weight.mul_(2), lambda: weight.copy_(torch.randn(5, 3)), packed.clear):
        change()
        torch.testing.assert_close(packed.product_with(weight)(x), x @ weight.t())
