"""The training loop: one copy, for language models and seq2seq models alike.

An update takes every objective in turn (`objectives`). Training stops when validation perplexity has not improved (by
`min_improvement`) for `patience` validations, and keeps the weights that were best by perplexity and, where one is
measured, by a score of greedy outputs. Killed at any moment, it goes on from its last state to the same weights as if
it had never stopped.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from seqpre.common.errors import ConfigError, TrainingError
from seqpre.common.files import write_json
from seqpre.study.pretraining_settings import PretrainingTrain
from seqpre.study.settings import AVERAGE, OptimizerSettings, TrainSettings
from seqpre.training.checkpoint import fingerprint, mean_weights, read_state, save_tensors, save_weights
from seqpre.training.display import TrainingDisplay
from seqpre.training.interruption import Interrupted
from seqpre.training.job import TrainingJob
from seqpre.training.objectives import Objective
from seqpre.training.optimisation import Optimisation
from seqpre.training.run_folder import RunFolder, TrainingRecord

EXPLODED = 20.0
"""Per-token loss, in nats, above this counts as divergence: a uniform guess has ln V, 11.4 with 90,000 subwords."""
SETTLING = 10
"""Updates in which a higher loss is allowed: Adam's first ones are of full size, and training may recover."""


class DivergenceError(TrainingError):
    """Raised when the loss or its gradients diverge."""


@dataclass(frozen=True)
class Training:
    """What is trained, and how."""

    title: str
    place: str
    """Where TensorBoard scalars are written."""
    model: nn.Module
    objectives: Sequence[Objective]
    optimizer: OptimizerSettings
    train: TrainSettings | PretrainingTrain
    updates: tuple[int, int]
    """Most updates, and updates between validations. With 0 the initial weights are validated once."""
    validate: Callable[[], dict[str, float]]
    inputs: dict[str, Any]
    """Everything the weights depend on. A state with other inputs is not resumed."""
    about: dict[str, Any]
    """Metadata of the weights files."""
    summary: Callable[[TrainingRecord], dict[str, Any]]
    """Further entries of its summary.json."""
    keep: Sequence[int] = ()
    """Updates after which a checkpoint is kept."""
    average_last: int = 0
    """Number of last validations whose weights are averaged at the end (all, if there are fewer); 0: none."""
    may_diverge: bool = False


