"""From a job's FLOPs to hours: the speed of a machine, stated or measured, and the runtimes of finished jobs."""

from __future__ import annotations

import csv
import dataclasses
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
# FLOPs a second that a machine sustains, if nothing is stated or measured.
# A GPU: LSTMs as an H100 did at the paper's sizes (`benchmarks/gpu.py`), fine-tuned on sentence pairs; on documents of
# 600 tokens it was 23.6 in float32 and 44.9 in TF32. In bf16 they have not run: what is not products took 14 ms of an
# LM's update and 39 ms (and 54 ms idle) of a batch of pairs in both precisions, and products go at 750. Transformers
# have not run there. They are taken to sustain a share of the rate of one large product: 60 % in float32 (52,
# measured), 40 % in TF32 (400, measured) and in bfloat16 (some 750).
GPU_RATES: dict[Products, dict[Kind, float]] = {
    "LSTM in float32": {"pretraining": 38.5e12, "fine-tuning": 26.9e12, "decoding": 26.2e12},
    "LSTM in tf32": {"pretraining": 103e12, "fine-tuning": 41.5e12, "decoding": 26.2e12},
    "LSTM in bf16": {"pretraining": 119e12, "fine-tuning": 43.6e12, "decoding": 26.2e12},
    "Transformer in float32": dict.fromkeys(MODEL_KINDS, 31e12),
    "Transformer in tf32": {"pretraining": 160e12, "fine-tuning": 160e12, "decoding": 31e12},
    "Transformer in bf16": {"pretraining": 300e12, "fine-tuning": 300e12, "decoding": 31e12},
}
# LM losses of a fine-tuning: 1,280 tokens each. The 14 ms were those of 2,560 tokens, taken to be 5 and 9 ms.
LM_LOSS_RATES: dict[Products, float] = {"LSTM in float32": 34e12, "LSTM in tf32": 83e12, "LSTM in bf16": 92e12}
# Share of the time in which the GPU waited for its next kernel. Of it, runs that share the GPU are taken to fill 90 %.
IDLE: dict[Products, dict[Kind, float]] = {
    "LSTM in float32": {"pretraining": 0.02, "fine-tuning": 0.35, "decoding": 0.23},
    "LSTM in tf32": {"pretraining": 0.07, "fine-tuning": 0.52, "decoding": 0.23},
    "LSTM in bf16": {"pretraining": 0.07, "fine-tuning": 0.55, "decoding": 0.23},
}
FILLED = 0.9
BASIS = {
    "LSTM in float32": "measured on an H100",
    "LSTM in tf32": "measured on an H100",
    "LSTM in bf16": "planned, not measured",
}
# A core: what one of an AMD EPYC sustained at the sizes of the small scale; twice as much in larger models, half of it
# in those of the demo.
CORE_RATE = 50e9
PARALLEL_TEXT_JOBS = ("filter", "encode")


@dataclass(frozen=True)
class Machine:
    """The resources that jobs share. Without GPUs, models are trained on cores."""

    gpus: int
    cores: int
    processes: int
    """GPUs of each training job, or cores if there are no GPUs."""
    rates: Mapping[Kind, float]
    """FLOPs a second of one GPU (or core), by kind, if stated or measured; other kinds have the default."""
    sharing: int = 1
    """Runs that share a GPU."""

    def resource(self, job: PricedJob) -> Resource:
        """Return the resource that a job occupies."""
        return "gpus" if self.gpus and job.kind != "other" else "cores"

    def places(self) -> dict[str, int]:
        """Return how many of each resource jobs can occupy; a GPU counts once for each run that may share it."""
        return {"gpus": self.gpus * self.sharing, "cores": self.cores}

    def amount(self, job: PricedJob) -> int:
        """Return how many units of its resource a job occupies; each is fully used."""
        if job.kind in ("pretraining", "fine-tuning"):
            return max(1, self.processes)
        if job.rule.startswith(PARALLEL_TEXT_JOBS):
            return min(self.cores, job.threads)
        return 1

    def rate(self, job: PricedJob) -> float:
        """Return the FLOPs a second that a job sustains on one of these units."""
        if job.kind in self.rates:
            return self.rates[job.kind]
        return gpu_rate(job, self.sharing) if self.gpus else CORE_RATE

    def hours(self, job: PricedJob, *, most: bool = False) -> float:
        """Return the GPU-hours or core-hours of a job."""
        work = job.most_flops if most else job.flops
        computing = work / self.rate(job) if job.kind != "other" else 0.0
        return (computing + job.core_seconds) / 3600

    def seconds(self, job: PricedJob) -> float:
        """Return a job's runtime, slowed by the other jobs that share its GPU."""
        shared = self.sharing if self.resource(job) == "gpus" else 1
        return 3600 * self.hours(job) * shared / self.amount(job)


