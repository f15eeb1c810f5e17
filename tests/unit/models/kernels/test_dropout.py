"""Dropout with cheap masks, against what the word means."""

import pytest
import torch

from seqpre.models.kernels.dropout import dropout, dropout_mask


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.5])
def test_a_share_is_dropped_and_the_rest_scaled(rate):
    torch.manual_seed(0)
    mask = dropout_mask((1001, 333), rate, torch.zeros(1))
    assert mask.unique().tolist() == pytest.approx([0, 1 / (1 - rate)])
    expected_deviation = (rate * (1 - rate) / mask.numel()) ** 0.5
    assert (mask == 0).float().mean().item() == pytest.approx(rate, abs=5 * expected_deviation)
    for dim in (0, 1):  # Neighbours, which share a random word, are dropped independently.
        dropped = (mask == 0).float() - rate
        product = dropped.narrow(dim, 0, mask.shape[dim] - 1) * dropped.narrow(dim, 1, mask.shape[dim] - 1)
        assert product.mean().item() == pytest.approx(0, abs=5 * rate * (1 - rate) / product.numel() ** 0.5)


def test_gradient_passes_where_the_value_did():
    x = torch.ones(50, 7, requires_grad=True)
    y = dropout(x, 0.3, training=True)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


def test_seeded_and_off_outside_training():
    x = torch.ones(9, 5)
    torch.manual_seed(3)
    first = dropout(x, 0.5, training=True)
    torch.manual_seed(3)
    assert torch.equal(first, dropout(x, 0.5, training=True))
    assert dropout(x, 0.5, training=False) is x
    assert dropout(x, 0.0, training=True) is x
