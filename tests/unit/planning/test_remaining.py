"""How long a workflow that runs will still take: a plan of seconds, and the pace of the jobs that have ended."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from seqpre.planning.costs import MODEL_KINDS, Machine
from seqpre.planning.dag import Node
from seqpre.planning.planner import Plan
from seqpre.planning.remaining import Remaining
from seqpre.planning.work import Kind, PricedJob

TRAININGS = ("a", "b", "c", "d", "e")
SHORT = {"score": 10}
"""Seconds of jobs without FLOPs."""


def remaining(
    folder: Path, *, cores: int = 2, trainings: Sequence[str] = TRAININGS[:2], done: Sequence[str] = ()
) -> Remaining:
    """Return what estimates trainings of 100 seconds each, and their scoring of 10 after all of them."""
    jobs: list[tuple[str, Kind, list[str]]] = [(name, "fine-tuning", []) for name in trainings]
    jobs.append(("score", "other", [*trainings]))
    nodes = [Node(name, {}, [f"{name}.out"], "", 1, after, left=name not in done) for name, _, after in jobs]
    priced = [
        PricedJob(
            rule=name, name=name, owner="", study="", after=tuple(after), record=f"{name}.json", kind=kind,
            flops=0 if name in SHORT else 100e9, core_seconds=SHORT.get(name, 0),
        )
        for name, kind, after in jobs
    ]  # fmt: skip
    plan = Plan(priced, Machine(0, cores, 1, dict.fromkeys(MODEL_KINDS, 1e9)), [])
    return Remaining(nodes, plan, cores, folder)


def test_before_any_job_has_ended_the_plan_may_be_wrong_by_a_factor_of_two(tmp_path: Path) -> None:
    assert remaining(tmp_path)({}, {}, ()) == pytest.approx(((100 + 10) / 2, (100 + 10) * 2))


def test_jobs_share_the_cores(tmp_path: Path) -> None:
    assert remaining(tmp_path, cores=1)({}, {}, ()) == pytest.approx(((200 + 10) / 2, (200 + 10) * 2))


def test_jobs_go_at_the_pace_of_those_that_have_ended(tmp_path: Path) -> None:
    # Twice as long as planned: the other training takes 200 seconds up to a factor of two, 50 of which are over, and
    # the score, of a kind of which none has ended, 20.
    least, most = remaining(tmp_path)({"a.out": 200.0}, {"b.out": 50.0}, ())
    assert (least, most) == pytest.approx((200 / 2 - 50 + 20 / 2, 200 * 2 - 50 + 20 * 2))


def test_how_slow_a_machine_was_long_ago_does_not_count(tmp_path: Path) -> None:
    ended = {f"{number}.out": 1000.0 if number < 10 else 100.0 for number in range(20)}
    least, most = remaining(tmp_path, trainings=[str(number) for number in range(21)])(ended, {}, ())
    assert (least, most) == pytest.approx((100 / (1 + 10**-0.5) + 10 / 2, 100 * (1 + 10**-0.5) + 10 * 2))


def test_the_more_jobs_have_ended_the_surer_is_the_rest(tmp_path: Path) -> None:
    ended = {f"{name}.out": 100.0 for name in TRAININGS[:4]}
    least, most = remaining(tmp_path, trainings=TRAININGS)(ended, {}, ())
    assert (least, most) == pytest.approx((100 / 1.5 + 10 / 2, 100 * 1.5 + 10 * 2))


def test_jobs_of_earlier_runs_make_it_surer_too(tmp_path: Path) -> None:
    for name in TRAININGS[:4]:
        record = {"seconds": 100.0, "cpu_seconds": 100.0, "steps": 1, "processes": 1}
        (tmp_path / f"{name}.json").write_text(json.dumps(record), encoding="utf-8")
    least, most = remaining(tmp_path, trainings=TRAININGS, done=TRAININGS[:4])({}, {}, ())
    assert (least, most) == pytest.approx((100 / 1.5 + 10 / 2, 100 * 1.5 + 10 * 2))


def test_a_job_that_takes_longer_than_expected_is_not_over_yet(tmp_path: Path) -> None:
    least, _ = remaining(tmp_path)({"a.out": 100.0}, {"b.out": 500.0}, ())
    assert least == pytest.approx(0.1 * 100 / 2 + 10 / 2)


def test_what_waits_for_a_failed_job_takes_no_time(tmp_path: Path) -> None:
    assert remaining(tmp_path)({"a.out": 100.0}, {}, {"b.out"}) == (0, 0)


def test_short_jobs_without_a_model_say_nothing_of_trainings(tmp_path: Path) -> None:
    assert remaining(tmp_path)({"score.out": 1000.0}, {}, ()) == pytest.approx((100 / 2, 100 * 2))


def test_a_training_that_went_on_from_a_checkpoint_says_nothing_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    assert remaining(tmp_path)({"a.out": 1.0}, {}, ()) == pytest.approx(((100 + 10) / 2, (100 + 10) * 2))
