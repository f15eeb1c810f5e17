"""The plan of a configuration: its jobs on a given machine."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from seqpre.common.errors import ConfigError
from seqpre.planning.costs import (
    BASIS,
    CORE_RATE,
    LM_LOSS_RATES,
    MODEL_KINDS,
    Machine,
    Resource,
    gpu_rate,
    measured_rates,
    records,
)
from seqpre.planning.dag import Node, resolved
from seqpre.planning.prices import EXPECTED_PASSES, Setting, work_of
from seqpre.planning.schedule import Step, tails, wall_seconds
from seqpre.planning.sheet import number, size
from seqpre.planning.texts import TextSizes
from seqpre.planning.work import Kind, PricedJob, Products
from seqpre.study.configuration import configured_rows, configured_studies, training_gpus
from seqpre.study.study import Study, lm_and_seed

CONTEXT = 1e9
"""GPU memory in bytes that each process takes besides its tensors."""
SHORT = 10.0
"""Plans below this many core-hours are shown in minutes."""


@dataclass(frozen=True)
class Plan:
    """All jobs of the configured studies on a machine, and the assumptions made."""

    jobs: list[PricedJob]
    machine: Machine
    assumptions: list[str]

    @property
    def resource(self) -> Resource:
        """The resource that is reported: GPUs if there are any."""
        return "gpus" if self.machine.gpus else "cores"

    @property
    def minutes(self) -> bool:
        """Whether costs are shown in minutes instead of hours."""
        return not self.machine.gpus and self.hours(self.jobs, "cores") < SHORT

    def unit(self, resource: Resource) -> str:
        """Return the unit in which costs are shown."""
        return ("GPU-" if resource == "gpus" else "core-") + ("minutes" if self.minutes else "hours")

    def hours(self, jobs: Sequence[PricedJob], resource: Resource, *, most: bool = False) -> float:
        """Return the total hours of a resource that jobs take."""
        return sum(self.machine.hours(job, most=most) for job in jobs if self.machine.resource(job) == resource)

    def wall_hours(self) -> float:
        """Return the wall-clock hours until all jobs are done, if each starts as soon as it can."""
        return wall_seconds(self._steps(), self.machine.places()) / 3600

    def least_wall_hours(self) -> float:
        """Return the hours of the longest chain of dependent jobs."""
        return max(tails(self._steps()).values()) / 3600

    def kept(self) -> float:
        """Return the bytes on disk when all jobs are done."""
        return sum(job.kept for job in self.jobs)

    def disk(self) -> float:
        """Return the peak disk usage in bytes: all that is kept, and the states of concurrent trainings."""
        slots = self.machine.places()[self.resource]
        at_once = max(1, slots // max(1, self.machine.processes))
        states = sorted((job.scratch for job in self.jobs if job.updates), reverse=True)[:at_once]
        return self.kept() + max((sum(states), *(job.scratch for job in self.jobs)))

    def left(self) -> Plan:
        """Return the plan of the jobs that have not run yet."""
        return replace(self, jobs=[job for job in self.jobs if job.left])

    def memory(self, job: PricedJob) -> float:
        """Return the memory in bytes of each process of a training; 0 if it is not estimated."""
        return job.states + job.batch / self.machine.processes if job.batch else 0.0

    def fastest(self) -> Plan:
        """Return the plan with trainings in bf16 on one process each, with two or more sharing a GPU."""
        jobs = [
            replace(job, products=cast(Products, f"{job.products.partition(' ')[0]} in bf16")) if job.updates else job
            for job in self.jobs
        ]
        machine = replace(self.machine, processes=1, sharing=max(2, self.machine.sharing))
        return replace(self, jobs=jobs, machine=machine)

    def _steps(self) -> list[Step]:
        machine = self.machine
        return [
            Step(job.name, machine.seconds(job), machine.resource(job), machine.amount(job), job.after)
            for job in self.jobs
        ]


GPUS, CORES = 8, 32
"""GPUs and cores assumed if trainings use GPUs; more GPUs if one training needs more."""


def at_hand(config: Mapping[str, Any], gpus: int | None = None, cores: int | None = None) -> tuple[int, int]:
    """Return the GPUs and cores that a plan has, by default those assumed; without GPUs, this machine's cores."""
    wanted = training_gpus(config)
    if gpus is None:
        gpus = max(GPUS, wanted) if wanted else 0
    return gpus, cores or (CORES if gpus else os.cpu_count() or 1)


