"""What tables and figures call the texts that scores are of."""

from __future__ import annotations

from seqpre.study.tasks import Task

VALIDATION = "valid"
CHOSEN = " (chose)"
"""Over scores of the text that also chose checkpoints and length penalties."""


def metric_of(task: Task, split: str) -> str:
    """Return the metric a split is reported in."""
    return (task.validation if split == VALIDATION else task.tests)[0]


def header(task: Task, split: str) -> str:
    """Return what stands over the scores of a split."""
    if len(task.validation) > 1:
        return f"{split}, {task.score}{CHOSEN if split == VALIDATION else ''}"
    return f"{split}{mark(task, split)}"


def mark(task: Task, split: str) -> str:
    """Return what is particular about a split's scores."""
    if split != VALIDATION:
        return ""
    return f" ({task.remark}; chose)" if task.remark else CHOSEN
