"""What the pieces share: text, models of the studies, updates as training takes them, and how they are measured."""

from __future__ import annotations

import dataclasses
import gc
import json
import re
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile

from seqpre.common.device import compute_in
from seqpre.corpora.subwords import EOS, PAD, SPECIALS
from seqpre.corpora.token_store import TokenStore, TokenStoreWriter
from seqpre.models.batch import Batch
from seqpre.models.build import build
from seqpre.planning.flops import TRAINING
from seqpre.study.load import load_study
from seqpre.study.pretraining import load_pretraining
from seqpre.study.pretraining_settings import AnyPretraining
from seqpre.study.settings import OptimizerSettings, RunSettings
from seqpre.study.study import declared_runs
from seqpre.training.batches import PairBatches, Sentences
from seqpre.training.objectives import CrossEntropy, Objective, lm_objective
from seqpre.training.optimisation import Optimisation
from seqpre.training.processes import Processes

WORKFLOW = Path(__file__).resolve().parents[2] / "workflow"
PRECISIONS = "float32", "tf32", "bf16"
PAIRS, MEANS, SPREAD = 4_000, (27.0, 28.0), 0.5
"""Pairs of generated text, and the mean and log-normal spread of their lengths: WMT14 in subwords."""
MOST = 60
"""Updates that are timed."""
CLASSES = {
    "LSTM of cuDNN": r"rnn|lstm",
    "matrix products": r"gemm|nvjet|cutlass|cublas|wgmma|splitk|gemv|addmm|bmm|::mm|linear",
    "attention": r"flash|fmha|attention",
    "optimiser and clipping": r"adam|multi_tensor|foreach|norm",
    "softmax": r"softmax",
    "sums and maxima": r"reduce|sum|amax",
    "embeddings and indices": r"embedding|index|gather|scatter|sort|radix",
    "copies": r"memcpy|memset|copy|cat|fill",
    "element by element": r"elementwise|vectorized|sigmoid|tanh|mul|add|dropout|random|distribution",
}
"""What a kernel is by its name: the first that fits."""