def make_plan(
    config: Mapping[str, Any],
    root: Path,
    gpus: int,
    cores: int,
    tflops: float | None = None,
    nodes: Sequence[Node] | None = None,
) -> Plan:
    """Return the plan of a configuration; `root` is the folder of the Snakefile, 0 GPUs means training on cores.

    `tflops` is the speed of a GPU (or core); without it, that of earlier jobs, else the default. `nodes` are the jobs
    to plan; default: all jobs of the configuration.
    """
    processes = max(1, training_gpus(config))
    if processes > (gpus or cores):
        raise ConfigError(
            f"{gpus or cores} {'GPUs' if gpus else 'cores'} are at hand, and each training job has {processes} "
            "processes: lower `gpus` in config.yaml"
        )
    studies = configured_studies(config, root)
    settings = settings_of(config, root, studies)
    sizes = next(iter(settings.values())).sizes
    nodes = resolved(config, root) if nodes is None else nodes
    jobs = list(priced(nodes, settings, f"{config['results']}/{config['scale']}"))
    sharing = int(config["runs_per_gpu"]) if gpus else 1
    known = {} if tflops else measured_rates(jobs, records(jobs, root, sharing), gpu=gpus > 0)
    stated = dict.fromkeys(MODEL_KINDS, tflops * 1e12) if tflops else {}
    rates = stated | {kind: rate for kind, (rate, _) in known.items()}
    machine = Machine(gpus, cores, processes, rates, sharing)
    assumptions = [
        f"{'TFLOP/s that a GPU' if gpus else 'GFLOP/s that a core'} sustains: "
        f"{'; '.join(speeds(jobs, machine, known))}.",
        f"Early stopping: a model is at its best after {EXPECTED_PASSES} passes over its training text, and not before "
        "twice the updates of its warm-up; then training waits out its patience. At most: all updates or tokens that "
        "the settings allow.",
        "Work is that of matrix products. Where parts are frozen it is too much by up to a third.",
        f"Processes of a training job: {processes}; several are taken to share its work without "
        "loss. Fine-tuning an LSTM gains little, as its decoder goes step by step. "
        "Waiting in a queue and downloading take no time.",
    ]
    if sharing > 1:
        assumptions.append(
            f"Runs that share a GPU: {sharing}. They are taken to fill 90 % of the time in which one alone leaves it "
            "idle (planned, not measured)."
        )
    if any(job.batch for job in jobs):
        assumptions.append(
            "Memory is that of a process that trains: weights, gradients, optimiser, what a batch of mean lengths "
            "keeps; up to a quarter too much; what PyTorch and its libraries take comes on top."
        )
    assumptions += [f"{remark}." for study in studies.values() for remark in study.remarks()]
    if sizes.guessed:
        names = ", ".join(sizes.guessed)
        assumptions.append(f"Guessed from the size of the download, not in workflow/sizes.tsv: {names}.")
    return Plan(jobs, machine, assumptions)


def settings_of(config: Mapping[str, Any], root: Path, studies: Mapping[str, Study]) -> dict[str, Setting]:
    """Return what prices depend on, for each study and pretraining."""
    rows = configured_rows(config, root, studies)
    sizes = TextSizes(root / "workflow/sizes.tsv", rows, root / config["results"] / config["scale"])
    owners = {owner.name: owner for study in studies.values() for owner in study.owners}
    return {name: Setting(owner, rows, sizes) for name, owner in owners.items()}


def speeds(jobs: Sequence[PricedJob], machine: Machine, measured: Mapping[Kind, tuple[float, int]]) -> Iterator[str]:
    """Yield the speed of each kind of job or, on a GPU, of each model and precision, and its origin."""
    unit = 1e12 if machine.gpus else 1e9
    for kind in MODEL_KINDS:
        if kind in measured:
            yield f"{kind} {number(measured[kind][0] / unit)} (measured on {measured[kind][1]} of these jobs)"
        elif kind in machine.rates:
            yield f"{kind} {number(machine.rates[kind] / unit)} (stated)"
        elif not machine.gpus:
            yield f"{kind} {number(CORE_RATE / unit)} (default)"
    left = [job for job in jobs if machine.gpus and job.kind not in ("other", *machine.rates)]
    for products in dict.fromkeys(job.products for job in left):
        kinds = {job.kind: job for job in left if job.products == products}
        alone = (replace(kinds[kind], lm_losses=0.0) for kind in MODEL_KINDS if kind in kinds)
        rates = [f"{job.kind} {number(gpu_rate(job, machine.sharing) / unit)}" for job in alone]
        if any(job.lm_losses for job in left if job.products == products):
            rates.append(f"LM losses {number(LM_LOSS_RATES[products] / unit)}")
        yield f"{', '.join(rates)} ({products}, {BASIS.get(products, 'assumed')})"


