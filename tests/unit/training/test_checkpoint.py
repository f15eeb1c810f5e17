"""Weights are what was written, or they are refused."""

from pathlib import Path

import pytest
import safetensors.torch
import torch
from torch import nn

from seqpre.common.errors import DataError
from seqpre.training.checkpoint import load_weights, mean_weights, save_weights

ABOUT = {"kind": "lm", "vocab_size": 7}


@pytest.fixture
def model() -> nn.Module:
    """A layer, and a number of another type without dimensions."""
    layer = nn.Linear(2, 2)
    layer.register_buffer("count", torch.tensor(3))
    return layer


def test_weights_come_back_with_what_is_said_about_them(model: nn.Module, tmp_path: Path) -> None:
    save_weights(tmp_path / "model.safetensors", model, ABOUT)
    tensors, about = load_weights(tmp_path / "model.safetensors")
    assert about == ABOUT
    assert tensors.keys() == model.state_dict().keys()
    assert all(torch.equal(tensors[name], value) for name, value in model.state_dict().items())


def test_a_bit_that_flipped_anywhere_is_noticed(model: nn.Module, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_weights(path, model, ABOUT)
    whole = path.read_bytes()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"model\.safetensors: not a model of this project, or damaged"):
            load_weights(path)


def test_weights_from_before_there_were_checksums_are_taken_as_they_are(model: nn.Module, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors.torch.save(model.state_dict(), {"about": '{"kind": "lm"}'}))
    assert load_weights(path)[1] == {"kind": "lm"}


def test_the_mean_of_weights_is_that_of_each_number_in_its_own_type(model: nn.Module, tmp_path: Path) -> None:
    frozen = torch.tensor([0.1, 1e-30])
    paths = []
    for values in ([[1.0, 2.0], [0.0, -1.0]], [[4.0, 2.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 3.0]]):
        paths.append(tmp_path / f"{len(paths)}.safetensors")
        model.load_state_dict({"weight": torch.tensor(values), "bias": frozen, "count": torch.tensor(3)})
        save_weights(paths[-1], model, ABOUT)
    mean = mean_weights(paths)
    assert mean["weight"].tolist() == [[2.0, 2.0], [1.0, 1.0]]
    assert torch.equal(mean["bias"], frozen), "what does not move stays as it is, bit by bit"
    assert (mean["count"].dtype, int(mean["count"])) == (torch.int64, 3)
    assert mean_weights(paths[:1])["weight"].tolist() == [[1.0, 2.0], [0.0, -1.0]]
