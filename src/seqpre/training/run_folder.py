"""The folder of one training: states to resume from, kept checkpoints, and the note that it has finished."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import full_disk_named, read_json, take_lock, write_json
from seqpre.study.declarations import WEIGHTS
from seqpre.study.settings import AVERAGE
from seqpre.training.checkpoint import TrainingStates, load_weights


class RunFolder:
    """Everything needed to resume a training, or to restore its outputs.

    After each update in `keep` a checkpoint is kept. The weights of the last `average_last` validations stay until they
    are averaged.
    """

    def __init__(self, path: Path, fingerprint: str, keep: Sequence[int], average_last: int) -> None:
        self.path, self.average_last = path, average_last
        self.keep = {update: self._of(f"kept@{update}") for update in keep}
        self.states = TrainingStates(path, fingerprint)
        self.metrics, self.finished, self.average = path / "metrics.jsonl", path / "finished.json", self._of(AVERAGE)
        self.saved_before = list[int]()

    def enter(self) -> dict[str, Any] | None:
        """Lock the folder; return the progress if this run has already finished."""
        self.lock = take_lock(self.path / "lock")
        if not self.finished.exists():
            return None
        note = read_json(self.finished)
        progress: dict[str, Any] = note["progress"]
        files = [*map(self.best, progress["best"]), *self.kept(progress["update"])]
        files += [self.average] if self.average_last else []
        if note["fingerprint"] == self.states.expected and not (lost := self._lost(files)):
            return progress
        self.finished.unlink()
        if note["fingerprint"] == self.states.expected:
            print(f"it had finished before, but {lost}: it is trained again", file=sys.stderr, flush=True)
        return None

    def start_anew(self) -> None:
        """Delete the files of an earlier training."""
        for old in (self.metrics, *self.path.glob("kept@*"), *self.path.glob("validated@*")):
            old.unlink(missing_ok=True)  # Not overwritten: an output may be a hard link to it.
        self.metrics.touch()

    def newest_state(self) -> tuple[Path, dict[str, Any]] | None:
        """Return the newest usable state and its file.

        A state is usable if all weights that it counts on are there: the best so far, kept checkpoints, and those that
        are averaged at the end.
        """
        while found := self.states.load():
            path, state = found
            wanted = [self.validated(update) for update in state["progress"].get("averaged", [])]
            wanted += [*self.kept(state["progress"]["update"]), *map(self.best, state["progress"].get("best", {}))]
            lacking = [file.name for file in wanted if not file.exists()]
            if not lacking:
                return found
            self.states.set_aside(path, f"is of a training that did not keep {', '.join(lacking)}")
        return None

    def best(self, selection: str) -> Path:
        """Return the file of the best weights so far, by this selection."""
        return self._of(f"best_{selection}")

    def weights(self, progress: Mapping[str, Any]) -> dict[str, str]:
        """Return the weights files of a finished training, {name here: name among the outputs}."""
        chosen = {self.best(selection).name: selection for selection in progress["best"]}
        kept = {path.name: str(at) for at, path in self.keep.items() if at <= progress["update"]}
        average = {self.average.name: AVERAGE} if self.average_last else {}
        return {name: f"{WEIGHTS}/{as_named}.safetensors" for name, as_named in {**chosen, **kept, **average}.items()}

    def kept(self, update: int) -> list[Path]:
        """Return the kept checkpoints due up to this update."""
        return [path for at, path in self.keep.items() if at <= update]

    def validated(self, update: int | str) -> Path:
        """Return the file of a validation's weights, kept until they are averaged. `*` gives a pattern for all."""
        return self._of(f"validated@{update}")

    def drop_validated(self, averaged: list[int]) -> None:
        """Delete validation weights that neither this state nor the one before needs for averaging."""
        for path in self.path.glob(self.validated("*").name):
            if self.saved_before and int(path.stem.partition("@")[2]) < self.saved_before[0]:
                path.unlink()
        self.saved_before = averaged

    def log(self, line: Mapping[str, Any]) -> None:
        """Append a line to metrics.jsonl."""
        with full_disk_named(self.metrics), self.metrics.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def logged(self) -> int:
        """Sync metrics.jsonl to the disk; return its size in bytes."""
        with full_disk_named(self.metrics), self.metrics.open("ab") as file:
            os.fsync(file.fileno())
            return file.tell()

    def cut_log(self, size: int) -> None:
        """Cut metrics.jsonl to its size when a state was saved. Raises DataError if it is missing or shorter."""
        found = self.metrics.stat().st_size if self.metrics.is_file() else 0
        if found < size or not self.metrics.is_file():
            raise DataError(
                f"{self.metrics}: has {found:,} bytes, and had {size:,} when the state was saved; put the whole file "
                f"back, or delete {self.path}/*.pt to train from the beginning"
            )
        os.truncate(self.metrics, size)

    def publish(self, outputs: Path, progress: Mapping[str, Any]) -> None:
        """Link summary, metrics and weights into `outputs`, note that the run has finished, and delete its states.

        The files also stay here, as hard links where possible, so that lost outputs can be restored.
        """
        write_json(self.finished, {"fingerprint": self.states.expected, "progress": progress})
        names = {"summary.json": "summary.json", self.metrics.name: self.metrics.name, **self.weights(progress)}
        for name, path in ((name, outputs / wanted) for name, wanted in names.items()):
            path.parent.mkdir(exist_ok=True)
            partial = path.with_name(f".{path.name}.partial")
            partial.unlink(missing_ok=True)
            try:
                partial.hardlink_to(self.path / name)
            except OSError:  # A file system without hard links.
                shutil.copyfile(self.path / name, partial)
            partial.replace(path)
        for path in (*self.path.glob("*.pt"), *self.path.glob(self.validated("*").name)):
            path.unlink()

    def _of(self, name: str) -> Path:
        return self.path / f"{name}.safetensors"

    def _lost(self, weights: Iterable[Path]) -> str:
        """Return what is missing or damaged among a finished run's files; empty if nothing is."""
        for path in (self.path / "summary.json", self.metrics):
            if not path.is_file():
                return f"{path} is gone"
        for path in weights:
            try:
                load_weights(path)
            except (ConfigError, DataError) as error:
                return str(error).partition(";")[0]
        return ""