@dataclass
class Bench:
    """One piece: where it computes, how long, and where its lines go."""

    piece: str
    device: torch.device
    tiny: bool
    folder: Path
    output: Path
    share: float
    """Seconds that it may take."""
    text: tuple[Path, Path] | None = None
    begun: float = dataclasses.field(default_factory=time.monotonic)

    def say(self, part: str, **values: Any) -> None:
        """Write one line; it is on disk when this returns."""
        line = json.dumps({"piece": self.piece, "part": part, **values})
        with self.output.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        print(line, file=sys.stderr, flush=True)

    def each(self, part: str, measure: Callable[..., dict[str, Any]], **known: Any) -> dict[str, Any] | None:
        """Measure once and say it; say what went wrong instead, or that the piece's time is over."""
        if time.monotonic() > self.begun + self.share:
            self.say(part, **known, skipped="the share of this piece is used up")
            return None
        try:
            found = measure()
        except Exception as error:  # The next measurement may still be had.
            self.say(part, **known, error=f"{type(error).__name__}: {error}"[:500])
            return None
        finally:
            gc.collect()
            if self.device.type == "cuda":
                torch.cuda.empty_cache()
        self.say(part, **known, **found)
        return found

    def seconds(self, parts: int) -> float:
        """Return for how long one of so many measurements may count; as much again is for what comes before it."""
        return 0.0 if self.tiny else self.share / parts / 2

    def now(self) -> float:
        """Return the time when the device has done what it was given."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter()

    def settings(self, study: str, system: str, scale: str) -> tuple[RunSettings, int]:
        """Return a system's settings and its study's vocabulary size; of the demo scale where all is tiny."""
        loaded = load_study(WORKFLOW / f"studies/{study}.yaml", "demo" if self.tiny else scale)
        return next(run.settings for run in declared_runs(loaded) if run.system == system), loaded.vocab_size

    def pretraining(self, name: str) -> tuple[AnyPretraining, int]:
        """Return the settings of a pretraining and its vocabulary size."""
        loaded = load_pretraining(WORKFLOW / f"pretraining/{name}.yaml", "demo" if self.tiny else "paper", ())
        settings: Any = loaded.lm_settings
        if self.tiny:
            train = dataclasses.replace(settings.train, batch_tokens=settings.train.batch_tokens // 16)
            settings = dataclasses.replace(settings, train=train)
        return settings, loaded.vocabulary.size

    def zipf(self, name: str, vocabulary: int, means: tuple[float, ...] = MEANS, spread: float = SPREAD,
             lines: int = PAIRS) -> list[TokenStore]:  # fmt: skip
        """Write texts, ids after Zipf's law; what is long on one side is long on the other."""
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        lines = lines // 8 if self.tiny else lines
        common = rng.normal(size=lines)
        cumulative = np.cumsum(1 / np.arange(2, vocabulary - len(SPECIALS) + 2))
        for side, mean in enumerate(means):
            normal = 0.9 * common + 0.44 * rng.normal(size=lines)
            mean = max(4.0, mean / 4) if self.tiny else mean
            lengths = np.maximum(2, np.exp(np.log(mean) - spread**2 / 2 + spread * normal)).astype(np.int64)
            ids = len(SPECIALS) + np.searchsorted(cumulative, rng.random(lengths.sum()) * cumulative[-1])
            ids[np.cumsum(lengths) - 1] = EOS
            with TokenStoreWriter(self.folder / f"{name}.{side}", vocabulary, "benchmark") as store:
                store.add(ids, lengths)
        return [TokenStore(self.folder / f"{name}.{side}") for side in range(len(means))]

    def built(self, settings: Any, vocabulary: int, seed: int = 1) -> nn.Module:
        """Return a model with weights that are drawn where it computes."""
        torch.manual_seed(seed)
        with self.device:
            return build(settings, vocabulary)


def counted(data: PairBatches) -> Counter[str]:
    """Return what is counted from now on of the batches that `data` gives: pairs, tokens, and targets that count."""
    counts, take = Counter[str](), data.next

    def taken() -> Batch:
        batch = take()
        counts.update(pairs=len(batch.lengths_B), source=int(batch.lengths_B.sum()), scored=batch.tokens)
        counts["target"] += int((batch.targets_BT != PAD).sum())
        return batch

    data.next = taken  # type: ignore[method-assign]
    return counts


class Updates:
    """Updates as `training.loop` takes them: every loss in turn, clipped, each with a step of the run's optimiser."""

    def __init__(self, model: nn.Module, objectives: list[Objective], optimizer: OptimizerSettings,
                 of: int = 10_000_000) -> None:  # fmt: skip
        self.model, self.objectives, self.settings = model, objectives, optimizer
        self.optimisation = Optimisation(model, optimizer, of, len(objectives))
        self.loss = 0.0
        for objective in objectives:
            objective.model.train()

    def __call__(self, updates: int = 1) -> None:
        for _ in range(updates):
            for number, objective in enumerate(self.objectives):
                losses = []
                for loss, _ in objective.next_losses():
                    torch.autograd.backward(objective.weight * loss)
                    losses.append(loss.detach())
                norm = objective.limit_gradients(self.settings.clip_norm)
                self.loss = sum(map(float, losses))
                if not norm < float("inf"):
                    raise ArithmeticError(f"the gradient of {objective.name} has the norm {norm}")
                self.optimisation.step(number)
            self.optimisation.updated()


