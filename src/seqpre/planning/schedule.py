"""How long jobs take that wait for each other and share processors and GPUs: an event-driven simulation."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A job as the schedule sees it: how long it holds `amount` of `resource`, after which others."""

    name: str
    seconds: float
    resource: str
    amount: int
    after: tuple[str, ...] = ()


def wall_seconds(steps: Sequence[Step], available: Mapping[str, int]) -> float:
    """Return when the last step ends if each starts as soon as it can, those that most waits for first.

    Every step must come after those it waits for, and want no more than there is.
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
    """Return, for every step, the seconds from its start to the end of the longest chain that waits for it."""
    behind: defaultdict[str, float] = defaultdict(float)
    for step in reversed(steps):
        behind[step.name] += step.seconds
        for name in step.after:
            behind[name] = max(behind[name], behind[step.name])
    return dict(behind)
