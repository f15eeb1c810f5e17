"""A checkout that runs on Slurm, and what may happen to its jobs there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import torch

from checkout import Project, copy_of_repository
from seqpre.training.checkpoint import load_weights

Found = TypeVar("Found")

FATES = Path(__file__).parent / "fates-translation.yaml"
CONFIG = "tests/config.fates.yaml"
PROFILE = (
    "--profile",
    "slurm",
    "--slurm-init-seconds-before-status-checks",
    "2",
    "--seconds-between-status-checks",
    "1",
    "--max-status-checks-per-second",
    "1",
    "--max-jobs-per-timespan",  # Snakemake ends that long after its last job.
    "20/1s",
)
OFTEN = str(Path(__file__).with_name("often.py"))
PATIENCE = 600
"""Seconds until a test gives up waiting: many, for other tests may run beside it on the same processor."""
CHECKPOINT_SECONDS = 60 * 0.02  # checkpoint_minutes of the study


def within(what: str, find: Callable[[], Found], tell: Callable[[], str] = str) -> Found:
    """Return what `find` finds as soon as it is true; after a long while fail, with what there is to `tell`."""
    end = time.monotonic() + PATIENCE
    while not (found := find()):
        assert time.monotonic() < end, f"{what}: not within {PATIENCE} s\n{tell()}"
        time.sleep(0.1)
    return found


def output_of(*command: str) -> str:
    """Return what a command of Slurm's prints."""
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout.strip()


def controller_answers() -> bool:
    """True if Slurm's controller answers."""
    ping = subprocess.run(["scontrol", "ping"], text=True, capture_output=True, check=False)
    return "is UP" in ping.stdout


def configured(key: str) -> Path:
    """Return a path of Slurm's configuration."""
    (line,) = [line for line in output_of("scontrol", "show", "config").splitlines() if line.split()[:1] == [key]]
    return Path(line.partition("=")[2].strip())


def made(log: str, words: str) -> int:
    """Count the jobs that ended well, as a log of Snakemake's says, whose lines begin with these words."""
    return len(re.findall(rf"^ *\d+/\d+ +[\d:]+  ([\w-]+: )?{words}", log, flags=re.MULTILINE))


def model(system: str) -> str:
    """Return the target that trains one system."""
    return f"results/tiny/fates-translation/runs/{system}/100pct/seed1/weights"


def run_folder(project: Project, system: str) -> Path:
    """Return where one system's run of the study lies."""
    return (project.folder / model(system)).parent


def weights_are_equal(one: Path, other: Path) -> bool:
    """True if two models are bit for bit the same."""
    (first, _), (second, _) = load_weights(one), load_weights(other)
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def same_as_undisturbed(project: Project, system: str) -> bool:
    """True if a run's model is, bit for bit, that of the run `full`, which was trained without Slurm."""
    return weights_are_equal(
        *(run_folder(project, name) / "weights/perplexity.safetensors" for name in (system, "full"))
    )


def checkout(folder: Path) -> Project:
    """Return a fresh checkout that declares the study of fates too."""
    project = copy_of_repository(folder)
    shutil.copy(FATES, folder / "tests/studies")
    tiny = (folder / "tests/config.tiny.yaml").read_text(encoding="utf-8")
    (folder / CONFIG).write_text(tiny.replace("tiny-translation", "fates-translation"), encoding="utf-8")
    return project


@dataclass(frozen=True)
class Snakemake:
    """Snakemake at work in the background."""

    process: subprocess.Popen[bytes]
    log: Path

    def text(self) -> str:
        """Return what it has said so far."""
        return self.log.read_text(encoding="utf-8")

    def said(self, words: str) -> None:
        """Wait until it says something."""
        within(f"{words!r} in {self.log}", lambda: words in self.text() or self.process.poll() is not None)
        assert words in self.text(), self.text()

    def finished(self) -> str:
        """Wait until it ends well; return what it said."""
        within(f"the end of {self.log}", lambda: self.process.poll() is not None, self.text)
        assert self.process.returncode == 0, self.text()
        return self.text()


STARTED: list[Snakemake] = []
"""All that were started in the background."""


def start(project: Project, *arguments: str, name: str = "snakemake") -> Snakemake:
    """Start Snakemake in the background."""
    log = project.folder / f"{name}.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, OFTEN, *arguments],
            cwd=project.folder,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    STARTED.append(Snakemake(process, log))
    return STARTED[-1]


def end_all() -> None:
    """Kill each Snakemake that a test has left at work, and its jobs."""
    while STARTED:
        left = STARTED.pop()
        left.process.kill()
        left.process.wait()
        if jobs := jobs_of(Project(left.log.parent)):
            output_of("scancel", *jobs)


def jobs_of(project: Project, *states: str) -> dict[str, str]:
    """Return the jobs of a checkout, {id: comment}: those that wait or run, unless states are named."""
    asked = ("--states", ",".join(states)) if states else ()
    rows = [line.split("|", 2) for line in output_of("squeue", "-h", *asked, "-o", "%i|%Z|%k").splitlines()]
    return {number: about for number, folder, about in rows if folder == str(project.folder) and "rule_" in about}


def job_of(project: Project, system: str) -> str:
    """Return the id of the one job that trains a system."""
    (number,) = [number for number, comment in jobs_of(project).items() if f"_{system}_100pct" in comment]
    return number


def state_of(number: str) -> str:
    """Return a job's state in Slurm's words."""
    return output_of("squeue", "-h", "--states", "all", "--jobs", number, "-o", "%T")


def restarts_of(number: str) -> int:
    """Return how often Slurm has started a job again."""
    return int(output_of("scontrol", "show", "job", number).partition("Restarts=")[2].split()[0])


def processes() -> Iterator[tuple[int, list[bytes]]]:
    """Yield all processes of this machine, with the words of their command lines."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # It has just ended.
                yield int(entry.name), (entry / "cmdline").read_bytes().split(b"\0")


def trainer(project: Project, system: str) -> int | None:
    """Return the process that trains a system."""
    for pid, words in processes():
        if b"seqpre.finetune" in words and any(f"/{system}/".encode() in word for word in words):
            with suppress(OSError):
                if os.readlink(f"/proc/{pid}/cwd") == str(project.folder):
                    return pid
    return None


def steps_of(job: str) -> list[int]:
    """Return the processes by which Slurm runs a job."""
    return [pid for pid, words in processes() if words[0].startswith(f"slurmstepd: [{job}.".encode())]


def states(project: Project, system: str) -> list[Path]:
    """Return the training states of a run: one at least, whenever it is stopped, once it has had one."""
    folder = run_folder(project, system) / "checkpoints"
    return [path for name in ("new", "last", "previous") if (path := folder / f"{name}.pt").exists()]


def in_training(project: Project, system: str) -> None:
    """Wait until a run has its first state."""
    within(f"a state of {system}", lambda: states(project, system))


def resume_nodes() -> None:
    """Do what an administrator does; Slurm drains a node that comes back while its jobs still end."""
    for node in set(output_of("sinfo", "-h", "-N", "--states", "down,drain", "-o", "%N").splitlines()):
        subprocess.run(["scontrol", "update", f"nodename={node}", "state=resume"], check=False, capture_output=True)