class Trainer:
    """Trains in `folder`/checkpoints (`run_folder`); leaves summary.json, metrics.jsonl and weights/ in `folder`."""

    def __init__(self, training: Training, folder: Path, job: TrainingJob) -> None:
        self.training, self.output_dir, self.job, self.processes = training, folder, job, job.processes
        self.model, self.objectives, self.train = training.model, training.objectives, training.train
        self.max_updates, self.validate_every = training.updates
        self.average_last = training.average_last
        known_by = fingerprint(training.inputs)
        self.folder = RunFolder(folder / "checkpoints", known_by, training.keep, self.average_last)
        self.optimisation = Optimisation(self.model, training.optimizer, self.max_updates, len(self.objectives))
        self.progress, self.board = TrainingRecord(), job.board(training.place)
        self.display = TrainingDisplay(training.title, self.max_updates, quiet=not job.processes.first)
        finished = job.processes.from_first(self.folder.enter)
        self.had_finished = finished is not None
        if finished is not None:
            self.progress = finished

    def run(self) -> bool:
        """Train, resuming from the newest state, and publish the weights; return whether training has ended."""
        if self.had_finished:
            self.display.close("had finished before; its files are restored")
            self._publish()
            return True
        self.job.interruption.listen()
        self._resume()
        try:
            self._train()
        finally:
            self.folder.states.wait()
        update, why = self.progress.update, self.progress.stopped_by
        if not why:
            why = self.job.interruption.reason or "another process was told to stop"
            self.display.close(f"stopped at update {update}, {why}; run the same command again to go on")
            return False
        if self.average_last and self.processes.first:
            about = {**self.training.about, "selection": AVERAGE, "updates": self.progress.averaged}
            mean = mean_weights([self.folder.validated(update) for update in self.progress.averaged])
            save_tensors(self.folder.average, mean, about)
        self.display.close(f"stopped by {why} after {update} updates")
        self._publish()
        return True

    def _train(self) -> None:
        """Train to the end. A training that may diverge ends where it diverges.

        If it has not been validated by then, it is validated once, so that it can be compared with other candidates.
        """
        try:
            self._train_to_the_end()
        except DivergenceError as error:
            if not self.training.may_diverge:
                raise
            print(f"{error}: this candidate ends here", file=sys.stderr, flush=True)
            if not self.progress.best:
                self.display.update(self.progress.update, self.progress.tokens)
                self.job.interruption.deferred = True
                self._validate()
            self.progress.stopped_by = "diverged"
            self._save()

    def _train_to_the_end(self) -> None:
        """Take updates until patience, updates or the job's time are up."""
        progress = self.progress
        wall, cpu = time.monotonic() - progress.seconds, self._cpu_seconds() - progress.cpu_seconds
        saved = time.monotonic()
        self.model.train()
        while not progress.stopped_by:
            if not progress.validating:
                if self.max_updates:  # with 0 the initial weights are validated
                    loss, tokens = self._update()
                    progress.update += 1
                    progress.tokens += tokens
                    progress.interval_loss += loss * tokens
                    progress.interval_tokens += tokens
                if progress.update in self.folder.keep:
                    self._keep()
                progress.seconds, progress.cpu_seconds = time.monotonic() - wall, self._cpu_seconds() - cpu
            self.display.update(progress.update, progress.tokens)
            if progress.update % self.validate_every == 0 or progress.update == self.max_updates:
                if progress.interval_tokens:
                    self._log(
                        "train", train_loss=progress.interval_loss / progress.interval_tokens, lr=self.optimisation.rate
                    )
                progress.interval_loss, progress.interval_tokens = 0.0, 0
                # A validation that was interrupted once is not interrupted again.
                self.job.interruption.deferred = progress.validating
                progress.validating = True
                try:
                    lowered = self._validate()
                except Interrupted:
                    self._save()
                    return
                self.job.interruption.deferred = progress.validating = False
                progress.seconds, progress.cpu_seconds = time.monotonic() - wall, self._cpu_seconds() - cpu
                if 0 < self.train.patience <= progress.stale:
                    progress.stopped_by = "patience"
                elif lowered:
                    progress.stopped_by = "lr_end"
                elif progress.update == self.max_updates:
                    progress.stopped_by = "max_updates"
            due = time.monotonic() - saved > 60 * self.train.checkpoint_minutes
            interrupted, due = map(bool, self.processes.sum(bool(self.job.interruption), due))
            if interrupted or due or progress.stopped_by:
                self._save()
                saved = time.monotonic()
            self.folder.states.check()
            if interrupted:
                return

    def _keep(self) -> None:
        """Keep the weights as they are, averaged where the optimiser averages."""
        with self.optimisation.averaged():
            if self.processes.first:
                self._save_weights(self.folder.keep[self.progress.update], selection="update")

    def _publish(self) -> None:
        if not self.processes.first:
            return
        if not self.had_finished:
            summary = {**self.training.summary(self.progress), **self._summary()}
            write_json(self.folder.summary, summary)
        self.folder.publish(self.output_dir, self.progress)

    def check_kept(self, where: str) -> None:
        """Raise ConfigError if training ended before an update whose checkpoint was to be kept."""
        reached = self.progress.update
        if behind := [update for update in self.folder.keep if update > reached]:
            raise ConfigError(
                f"{where}: train.keep has {', '.join(map(str, behind))}, and training stopped by "
                f"{self.progress.stopped_by} after update {reached}: leave them out, and nothing is trained again"
            )

    def _summary(self) -> dict[str, Any]:
        progress = self.progress
        return {
            "steps": progress.update,
            "stopped_by": progress.stopped_by,
            "best_valid_perplexity": -progress.best["perplexity"],
            "tokens": progress.tokens,
            "seconds": round(progress.seconds, 1),
            "cpu_seconds": round(progress.cpu_seconds, 1),
            "tokens_per_second": round(progress.tokens / progress.seconds, 1) if progress.seconds else 0.0,
            "peak_memory_mb": round(peak_memory_mb(), 1),
            **({"peak_gpu_memory_mb": round(peak_gpu, 1)} if (peak_gpu := peak_gpu_memory_mb()) else {}),
            "processes": self.processes.count,
            "provenance": self.job.provenance,
        }

    def _update(self) -> tuple[float, int]:
        """Take one update of every objective in turn; return the last one's loss and tokens."""
        progress, settings = self.progress, self.training.optimizer
        loss_value, tokens = math.nan, 0
        for number, objective in enumerate(self.objectives):
            losses, tokens = self._backward(objective)
            norm = objective.limit_gradients(settings.clip_norm)
            (loss_value,) = self.processes.sum(sum(map(float, losses)))
            limit = EXPLODED if progress.update >= SETTLING else math.inf
            if not (loss_value < limit and math.isfinite(norm)):
                raise DivergenceError(
                    f"update {progress.update + 1}: the loss of {objective.name!r} is {loss_value}, its gradient norm "
                    f"{norm}. The last good update is {progress.update}; the last state is kept in "
                    f"{self.folder.path}. Lower optimizer.lr (now {settings.lr}) or optimizer.clip_norm (now "
                    f"{settings.clip_norm})"
                )
            self.optimisation.step(number)
        self.optimisation.updated()
        return loss_value, tokens

    def _cpu_seconds(self) -> float:
        """Return the CPU seconds that all processes have used."""
        return self.processes.sum(time.process_time())[0]

    def _backward(self, objective: Objective) -> tuple[list[Tensor], int]:
        """Take one loss's gradients; return this process's part of the loss of each batch, and the tokens of all.

        The losses are not read yet, for which a GPU would have to finish a batch before the next one is gathered.
        """
        losses, tokens = list[Tensor](), 0
        try:
            for loss, count in objective.next_losses():
                # DistributedDataParallel averages gradients over processes; the loss needs their sum.
                torch.autograd.backward(objective.weight * self.processes.count * loss)
                losses.append(loss.detach())
                tokens += count
        except torch.OutOfMemoryError as error:
            raise TrainingError(
                f"update {self.progress.update + 1}: the GPU's memory is too small for the loss of {objective.name!r}. "
                f"Lower {objective.size}, or let more GPUs share each batch (`gpus` in config.yaml). The last state is "
                f"kept in {self.folder.path}. PyTorch says: {str(error).splitlines()[0]}"
            ) from error
        return losses, tokens

    def _validate(self) -> bool:
        """Validate, log, and keep the weights if they are the best; return whether the learning rate has ended."""
        self.model.eval()
        with self.optimisation.averaged():
            found = self._judged()
        self.model.train()
        self._log("validation", **found)
        self.display.validated(found)
        return self.optimisation.validated(found["valid_loss"])

    def _judged(self) -> dict[str, float]:
        """Validate the model, and keep its weights if they are the best so far."""
        found = self.training.validate()
        progress = self.progress
        progress.stale += 1
        if found["valid_perplexity"] < progress.improved_to * (1 - self.train.min_improvement):
            progress.stale, progress.improved_to = 0, found["valid_perplexity"]
        if self.average_last:
            progress.averaged = (*progress.averaged, progress.update)[-self.average_last :]
            if self.processes.first:
                self._save_weights(self.folder.validated(progress.update))
        for selection, value in selections(found).items():
            if value > progress.best.get(selection, -math.inf):
                progress.best[selection], progress.best_update[selection] = value, progress.update
                if self.processes.first:
                    self._save_weights(self.folder.best(selection), selection=selection)
        return found

    def _save_weights(self, path: Path, **chosen: str) -> None:
        save_weights(path, self.model, {**self.training.about, **chosen, "update": self.progress.update})

    def _log(self, event: str, **values: float) -> None:
        progress = self.progress
        if not self.processes.first:
            return
        line = {
            "event": event,
            "step": progress.update,
            "tokens": progress.tokens,
            "seconds": round(progress.seconds, 2),
            "cpu_seconds": round(progress.cpu_seconds, 2),
            **values,
        }
        self.folder.log(line)
        self.board.add(event, progress.update, values)

    def _save(self) -> None:
        progress = self.progress
        objectives = [objective.state_dict() for objective in self.objectives]
        if not self.processes.first:
            return
        self.folder.drop_validated(progress.averaged)
        progress.metrics_bytes = self.folder.logged()
        state = {
            "model": self.model.state_dict(),
            **self.optimisation.state_dict(),
            "objectives": objectives,
            "progress": vars(progress),
            "random": torch.get_rng_state(),
            "computed": self._computed(),
        }
        if self.processes.device.type == "cuda":
            state["random_cuda"] = torch.cuda.get_rng_state()
        self.folder.states.save(state)

    def _resume(self) -> None:
        """Resume from the newest usable state. The first process finds it; every process reads it."""
        found = self.folder.newest_state() if self.processes.first else None
        path = self.processes.from_first(lambda: found[0] if found else None)
        if path is None:
            if self.processes.first:
                self.folder.start_anew()
            return
        state = found[1] if found else read_state(path)
        self.model.load_state_dict(state["model"])
        for objective, saved in zip(self.objectives, state["objectives"], strict=True):
            objective.load_state_dict(saved)
        self.progress = TrainingRecord(**state["progress"])
        self.folder.saved_before = self.progress.averaged
        self.optimisation.load_state_dict(state, self.progress.update)
        torch.set_rng_state(state["random"])
        if self.processes.device.type == "cuda" and "random_cuda" in state:  # not where it was saved on a CPU
            torch.cuda.set_rng_state(state["random_cuda"])
        if self.processes.first:
            self.folder.cut_log(self.progress.metrics_bytes)
        before, now = state["computed"], self._computed()
        others = [
            f"{what} is {now[what]}, was {before[what]}" for what in now if before.get(what, now[what]) != now[what]
        ]
        self.display.resumed(self.progress.update, others)

    def _computed(self) -> dict[str, Any]:
        """Return everything that affects the rounding of floating-point sums."""
        threads = {} if self.processes.device.type == "cuda" else {"number of threads": torch.get_num_threads()}
        where = {"device": self.job.provenance["device"], "version of torch": str(torch.__version__)}
        return {"number of processes": self.processes.count, **threads, **where}


def selections(found: dict[str, float]) -> dict[str, float]:
    """Return the scores by which checkpoints are chosen, larger is better: -perplexity, and a metric if measured."""
    scores = {name.removeprefix("valid_"): value for name, value in found.items() if name.startswith("valid_")}
    del scores["loss"]
    return {**scores, "perplexity": -scores["perplexity"]}


def peak_memory_mb() -> float:
    """Return the largest memory this process has held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def peak_gpu_memory_mb() -> float:
    """Return the largest memory that this process's tensors have held on a GPU, in MiB; 0 without one."""
    return torch.cuda.max_memory_allocated() / 2**20 if torch.cuda.is_available() else 0.0
