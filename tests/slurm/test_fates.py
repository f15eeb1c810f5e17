"""Training jobs that are killed, out of time, preempted or without their node end as if nothing had happened."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import pytest

from checkout import Project
from cluster import (
    CHECKPOINT_SECONDS,
    CONFIG,
    PROFILE,
    end_all,
    job_of,
    model,
    output_of,
    restarts_of,
    resume_nodes,
    run_folder,
    same_as_undisturbed,
    start,
    state_of,
    states,
    steps_of,
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
    """What it might have lost at most: CPU seconds between two of its states, or since the last."""
    slurm_says: str


class Watched:
    """A training seen from outside."""

    def __init__(self, project: Project, system: str) -> None:
        self.project, self.system = project, system
        self.newest = 0.0
        """When its last state was written."""
        self.cpu_seconds: list[float] = []
        """What it had taken at each state."""
        self.halted = False

    def is_under_way(self) -> bool:
        """Halt it a while after its second state, so that it cannot end before its fate; True from then on."""
        with suppress(FileNotFoundError):  # A state has just been put in the other's place.
            newest = max((path.stat().st_mtime for path in states(self.project, self.system)), default=0.0)
            if newest > self.newest:
                self.newest = newest
                self._note()
        if len(self.cpu_seconds) > 1 and time.time() > self.newest + CHECKPOINT_SECONDS / 3 and not self.halted:
            os.kill(self.pid, signal.SIGSTOP)
            self._note()
            self.halted = True
        return self.halted

    def lost_seconds(self) -> float:
        return max(after - before for before, after in pairwise(self.cpu_seconds))

    def _note(self) -> None:
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        self.cpu_seconds.append(sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK"))

    @cached_property
    def pid(self) -> int:
        pid = trainer(self.project, self.system)
        assert pid is not None, f"{self.system} had ended before anything could happen to it"
        return pid


@pytest.fixture(scope="module")
def project(prepared: Callable[[str], Project]) -> Project:
    """A checkout where each training has a place of its own."""
    project = prepared("fates")
    project.edit("workflow/rules/finetune.smk", "**train_resources(),", "**(train_resources() | FATE),")
    with (project.folder / "workflow/rules/cluster.smk").open("a", encoding="utf-8") as file:
        file.write(PLACES)
    return project


def under_way(trainings: list[Watched]) -> bool:
    """True if each training has two states; the nodes that an earlier test's dying jobs have drained are resumed."""
    resume_nodes()
    return sum(map(Watched.is_under_way, trainings)) == len(FATES)


@pytest.fixture(scope="module")
def fates(project: Project) -> Iterator[dict[str, Fate]]:
    """Start four trainings, let each meet its fate, and wait until Snakemake has finished all."""
    snakemake = start(project, *map(model, FATES), "--configfile", CONFIG, *PROFILE)
    try:
        trainings = [Watched(project, system) for system in FATES]
        within("two states of each", lambda: under_way(trainings))
        met = {
            training.system: Fate(training.lost_seconds(), happen(training, job_of(project, training.system)))
            for training in trainings
        }
        snakemake.finished()
        yield met
    finally:
        bring_back_the_node()
        end_all()


def happen(training: Watched, job: str) -> str:
    """Let a training meet its fate; return what Slurm says about it."""
    system = training.system
    if system == "killed":
        os.kill(training.pid, signal.SIGKILL)
        return within("the end of the job", lambda: state_of(job) == "FAILED" and "FAILED")
    if system == "out_of_time":
        output_of("scontrol", "update", f"jobid={job}", "endtime=now+1")
        return within("the end of its time", lambda: state_of(job) == "TIMEOUT" and "TIMEOUT")
    if system == "preempted":
        output_of("sbatch", "-p", "normal", "-w", "node1", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 2")
    else:
        output_of("scontrol", "update", "nodename=node2", "state=down", "reason=test")
        within("the end of the job's processes", lambda: not steps_of(job) and not trainer(training.project, system))
        time.sleep(2)  # A node that comes back while it still cleans up could not start the job again.
        bring_back_the_node()
    within("a new start", lambda: restarts_of(job))
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
