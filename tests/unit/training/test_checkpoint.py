"""Weights and training states are what was written, or they are refused."""

import io
from pathlib import Path
from typing import Any

import pytest
import torch
import xxhash
from torch import nn

from seqpre.common.errors import DataError
from seqpre.training.checkpoint import TrainingStates, content_of, load_weights, mean_weights, read_state, save_weights

ABOUT = {"kind": "lm", "vocab_size": 7}
STATE = {
    "fingerprint": "mine",
    "model": {"weight": torch.arange(300.0)},
    "progress": {"update": 3, "best": {"perplexity": -2.5}},
    "random": torch.arange(50, dtype=torch.uint8),
}


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


def test_the_same_weights_are_the_same_bytes(model: nn.Module, tmp_path: Path) -> None:
    path, found = tmp_path / "model.safetensors", set()
    for _ in range(40):
        save_weights(path, model, ABOUT)
        found.add(path.read_bytes())
    assert len(found) == 1


def test_the_content_of_weights_is_their_tensors_and_what_is_said_of_them(model: nn.Module, tmp_path: Path) -> None:
    contents = set()
    for about in (ABOUT, {**ABOUT, "vocab_size": 8}):
        for value in (1.0, 2.0):
            with torch.no_grad():
                model.bias.fill_(value)  # type: ignore[operator]
            save_weights(tmp_path / "model.safetensors", model, about)
            contents.add(content_of(tmp_path / "model.safetensors"))
    assert len(contents) == 4


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


@pytest.fixture
def states(tmp_path: Path) -> TrainingStates:
    """Two states of one training, of updates 2 and 3."""
    found = TrainingStates(tmp_path / "checkpoints", "mine")
    for update in (2, 3):
        found.save({**STATE, "progress": {"update": update}})
    found.wait()
    return found


def update_of(states: TrainingStates) -> Any:
    """Return after which update a training goes on, and None where it begins anew."""
    found = states.load()
    return found and found[1]["progress"]["update"]


def test_a_state_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    states = TrainingStates(tmp_path, "mine")
    states.save(STATE)
    states.wait()
    path, state = states.load() or pytest.fail("no state")
    assert path == tmp_path / "last.pt"
    assert torch.equal(state["model"]["weight"], STATE["model"]["weight"])  # type: ignore[index]
    assert {**state, "model": 0, "random": 0} == {**STATE, "model": 0, "random": 0}
    assert state["random"].tolist() == list(range(50))


def test_a_bit_that_flipped_anywhere_in_a_state_is_noticed(states: TrainingStates) -> None:
    whole = states.last.read_bytes()
    for place in range(0, len(whole), 5):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        states.last.write_bytes(damaged)
        with pytest.raises(DataError, match=r"last\.pt is damaged"):
            read_state(states.last)


def test_a_state_that_is_cut_off_or_longer_is_noticed(states: TrainingStates) -> None:
    whole = states.last.read_bytes()
    for damaged in (*(whole[:size] for size in range(0, len(whole), 7)), whole[:-1], whole[:-16], whole + b"\0"):
        states.last.write_bytes(damaged)
        with pytest.raises(DataError, match=r"last\.pt is damaged"):
            read_state(states.last)


def saved(state: Any, protocol: int = 2) -> bytes:
    """Return what `torch.save` makes of something."""
    file = io.BytesIO()
    torch.save(state, file, pickle_protocol=protocol)
    return file.getvalue()


class _Touches:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 1000,
        b"PK\3\4" + b"\xff" * 500,
        b"no state",
        saved([1, 2]),
        saved({"model": 1}),
        saved(torch.ones(2)),
    ],
)
@pytest.mark.parametrize("checked", [True, False])
def test_what_is_no_state_is_set_aside_and_the_one_before_is_used(
    content: bytes, checked: bool, states: TrainingStates, capsys: pytest.CaptureFixture[str]
) -> None:
    states.last.write_bytes(content + (xxhash.xxh3_128(content).digest() if checked else b""))
    assert update_of(states) == 2
    assert "last.pt is damaged" in capsys.readouterr().err
    assert states.last.with_suffix(".aside").exists()


def test_states_of_former_versions_are_set_aside_since_nothing_verifies_them(states: TrainingStates) -> None:
    states.last.write_bytes(saved(STATE))
    assert update_of(states) == 2


@pytest.mark.parametrize("checked", [True, False])
def test_no_state_can_execute_anything(
    checked: bool, states: TrainingStates, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = saved({**STATE, "more": _Touches(tmp_path / "executed")})
    states.last.write_bytes(content + (xxhash.xxh3_128(content).digest() if checked else b""))
    assert update_of(states) == 2
    assert not (tmp_path / "executed").exists()
    assert "last.pt is damaged, or a state of another version" in capsys.readouterr().err


def test_a_state_that_cannot_be_read_is_set_aside(states: TrainingStates, capsys: pytest.CaptureFixture[str]) -> None:
    states.last.unlink()
    states.last.mkdir()  # Reading it is an OSError, as of a disk that fails.
    assert update_of(states) == 2
    assert "Is a directory" in capsys.readouterr().err


def test_where_no_state_can_be_read_nothing_begins_anew(states: TrainingStates) -> None:
    for path in (states.last, states.previous):
        path.unlink()
        path.mkdir()  # as of network storage that has gone
    with pytest.raises(DataError, match=r"last\.pt .*Is a directory.*; run the same command when it can be read, or"):
        states.load()
    assert sorted(path.name for path in states.folder.iterdir()) == ["last.pt", "previous.pt"]


def test_a_memory_that_is_too_small_says_nothing_against_a_state(
    states: TrainingStates, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory")

    with monkeypatch.context() as patched:
        patched.setattr(torch, "load", fails)
        with pytest.raises(RuntimeError, match="allocate"):
            states.load()
    assert update_of(states) == 3


def test_damaged_states_alone_begin_anew(states: TrainingStates) -> None:
    for path in (states.last, states.previous):
        path.write_bytes(path.read_bytes()[:-100])
    assert update_of(states) is None
    assert sorted(path.name for path in states.folder.iterdir()) == ["last.aside", "previous.aside"]
