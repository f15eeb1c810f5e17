"""What differs between tasks in a report: how outputs are scored, and which figure of the paper shows the ablations."""

from __future__ import annotations

from dataclasses import dataclass

VALIDATION = "valid"
CHOSEN = " (chose)"
"""Over scores of the text that also chose checkpoints and length penalties."""
NAMES = {
    "bleu": "BLEU",
    "bleu_tok_multibleu": "BLEU",
    "bleu_sacre_13a": "BLEU",
    "rouge_1": "ROUGE-1",
    "rouge_2": "ROUGE-2",
    "rouge_l": "ROUGE-L",
    "rouge_lsum": "ROUGE-Lsum",
}
"""Metrics as a reader knows them."""


@dataclass(frozen=True)
class Task:
    """Metrics are named as in `scores.json`; the first of several stands where there is room for one."""

    name: str
    items: str
    """What a line of an output file is."""
    points: str
    """What scores are counted in."""
    greedy: str
    """What greedy outputs are scored by while training, and a second checkpoint is chosen by."""
    validation: tuple[str, ...]
    tests: tuple[str, ...]
    corpus: str
    """What the paper's numbers are of."""
    ablation_figure: str
    validation_score: str
    """What ablations are compared by, in words."""

    def metric_of(self, split: str) -> str:
        """Return the metric a split is reported in."""
        return (self.validation if split == VALIDATION else self.tests)[0]

    @property
    def metrics(self) -> list[str]:
        """What validation is reported in and, where there is room for one, tests; each once."""
        return list(dict.fromkeys((*self.validation, self.tests[0])))

    @property
    def selections(self) -> tuple[str, str]:
        """What chose the checkpoints that are decoded; the paper's rule first."""
        return ("perplexity", self.greedy)

    @property
    def score(self) -> str:
        """Name of the score where one stands for all."""
        return NAMES[self.greedy]

    def header(self, split: str) -> str:
        """Return what stands over the scores of a split."""
        if len(self.validation) > 1:
            return f"{split}, {self.score}{CHOSEN if split == VALIDATION else ''}"
        return f"{split}{self.mark(split)}"

    def mark(self, split: str) -> str:
        """Return what is particular about a split's scores."""
        if split != VALIDATION:
            return ""
        return " (tokenized; chose)" if self is TRANSLATION else CHOSEN


TRANSLATION = Task(
    name="translation",
    items="sentences",
    points="BLEU",
    greedy="bleu",
    validation=("bleu_tok_multibleu",),
    tests=("bleu_sacre_13a",),
    corpus="WMT14",
    ablation_figure="Figure 3",
    validation_score="tokenized validation BLEU",
)
SUMMARIZATION = Task(
    name="summarization",
    items="documents",
    points="ROUGE",
    greedy="rouge_1",
    # Figure 5 and the text beside it take the whole summary for one sentence, Table 3 every highlight.
    validation=("rouge_1", "rouge_2", "rouge_l"),
    tests=("rouge_1", "rouge_2", "rouge_lsum", "rouge_l"),
    corpus="CNN/DailyMail",
    ablation_figure="Figure 5",
    validation_score="validation ROUGE",
)
TASKS = {task.name: task for task in (TRANSLATION, SUMMARIZATION)}
