"""How long jobs take together, worked out by hand."""

import pytest

from seqpre.planning.schedule import Step, tails, wall_seconds


def step(name: str, seconds: float, *after: str, amount: int = 1, resource: str = "gpus") -> Step:
    return Step(name, seconds, resource, amount, after)


@pytest.mark.parametrize(("gpus", "expected"), [(1, 12.0), (2, 6.0), (3, 6.0), (100, 3.0)])
def test_independent_jobs_share_what_there_is(gpus: int, expected: float) -> None:
    assert wall_seconds([step(f"job {number}", 3.0) for number in range(4)], {"gpus": gpus}) == expected


def test_the_job_that_most_waits_for_goes_first() -> None:
    """On two GPUs: a short one and what follows it beside a long one, 5 + 20; the long one first would take 30."""
    steps = [step("long", 10.0), step("other", 10.0), step("short", 5.0), step("after short", 20.0, "short")]
    assert wall_seconds(steps, {"gpus": 2}) == 25.0
    assert tails(steps) == {"long": 10.0, "other": 10.0, "short": 25.0, "after short": 20.0}


def test_a_job_waits_for_all_it_needs_and_resources_do_not_mix() -> None:
    steps = [
        step("text", 4.0, resource="cores"),
        step("lm a", 1.0, "text"),
        step("lm b", 2.0, "text"),
        step("run", 3.0, "lm a", "lm b"),
    ]
    assert wall_seconds(steps, {"gpus": 2, "cores": 1}) == 4.0 + 2.0 + 3.0


def test_a_job_of_several_processes_holds_several() -> None:
    steps = [step("wide", 5.0, amount=2), step("narrow", 5.0)]
    assert wall_seconds(steps, {"gpus": 3}) == 5.0
    assert wall_seconds(steps, {"gpus": 2}) == 10.0
