"""What exists for a task: what its outputs are scored by, and the tables and figures of its studies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """One kind of pairs. A study may have fewer tables and figures than these."""

    metric: str
    """What scores greedy outputs while training, and a second checkpoint is chosen by."""
    tables: tuple[str, ...]
    compared: tuple[str, ...]
    """The figures before the learning curves."""

    @property
    def figures(self) -> tuple[str, ...]:
        """All figures."""
        axes = ("updates", "cpu_seconds")
        learning = (f"learning_{quantity}_{axis}" for quantity in (self.metric, "perplexity") for axis in axes)
        return (*self.compared, *learning)


TASKS = {
    "translation": Task(
        "bleu",
        ("table_1", "table_2", "ablations", "fractions", "learning", "claims", "cost"),
        ("ablations", "fractions", "selection"),
    ),
    "summarization": Task(
        "rouge_1",
        ("table_3", "ablations", "learning", "claims", "cost"),
        ("ablations", "selection"),
    ),
}
