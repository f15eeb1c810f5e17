"""Jobs that an earlier Snakemake has left in Slurm's queue are recognised and waited for."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_executor_plugin_slurm.utils import get_job_wildcards

from seqpre.cluster import queue


def job(name: str, *wildcards: str) -> Any:
    """A job of a rule, as Snakemake's."""
    return SimpleNamespace(name=name, wildcards=list(wildcards), is_group=lambda: False)


@pytest.mark.parametrize(
    "one",
    [
        job("encode", "a", "b"),
        job("pretrain", "mine", "lm_en/seed1"),
        job("decode", "mine", "ensembles/top5"),
        job("all"),
    ],
    ids=lambda one: one.name,
)
def test_a_job_is_recognised_by_the_comment_that_the_plugin_writes(one: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wildcards = get_job_wildcards(one)
    comment = f"rule_{one.name}_wildcards_{wildcards}" if wildcards else f"rule_{one.name}"
    listed = [f"7|None|{comment}|/here", f"8|None|{comment}|/elsewhere", "9|None|rule_other|/here"]
    answer = subprocess.CompletedProcess([], 0, "\n".join(listed), "")
    monkeypatch.setattr(queue, "_run", lambda *words: answer)
    assert queue.leftovers(Path("/here"), [queue.comment_of(one)]) == ["7"]


def test_jobs_are_waited_for_while_slurm_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    queued, away = "7|None|rule_encode|/here", subprocess.CompletedProcess([], 1, "", "no controller")
    answers = [subprocess.CompletedProcess([], 0, text, "") for text in (queued, "")]
    left = [answers[0], away, answers[1]]
    monkeypatch.setattr(queue, "_run", lambda *words: left.pop(0))
    monkeypatch.setattr(queue, "POLL_SECONDS", 0)
    queue.wait_for(Path("/here"), [queue.comment_of(job("encode"))])
    assert not left
