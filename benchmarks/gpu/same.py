"""What a GPU can do at best, how it rounds, and whether it trains, resumes and searches as a processor does."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gpu.work import PRECISIONS, Bench, at_most, without_dropout
from seqpre.common.device import compute_in
from seqpre.common.provenance import provenance
from seqpre.models.batch import Batch
from seqpre.search import beam_search
from seqpre.study.settings import RunSettings
from seqpre.training.batches import PairBatches, Sentences
from seqpre.training.denoising import DenoisingBatches
from seqpre.training.interruption import Interruption
from seqpre.training.job import TrainingJob
from seqpre.training.loop import Trainer, Training
from seqpre.training.noise import Unigrams
from seqpre.training.objectives import CrossEntropy, Objective, lm_objective
from seqpre.training.processes import Processes

SHAPES = {
    "one large square": (8192, 8192, 8192),
    "softmax of 90,000": (3584, 1024, 90_000),
    "its gradient of features": (3584, 90_000, 1024),
    "its gradient of weights": (90_000, 3584, 1024),
    "inputs of 4,096 cells": (3584, 1024, 16_384),
    "a step of 4,096 cells": (128, 1024, 16_384),
    "a step of a layer of 1,000": (128, 2000, 4000),
    "feed-forward of 4,096": (12_000, 1024, 4096),
}
"""Rows, inputs and outputs of products in an update of a batch of 128 pairs, and of 12,000 tokens of a Transformer."""
UPDATES, STOP = 5, 3
FAMILIES = {
    "lstm": ("ramachandran-translation", "full"),
    "transformer": ("transformer-translation", "transformer"),
    "pointer_generator": ("poda-headlines", "full"),
    "augmented_transformer": ("edunov-translation", "src_elmo"),
}
VOCABULARY, UNKNOWN, SEARCHED = 3_000, 200, 32
CLOSE = 1e-4


def ceilings(bench: Bench) -> None:
    """Rates of single products in each precision, best of ten."""
    for name, shape in SHAPES.items():
        rows, inputs, outputs = (max(8, size // 64) for size in shape) if bench.tiny else shape

        def rates(rows: int = rows, inputs: int = inputs, outputs: int = outputs) -> dict[str, float]:
            found = {}
            for precision in PRECISIONS:
                compute_in(precision)
                dtype = torch.bfloat16 if precision == "bf16" else torch.float32
                left = torch.randn(rows, inputs, device=bench.device, dtype=dtype)
                right = torch.randn(inputs, outputs, device=bench.device, dtype=dtype)
                best = float("inf")
                for _ in range(10):
                    start = bench.now()
                    torch.mm(left, right)
                    best = min(best, bench.now() - start)
                found[f"{precision}_tflops"] = 2 * rows * inputs * outputs / best / 1e12
            return found

        bench.each("products", rates, shape=name)


def lstm_error(bench: Bench) -> None:
    """Error of an `nn.LSTM` of the paper's size against float64, its speed both ways, and what autocast makes of it."""
    T, B, E, H, P = (5, 8, 16, 64, 16) if bench.tiny else (20, 128, 1024, 4096, 1024)
    torch.manual_seed(1)
    exact = nn.LSTM(E, H, proj_size=P, device=bench.device, dtype=torch.float64)
    x_TBE = torch.randn(T, B, E, device=bench.device, dtype=torch.float64)

    def both(lstm: nn.LSTM, dtype: torch.dtype, autocast: torch.dtype | None = None) -> tuple[Tensor, Tensor]:
        lstm.zero_grad()
        with torch.autocast(bench.device.type, autocast, enabled=autocast is not None):
            y_TBP, _ = lstm(x_TBE.to(dtype))
        y_TBP.float().square().sum().backward()  # type: ignore[no-untyped-call]
        assert lstm.weight_hh_l0.grad is not None
        return y_TBP, lstm.weight_hh_l0.grad

    wanted = [tensor.detach().clone() for tensor in both(exact, torch.float64)]
    kinds: dict[str, tuple[str, torch.dtype, torch.dtype | None]] = {
        "left alone": ("", torch.float32, None),  # First: the others set what stays set.
        "float32": ("float32", torch.float32, None),
        "tf32": ("tf32", torch.float32, None),
        "weights in bf16": ("tf32", torch.bfloat16, None),
        "autocast to bf16": ("tf32", torch.float32, torch.bfloat16),
    }
    for name, (precision, dtype, autocast) in kinds.items():

        def measure(precision: str = precision, dtype: torch.dtype = dtype,
                    autocast: torch.dtype | None = autocast) -> dict[str, Any]:  # fmt: skip
            if precision:
                compute_in(precision)
            lstm = nn.LSTM(E, H, proj_size=P, device=bench.device, dtype=dtype)
            lstm.load_state_dict(exact.state_dict())
            found = both(lstm, dtype, autocast)
            errors = [float((a.double() - b).norm() / b.norm()) for a, b in zip(found, wanted, strict=True)]
            start = bench.now()
            for _ in range(3):
                both(lstm, dtype, autocast)
            ms = (bench.now() - start) / 3 * 1e3
            result = {"output_dtype": str(found[0].dtype).removeprefix("torch."), "output_error": errors[0],
                      "gradient_error": errors[1], "ms_both_ways": ms}  # fmt: skip
            return result | (at_most(errors[0], 1e-5, "of outputs") if precision == "float32" else {})

        bench.each("nn.LSTM", measure, computed=name)


