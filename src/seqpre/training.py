"""The training loop: one copy, for language models and seq2seq models alike.

An update takes every objective in turn (see `seqpre.objectives`). Training stops when validation perplexity has not
improved for `patience` validations, and keeps the weights that were best by perplexity and, where it is measured, by
BLEU.
Killed at any moment, it goes on from its last state to the same weights as if it had never stopped.
"""

from __future__ import annotations

import json
import math
import os
import resource
import shutil
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import nn

from seqpre.board import Board
from seqpre.checkpoint import TrainingStates, save_weights
from seqpre.errors import TrainingError
from seqpre.files import read_json, write_json
from seqpre.objectives import Objective
from seqpre.progress import TrainingProgress
from seqpre.settings import OptimizerSettings

EXPLODED = 20.0
"""Nats a token that no model loses in earnest: one that knows nothing loses ln V, 11.4 with 90,000 subwords."""
INTERRUPTED = 75
"""Exit status of a run that was told to stop and can go on (EX_TEMPFAIL): run the same command again."""


@dataclass(frozen=True)
class Limits:
    """When to validate, to stop and to write a state. Intervals are in updates."""

    max_updates: int
    validate_every: int
    patience: int
    checkpoint_minutes: float


@dataclass
class Progress:
    """How far a run has come; all of it is in its states."""

    update: int = 0
    tokens: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    stale: int = 0
    best: dict[str, float] = field(default_factory=dict)
    best_update: dict[str, int] = field(default_factory=dict)
    stopped_by: str = ""
    metrics_bytes: int = 0
    interval_loss: float = 0.0
    interval_tokens: int = 0
    """Loss and tokens since the last line of metrics."""


