"""From a job's work to hours: how fast a machine is, stated or measured, and what jobs took that have run."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from seqpre.common.errors import DataError
from seqpre.common.files import read_json
from seqpre.planning.work import Kind, PricedJob, Products

Resource = Literal["gpus", "cores"]
MODEL_KINDS: tuple[Kind, ...] = ("pretraining", "fine-tuning", "decoding")
# What a machine sustains where nothing is stated or measured, in operations a second.
# A GPU: LSTMs as an H100 did at the paper's sizes (`benchmarks/gpu.py`), fine-tuned on sentence pairs; on documents of
# 600 tokens it was 23.6 in float32 and 44.9 in TF32. Transformers have not run there. They are taken to sustain a
# share of the rate of one large product: 60 % in float32 (52, measured), 40 % in TF32 (400, measured) and in bfloat16
# (some 750).
GPU_RATES: dict[Products, dict[Kind, float]] = {
    "LSTM in float32": {"pretraining": 38.5e12, "fine-tuning": 26.9e12, "decoding": 26.2e12},
    "LSTM in tf32": {"pretraining": 103e12, "fine-tuning": 41.5e12, "decoding": 26.2e12},
    "Transformer in float32": dict.fromkeys(MODEL_KINDS, 31e12),
    "Transformer in tf32": {"pretraining": 160e12, "fine-tuning": 160e12, "decoding": 31e12},
    "Transformer in bf16": {"pretraining": 300e12, "fine-tuning": 300e12, "decoding": 31e12},
}
# A core: what one of an AMD EPYC sustained at the sizes of the small scale; twice as much in larger models, half of it
# in those of the demo.
CORE_RATE = 50e9
PARALLEL_TEXT_JOBS = ("filter", "encode")


@dataclass(frozen=True)
class Machine:
    """What the jobs share. Without GPUs, models are trained on cores too."""

    gpus: int
    cores: int
    processes: int
    """GPUs (or, without, cores) of each training job."""
    rates: Mapping[Kind, float]
    """Operations a second that one GPU (or core) sustains, where that is stated or measured; else the default."""

    def resource(self, job: PricedJob) -> Resource:
        """Return what a job holds while it runs."""
        return "gpus" if self.gpus and job.kind != "other" else "cores"

    def amount(self, job: PricedJob) -> int:
        """Return how many of them it holds; each is used fully."""
        if job.kind in ("pretraining", "fine-tuning"):
            return max(1, self.processes)
        if job.rule.startswith(PARALLEL_TEXT_JOBS):
            return min(self.cores, job.threads)
        return 1

    def rate(self, job: PricedJob) -> float:
        """Return the operations a second of a job that one of them sustains."""
        return self.rates.get(job.kind) or (GPU_RATES[job.products][job.kind] if self.gpus else CORE_RATE)

    def hours(self, job: PricedJob, *, most: bool = False) -> float:
        """Return the GPU-hours or core-hours of a job."""
        work = job.most_operations if most else job.operations
        computing = work / self.rate(job) if job.kind != "other" else 0.0
        return (computing + job.core_seconds) / 3600


@dataclass(frozen=True)
class Record:
    """What a job took that has run."""

    seconds: float
    core_seconds: float
    updates: int = 0
    processes: int = 1

    def hours(self, resource: Resource) -> float:
        """Return the hours of a resource that it held or, of cores, used."""
        return (self.seconds * self.processes if resource == "gpus" else self.core_seconds) / 3600


def read_record(path: Path) -> Record | None:
    """Return what a training's summary or Snakemake's benchmark file says; None where there is no such file."""
    if not path.is_file():
        return None
    if path.suffix == ".json":
        about = read_json(path)
        return Record(about["seconds"], about["cpu_seconds"], about["steps"], about["processes"])
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    try:
        seconds, cpu_time = float(rows[-1]["s"]), rows[-1]["cpu_time"]
        # A short job has no CPU time in the file; in any, the seconds since it was last looked at are missing.
        core_seconds = float(cpu_time) if cpu_time not in ("NA", "-", "") else 0.0
    except (IndexError, KeyError, ValueError) as error:
        raise DataError(f"{path}: not a benchmark file of Snakemake ({error!r}); delete it") from error
    return Record(seconds, core_seconds or seconds)


def records(jobs: Iterable[PricedJob], root: Path) -> dict[str, Record]:
    """Return what the jobs took that have run, by name; `root` is the folder of the Snakefile."""
    found = {job.name: read_record(root / job.record) for job in jobs if job.record}
    return {name: record for name, record in found.items() if record}


def measured_rates(
    jobs: Iterable[PricedJob], done: Mapping[str, Record], *, gpu: bool
) -> dict[Kind, tuple[float, int]]:
    """Return the operations a second that jobs have sustained, by kind, and how many jobs that was measured on.

    Jobs that took less than three times their start-up tell nothing.
    """
    work: defaultdict[Kind, float] = defaultdict(float)
    time: defaultdict[Kind, float] = defaultdict(float)
    count: defaultdict[Kind, int] = defaultdict(int)
    for job in jobs:
        if job.kind == "other" or job.name not in done:
            continue
        record = done[job.name]
        seconds = 3600 * record.hours("gpus" if gpu else "cores")
        if seconds < 3 * job.core_seconds:
            continue
        work[job.kind] += job.operations * (record.updates / job.updates if job.updates else 1)
        time[job.kind] += seconds if job.updates else seconds - job.core_seconds
        count[job.kind] += 1
    return {kind: (work[kind] / time[kind], count[kind]) for kind in count}
