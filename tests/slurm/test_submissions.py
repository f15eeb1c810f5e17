"""A training and its decoding, submitted together from within an allocation, where the decoding fails each time."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from checkout import Project
from cluster import CONFIG, OFTEN, PATIENCE, PROFILE, output_of, run_folder
from seqpre.cluster.queue import affordable

DECODE = "workflow/rules/decode.smk"
HYPOTHESES = "results/tiny/fates-translation/runs/killed/100pct/seed1/hypotheses/perplexity"


@dataclass(frozen=True)
class Tried:
    """A checkout in which Snakemake has given up, and the memory (MB) and CPUs of its submissions, in order."""

    project: Project
    said: str
    memory: list[str]
    cpus: list[str]


@pytest.fixture(scope="module")
def node_memory() -> int:
    """MB that a node has."""
    (memory,) = set(output_of("sinfo", "-h", "-N", "-o", "%m").split())
    return int(memory)


@pytest.fixture(scope="module")
def tried(prepared: Callable[[str], Project], node_memory: int) -> Tried:
    """Try twice; the second time nine tenths of a node's memory would become more than it has."""
    project = prepared("tried")
    project.edit(DECODE, '"python -m seqpre.decode --model {params', '"false; python -m seqpre.decode --model {params')
    project.edit(
        DECODE, "mem_mb=growing(at_scale(2_000, paper=16_000), ensemble=2)", f"mem_mb=growing({node_memory * 9 // 10})"
    )
    # It has been trained already: its files are restored.
    shutil.copytree(run_folder(project, "full") / "checkpoints", run_folder(project, "killed") / "checkpoints")
    tries = ("--retries", "1", "--preemptible-retries", "1", "--set-threads", "decode=2")
    snakemake = (sys.executable, OFTEN, HYPOTHESES, "--configfile", CONFIG, *PROFILE, *tries)
    done = subprocess.run(
        ["salloc", "--cpus-per-task=1", "--mem=500", *snakemake],
        cwd=project.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    rows = output_of("squeue", "-h", "--states", "all", "--sort=i", "-o", "%m|%C|%Z|%k").splitlines()
    jobs = [row.split("|") for row in rows if f"|{project.folder}|rule_run_" in row]
    return Tried(project, done.stdout, [job[0] for job in jobs], [job[1] for job in jobs])


def test_outputs_of_a_finished_training_stay_when_its_decoding_fails(tried: Tried) -> None:
    for name in ("weights/perplexity.safetensors", "weights/bleu.safetensors", "metrics.jsonl", "summary.json"):
        assert (run_folder(tried.project, "killed") / name).exists(), tried.said
    assert tried.project.planned(HYPOTHESES, "--configfile", CONFIG) == {"decode": 1}


def test_a_job_that_is_tried_again_asks_for_no_more_memory_than_a_node_has(tried: Tried, node_memory: int) -> None:
    assert tried.memory == [f"{node_memory * 9 // 10}M", f"{node_memory}M"]
    assert f"is tried again with {node_memory:,} MB: Slurm has no more" in tried.said


def test_jobs_submitted_from_an_allocation_of_one_cpu_have_as_many_as_they_ask_for(tried: Tried) -> None:
    assert tried.cpus == ["2", "2"]


def test_what_can_be_had_is_asked_for_as_it_is(node_memory: int) -> None:
    assert affordable("--mem 1000 -t 60") == (1000, 60)
    assert affordable(f"--mem {2 * node_memory} -t 60") == (node_memory, 60)
    assert affordable("--mem 1000 -p preempt -t 9000") == (1000, 2 * 24 * 60)
    assert affordable("--ntasks=1") == (0, 0)