class Trainer:
    """Trains `model` in `folder`, which holds everything a later call needs to go on."""

    def __init__(
        self,
        model: nn.Module,
        objectives: Sequence[Objective],
        optimizer: OptimizerSettings,
        limits: Limits,
        validate: Callable[[], dict[str, float]],
        folder: Path,
        fingerprint: str,
        about: dict[str, Any],
        title: str,
        board: Board,
    ) -> None:
        self.model, self.objectives, self.settings, self.limits = model, objectives, optimizer, limits
        self.validate, self.folder, self.about = validate, folder, about
        self.states = TrainingStates(folder, fingerprint)
        self.optimizer = make_optimizer(model, optimizer)
        self.metrics, self.finished = folder / "metrics.jsonl", folder / "finished.json"
        self.progress, self.board = Progress(), board
        self.display = TrainingProgress(title, limits.max_updates)
        self.had_finished = self._had_finished()
        self._signalled = False

    def run(self) -> Progress:
        """Train to the end, or from where a state left off; return how it went."""
        if self.had_finished:
            self.display.close("had finished before; its files are put back")
            return self.progress
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        self._resume()
        progress, limits = self.progress, self.limits
        wall, cpu = time.monotonic() - progress.seconds, time.process_time() - progress.cpu_seconds
        saved = time.monotonic()
        self.model.train()
        while not progress.stopped_by:
            loss, tokens = self._update()
            progress.update += 1
            progress.tokens += tokens
            progress.interval_loss += loss * tokens
            progress.interval_tokens += tokens
            progress.seconds, progress.cpu_seconds = time.monotonic() - wall, time.process_time() - cpu
            self.display.update(progress.update, progress.tokens)
            if progress.update % limits.validate_every == 0 or progress.update == limits.max_updates:
                self._log(
                    "train",
                    train_loss=progress.interval_loss / progress.interval_tokens,
                    lr=self._learning_rate(progress.update),
                )
                progress.interval_loss, progress.interval_tokens = 0.0, 0
                self._validate()
                progress.seconds, progress.cpu_seconds = time.monotonic() - wall, time.process_time() - cpu
                if progress.stale >= limits.patience:
                    progress.stopped_by = "patience"
                elif progress.update == limits.max_updates:
                    progress.stopped_by = "max_updates"
            if self._signalled or progress.stopped_by or time.monotonic() - saved > 60 * limits.checkpoint_minutes:
                self._save()
                saved = time.monotonic()
            if self._signalled and not progress.stopped_by:
                self.display.close(f"stopped at update {progress.update}; run the same command again to go on")
                raise SystemExit(INTERRUPTED)
        self.display.close(f"stopped by {progress.stopped_by} after {progress.update} updates")
        return progress

    def publish(self, outputs: dict[str, Path]) -> None:
        """Put the finished run's files where they are wanted; `outputs` maps their names in the run's folder to places.

        They stay in the folder too (as hard links, which take no room), with a note that the run is finished: should
        the outputs get lost, the same command brings them back. The training states are dropped.
        """
        write_json(self.finished, {"fingerprint": self.states.expected, "progress": vars(self.progress)})
        for name, path in outputs.items():
            partial = path.with_name(f".{path.name}.partial")
            partial.unlink(missing_ok=True)
            try:
                partial.hardlink_to(self.folder / name)
            except OSError:  # A file system without hard links.
                shutil.copyfile(self.folder / name, partial)
            partial.replace(path)
        for path in self.folder.glob("*.pt"):
            path.unlink()

    def _update(self) -> tuple[float, int]:
        """Take one update of every objective in turn; return the last one's loss and tokens."""
        progress = self.progress
        for group in self.optimizer.param_groups:
            group["lr"] = self._learning_rate(progress.update)
        loss_value, tokens = math.nan, 0
        for objective in self.objectives:
            loss, tokens = objective.next_loss()
            torch.autograd.backward(objective.weight * loss)
            norm = nn.utils.clip_grad_norm_(objective.parameters, self.settings.clip_norm)
            loss_value = float(loss.detach())
            if not (loss_value < EXPLODED and math.isfinite(float(norm))):
                raise TrainingError(
                    f"update {progress.update + 1}: the loss of {objective.name!r} is {loss_value}, its gradient norm "
                    f"{float(norm)}. The last good update is {progress.update}; the last state is kept in "
                    f"{self.folder}. Lower optimizer.lr (now {self.settings.lr}) or optimizer.clip_norm (now "
                    f"{self.settings.clip_norm})"
                )
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        return loss_value, tokens

    def _learning_rate(self, update: int) -> float:
        """Return `lr`, multiplied by `decay` for each full `decay_every` updates after the first `decay_after`."""
        # Differs: the paper counts steps of asynchronous SGD on 16 GPUs; here a step is one synchronous update.
        settings = self.settings
        return settings.lr * settings.decay ** (max(0, update - settings.decay_after) // settings.decay_every)

    def _validate(self) -> None:
        """Measure, log, and keep the weights where they are the best so far."""
        self.model.eval()
        found = self.validate()
        self.model.train()
        progress = self.progress
        progress.stale += 1
        for selection, value in (("perplexity", -found["valid_perplexity"]), ("bleu", found.get("valid_bleu"))):
            if value is not None and value > progress.best.get(selection, -math.inf):
                progress.best[selection], progress.best_update[selection] = value, progress.update
                save_weights(
                    self.folder / f"best_{selection}.safetensors",
                    self.model,
                    {**self.about, "selection": selection, "update": progress.update},
                )
                if selection == "perplexity":
                    progress.stale = 0
        self._log("validation", **found)
        self.display.validated(progress.update, found)

    def _log(self, event: str, **values: float) -> None:
        progress = self.progress
        line = {
            "event": event,
            "step": progress.update,
            "tokens": progress.tokens,
            "seconds": round(progress.seconds, 2),
            "cpu_seconds": round(progress.cpu_seconds, 2),
            **values,
        }
        with self.metrics.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        self.board.add(event, progress.update, values)

    def _save(self) -> None:
        progress = self.progress
        with self.metrics.open("ab") as file:
            os.fsync(file.fileno())
            progress.metrics_bytes = file.tell()
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "objectives": [objective.state_dict() for objective in self.objectives],
            "progress": vars(progress),
            "random": torch.get_rng_state(),
        }
        if torch.cuda.is_available():
            state["random_cuda"] = torch.cuda.get_rng_state()
        self.states.save(state)

    def _had_finished(self) -> bool:
        """Return whether this very run has ended before; then its progress is taken from there."""
        if not self.finished.exists():
            return False
        note = read_json(self.finished)
        if note["fingerprint"] != self.states.expected:
            self.finished.unlink()
            return False
        self.progress = Progress(**note["progress"])
        return True

    def _resume(self) -> None:
        state = self.states.load()
        if state is None:
            self.metrics.unlink(missing_ok=True)  # It may be linked to an earlier run's output.
            self.metrics.touch()
            return
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        for objective, saved in zip(self.objectives, state["objectives"], strict=True):
            objective.load_state_dict(saved)
        self.progress = Progress(**state["progress"])
        torch.set_rng_state(state["random"])
        if torch.cuda.is_available() and "random_cuda" in state:
            torch.cuda.set_rng_state(state["random_cuda"])
        os.truncate(self.metrics, self.progress.metrics_bytes)
        self.display.resumed(self.progress.update)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._signalled = True


def make_optimizer(model: nn.Module, settings: OptimizerSettings) -> torch.optim.Optimizer:
    """Return the optimiser over the parameters that train.

    Adagrad's accumulator starts at 1, as in Jozefowicz et al. (2016), not at PyTorch's 0.
    """
    # Unstated: Adam's beta and epsilon; the usual 0.9, 0.999 and 1e-8.
    parameters = [p for p in model.parameters() if p.requires_grad]
    if settings.name == "adagrad":
        return torch.optim.Adagrad(parameters, lr=settings.lr, initial_accumulator_value=1.0)
    return torch.optim.Adam(parameters, lr=settings.lr, fused=True)


def peak_memory_mb() -> float:
    """Return the largest memory this process has held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
