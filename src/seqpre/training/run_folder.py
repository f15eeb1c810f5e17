"""The folder of one training: states to resume from, kept checkpoints, and the note that it has finished."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import full_disk_named, read_json, sha256_of, take_lock, write_json
from seqpre.study.declarations import WEIGHTS
from seqpre.study.settings import AVERAGE
from seqpre.study.typed import require_keys, typed
from seqpre.training.checkpoint import TrainingStates, load_weights


@dataclass
class TrainingRecord:
    """How far a run has come. Every training state holds it."""

    update: int = 0
    tokens: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    stale: int = 0
    improved_to: float = math.inf
    """Validations since the last improvement that counted for early stopping, and its perplexity."""
    best: dict[str, float] = field(default_factory=dict)
    best_update: dict[str, int] = field(default_factory=dict)
    stopped_by: str = ""
    metrics_bytes: int = 0
    interval_loss: float = 0.0
    interval_tokens: int = 0
    """Loss and tokens since the last line of metrics."""
    averaged: tuple[int, ...] = ()
    """Updates of the last validations, whose weights are averaged at the end."""
    validating: bool = False
    """Whether a validation was interrupted. Training resumes with it."""


class RunFolder:
    """Everything needed to resume a training, or to restore its outputs.

    After each update in `keep` a checkpoint is kept. The weights of the last `average_last` validations stay until they
    are averaged.
    """

    def __init__(self, path: Path, fingerprint: str, keep: Sequence[int], average_last: int) -> None:
        self.path, self.average_last = path, average_last
        self.keep = {update: self._of(f"kept@{update}") for update in keep}
        self.states = TrainingStates(path, fingerprint)
        self.metrics, self.summary = path / "metrics.jsonl", path / "summary.json"
        self.finished, self.average = path / "finished.json", self._of(AVERAGE)
        self.saved_before: Sequence[int] = ()

    def enter(self) -> TrainingRecord | None:
        """Lock the folder; return the progress if this run has already finished.

        Raises DataError if `finished.json` is damaged, or if another version wrote it.
        """
        self.lock = take_lock(self.path / "lock")
        if not self.finished.exists():
            return None
        note = read_json(self.finished)
        try:
            require_keys(note, ("fingerprint", "progress"), str(self.finished))
            progress = self._restored(note) if note["fingerprint"] == self.states.expected else None
        except ConfigError as error:
            raise DataError(f"{error}. Another version wrote it: use that one, or delete it to train again") from error
        if progress is None:
            self.finished.unlink()
        return progress

    def start_anew(self) -> None:
        """Delete the files of an earlier training."""
        for old in (self.metrics, *self.path.glob("kept@*"), *self.path.glob("validated@*")):
            old.unlink(missing_ok=True)  # Not overwritten: an output may be a hard link to it.
        self.metrics.touch()

    def newest_state(self) -> tuple[Path, dict[str, Any]] | None:
        """Return the newest usable state and its file.

        A state is usable if all weights that it counts on are there and whole: the best so far, kept checkpoints, and
        those that are averaged at the end.
        """
        while found := self.states.load():
            path, state = found
            try:
                progress = TrainingRecord(**state["progress"])
            except (LookupError, TypeError) as error:
                self.states.set_aside(path, f"is a state of another version ({error})")
                continue
            wanted = [*map(self.validated, progress.averaged), *self.kept(progress.update)]
            if not (lost := _lost([*wanted, *map(self.best, progress.best)])):
                return found
            self.states.set_aside(path, f"counts on lost weights ({lost})")
        return None

    def best(self, selection: str) -> Path:
        """Return the file of the best weights so far, by this selection."""
        return self._of(f"best_{selection}")

    def weights(self, progress: TrainingRecord) -> dict[str, str]:
        """Return the weights files of a finished training, {name here: name among the outputs}."""
        chosen = {self.best(selection).name: selection for selection in progress.best}
        kept = {path.name: str(at) for at, path in self.keep.items() if at <= progress.update}
        average = {self.average.name: AVERAGE} if self.average_last else {}
        return {name: f"{WEIGHTS}/{as_named}.safetensors" for name, as_named in {**chosen, **kept, **average}.items()}

    def kept(self, update: int) -> list[Path]:
        """Return the kept checkpoints due up to this update."""
        return [path for at, path in self.keep.items() if at <= update]

    def validated(self, update: int | str) -> Path:
        """Return the file of a validation's weights, kept until they are averaged. `*` gives a pattern for all."""
        return self._of(f"validated@{update}")

    def drop_validated(self, averaged: Sequence[int]) -> None:
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

    def publish(self, outputs: Path, progress: TrainingRecord) -> None:
        """Link summary, metrics and weights into `outputs`, note that the run has finished, and delete its states.

        The files also stay here, as hard links where possible, so that lost outputs can be restored.
        """
        logs = (self.summary, self.metrics)
        sha256 = {path.name: sha256_of(path) for path in logs}
        note = {"fingerprint": self.states.expected, "progress": vars(progress), "sha256": sha256}
        write_json(self.finished, note)
        names = {**{path.name: path.name for path in logs}, **self.weights(progress)}
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

    def _restored(self, note: Mapping[str, Any]) -> TrainingRecord | None:
        """Return the progress of a finished run; None, with a message, if a file of it is missing or damaged."""
        progress: TrainingRecord = typed(TrainingRecord, note["progress"], f"{self.finished}: progress")
        sha256: dict[str, str] = typed(dict[str, str], note.get("sha256"), f"{self.finished}: sha256")
        weights = [*map(self.best, progress.best), *self.kept(progress.update)]
        weights += [self.average] if self.average_last else []
        if not (lost := self._changed(sha256) or _lost(weights)):
            return progress
        print(f"it had finished before, but {lost}: it is trained again", file=sys.stderr, flush=True)
        return None

    def _changed(self, sha256: Mapping[str, str]) -> str:
        """Return which of summary and metrics is missing or damaged; empty if none. Old notes have no checksums."""
        for path in (self.summary, self.metrics):
            if not path.is_file():
                return f"{path} is gone"
            if path.name in sha256 and sha256[path.name] != sha256_of(path):
                return f"{path} is damaged"
        return ""


def _lost(weights: Iterable[Path]) -> str:
    """Return what is missing or damaged among weights files; empty if nothing is."""
    for path in weights:
        try:
            load_weights(path)
        except (ConfigError, DataError) as error:
            return str(error).partition(";")[0]
    return ""
