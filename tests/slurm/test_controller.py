"""Slurm's controller goes and comes back: Snakemake asks until it answers, and submits again what it has lost."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from checkout import Project
from cluster import (
    CONFIG,
    PROFILE,
    configured,
    controller_answers,
    in_training,
    job_of,
    model,
    run_folder,
    same_as_undisturbed,
    start,
    state_of,
    trainer,
    within,
)

FORGETS = 60
"""Seconds after which the plugin, left to itself, has asked five times in vain and forgotten its jobs."""

WAITS = """
    check_start()
    print("Requests are checked", file=sys.stderr, flush=True)
    while not Path("goes-on").exists():
        time.sleep(0.1)
"""
"""Nothing is submitted yet."""


@contextmanager
def no_controller() -> Iterator[None]:
    """Kill the controller, which nobody starts again until the end."""
    pid = int(configured("SlurmctldPidFile").read_text(encoding="ascii"))
    who_starts_it_again = int(Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
    os.kill(who_starts_it_again, signal.SIGSTOP)
    os.kill(pid, signal.SIGKILL)
    try:
        yield
    finally:
        os.kill(who_starts_it_again, signal.SIGCONT)
        within("an answer", controller_answers)


def test_snakemake_finishes_though_the_controller_was_away(prepared: Callable[[str], Project]) -> None:
    project = prepared("away")
    snakemake = start(project, model("killed"), "--configfile", CONFIG, *PROFILE)
    in_training(project, "killed")
    job = job_of(project, "killed")
    with no_controller():
        time.sleep(FORGETS)
        snakemake.said("Slurm does not answer")
    snakemake.finished()
    assert state_of(job) == "COMPLETED"
    assert same_as_undisturbed(project, "killed")


def test_a_job_is_submitted_once_the_controller_answers_and_again_if_that_loses_it(
    prepared: Callable[[str], Project],
) -> None:
    project = prepared("lost")
    project.edit("Snakefile", "    check_start()\n", WAITS)
    snakemake = start(project, model("killed"), "--configfile", CONFIG, *PROFILE)
    snakemake.said("Requests are checked")
    with no_controller():
        (project.folder / "goes-on").touch()
        time.sleep(20)  # Commands of Slurm's give up after nine.
    in_training(project, "killed")
    job, pid = job_of(project, "killed"), trainer(project, "killed")
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # That it does not end before Slurm has lost it.
    states = configured("StateSaveLocation")
    with no_controller():
        for name in ("job_state", "job_state.old"):
            (states / name).unlink(missing_ok=True)
    assert f"Slurm has lost job {job}" in snakemake.finished()
    assert "going on after update" in (run_folder(project, "killed") / "finetune.log").read_text(encoding="utf-8")
    assert same_as_undisturbed(project, "killed")
