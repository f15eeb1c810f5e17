"""The plan counts the jobs that Snakemake would run."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from checkout import STUDY, Project
from seqpre.planning.plan import make_plan
from seqpre.study.configuration import read_configuration


@pytest.mark.parametrize(
    ("study", "scale", "seeds"),
    [
        (STUDY, "demo", None),
        (STUDY, "small", [1, 2, 3, 4, 5, 6]),
        (STUDY, "paper", None),
        (f"{STUDY}-tatoeba", "small", None),
        ("ramachandran-summarization", "small", None),
    ],
    ids=["demo", "small", "paper", "without tuning", "summarization"],
)
def test_the_plan_counts_the_jobs_of_a_dry_run(
    project: Project, study: str, scale: str, seeds: list[int] | None
) -> None:
    seed_setting = [f"seeds={seeds}".replace(" ", "")] if seeds else []
    listed = project.planned("--config", f"studies=[{study}]", f"scale={scale}", *seed_setting)
    del listed["all"]
    changed = {"studies": [study], "scale": scale, "seeds": seeds}
    config = read_configuration(project.folder / "config.yaml") | changed
    assert Counter(job.rule for job in make_plan(config, project.folder, 8, 32).jobs) == listed


def test_two_studies_share_their_text_but_not_their_models(project: Project) -> None:
    second = project.study.with_name("second.yaml")
    second.write_text(project.study.read_text(encoding="utf-8"), encoding="utf-8")
    studies = [project.study.stem, second.stem]
    listed = project.planned("--config", f"studies=[{','.join(studies)}]")
    del listed["all"]
    config = read_configuration(project.folder / "config.yaml") | {"studies": studies}
    jobs = make_plan(config, project.folder, 0, os.cpu_count() or 1).jobs
    assert Counter(job.rule for job in jobs) == listed
    assert listed["generate"] == 1
    assert listed["learn_bpe"] == 2
