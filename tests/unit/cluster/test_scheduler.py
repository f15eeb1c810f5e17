"""Snakemake's scheduler wakes itself once, however often it is woken by others."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from seqpre.cluster import scheduler

TIMES = 20


@pytest.fixture
def asleep() -> Any:
    """A scheduler that waits to be woken."""
    return SimpleNamespace(_open_jobs=threading.Semaphore(0))


def test_of_many_timers_the_last_wakes_it(monkeypatch: pytest.MonkeyPatch, asleep: Any) -> None:
    name = "_schedule_reevalutation"
    monkeypatch.setattr(JobScheduler, name, vars(JobScheduler)[name])
    scheduler.mend()
    for _ in range(TIMES):
        JobScheduler._schedule_reevalutation(asleep, 0.2)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(60)
    assert asleep._open_jobs.acquire(blocking=False)
    assert not asleep._open_jobs.acquire(blocking=False)


def test_nobody_waits_for_a_timer(asleep: Any) -> None:
    scheduler._wake_in(asleep, 60)
    assert asleep._timer.daemon
    asleep._timer.cancel()


def test_left_to_itself_it_is_woken_by_every_timer(asleep: Any) -> None:
    """Else `mend` has become needless."""
    for _ in range(TIMES):
        JobScheduler._schedule_reevalutation(asleep, 0.2)
    for _ in range(TIMES):
        assert asleep._open_jobs.acquire(timeout=60)
