"""Snakemake killed, jobs cancelled: the same command goes on, and makes or submits nothing twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from checkout import Project
from cluster import (
    CONFIG,
    PATIENCE,
    PROFILE,
    in_training,
    job_of,
    jobs_of,
    model,
    output_of,
    run_folder,
    same_as_undisturbed,
    start,
    state_of,
    trainer,
    within,
)


def test_jobs_that_were_left_are_waited_for_and_cancelled_ones_are_submitted_again_and_go_on(
    prepared: Callable[[str], Project],
) -> None:
    project = prepared("left")
    options = ("--configfile", CONFIG, *PROFILE)
    targets = [model("full"), model("left")]
    first = start(project, *targets, *options, name="first")
    in_training(project, "left")
    pid = trainer(project, "left")
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # That it does not end before anybody waits for it.
    left = job_of(project, "left")
    first.process.kill()
    first.process.wait()

    targets.append(model("cancelled"))
    assert "Directory cannot be locked" in project.snakemake(*targets, *options).stdout
    assert project.snakemake("--unlock", "--configfile", CONFIG).returncode == 0
    second = start(project, *targets, *options, name="second")
    second.said("Waiting for 1 jobs that an earlier Snakemake left in the queue")
    assert list(jobs_of(project)) == [left]
    os.kill(pid, signal.SIGCONT)
    in_training(project, "cancelled")
    assert state_of(left) == "COMPLETED"
    assert same_as_undisturbed(project, "left")

    cancelled, pid = job_of(project, "cancelled"), trainer(project, "cancelled")
    assert pid is not None
    assert {*jobs_of(project, "all")} == {left, cancelled}
    os.kill(pid, signal.SIGSTOP)  # That it does not end before it is told to; being cancelled it goes on.
    output_of("scancel", cancelled)
    within("another job", lambda: set(jobs_of(project)) - {cancelled})
    second.process.send_signal(signal.SIGINT)
    assert second.process.wait(PATIENCE) == 1
    within("an empty queue", lambda: not jobs_of(project))

    start(project, *targets, *options, name="third").finished()
    assert "going on after update" in (run_folder(project, "cancelled") / "finetune.log").read_text(encoding="utf-8")
    assert same_as_undisturbed(project, "cancelled")
