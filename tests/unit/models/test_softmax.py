"""The chunked softmax layer against the one that keeps all logits."""

import pytest
import torch
import torch.nn.functional as F

from seqpre.models import softmax
from seqpre.models.softmax import cross_entropy


@pytest.mark.parametrize("chunk_logits", [1, 11 * 130, 10_000])
def test_chunks_give_the_whole_loss_and_its_gradients(chunk_logits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(softmax.CHUNK_LOGITS, "cpu", chunk_logits)
    torch.manual_seed(0)
    features, weight, bias = (
        torch.randn(*shape, dtype=torch.float64, requires_grad=True) for shape in ((200, 4), (11, 4), (11,))
    )
    targets = torch.randint(11, (200,))
    ours = cross_entropy(features, weight, bias, targets)
    plain = F.cross_entropy(F.linear(features, weight, bias), targets, reduction="sum")
    torch.testing.assert_close(ours, plain)
    leaves = [features, weight, bias]
    for mine, theirs in zip(
        torch.autograd.grad(2.5 * ours, leaves), torch.autograd.grad(2.5 * plain, leaves), strict=True
    ):
        torch.testing.assert_close(mine, theirs)


def test_a_frozen_softmax_gets_no_gradient_and_still_passes_one_on() -> None:
    torch.manual_seed(0)
    features = torch.randn(3, 4, requires_grad=True)
    weight, bias = torch.randn(6, 4), torch.randn(6)
    cross_entropy(features, weight, bias, torch.tensor([1, 2, 3])).backward()
    expected = F.linear(features.detach(), weight, bias).softmax(1)
    expected[torch.arange(3), torch.tensor([1, 2, 3])] -= 1
    torch.testing.assert_close(features.grad, expected @ weight)


def test_extreme_logits_stay_finite() -> None:
    weight = torch.tensor([[1e4], [-1e4]])
    loss = cross_entropy(torch.ones(1, 1), weight, torch.zeros(2), torch.tensor([1]))
    assert float(loss) == pytest.approx(2e4)
