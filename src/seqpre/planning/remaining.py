"""How long a workflow that is running will still take: what is planned, at the pace of the jobs that have ended."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from seqpre.planning.costs import records
from seqpre.planning.dag import Node
from seqpre.planning.planner import Plan
from seqpre.planning.schedule import Step, wall_seconds
from seqpre.planning.work import Kind

LEAST = 0.1
"""Of what a job takes, this share is taken to be left of one that has already taken longer."""


class Remaining:
    """Estimates the time that is left on cores that the jobs share. A job goes by the first file that it writes."""

    def __init__(self, nodes: Sequence[Node], plan: Plan, cores: int, root: Path) -> None:
        """Take the plan of all jobs, in the order of `nodes`; `root` is the folder that their files are in."""
        jobs = dict(zip([node.outputs[0] for node in nodes], plan.jobs, strict=True))
        self.kinds = {file: job.kind for file, job in jobs.items()}
        files = {job.name: file for file, job in jobs.items()}
        seconds = {file: 3600 * plan.machine.hours(job) / plan.machine.amount(job) for file, job in jobs.items()}
        self.cores = cores
        self.steps = [
            Step(file, seconds[file], "cores", min(cores, node.threads), tuple(files[name] for name in node.after))
            for file, node in zip(jobs, nodes, strict=True)
            if node.left
        ]
        known = records(plan.jobs, root)
        self.measured = Counter[Kind](job.kind for job in plan.jobs if job.kind != "other" and job.name in known)
        """How many earlier jobs the plan's speed is measured on, by kind; the speed of others is no machine's."""

    def __call__(
        self, ended: Mapping[str, float], at_work: Mapping[str, float], failed: Collection[str]
    ) -> tuple[float, float]:
        """Return the least and the most seconds that are expected, from the seconds of jobs that ended or are at work.

        What waits for a failed job is not run. The time of a kind of job is taken to be known up to a factor of two as
        long as none has ended, of 1 + 1 / sqrt(n) after n jobs.
        """
        took, planned, count = defaultdict[Kind, float](float), defaultdict[Kind, float](float), self.measured.copy()
        gone = set(failed)
        waiting = []
        for step in self.steps:
            kind = self.kinds[step.name]
            if step.name in ended:
                took[kind] += ended[step.name]
                planned[kind] += step.seconds
                count[kind] += 1
            elif gone.intersection((step.name, *step.after)):
                gone.add(step.name)
            else:
                waiting.append(step)
        pace = {kind: took[kind] / planned[kind] if planned[kind] else 1.0 for kind in self.kinds.values()}
        doubt = {kind: 1 + max(1, count[kind]) ** -0.5 for kind in pace}
        names = {step.name for step in waiting}

        def until_the_end(exponent: int) -> float:
            steps = []
            for step in waiting:
                takes = step.seconds * pace[self.kinds[step.name]] * doubt[self.kinds[step.name]] ** exponent
                left = max(takes - at_work.get(step.name, 0.0), LEAST * takes)
                after = tuple(name for name in step.after if name in names)
                steps.append(dataclasses.replace(step, seconds=left, after=after))
            return wall_seconds(steps, {"cores": self.cores})

        return until_the_end(-1), until_the_end(1)