def priced(nodes: Sequence[Node], settings: Mapping[str, Setting], folder: str) -> Iterator[PricedJob]:
    """Yield the jobs with their work; `folder` has the folders of the studies.

    A job that several studies share, or none needs, is assigned to the first study. A pretraining owns its own jobs.
    """
    wanted_by: dict[str, str] = {}
    for node in reversed(nodes):
        study = wanted_by[node.name] = _whose(node) or wanted_by.get(node.name) or next(iter(settings))
        wanted_by.update(dict.fromkeys(node.after, study))
    for node in nodes:
        study = wanted_by[node.name]
        summary = [file for file in node.outputs if file.endswith("/summary.json")]
        yield PricedJob(
            rule=node.rule,
            name=node.name,
            owner=_owner(node, f"{folder}/{study}/"),
            study=study,
            threads=node.threads,
            after=tuple(node.after),
            record=(summary or [node.benchmark])[0],
            left=node.left,
            **vars(work_of(node, settings[study])),
        )


def _whose(node: Node) -> str:
    """Return the study or pretraining that a job belongs to; empty if several may need it."""
    named = [node.wildcards[noun] for noun in ("study", "owner", "vocabulary", "encoding") if noun in node.wildcards]
    return named[0].partition("@")[0] if named else ""


def _owner(node: Node, folder: str) -> str:
    """Return what a job is done for; files in a study's own folder that belong to no run are its report."""
    if "lm" in node.wildcards:
        return f"LM {lm_and_seed(node.wildcards['lm'])[0]}"
    named = node.wildcards.get("outputs", "").split("/")[1:]
    named = named or [node.wildcards[noun] for noun in ("system", "ensemble", "baseline") if noun in node.wildcards]
    return named[0] if named else "report" if node.outputs[0].startswith(folder) else "text"


def grouped(jobs: Sequence[PricedJob], field: str) -> dict[str, list[PricedJob]]:
    """Return jobs grouped by one of their fields, in order of first appearance."""
    groups: defaultdict[str, list[PricedJob]] = defaultdict(list)
    for job in jobs:
        groups[getattr(job, field)].append(job)
    return dict(groups)


def largest_training(plan: Plan) -> tuple[PricedJob, float] | None:
    """Return the unfinished training that takes most GPU memory, and its bytes; None if none is left.

    For a pretrained Transformer language model only weights, gradients and optimiser states are counted.
    """
    left = [job for job in plan.jobs if job.updates and job.left]
    needs = [(job, job.states + job.batch / plan.machine.processes + CONTEXT) for job in left]
    return max(needs, key=lambda one: one[1], default=None)


def check_memory(plan: Plan, gigabytes: float) -> None:
    """Raise ConfigError, naming the largest training, if the runs that share a GPU do not fit into its memory."""
    runs, found = plan.machine.sharing, largest_training(plan)
    if runs == 1 or not found:
        return
    largest, needs = found
    if runs * needs > gigabytes * 1e9:
        raise ConfigError(
            f"runs_per_gpu is {runs}, but {largest.name} is planned to take {size(needs)} of a GPU, and {runs} "
            f"such runs do not fit into gpu_memory_gb ({gigabytes:g}): set runs_per_gpu to "
            f"{max(1, int(gigabytes * 1e9 / needs))}"
        )


def check_budget(plan: Plan, budget: float) -> None:
    """Raise ConfigError, naming the largest systems, if more hours are expected than the budget allows."""
    total = plan.hours(plan.jobs, plan.resource)
    if total <= budget:
        return
    costs = {owner: plan.hours(jobs, plan.resource) for owner, jobs in grouped(plan.jobs, "owner").items()}
    largest = sorted(costs, key=lambda owner: -costs[owner])[:3]
    unit = "GPU-hours" if plan.machine.gpus else "core-hours"
    raise ConfigError(
        f"over budget: {number(total)} {unit} are planned, --budget allows {budget:g}; the largest are "
        + ", ".join(f"{owner} ({number(costs[owner])})" for owner in largest)
    )
