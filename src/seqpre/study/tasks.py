"""What a task is, whatever paper it comes from: what outputs are scored by and called, and what needs no training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NAMES = {
    "bleu": "BLEU",
    "bleu_tok_multibleu": "BLEU",
    "bleu_sacre_13a": "BLEU",
    "rouge_1": "ROUGE-1",
    "rouge_2": "ROUGE-2",
    "rouge_l": "ROUGE-L",
    "rouge_lsum": "ROUGE-Lsum",
    "gleu": "GLEU",
    "gleu_expected": "GLEU of mean counts",
    "m2_f0.5": "F0.5",
    "m2_precision": "P",
    "m2_recall": "R",
}
"""Metrics as a reader knows them."""


@dataclass(frozen=True)
class Task:
    """One kind of pairs. Metrics have the names of `scores.json`; the first stands where there is room for one."""

    name: str
    items: str
    """What a line of an output file is."""
    points: str
    """What scores are counted in."""
    metric: str
    """What scores greedy outputs while training, and a second checkpoint is chosen by."""
    validation: tuple[str, ...]
    tests: tuple[str, ...]
    greedy: str
    """What scores greedy outputs, in words."""
    searched: str
    """What scores those of beam search, in words."""
    remark: str = ""
    """How validation is scored, where tests are scored in another way."""
    trivial: Mapping[str, str] = field(default_factory=dict)
    """Systems that nobody trains, which the others have to beat, and what tables call them."""
    more_trivial: Mapping[str, str] = field(default_factory=dict)
    """Others, which a study may name instead."""
    untrained: str = ""
    """What they write, in words."""

    @property
    def untrained_systems(self) -> dict[str, str]:
        """All systems that nobody trains."""
        return {**self.trivial, **self.more_trivial}

    @property
    def metrics(self) -> list[str]:
        """What validation is reported in and, where there is room for one, tests; each once."""
        return list(dict.fromkeys((*self.validation, self.tests[0])))

    @property
    def selections(self) -> tuple[str, str]:
        """What chose the checkpoints that are decoded: perplexity, or the score."""
        return ("perplexity", self.metric)

    @property
    def score(self) -> str:
        """Name of the score where one stands for all."""
        return NAMES[self.metric]

    @property
    def validation_score(self) -> str:
        """What systems are compared by on validation, in words."""
        return " ".join(filter(None, (self.remark, "validation", self.points)))


TRANSLATION = Task(
    name="translation",
    items="sentences",
    points="BLEU",
    metric="bleu",
    validation=("bleu_tok_multibleu",),
    tests=("bleu_sacre_13a",),
    greedy="BLEU (13a)",
    searched="validation tokenized, tests detokenized",
    remark="tokenized",
)
SUMMARIZATION = Task(
    name="summarization",
    items="documents",
    points="ROUGE",
    metric="rouge_1",
    # ROUGE-L takes a summary for one sentence, ROUGE-Lsum every sentence of it.
    validation=("rouge_1", "rouge_2", "rouge_l"),
    tests=("rouge_1", "rouge_2", "rouge_lsum", "rouge_l"),
    greedy="ROUGE-1",
    searched="all scores are ROUGE-1",
    trivial={"lead_3": "Lead-3", "lead_1": "Lead-1"},
    more_trivial={f"words_{count}": f"First {count} words" for count in (8, 10, 12)},
    untrained="the first sentences",
)
CORRECTION = Task(
    name="correction",
    items="sentences",
    points="points",
    metric="gleu",
    validation=("gleu",),
    # A test with gold edits is reported in F0.5 of M2, any other in GLEU: in what each was published with.
    tests=("m2_f0.5", "gleu"),
    greedy="GLEU, of one reference",
    searched="tests with gold edits are scored in F0.5 (M2), other texts in GLEU with all references",
    remark="GLEU",
    trivial={"copied_source": "Source, copied"},
    untrained="the source",
)
TASKS = {task.name: task for task in (TRANSLATION, SUMMARIZATION, CORRECTION)}
