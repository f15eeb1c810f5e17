"""A study that starts from a denoiser, from generated text to decoded headlines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from checkout import Project, copy_of_repository

RUN = "results/demo/poda-headlines/runs/{system}/200/seed1"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout whose denoiser and runs train for a few updates."""
    project = copy_of_repository(tmp_path_factory.mktemp("denoiser") / "project")

    def say(name: str, *changes: tuple[str, object]) -> None:
        path = project.folder / f"workflow/{name}.yaml"
        text = yaml.safe_load(path.read_text(encoding="utf-8"))
        for place, value in changes:
            part = text["scales"]["demo"]
            *keys, last = place.split()
            for key in keys:
                part = part[key]
            part[last] = value
        path.write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")

    few = {"max_updates": 6, "validate_every": 3}
    say("pretraining/poda", ("settings train", {"batch_tokens": 1_000, "held_out": 20, "keep": [3], **few}))
    say(
        "studies/poda-headlines",
        ("base train", {"batch_sentences": 16, "validate_pairs": 16, "patience": 0, **few}),
        ("base decode", {"beam": 2, "max_length": 12}),
        ("systems", {"no_pretraining": {"init.encoder": "denoiser@3"}}),
    )
    return project


def test_from_text_to_headlines(project: Project) -> None:
    runs = {system: RUN.format(system=system) for system in ("full", "no_pretraining")}
    wanted = [f"{runs['full']}/hypotheses/perplexity", f"{runs['no_pretraining']}/summary.json"]
    done = project.snakemake("--cores", "2", *wanted, "--config", "studies=[poda-headlines]")
    assert done.returncode == 0, done.stdout
    results = project.folder / "results/demo"
    assert (results / "lms/poda/denoiser/weights/3.safetensors").exists()
    assert "lines; left out: 0 of fewer than 3 words" in next(
        results.glob("text/poda/*/segments.document.log")
    ).read_text(encoding="utf-8")
    transfer = (project.folder / runs["full"] / "transfer.md").read_text(encoding="utf-8")
    assert "fresh" not in transfer
    transfer = (project.folder / runs["no_pretraining"] / "transfer.md").read_text(encoding="utf-8")
    assert "| projections.source.weight | 64 x 64 | 4,096 | loaded | denoiser@3 |" in transfer
    assert "| copy.gate.weight | 1 x 64 | 64 | fresh |  |" in transfer
    folder = project.folder / runs["full"] / "hypotheses/perplexity"
    outputs = (folder / "test.txt").read_text(encoding="utf-8").splitlines()
    references = Path(results / "corpora/demo_news/raw/test.summary").read_text(encoding="utf-8").splitlines()
    assert len(outputs) == len(references)
    assert json.loads((folder / "valid.json").read_text())["tuned"]
    assert project.planned(*wanted, "--config", "studies=[poda-headlines]") == {}
