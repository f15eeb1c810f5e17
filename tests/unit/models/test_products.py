"""Products with packed weights against plain ones."""

import pytest
import torch
import torch.nn.functional as F

from seqpre.models import products
from seqpre.models.lstm import Seq2Seq
from seqpre.models.products import can_pack, product_with
from seqpre.settings import FirstLayer, ModelSettings


@pytest.mark.parametrize("bias", [torch.randn(70), None])
@pytest.mark.parametrize("transposed", [True, False])
def test_packed_products_equal_plain_ones(
    bias: torch.Tensor | None, transposed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "PACKED_FROM", 0)
    weight = torch.randn(40, 70).t() if transposed else torch.randn(70, 40)
    product = product_with(weight, bias)
    for x in (torch.randn(1, 40), torch.randn(0, 40), torch.randn(3, 9, 40), torch.randn(40, 9).t()):
        torch.testing.assert_close(product(x), F.linear(x, weight, bias), atol=1e-4, rtol=1e-4)


def test_large_float32_matrices_are_packed_on_this_processor() -> None:
    """A PyTorch that no longer has the operators fails here, not in a benchmark."""
    if not can_pack(torch.empty(1)):
        pytest.skip("this PyTorch was built without oneDNN")
    weight, x = torch.randn(1024, 512), torch.randn(8, 512)
    assert "mkldnn" in str(torch.ops.mkldnn._reorder_linear_weight(weight).layout)
    torch.testing.assert_close(product_with(weight)(x), x @ weight.t(), atol=1e-3, rtol=1e-4)


def training_curve() -> tuple[list[float], list[torch.Tensor]]:
    """Return the losses of a few updates with dropout, and the weights after them."""
    torch.manual_seed(0)
    model = Seq2Seq(50, 60, FirstLayer(8, 10, 0), ModelSettings(upper_layers=2, upper_dim=12, dropout=0.2))
    source, lengths, target = torch.randint(4, 50, (6, 4)), torch.tensor([6, 6, 3, 2]), torch.randint(4, 60, (8, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    for _ in range(10):
        loss = model.loss(source, lengths, target[:-1], target[1:], torch.arange(28))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        losses.append(loss.item())
    return losses, list(model.state_dict().values())


def test_training_on_packed_weights_follows_the_plain_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    if not can_pack(torch.empty(1)):
        pytest.skip("this PyTorch was built without oneDNN")
    plain, plain_weights = training_curve()
    packed = 0
    reorder = torch.ops.mkldnn._reorder_linear_weight

    def counted(weight: torch.Tensor) -> torch.Tensor:
        nonlocal packed
        packed += 1
        return reorder(weight)

    monkeypatch.setattr(torch.ops.mkldnn, "_reorder_linear_weight", counted)
    monkeypatch.setattr(products, "PACKED_FROM", 0)
    losses, weights = training_curve()
    assert packed >= 10 * 10  # Two layers of the encoder, two of the decoder, forward and backward, and the softmax.
    assert plain[-1] < plain[0]
    torch.testing.assert_close(losses, plain, atol=1e-3, rtol=1e-5)
    for mine, theirs in zip(weights, plain_weights, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-4)


def test_float64_is_never_packed() -> None:
    assert not can_pack(torch.empty(1, dtype=torch.float64))
