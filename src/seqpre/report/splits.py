"""What tables and figures call the texts that scores are of."""

from __future__ import annotations

from seqpre.study.tasks import Task

VALIDATION = "valid"
CHOSEN = " (chose)"
"""Over scores of the text that also chose checkpoints and length penalties."""


def mark(task: Task, split: str, name: str = "") -> str:
    """Return what is particular about a split's scores beside the `name` of their metric."""
    if split != VALIDATION:
        return ""
    return f" ({task.remark}; chose)" if task.remark not in ("", name) else CHOSEN
