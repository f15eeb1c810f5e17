"""A job that Slurm could never run is refused before the first one, with the reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from checkout import Project
from cluster import CONFIG, PROFILE, jobs_of, model, output_of, within
from seqpre.cluster.queue import cancel_stuck, refusal


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--config", "gpus=8"), "Requested node configuration is not available"),
        (("--set-resources", "finetune:runtime=9000"), "partition normal allows 2-00:00:00"),
        (("--set-resources", "finetune:slurm_partition=nomal"), "Invalid partition name"),
    ],
)
def test_what_can_never_run_is_refused_at_once(
    arguments: tuple[str, ...], reason: str, prepared: Callable[[str], Project]
) -> None:
    project = prepared("refused")
    done = project.snakemake(model("killed"), "--configfile", CONFIG, *PROFILE, *arguments)
    assert done.returncode == 1
    assert re.search(f"Slurm would never run .*finetune: {reason}", done.stdout), done.stdout
    assert jobs_of(project, "all") == {}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--gpus=4 --nodes=1 -t 60", ""),
        ("--gpus=5 --nodes=1 -t 60", "node configuration"),
        ("--gres=shard:1 --nodes=1 -t 60", ""),
        ("--gres=shard:9 --nodes=1 -t 60", "node configuration"),
        ("--mem 99999999 -t 60", "node configuration"),
        ("-p preempt -t 2881", "partition preempt allows"),
        ("-C no_such_feature -t 60", "feature"),
    ],
)
def test_slurm_is_asked_what_it_would_never_run(options: str, reason: str) -> None:
    found = refusal(options)
    assert reason in found
    assert bool(found) == bool(reason)


def test_a_job_that_waits_for_ever_is_cancelled_with_its_reason(tmp_path: Path) -> None:
    sbatch = ("sbatch", "--parsable", "--output=/dev/null", f"--chdir={tmp_path}", "--wrap=true")
    too_long = output_of(*sbatch, "--comment=rule_too_long", "--time=9000")
    output_of(*sbatch, "--comment=rule_later", "--begin=now+1hour")
    try:
        within("Slurm's reason", lambda: output_of("squeue", "-h", "-j", too_long, "-o", "%r") != "None")
        (job,) = cancel_stuck(tmp_path)
        assert (job.number, job.comment) == (too_long, "rule_too_long")
        assert job.reason in ("PartitionTimeLimit", "PartitionConfig")  # Which of its schedulers has looked.
        assert list(jobs_of(Project(tmp_path)).values()) == ["rule_later"]
    finally:
        output_of("scancel", *jobs_of(Project(tmp_path)))
