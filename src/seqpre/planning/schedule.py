"""The runtime of dependent jobs that share processors and GPUs: an event-driven simulation."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A job in the schedule: how long it holds `amount` of `resource`, and the jobs it waits for."""

    name: str
    seconds: float
    resource: str
    amount: int
    after: tuple[str, ...] = ()


def wall_seconds(steps: Sequence[Step], available: Mapping[str, int]) -> float:
    """Return when the last step ends if each starts as soon as possible, longest remaining chain first.

    Steps must be sorted by dependency. None may need more than is available.
    """
    behind = tails(steps)
    waits_for = {step.name: len(step.after) for step in steps}
    followers: defaultdict[str, list[Step]] = defaultdict(list)
    for step in steps:
        for name in step.after:
            followers[name].append(step)
    ready = [step for step in steps if not step.after]
    free, running, now = dict(available), list[tuple[float, int, Step]](), 0.0
    started = 0
    while ready or running:
        ready.sort(key=lambda step: -behind[step.name])
        waiting = []
        for step in ready:
            if step.amount > free[step.resource]:
                waiting.append(step)
                continue
            free[step.resource] -= step.amount
            started += 1
            heapq.heappush(running, (now + step.seconds, started, step))
        ready = waiting
        now, _, done = heapq.heappop(running)
        free[done.resource] += done.amount
        for step in followers[done.name]:
            waits_for[step.name] -= 1
            if waits_for[step.name] == 0:
                ready.append(step)
    return now


def tails(steps: Sequence[Step]) -> dict[str, float]:
    """Return, for every step, the seconds from its start to the end of the longest chain that depends on it."""
    behind: defaultdict[str, float] = defaultdict(float)
    for step in reversed(steps):
        behind[step.name] += step.seconds
        for name in step.after:
            behind[name] = max(behind[name], behind[step.name])
    return dict(behind)