def full(bench: Bench, settings: RunSettings, vocabulary: int, stores: list[TokenStore], precision: Any, *,
         seed: int = 1, of: int = 10_000_000) -> tuple[Updates, Counter[str]]:  # fmt: skip
    """Return the updates of Ramachandran's `full`: both LM losses, then the labelled one."""
    compute_in(precision)
    model: Any = bench.built(settings.model, vocabulary, seed)
    asked, train, processes = settings.objectives, settings.train, Processes(device=bench.device)
    size = (asked.lm_streams, asked.bptt)
    lms = zip(model.language_models().values(), stores, (asked.source_lm_weight, asked.target_lm_weight), strict=True)
    objectives: list[Objective] = [
        lm_objective(lm, Sentences(store, 0, len(store)), (*size, 1000 * seed + number), asked.reset, processes,
                     "objectives.lm_streams", name=f"lm {number}", weight=weight, precision=precision)
        for number, (lm, store, weight) in enumerate(lms, start=1)
    ]  # fmt: skip
    data = PairBatches(*stores, train.batch_sentences, seed, max_length=train.max_length,
                       max_source=settings.model.max_source, budget=train.batch_tokens)  # fmt: skip
    counts = counted(data)
    objectives.append(CrossEntropy(model, data, processes, 0, precision))
    return Updates(model, objectives, settings.optimizer, of), counts


def products_of_full(settings: RunSettings, vocabulary: int, counts: Counter[str], updates: int) -> float:
    """Return the FLOPs of so many updates."""
    asked, pairs = settings.objectives, counts["pairs"]
    labelled = pairs * settings.model.sentence(vocabulary, counts["source"] / pairs, counts["target"] / pairs)
    return TRAINING * (labelled + 2 * updates * asked.lm_streams * asked.bptt * settings.model.lm_token(vocabulary))


def timed(bench: Bench, work: Updates, seconds: float, begin: Callable[[], Any]) -> tuple[int, float]:
    """Return how many updates were taken and in what time, after two that warm up; `begin` is called between."""
    work(2)
    start = bench.now()
    work(1)
    updates = min(MOST, max(2, int(seconds / (bench.now() - start))))
    begin()
    if bench.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(bench.device)
    start = bench.now()
    work(updates)
    return updates, bench.now() - start


def memory(bench: Bench) -> dict[str, float]:
    """Return the most memory of tensors since the last reset."""
    cuda = bench.device.type == "cuda"
    return {"memory_gib": torch.cuda.max_memory_allocated(bench.device) / 2**30 if cuda else 0.0}


def kernels(bench: Bench, work: Updates, updates: int = 2) -> dict[str, float]:
    """Return milliseconds an update by class of kernel, and the share of time in which none runs."""
    start = bench.now()
    work(updates)
    wall = bench.now() - start
    cuda = bench.device.type == "cuda"
    with profile(activities=[ProfilerActivity.CUDA if cuda else ProfilerActivity.CPU]) as seen:  # Slows no kernel.
        work(updates)
        bench.now()
    times: dict[str, float] = {}
    for event in seen.key_averages():
        name = next((kind for kind, of in CLASSES.items() if re.search(of, event.key, re.IGNORECASE)), "other")
        micro = event.self_device_time_total if cuda else event.self_cpu_time_total
        times[name] = times.get(name, 0.0) + micro / 1e3 / updates
    busy = sum(times.values()) * updates / 1e3
    return {**{name: times[name] for name in sorted(times, key=times.__getitem__, reverse=True)},
            "idle_percent": max(0.0, 100 * (1 - busy / wall))}  # fmt: skip


def without_dropout(settings: Any) -> Any:
    """Return settings with every dropout at 0: random numbers are others on another device."""
    change = {}
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if dataclasses.is_dataclass(value):
            change[field.name] = without_dropout(value)
        elif "dropout" in field.name:
            change[field.name] = 0.0
    return dataclasses.replace(settings, **change)


def cycled(batches: list[Batch]) -> Iterator[Batch]:
    """Yield these batches for ever."""
    while True:
        yield from batches


def at_least(value: float, goal: float, unit: str) -> dict[str, Any]:
    return {"goal": f"at least {goal:,.0f} {unit}", "reached": value >= goal}


def at_most(value: float, goal: float, unit: str = "") -> dict[str, Any]:
    return {"goal": f"at most {goal:g} {unit}".strip(), "reached": value <= goal}
