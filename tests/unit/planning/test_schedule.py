"""How long jobs take together, worked out by hand."""

import pytest

from seqpre.planning.schedule import Task, tails, wall_seconds


def task(name: str, seconds: float, *after: str, amount: int = 1, resource: str = "gpus") -> Task:
    return Task(name, seconds, resource, amount, after)


@pytest.mark.parametrize(("gpus", "expected"), [(1, 12.0), (2, 6.0), (3, 6.0), (100, 3.0)])
def test_independent_jobs_share_what_there_is(gpus: int, expected: float) -> None:
    assert wall_seconds([task(f"job {number}", 3.0) for number in range(4)], {"gpus": gpus}) == expected


def test_the_job_that_most_waits_for_goes_first() -> None:
    """On two GPUs: a short one and what follows it beside a long one, 5 + 20; the long one first would take 30."""
    tasks = [task("long", 10.0), task("other", 10.0), task("short", 5.0), task("after short", 20.0, "short")]
    assert wall_seconds(tasks, {"gpus": 2}) == 25.0
    assert tails(tasks) == {"long": 10.0, "other": 10.0, "short": 25.0, "after short": 20.0}


def test_a_job_waits_for_all_it_needs_and_resources_do_not_mix() -> None:
    tasks = [
        task("text", 4.0, resource="cores"),
        task("lm a", 1.0, "text"),
        task("lm b", 2.0, "text"),
        task("run", 3.0, "lm a", "lm b"),
    ]
    assert wall_seconds(tasks, {"gpus": 2, "cores": 1}) == 4.0 + 2.0 + 3.0


def test_a_job_of_several_processes_holds_several() -> None:
    tasks = [task("wide", 5.0, amount=2), task("narrow", 5.0)]
    assert wall_seconds(tasks, {"gpus": 3}) == 5.0
    assert wall_seconds(tasks, {"gpus": 2}) == 10.0
