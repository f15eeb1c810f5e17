"""Hypotheses that share their sentence's entries see what they would see in caches of their own."""

from __future__ import annotations

import torch
from torch import Tensor

from seqpre.models.kernels.kv_cache import AncestryMask, KVCache

E = 3


def seen(ancestry: AncestryMask, entries_BME: Tensor) -> list[Tensor]:
    """Return the entries that each row goes back on, in order."""
    bias_B1KM = ancestry.bias()
    if bias_B1KM is None:
        return list(entries_BME)
    return [each_ME[row_M == 0] for each_ME, rows in zip(entries_BME, bias_B1KM[:, 0], strict=True) for row_M in rows]


def test_every_row_goes_back_on_the_entries_that_it_was_selected_with() -> None:
    generator = torch.Generator().manual_seed(0)
    ancestry, cache = AncestryMask(3, torch.zeros(0)), KVCache(3, E, torch.zeros(0))
    own: list[Tensor] = [torch.zeros(0, E)] * 3
    selections = [
        ([0, 0, 1, 1, 2, 2], [0, 1, 2]),  # Each sentence's one row twice.
        ([1, 0, 3, 3, 4, 5], [0, 1, 2]),
        ([1, 1, 1, 5, 4, 4], [0, 2]),  # The second sentence is done.
        ([2, 3], [0, 1]),  # One row a sentence is left.
        *[([0, 1], [0, 1])] * 20,  # More than there is room for at first.
        ([1], [1]),
        ([], []),
    ]
    for rows, sentences in selections:
        new_RE = torch.randn(len(own), E, generator=generator)
        ancestry.add()
        entries_BME = cache.add(new_RE)
        own = [torch.cat([before, new[None]]) for before, new in zip(own, new_RE, strict=True)]
        for expected, found in zip(own, seen(ancestry, entries_BME), strict=True):
            assert torch.equal(expected, found)
        ancestry.select(torch.tensor(rows, dtype=torch.int64), len(sentences))
        cache.select(torch.tensor(sentences, dtype=torch.int64))
        own = [own[row] for row in rows]


def test_no_mask_is_made_while_there_is_one_hypothesis_a_sentence() -> None:
    ancestry = AncestryMask(2, torch.zeros(0))
    for _ in range(3):
        ancestry.add()
        assert ancestry.bias() is None
        ancestry.select(torch.tensor([0, 1]), 2)
    ancestry.select(torch.tensor([0, 0, 1, 1]), 2)
    ancestry.add()
    assert ancestry.bias() is not None
