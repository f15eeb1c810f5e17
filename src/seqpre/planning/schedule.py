"""How long jobs take that wait for each other and share processors and GPUs: an event-driven simulation."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """A job for the schedule: how long it holds `amount` of `resource`, after which others."""

    name: str
    seconds: float
    resource: str
    amount: int
    after: tuple[str, ...] = ()


def wall_seconds(tasks: Sequence[Task], available: Mapping[str, int]) -> float:
    """Return when the last task ends if each starts as soon as it can, those that most waits for first.

    Every task must come after those it waits for, and want no more than there is.
    """
    behind = tails(tasks)
    waits_for = {task.name: len(task.after) for task in tasks}
    followers: defaultdict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        for name in task.after:
            followers[name].append(task)
    ready = [task for task in tasks if not task.after]
    free, running, now = dict(available), list[tuple[float, int, Task]](), 0.0
    started = 0
    while ready or running:
        ready.sort(key=lambda task: -behind[task.name])
        waiting = []
        for task in ready:
            if task.amount > free[task.resource]:
                waiting.append(task)
                continue
            free[task.resource] -= task.amount
            started += 1
            heapq.heappush(running, (now + task.seconds, started, task))
        ready = waiting
        now, _, done = heapq.heappop(running)
        free[done.resource] += done.amount
        for task in followers[done.name]:
            waits_for[task.name] -= 1
            if waits_for[task.name] == 0:
                ready.append(task)
    return now


def tails(tasks: Sequence[Task]) -> dict[str, float]:
    """Return, for every task, the seconds from its start to the end of the longest chain that waits for it."""
    behind: defaultdict[str, float] = defaultdict(float)
    for task in reversed(tasks):
        behind[task.name] += task.seconds
        for name in task.after:
            behind[name] = max(behind[name], behind[task.name])
    return dict(behind)
