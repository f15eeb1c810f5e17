"""Weights and training states on disk: written whole or not at all, verified when read, free of executable code."""

from __future__ import annotations

import hashlib
import json
import pickle
import sys
import zipfile
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor, nn

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import atomic_write

CHECKSUM = "sha256"


def save_weights(path: Path, model: nn.Module, about: dict[str, Any]) -> None:
    """Write a model's tensors as safetensors; `about` says what they belong to: settings, vocabulary, subwords.

    Their checksum, in the file's own header, goes wherever the file is copied.
    """
    save_tensors(path, {name: tensor.detach().cpu() for name, tensor in model.state_dict().items()}, about)


def save_tensors(path: Path, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
    """Write tensors as `save_weights` does."""
    tensors, text = {name: tensor.contiguous() for name, tensor in tensors.items()}, json.dumps(about)
    with atomic_write(path, "wb") as file:
        file.write(safetensors.torch.save(tensors, {"about": text, CHECKSUM: checksum(tensors, text)}))


def load_weights(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return a file's tensors and what it says about them; DataError where they are not as they were written.

    Files from before there were checksums have only `about`, and are taken as they are.
    """
    if not path.is_file():
        raise ConfigError(f"{path}: no such model; train it first")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            about = json.loads(metadata["about"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
        if metadata.keys() - {"about"} and metadata[CHECKSUM] != checksum(tensors, metadata["about"]):
            raise ValueError("its content is not what its checksum says")
    except (safetensors.SafetensorError, KeyError, ValueError) as error:
        raise DataError(
            f"{path}: not a model of this project, or damaged ({error}); delete it, and it is trained again"
        ) from error
    return tensors, about


def mean_weights(paths: Sequence[Path]) -> dict[str, Tensor]:
    """Return the mean of the tensors of one file or more of one model, summed in float64."""
    total, _ = load_weights(paths[0])
    types = {name: tensor.dtype for name, tensor in total.items()}
    total = {name: tensor.double() for name, tensor in total.items()}
    for path in paths[1:]:
        for name, tensor in load_weights(path)[0].items():
            total[name] += tensor
    return {name: (tensor / len(paths)).to(types[name]) for name, tensor in total.items()}


def checksum(tensors: dict[str, Tensor], about: str) -> str:
    """Return the SHA-256 of all tensors, their names, types and shapes, and what is said about them."""
    digest = hashlib.sha256(about.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def fingerprint(value: Any) -> str:
    """Return a short hash of anything JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def read_state(path: Path) -> dict[str, Any]:
    """Return a training state, on the CPU."""
    state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return state


def copied(state: Any) -> Any:
    """Return a copy of nested dicts, lists and tensors, on the CPU."""
    if isinstance(state, Tensor):
        return state.detach().to("cpu", copy=True)
    if isinstance(state, dict):
        return {key: copied(value) for key, value in state.items()}
    if isinstance(state, list | tuple):
        return type(state)(map(copied, state))
    return state


class TrainingStates:
    """The states a run resumes from: the last and the one before, in a folder of the run's own.

    A state of other settings or inputs, or a damaged one, is set aside with a message and not used. States are written
    beside the training that follows: at the paper's size that takes 20 seconds on a common disk.
    """

    def __init__(self, folder: Path, expected: str) -> None:
        self.folder, self.expected = folder, expected
        self.last, self.previous = folder / "last.pt", folder / "previous.pt"
        self._writer, self._writing = ThreadPoolExecutor(max_workers=1), Future[None]()
        self._writing.set_result(None)
        folder.mkdir(parents=True, exist_ok=True)

    def save(self, state: dict[str, Any]) -> None:
        """Copy `state` and begin to write it as the last one; the last one so far becomes the previous one."""
        self.wait()
        self._writing = self._writer.submit(self._write, copied({**state, "fingerprint": self.expected}))

    def check(self) -> None:
        """Raise what has gone wrong with writing (a full disk); do not wait for what is being written."""
        if self._writing.done():
            self.wait()

    def wait(self) -> None:
        """Return when the last state is on the disk; raise what has gone wrong."""
        self._writing.result()

    def _write(self, state: dict[str, Any]) -> None:
        with atomic_write(self.folder / "new.pt", "wb") as file:
            torch.save(state, file)
        if self.last.exists():
            self.last.replace(self.previous)
        (self.folder / "new.pt").replace(self.last)

    def load(self) -> tuple[Path, dict[str, Any]] | None:
        """Return the newest usable state and its file, or None."""
        for path in (self.folder / "new.pt", self.last, self.previous):
            if not path.exists():
                continue
            try:
                state = read_state(path)
                found = state["fingerprint"]
            except (RuntimeError, EOFError, KeyError, TypeError, pickle.UnpicklingError, zipfile.BadZipFile) as error:
                self.set_aside(path, f"is damaged ({type(error).__name__})")
                continue
            if found == self.expected:
                return path, state
            self.set_aside(path, "belongs to other settings or inputs")
        return None

    @staticmethod
    def set_aside(path: Path, why: str) -> None:
        """Keep a state under another name, and say why it is not used."""
        aside = path.with_suffix(".aside")
        path.replace(aside)
        print(f"{path} {why}: kept as {aside.name}, not used", file=sys.stderr)
