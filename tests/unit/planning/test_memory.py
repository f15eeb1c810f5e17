"""The memory of an update by formula, against every tensor that one makes."""

import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from seqpre.models.batch import Batch
from seqpre.models.kernels import products
from seqpre.models.lstm import Seq2Seq
from seqpre.models.pointer import PointerGenerator
from seqpre.models.transformer import Transformer
from seqpre.study.models.lstm import FirstLayer, LSTMSettings
from seqpre.study.models.pointer import PointerGeneratorSettings
from seqpre.study.models.transformer import TransformerSettings


class Peak(TorchDispatchMode):
    """Follows the storage of what operators return: the most bytes that there were at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.live: dict[int, int] = {}
        self.most = 0

    def __torch_dispatch__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        returned = function(*args, **(kwargs or {}))
        for tensor in tree_leaves(returned):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                if storage._cdata not in self.live:
                    self.live[storage._cdata] = storage.nbytes()
                    weakref.finalize(storage, self.live.pop, storage._cdata, None)
        self.most = max(self.most, sum(self.live.values()))
        return returned


@pytest.mark.parametrize(("pointer", "activation_dropout"), [(False, 0.0), (True, 0.0), (False, 0.2)])
@pytest.mark.parametrize(
    ("layers", "dim", "ff_dim", "vocabulary", "lengths", "scored"),
    [((2, 2), 128, 512, 2_000, (40, 40), 1.0), ((3, 1), 64, 512, 4_000, (60, 20), 1.0),
     ((1, 3), 128, 256, 2_000, (20, 40), 0.5)],
)  # fmt: skip
def test_the_memory_of_an_update(
    pointer: bool,
    activation_dropout: float,
    layers: tuple[int, int],
    dim: int,
    ff_dim: int,
    vocabulary: int,
    lengths: tuple[int, int],
    scored: float,
) -> None:
    torch.manual_seed(1)
    encoder, decoder = layers
    settings = (PointerGeneratorSettings if pointer else TransformerSettings)(
        dim=dim, ff_dim=ff_dim, heads=4, encoder_layers=encoder, decoder_layers=decoder, dropout=0.2,
        activation_dropout=activation_dropout,
    )  # fmt: skip
    model = (PointerGenerator if pointer else Transformer)(vocabulary, vocabulary, settings)
    (S, T), B = lengths, 16
    source, targets = (torch.randint(5, vocabulary, (B, length)) for length in (S, T))
    batch = Batch.of(source, torch.full((B,), S), targets, (torch.arange(T) <= scored * T).expand(B, T))
    with Peak() as peak:
        model.loss(batch).backward()
    gradients = sum(4 * p.numel() for p in model.parameters())
    seen = sum(4 * p.numel() for p in model.parameters() if p.untyped_storage()._cdata in peak.live)  # As views.
    planned = settings.memory(vocabulary, S * B, T * B, scored)
    assert 0.85 < planned / (peak.most - gradients - seen) < 1.3


@pytest.mark.parametrize(("sizes", "lengths"), [((32, 128, 32, 32), (30, 30)), ((32, 48, 0, 64), (60, 20))])
def test_the_memory_of_an_lstms_update(
    sizes: tuple[int, int, int, int], lengths: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "mkl_is_slow", lambda: False)  # oneDNN's packed weights have no storage to look at.
    torch.manual_seed(1)
    *first, upper_dim = sizes
    settings, (S, T), B, vocabulary = LSTMSettings(FirstLayer(*first), upper_dim=upper_dim), lengths, 64, 500
    model = Seq2Seq(vocabulary, vocabulary, settings)
    batch = Batch.of(torch.randint(5, vocabulary, (B, S)), torch.full((B,), S),
                     torch.randint(5, vocabulary, (B, T)), torch.ones(B, T, dtype=torch.bool))  # fmt: skip
    with Peak() as peak:
        model.loss(batch).backward()
    gradients = sum(4 * p.numel() for p in model.parameters())
    assert 0.85 < settings.memory(vocabulary, S * B, T * B) / (peak.most - gradients) < 1.5
