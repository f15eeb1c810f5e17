"""Estimate the time that a running workflow still takes: the plan, at the pace of the finished jobs."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from seqpre.planning.costs import MODEL_KINDS, records
from seqpre.planning.dag import Node
from seqpre.planning.planner import Plan
from seqpre.planning.prices import priced_as
from seqpre.planning.schedule import Step, wall_seconds
from seqpre.planning.work import PricedJob

RECENT = 10
"""Last jobs of a kind that determine its pace."""
LEAST = 0.1
"""Share of its expected time that a job still has left if it has already taken longer."""


class Remaining:
    """Estimates the time left on shared cores. Jobs are identified by their first output file."""

    def __init__(self, nodes: Sequence[Node], plan: Plan, cores: int, root: Path) -> None:
        """Take the plan of all jobs, in the order of `nodes`; `root` is the folder of their files."""
        jobs = dict(zip([node.outputs[0] for node in nodes], plan.jobs, strict=True))
        self.kinds: dict[str, str] = {file: _kind(job) for file, job in jobs.items()}
        files = {job.name: file for file, job in jobs.items()}
        seconds = {file: plan.machine.seconds(job) for file, job in jobs.items()}
        self.cores = cores
        self.steps = [
            Step(file, seconds[file], "cores", min(cores, node.threads), tuple(files[name] for name in node.after))
            for file, node in zip(jobs, nodes, strict=True)
            if node.left
        ]
        self.steps_by_name = {step.name: step for step in self.steps}
        self.resumed = {step.name for step in self.steps if (root / step.name).with_name("checkpoints").is_dir()}
        """Trainings that resumed from a checkpoint; they take less time than planned."""
        known = records(plan.jobs, root)
        self.measured = Counter(_kind(job) for job in plan.jobs if job.flops and job.name in known)
        """For each kind, how many earlier jobs the plan's speed was measured on; other kinds have the default speed."""

    def __call__(
        self, ended: Mapping[str, float], at_work: Mapping[str, float], failed: Collection[str]
    ) -> tuple[float, float]:
        """Return the least and the most seconds left, from the seconds of ended jobs and of jobs at work.

        `ended` is in order of completion. The pace of a kind is that of its last RECENT jobs, because a machine may be
        busy for a while. If no job of a kind has ended, it is the pace of earlier runs or, without any, that of other
        models' jobs. Jobs without a model and resumed trainings are not used for this. With n jobs, the pace is assumed
        to be known within a factor of 1 + 1 / sqrt(n); without any, of two. Jobs that depend on a failed job are not
        run.
        """
        gone = set(failed)
        waiting = []
        for step in self.steps:
            if gone.intersection((step.name, *step.after)):
                gone.add(step.name)
            elif step.name not in ended:
                waiting.append(step)
        took = defaultdict[str, list[tuple[float, float]]](list)
        for name, seconds in ended.items():
            if name in self.steps_by_name and name not in self.resumed:
                took[self.kinds[name]].append((seconds, self.steps_by_name[name].seconds))
        recent = {kind: took[kind][-RECENT:] for kind in set(self.kinds.values())}
        others = _pace([one for kind, ones in recent.items() if kind in MODEL_KINDS for one in ones], 1.0)
        factors = {
            kind: (
                _pace(ones, 1.0 if self.measured[kind] else others),
                1 + min(RECENT, max(1, len(ones) + self.measured[kind])) ** -0.5,
            )
            for kind, ones in recent.items()
        }
        names = {step.name for step in waiting}

        def until_the_end(exponent: int) -> float:
            steps = []
            for step in waiting:
                pace, doubt = factors[self.kinds[step.name]]
                takes = step.seconds * pace * doubt**exponent
                left = max(takes - at_work.get(step.name, 0.0), LEAST * takes)
                after = tuple(name for name in step.after if name in names)
                steps.append(dataclasses.replace(step, seconds=left, after=after))
            return wall_seconds(steps, {"cores": self.cores})

        return until_the_end(-1), until_the_end(1)


def _kind(job: PricedJob) -> str:
    """Return the kind of jobs that run at the same pace: what the model does, or how the job is priced."""
    return priced_as(job.rule) if job.kind == "other" else job.kind


def _pace(jobs: Sequence[tuple[float, float]], otherwise: float) -> float:
    """Return the actual time of jobs, relative to the plan, from (actual, planned) seconds."""
    planned = sum(seconds for _, seconds in jobs)
    return sum(seconds for seconds, _ in jobs) / planned if planned else otherwise
