"""A training whose processes are on two nodes has the curve of one process."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from checkout import Project
from cluster import CONFIG, PROFILE, model, output_of, run_folder, start

STUDY = "tests/studies/fates-translation.yaml"
KEYS = ("train_loss", "valid_loss")


def curve(project: Project, system: str) -> list[float]:
    """Return all losses of a run, in order."""
    lines = (run_folder(project, system) / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [value for line in map(json.loads, lines) for key, value in line.items() if key in KEYS]


def test_two_nodes_of_two_processes_have_the_curve_of_one(
    prepared: Callable[[str], Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEQPRE_DEVICE", "cpu")  # their GPUs are Slurm's only
    project = prepared("nodes")
    project.edit(STUDY, "max_updates: 400", "max_updates: 100")  # up to the first validation; the rate is constant
    sizes = ("--config", "gpus=4", "gpus_per_node=2")
    start(project, model("killed"), "--configfile", CONFIG, *PROFILE, *sizes).finished()
    summary = json.loads((run_folder(project, "killed") / "summary.json").read_text(encoding="utf-8"))
    assert summary["processes"] == 4
    several, one = (curve(project, system) for system in ("killed", "full"))
    assert len(several) == len(KEYS)
    assert several == pytest.approx(one[: len(KEYS)], rel=1e-3)


def test_a_training_that_shares_a_gpu_asks_for_a_share(
    prepared: Callable[[str], Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEQPRE_DEVICE", "cpu")
    project = prepared("shares")
    project.edit(STUDY, "max_updates: 400", "max_updates: 100")
    sizes = ("--config", "gpus=1", "runs_per_gpu=2")
    start(project, model("killed"), "--configfile", CONFIG, *PROFILE, *sizes).finished()
    jobs = output_of("squeue", "-h", "--states", "all", "-o", "%b|%Z").splitlines()
    assert f"gres:shard:1|{project.folder}" in jobs
    assert curve(project, "killed") == pytest.approx(curve(project, "full")[:2], rel=1e-3)
