"""The chunked softmax layer against the one that keeps all logits."""

import pytest
import torch
import torch.nn.functional as F

from seqpre.models.kernels import softmax
from seqpre.models.kernels.softmax import cross_entropy, rows_at_once


@pytest.mark.parametrize("chunk_logits", [1, 11 * 130, 10_000])
def test_chunks_give_the_whole_loss_and_its_gradients(chunk_logits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(softmax.MOST_LOGITS, "cpu", chunk_logits)
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


@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_probabilities_too_small_for_float32_have_their_logarithm(size: float) -> None:
    features, weight = torch.eye(3) * size, torch.tensor([[1.0, 0.0, 0.5], [0.0, 1.0, 1.0]])
    for target in (0, 1):
        targets = torch.full((3,), target)
        expected = F.cross_entropy((features @ weight.t()).double(), targets, reduction="sum")
        torch.testing.assert_close(cross_entropy(features, weight, torch.zeros(2), targets), expected.float())


def test_a_frozen_softmax_gets_no_gradient_and_still_passes_one_on() -> None:
    torch.manual_seed(0)
    features = torch.randn(3, 4, requires_grad=True)
    weight, bias = torch.randn(6, 4), torch.randn(6)
    cross_entropy(features, weight, bias, torch.tensor([1, 2, 3])).backward()
    expected = F.linear(features.detach(), weight, bias).softmax(1)
    expected[torch.arange(3), torch.tensor([1, 2, 3])] -= 1
    torch.testing.assert_close(features.grad, expected @ weight)


@pytest.mark.parametrize("trained", [(True, False, False), (False, True, False), (False, False, True),
                                      (True, True, False), (False, True, True), (True, False, True)])  # fmt: skip
def test_each_input_gets_its_gradient_whichever_others_are_frozen(trained: tuple[bool, ...]) -> None:
    torch.manual_seed(0)
    inputs = [torch.randn(*shape, dtype=torch.float64) for shape in ((5, 4), (6, 4), (6,))]
    targets = torch.tensor([1, 2, 3, 5, 0])
    ours, plain = ([tensor.clone().requires_grad_(needs) for tensor, needs in zip(inputs, trained, strict=True)]
                   for _ in range(2))  # fmt: skip
    cross_entropy(*ours, targets).backward()
    F.cross_entropy(F.linear(*plain), targets, reduction="sum").backward()
    for mine, theirs in zip(ours, plain, strict=True):
        assert (mine.grad is None) == (theirs.grad is None)
        if mine.grad is not None:
            torch.testing.assert_close(mine.grad, theirs.grad)


def test_no_more_logits_exist_at_a_time_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(softmax.MOST_LOGITS, "cpu", 11 * 130)
    made = []

    def product(*arguments: torch.Tensor) -> torch.Tensor:
        made.append(F.linear(*arguments).numel())
        return F.linear(*arguments)

    monkeypatch.setattr(softmax, "product", product)
    with torch.no_grad():
        cross_entropy(torch.randn(200, 4), torch.randn(11, 4), torch.randn(11), torch.randint(11, (200,)))
    assert sum(made) == 200 * 11
    assert rows_at_once(90_000, "cuda") > 128 * 30  # A batch of the papers' sizes is one chunk on a GPU.
    assert 11 * 64 < max(made) <= 11 * 130


def test_extreme_logits_stay_finite() -> None:
    weight = torch.tensor([[1e4], [-1e4]])
    loss = cross_entropy(torch.ones(1, 1), weight, torch.zeros(2), torch.tensor([1]))
    assert float(loss) == pytest.approx(2e4)


def test_only_products_are_less_exact_in_bfloat16() -> None:
    torch.manual_seed(0)
    features, weight = (torch.randn(rows, 8).bfloat16().float() for rows in (2_000, 11))
    targets = torch.randint(0, 11, (2_000,))
    exact = cross_entropy(features, weight, None, targets, 0.1)
    with torch.autocast("cpu", torch.bfloat16):
        found = cross_entropy(features.bfloat16(), weight, None, targets, 0.1)
    assert found.dtype == torch.float32
    assert abs(float(found) / float(exact) - 1) < 1e-6  # Logits in bfloat16 would be off by up to four in a thousand.