def data_of(bench: Bench, family: str) -> PairBatches:
    """Return its batches: those of a denoiser, out-of-vocabulary words among them, where words are copied."""
    if family == "pointer_generator":
        (store,) = bench.zipf("copied", VOCABULARY + UNKNOWN, (27.0,))
        unigrams = Unigrams.of(np.arange(VOCABULARY, 4, -1))
        return DenoisingBatches(store, unigrams, VOCABULARY, np.arange(len(store)), 32, 1, 100)
    return PairBatches(*bench.zipf("same", VOCABULARY), 32, 1, max_length=100)


def trained(
    bench: Bench, family: str, settings: RunSettings, folder: Path, device: torch.device, stop: int
) -> nn.Module:
    """Train in `folder` on a device up to update `stop`, from the state that is there; return the model."""
    processes, here = Processes(device=device), dataclasses.replace(bench, device=torch.device("cpu"))
    model: Any = here.built(settings.model, VOCABULARY)  # The same weights on every device.
    model.to(device)
    asked, data = settings.objectives, data_of(bench, family)
    objectives: list[Objective] = []
    if family == "lstm":
        stores = bench.zipf("same", VOCABULARY)
        objectives += [
            lm_objective(lm, Sentences(store, 0, len(store)), (asked.lm_streams, asked.bptt, number), asked.reset,
                         processes, "objectives.lm_streams", name=side)
            for number, ((side, lm), store) in enumerate(zip(model.language_models().items(), stores, strict=True))
        ]  # fmt: skip
    objectives.append(CrossEntropy(model, data, processes))
    job = TrainingJob(processes, Interruption(None), None, provenance(device))

    def validate() -> dict[str, float]:
        if trainer.progress.update >= stop:
            job.interruption.reason = "this part ends here"
        return {"valid_loss": 0.0, "valid_perplexity": 1.0}

    train = dataclasses.replace(settings.train, patience=0)
    training = Training(family, family, model, objectives, settings.optimizer, train, (UPDATES, 1), validate,
                        {"family": family}, {}, lambda progress: {})  # fmt: skip
    trainer = Trainer(training, folder, job)
    trainer.run()
    return model


def losses_of(folder: Path) -> Tensor:
    """Return the loss of each update."""
    lines = map(json.loads, (folder / "checkpoints/metrics.jsonl").read_text(encoding="utf-8").splitlines())
    return torch.tensor([line["train_loss"] for line in lines if line["event"] == "train"])


def apart(one: nn.Module, other: nn.Module) -> float:
    """Return how far the weights of two models are apart, relative to their size."""
    pairs = [(a.detach().cpu().double(), b.detach().cpu().double())
             for a, b in zip(one.parameters(), other.parameters(), strict=True)]  # fmt: skip
    return float(sum((a - b).square().sum() for a, b in pairs) ** 0.5 / sum(a.square().sum() for a, _ in pairs) ** 0.5)


def agreement(bench: Bench) -> None:
    """Train each family on a processor and here, and across; then search with the same weights."""
    cpu, here = torch.device("cpu"), bench.device
    compute_in("float32")
    for family, (study, system) in FAMILIES.items():

        def compare(family: str = family, study: str = study, system: str = system) -> dict[str, Any]:
            settings = without_dropout(bench.settings(study, system, "small")[0])
            folders = {name: bench.folder / family / name for name in ("cpu", "gpu", "gpu_then_cpu", "cpu_then_gpu")}
            on_cpu = trained(bench, family, settings, folders["cpu"], cpu, UPDATES)
            on_gpu = trained(bench, family, settings, folders["gpu"], here, UPDATES)
            across = {}
            for name, first, second, whole in (
                ("gpu_then_cpu", here, cpu, on_cpu),
                ("cpu_then_gpu", cpu, here, on_gpu),
            ):
                trained(bench, family, settings, folders[name], first, STOP)
                across[name] = apart(trained(bench, family, settings, folders[name], second, UPDATES), whole)
                if len(losses_of(folders[name])) != UPDATES:
                    raise ArithmeticError(f"{name} was not resumed: it logged {len(losses_of(folders[name]))} updates")
            losses = losses_of(folders["cpu"])
            differ = float((losses_of(folders["gpu"]) / losses - 1).abs().max())
            weights = apart(on_cpu, on_gpu)
            on_gpu.load_state_dict(on_cpu.state_dict())
            equal, of = equal_beams(on_cpu, on_gpu, data_of(bench, family).next(), settings.decode.beam)
            worst = max(differ, *across.values())
            return {"first_loss": float(losses[0]), "last_loss": float(losses[-1]), "losses_differ": differ,
                    "weights_differ": weights, **across, "beams": of, "equal_beams": equal,
                    "goal": f"at most {CLOSE:g} and all beams", "reached": worst <= CLOSE and equal == of}  # fmt: skip

        bench.each("processor and GPU", compare, family=family)


def equal_beams(one: Any, other: Any, batch: Batch, beam: int) -> tuple[int, int]:
    """Return of how many sentences all hypotheses are the same, of so many."""
    found = []
    for model in (one.eval(), other.eval()):
        device = next(model.parameters()).device
        sources, lengths = batch.source_BS[:SEARCHED].to(device), batch.lengths_B[:SEARCHED].to(device)
        found.append([[hypothesis.ids for hypothesis in each] for each in beam_search([model], sources, lengths, beam)])
    return Counter(a == b for a, b in zip(*found, strict=True))[True], len(found[0])