def gpu_rate(job: PricedJob, sharing: int) -> float:
    """Return the FLOPs a second that a GPU sustains by default, with `sharing` such jobs at a time."""
    idle = IDLE.get(job.products, {}).get(job.kind, 0.0)
    rate = GPU_RATES[job.products][job.kind] * max(1.0, FILLED * min(sharing, 1 / (1 - idle)))
    return 1 / ((1 - job.lm_losses) / rate + job.lm_losses / LM_LOSS_RATES.get(job.products, rate))


@dataclass(frozen=True)
class Record:
    """The measured cost of a finished job."""

    seconds: float
    core_seconds: float
    updates: int = 0
    processes: float = 1
    """GPUs of the job; less than one if they were shared."""

    def hours(self, resource: Resource) -> float:
        """Return the hours for which it held GPUs, or its CPU hours."""
        return (self.seconds * self.processes if resource == "gpus" else self.core_seconds) / 3600


def read_record(path: Path) -> Record | None:
    """Return the record in a training's summary or Snakemake's benchmark file; None if there is no file."""
    if not path.is_file():
        return None
    if path.suffix == ".json":
        about = read_json(path)
        try:
            return Record(about["seconds"], about["cpu_seconds"], about["steps"], about["processes"])
        except (KeyError, TypeError) as error:
            raise DataError(f"{path}: not the summary of a training ({error!r}); delete it") from error
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    try:
        seconds, cpu_time = float(rows[-1]["s"]), rows[-1]["cpu_time"]
        # Snakemake looks at a job's CPU time now and then: a short job has none, any other lacks its last seconds.
        core_seconds = float(cpu_time) if cpu_time not in ("NA", "-", "") else 0.0
    except (IndexError, KeyError, TypeError, ValueError) as error:  # TypeError: the row is cut off
        raise DataError(f"{path}: not a benchmark file of Snakemake ({error!r}); delete it") from error
    return Record(seconds, core_seconds or seconds)


def records(jobs: Iterable[PricedJob], root: Path, sharing: int = 1) -> dict[str, Record]:
    """Return the records of finished jobs, by name; `root` is the folder of the Snakefile.

    Assumes that `sharing` runs shared each GPU.
    """
    found = {job.name: read_record(root / job.record) for job in jobs if job.record}
    return {
        name: dataclasses.replace(record, processes=record.processes / sharing)
        for name, record in found.items()
        if record
    }


def measured_rates(
    jobs: Iterable[PricedJob], done: Mapping[str, Record], *, gpu: bool
) -> dict[Kind, tuple[float, int]]:
    """Return the measured FLOPs a second of each kind of job, and the number of jobs measured.

    Ignored are jobs that took less than three times their start-up, and trainings of no update, which only validate.
    """
    work: defaultdict[Kind, float] = defaultdict(float)
    time: defaultdict[Kind, float] = defaultdict(float)
    count: defaultdict[Kind, int] = defaultdict(int)
    for job in jobs:
        if not job.flops or job.name not in done or (job.update and not job.updates):
            continue
        record = done[job.name]
        seconds = 3600 * record.hours("gpus" if gpu else "cores")
        if seconds < 3 * job.core_seconds:
            continue
        work[job.kind] += job.flops * (record.updates / job.updates if job.updates else 1)
        time[job.kind] += seconds if job.updates else seconds - job.core_seconds
        count[job.kind] += 1
    return {kind: (work[kind] / time[kind], count[kind]) for kind in count}
