"""Weights and training states on disk: written whole or not at all, verified when read, free of executable code."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import safetensors
import safetensors.torch
import torch
import xxhash
from torch import Tensor, nn

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import atomic_write

CHECKED = "sha256 about"
"""The only metadata key of a weights file: safetensors writes several in random order (safetensors#584)."""


def save_weights(path: Path, model: nn.Module, about: dict[str, Any]) -> None:
    """Write a model's tensors as safetensors; `about` is their metadata: settings, vocabulary, subwords.

    The checksum is in the file's own header, so copies keep it. The same content gives the same bytes.
    """
    save_tensors(path, {name: tensor.detach().cpu() for name, tensor in model.state_dict().items()}, about)


def save_tensors(path: Path, tensors: dict[str, Tensor], about: dict[str, Any]) -> None:
    """Write tensors as `save_weights` does."""
    tensors, text = {name: tensor.contiguous() for name, tensor in tensors.items()}, json.dumps(about)
    with atomic_write(path, "wb") as file:
        file.write(safetensors.torch.save(tensors, {CHECKED: f"{checksum(tensors, text)} {text}"}))


def load_weights(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return a file's tensors and metadata. Raises DataError if the file is damaged."""
    tensors, about, _ = _verified(path)
    return tensors, about


def content_of(path: Path) -> str:
    """Return the checksum of what `load_weights` returns. It does not depend on the file's layout."""
    return _verified(path)[2]


def _verified(path: Path) -> tuple[dict[str, Tensor], dict[str, Any], str]:
    """Return a file's tensors, its metadata, and the checksum of both."""
    if not path.is_file():
        raise ConfigError(f"{path}: no such model; train it first")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            expected, _, text = (file.metadata() or {})[CHECKED].partition(" ")
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
        found = checksum(tensors, text)
        if expected != found:
            raise ValueError("its content is not what its checksum says")
        return tensors, json.loads(text), found
    except (safetensors.SafetensorError, OSError, KeyError, ValueError) as error:
        raise DataError(
            f"{path}: not a model of this project, or damaged ({error}); delete it, and it is trained again"
        ) from error


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
    """Return the SHA-256 of all tensors (names, types, shapes, values) and of their metadata."""
    digest = hashlib.sha256(about.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def fingerprint(value: Any) -> str:
    """Return a short hash of anything JSON can hold."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


class _Checksummed:
    """A file opened for writing, with the XXH3-128 of everything written: 12 GB/s on one core."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.checksum = file, xxhash.xxh3_128()

    def write(self, data: bytes) -> int:
        self.checksum.update(data)
        return self.file.write(data)

    def flush(self) -> None:
        self.file.flush()


def write_state(path: Path, state: dict[str, Any]) -> None:
    """Write a training state, followed by the checksum of its bytes."""
    with atomic_write(path, "wb") as file:
        checked = _Checksummed(file)
        torch.save(state, checked)  # type: ignore[arg-type]  # it only writes
        file.write(checked.checksum.digest())


def read_state(path: Path) -> dict[str, Any]:
    """Return a training state, on the CPU. Raises DataError if it is not byte by byte as written.

    Nothing is parsed before the checksum is verified, and nothing is ever executed.
    """
    try:
        with path.open("rb") as file:
            _check(file)
            # A zip reader ignores the checksum behind the archive.
            state = torch.load(file, map_location="cpu", weights_only=True)
        if not isinstance(state, dict) or "fingerprint" not in state:
            raise ValueError("it holds something else")
    except (
        RuntimeError, OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, pickle.UnpicklingError
    ) as error:  # fmt: skip
        if "can't allocate memory" in str(error):
            raise  # The state may be good.
        why = str(error).partition("\n")[0] or type(error).__name__
        raise DataError(f"{path} is damaged, or a state of another version ({why})") from error
    return state


def _check(file: IO[bytes]) -> None:
    """Raise ValueError unless the file ends with the checksum of its content; rewind it."""
    found = xxhash.xxh3_128()
    left = os.fstat(file.fileno()).st_size - found.digest_size
    while left > 0 and (block := file.read(min(left, 1 << 22))):
        found.update(block)
        left -= len(block)
    if left or file.read() != found.digest():
        raise ValueError("its content is not what its checksum says")
    file.seek(0)


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
    """The states from which a run resumes: the last two, in a folder of the run's own.

    A state with other settings or inputs, or a damaged one, is set aside with a message and not used. States are
    written while training continues: at the paper's size this takes 20 seconds on a common disk.
    """

    def __init__(self, folder: Path, expected: str) -> None:
        self.folder, self.expected = folder, expected
        self.last, self.previous = folder / "last.pt", folder / "previous.pt"
        self._writer, self._writing = ThreadPoolExecutor(max_workers=1), Future[None]()
        self._writing.set_result(None)
        folder.mkdir(parents=True, exist_ok=True)

    def save(self, state: dict[str, Any]) -> None:
        """Copy `state` and start writing it as the last one. The former last one becomes the previous one."""
        self.wait()
        self._writing = self._writer.submit(self._write, copied({**state, "fingerprint": self.expected}))

    def check(self) -> None:
        """Raise an error of an earlier write, such as a full disk, without waiting for the current one."""
        if self._writing.done():
            self.wait()

    def wait(self) -> None:
        """Wait until the last state is on disk; raise any error of writing it."""
        self._writing.result()

    def _write(self, state: dict[str, Any]) -> None:
        write_state(self.folder / "new.pt", state)
        if self.last.exists():
            self.last.replace(self.previous)
        (self.folder / "new.pt").replace(self.last)

    def load(self) -> tuple[Path, dict[str, Any]] | None:
        """Return the newest usable state and its file, or None.

        Raises DataError if none can be read but the disk failed to deliver one: it may succeed later.
        """
        unread = {}
        for path in (self.folder / "new.pt", self.last, self.previous):
            if not path.exists():
                continue
            try:
                state = read_state(path)
            except DataError as error:
                why = str(error).removeprefix(f"{path} ")
                if isinstance(error.__cause__, OSError):
                    unread[path] = why
                else:
                    self.set_aside(path, why)
                continue
            if state["fingerprint"] == self.expected:
                for newer, why in unread.items():
                    self.set_aside(newer, why)
                return path, state
            self.set_aside(path, "belongs to other settings or inputs")
        if unread:
            path, why = next(iter(unread.items()))
            raise DataError(f"{path} {why}; run the same command when it can be read, or delete it to begin anew")
        return None

    @staticmethod
    def set_aside(path: Path, why: str) -> None:
        """Rename a state, and print why it is not used."""
        aside = path.with_suffix(".aside")
        path.replace(aside)
        print(f"{path} {why}: kept as {aside.name}, not used", file=sys.stderr)
