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
    made,
    model,
    output_of,
    run_folder,
    same_as_undisturbed,
    start,
    state_of,
    trainer,
    within,
)

GIVES_UP = 12
"""Seconds after which Slurm's commands have given up, and the plugin, left to itself, would have forgotten its jobs."""

COUNTED = "counted-before"
WAITS = """
    import time

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


def test_jobs_are_submitted_once_the_controller_answers_and_waited_for_and_again_if_it_loses_them(
    prepared: Callable[[str], Project],
) -> None:
    states = configured("StateSaveLocation")
    for name in ("one", COUNTED):  # Without its state Slurm counts from 2: what it loses is to have another number.
        output_of("sbatch", "-J", name, "-o", "/dev/null", "--wrap", "true")
    saved = states / "job_state"
    within("a state that knows of them", lambda: saved.exists() and COUNTED.encode() in saved.read_bytes())
    project = prepared("away")
    project.edit("Snakefile", "    check_start()\n", WAITS)
    snakemake = start(project, model("killed"), model("left"), "--configfile", CONFIG, *PROFILE)
    snakemake.said("Requests are checked")
    with no_controller():
        (project.folder / "goes-on").touch()
        time.sleep(GIVES_UP)

    in_training(project, "left")
    lost, pid = job_of(project, "left"), trainer(project, "left")
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # That it does not end before Slurm has lost it.
    in_training(project, "killed")
    job = job_of(project, "killed")
    with no_controller():
        snakemake.said("Slurm does not answer")
        within("the end of the training", (run_folder(project, "killed") / "summary.json").exists, snakemake.text)
        time.sleep(GIVES_UP)
    snakemake.said("Slurm answers again")
    within("its end", lambda: made(snakemake.text(), "Fine-tune killed"), snakemake.text)
    assert state_of(job) == "COMPLETED"

    with no_controller():
        for name in ("job_state", "job_state.old"):
            (states / name).unlink(missing_ok=True)
    assert f"Slurm has lost job {lost}" in snakemake.finished()
    assert "going on after update" in (run_folder(project, "left") / "finetune.log").read_text(encoding="utf-8")
    assert same_as_undisturbed(project, "killed")
    assert same_as_undisturbed(project, "left")
