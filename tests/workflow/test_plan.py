"""The plan prices the jobs that Snakemake resolves: all of them, and those that are left."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from checkout import Project
from seqpre.planning.planner import make_plan
from seqpre.planning.sheets import overview
from seqpre.study.configuration import read_configuration


def test_two_studies_share_their_text_but_not_their_models(project: Project) -> None:
    second = project.study.with_name("second.yaml")
    second.write_text(project.study.read_text(encoding="utf-8"), encoding="utf-8")
    studies = [project.study.stem, second.stem]
    config = read_configuration(project.folder / "config.yaml") | {"studies": studies}
    jobs = make_plan(config, project.folder, 0, os.cpu_count() or 1).jobs
    assert Counter(job.study for job in jobs if job.rule == "generate") == {studies[0]: 1}
    assert Counter(job.study for job in jobs if job.rule == "learn_bpe") == dict.fromkeys(studies, 1)


def test_of_a_study_that_is_partly_done_all_is_planned_and_what_is_left_said(finished: Project) -> None:
    finished.change("systems", "encoder_only", "model.dropout", to=0.4)
    config = read_configuration(finished.folder / "config.yaml")
    plan = make_plan(config, finished.folder, 0, 2, tflops=0.05)  # No record of what is done says anything.
    listed = finished.planned()
    del listed["all"]
    assert Counter(job.rule for job in plan.jobs if job.left) == listed
    assert sum(job.rule == "finetune" for job in plan.jobs) == finished.runs()
    assert any(note.startswith(f"{sum(listed.values())} jobs are left to do, ") for note in overview(plan, "").notes)


def test_what_snakemake_cannot_resolve_is_said_in_its_words(project: Project) -> None:
    project.edit("workflow/rules/subwords.smk", "rule learn_bpe:", "rule learn_bpe:\n    input: 'not/there'")
    config = read_configuration(project.folder / "config.yaml")
    with pytest.raises(ValueError, match=r"^Snakemake cannot resolve the jobs: .*not/there"):
        make_plan(config, project.folder, 0, 2)
