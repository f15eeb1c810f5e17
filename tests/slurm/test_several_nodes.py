"""A training whose processes are on two nodes has the curve of one process."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from checkout import Project
from cluster import CONFIG, PROFILE, model, run_folder, start

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
    sizes = ("--config", "gpus=4", "gpus_per_node=2")
    start(project, model("killed"), "--configfile", CONFIG, *PROFILE, *sizes).finished()
    summary = json.loads((run_folder(project, "killed") / "summary.json").read_text(encoding="utf-8"))
    assert summary["processes"] == 4
    assert len(curve(project, "full")) == 8
    assert curve(project, "killed") == pytest.approx(curve(project, "full"), rel=1e-3)
