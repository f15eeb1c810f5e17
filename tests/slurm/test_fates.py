"""Training jobs that are killed, out of time, preempted or without their node end as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from checkout import Project
from cluster import (
    CHECKPOINT_SECONDS,
    CONFIG,
    PROFILE,
    end_all,
    in_training,
    job_of,
    model,
    output_of,
    restarts_of,
    run_folder,
    same_as_undisturbed,
    start,
    state_of,
    states,
    trainer,
    within,
)

FATES = ("killed", "out_of_time", "preempted", "node_lost")
PLACES = """
FATE = {
    "slurm_partition": lambda wildcards: "preempt" if wildcards.system == "preempted" else "normal",
    "slurm_extra": lambda wildcards: "--open-mode=append --nodelist="
    + {"preempted": "node1", "node_lost": "node2"}.get(wildcards.system, "node0"),
}
"""


@dataclass(frozen=True)
class Fate:
    """What has happened to one training."""

    lost_seconds: float
    """Of training, since its last state."""
    slurm_says: str


@pytest.fixture(scope="module")
def project(prepared: Callable[[str], Project]) -> Project:
    """A checkout where each training has a place of its own."""
    project = prepared("fates")
    project.edit("workflow/rules/finetune.smk", "**train_resources(),", "**(train_resources() | FATE),")
    with (project.folder / "workflow/rules/cluster.smk").open("a", encoding="utf-8") as file:
        file.write(PLACES)
    return project


@pytest.fixture(scope="module")
def fates(project: Project) -> Iterator[dict[str, Fate]]:
    """Start four trainings, let each meet its fate, and wait until Snakemake has finished all."""
    snakemake = start(project, *map(model, FATES), "--configfile", CONFIG, *PROFILE)
    try:
        in_training(project, FATES)
        time.sleep(2 * CHECKPOINT_SECONDS)
        # They stand still from here on, so that none can end before Slurm has done what it is asked for.
        still = {system: (pid, halt(project, system, pid)) for system, pid in trainers(project).items()}
        assert set(still) == set(FATES), "a training had ended before anything could happen to it"
        met = {
            system: Fate(lost, happen(system, pid, job_of(project, system))) for system, (pid, lost) in still.items()
        }
        snakemake.finished()
        yield met
    finally:
        bring_back_the_node()
        end_all()


def trainers(project: Project) -> dict[str, int]:
    return {system: pid for system in FATES if (pid := trainer(project, system))}


def halt(project: Project, system: str, pid: int) -> float:
    """Halt a training; return the seconds since its last state."""
    os.kill(pid, signal.SIGSTOP)
    return time.time() - max(path.stat().st_mtime for path in states(project, system))


def happen(system: str, pid: int, job: str) -> str:
    """Let a training meet its fate; return what Slurm says about it."""
    if system == "killed":
        os.kill(pid, signal.SIGKILL)
        return within(60, "the end of the job", lambda: state_of(job) == "FAILED" and "FAILED")
    if system == "out_of_time":
        output_of("scontrol", "update", f"jobid={job}", "endtime=now+1")
        return within(60, "the end of its time", lambda: state_of(job) == "TIMEOUT" and "TIMEOUT")
    if system == "preempted":
        output_of("sbatch", "-p", "normal", "-w", "node1", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 2")
    else:
        output_of("scontrol", "update", "nodename=node2", "state=down", "reason=test")
        within(30, "the end of the job's processes", lambda: not Path(f"/proc/{pid}").exists())
        time.sleep(2)  # A node that comes back while it still cleans up could not start the job again.
        bring_back_the_node()
    within(60, "a new start", lambda: restarts_of(job))
    return "requeued"


def bring_back_the_node() -> None:
    """Set the node up again, which Slurm refuses where it has come back by itself."""
    subprocess.run(["scontrol", "update", "nodename=node2", "state=resume"], stderr=subprocess.DEVNULL, check=False)


@pytest.mark.parametrize(
    ("system", "says"),
    [("killed", "FAILED"), ("out_of_time", "TIMEOUT"), ("preempted", "requeued"), ("node_lost", "requeued")],
)
def test_a_training_ends_with_the_same_weights_whatever_happens_to_it(
    system: str, says: str, fates: dict[str, Fate], project: Project
) -> None:
    assert fates[system].slurm_says == says
    assert same_as_undisturbed(project, system)


@pytest.mark.parametrize("system", FATES)
def test_no_more_training_is_lost_than_between_two_states(
    system: str, fates: dict[str, Fate], project: Project
) -> None:
    assert fates[system].lost_seconds < CHECKPOINT_SECONDS + 3  # for a validation in between
    assert "going on after update" in (run_folder(project, system) / "finetune.log").read_text(encoding="utf-8")
