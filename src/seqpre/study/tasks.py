"""What a task is, whatever paper it comes from: what outputs are scored by and called, and what needs no training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from seqpre.common.errors import DataError

if TYPE_CHECKING:
    from seqpre.metrics.metric import Metric, Score, Texts

VALIDATION = "valid"
"""The split that chooses checkpoints."""


def published(tests: Iterable[str], tuned_on: Mapping[str, str]) -> tuple[str, ...]:
    """Return the splits that validate and test, each once: `valid`, what settles some searches, the tests."""
    return tuple(dict.fromkeys((VALIDATION, *tuned_on.values(), *tests)))


# Imported in functions: scorers are slow to import, and the workflow's environment does not have them.
def _of_translations() -> tuple[Metric, ...]:
    from seqpre.metrics import bleu, chrf

    return bleu.TOKENIZED, bleu.DETOKENIZED, chrf.CHRF2


def _of_summaries() -> tuple[Metric, ...]:
    from seqpre.metrics import rouge

    return *rouge.ROUGE, *rouge.ROUGE_NLTK


def _of_corrections() -> tuple[Metric, ...]:
    from seqpre.metrics import gleu, m2

    return *m2.M2_METRICS, gleu.GLEU, gleu.GLEU_EXPECTED


@dataclass(frozen=True)
class Task:
    """One kind of pairs. Metrics have the names of `scores.json`; the first stands where there is room for one."""

    name: str
    items: str
    """What a line of an output file is."""
    points: str
    """What scores are counted in."""
    scored_by: Callable[[], tuple[Metric, ...]]
    """All metrics, in the order of `scores.json`."""
    metric: str
    """What scores greedy outputs while training, and a second checkpoint is chosen by, as settings call it."""
    greedy_metric: str
    """The same, as `scores.json` calls it."""
    validation: tuple[str, ...]
    """What validation is reported in. A metric that is here and not in `tests` or `beside` is of validation alone."""
    tests: tuple[str, ...]
    """What tests are reported in: each in the first that it has."""
    greedy: str
    """What scores greedy outputs, in words."""
    searched: str
    """What scores those of beam search, in words."""
    scored_a_second: int
    """Items that are scored, with bootstrap intervals, in a core second."""
    least_copied: int
    """From how many words on a sequence that the source has too is marked in samples: single words are often names, or
    alike. Of corrections, what they insert is marked."""
    beside: tuple[str, ...] = ()
    """What stands beside these in the table of learning and in the summary, where outputs were scored by it.

    No checkpoint is chosen by it, and no verdict reached on it.
    """
    remark: str = ""
    """How validation is scored, where tests are scored in another way."""
    corrects: bool = False
    """Outputs are corrected sources: they are scored beside these and, where there are any, gold edits."""
    trivial: Mapping[str, str] = field(default_factory=dict)
    """Trivial baselines, which nobody trains and the others have to beat, and what tables call them."""
    more_trivial: Mapping[str, str] = field(default_factory=dict)
    """Others, which a study may name instead."""
    trivial_outputs: str = ""
    """What they write, in words."""

    @property
    def all_trivial(self) -> dict[str, str]:
        """All trivial baselines, and what tables call them."""
        return {**self.trivial, **self.more_trivial}

    @property
    def metrics(self) -> list[str]:
        """What validation is reported in and, where there is room for one, tests; each once."""
        return list(dict.fromkeys((*self.validation, self.tests[0])))

    @property
    def score(self) -> str:
        """Name of the score where one stands for all."""
        return metric_called(self.greedy_metric).label

    def scores(self, texts: Texts, split: str) -> dict[str, Score]:
        """Return the scores of one split by metric: by all that it has what they need for."""
        alone = {*self.validation} - {*self.tests, *self.beside} if split != VALIDATION else set()
        metrics = (metric for metric in self.scored_by() if metric.name not in alone)
        return {metric.name: score for metric in metrics if (score := metric.score(texts))}

    @property
    def validation_score(self) -> str:
        """What systems are compared by on validation, in words."""
        return " ".join(filter(None, (self.remark, "validation", self.points)))


TRANSLATION = Task(
    name="translation",
    scored_by=_of_translations,
    items="sentences",
    points="BLEU",
    metric="bleu",
    # Differs: the paper's validation BLEU, by which final outputs are compared here too, is of Moses' tokens and
    # unsmoothed. Checkpoints are compared by 13a's, smoothed, which needs no language and is no zero at first.
    greedy_metric="bleu_sacre_13a",
    validation=("bleu_tok_multibleu",),
    tests=("bleu_sacre_13a",),
    beside=("chrf2",),
    greedy="BLEU (13a)",
    searched="validation tokenized, tests detokenized",
    scored_a_second=1_000,
    least_copied=2,
    remark="tokenized",
)
SUMMARIZATION = Task(
    name="summarization",
    scored_by=_of_summaries,
    items="documents",
    points="ROUGE",
    metric="rouge_1",
    greedy_metric="rouge_1",
    # ROUGE-L takes a summary for one sentence, ROUGE-Lsum every sentence of it.
    validation=("rouge_1", "rouge_2", "rouge_l"),
    tests=("rouge_1", "rouge_2", "rouge_lsum", "rouge_l"),
    greedy="ROUGE-1",
    searched="all scores are ROUGE-1",
    scored_a_second=300,
    least_copied=3,
    trivial={"lead_3": "Lead-3", "lead_1": "Lead-1"},
    more_trivial={f"words_{count}": f"First {count} words" for count in (8, 10, 12)},
    trivial_outputs="the first sentences",
)
CORRECTION = Task(
    name="correction",
    scored_by=_of_corrections,
    items="sentences",
    points="points",
    metric="gleu",
    greedy_metric="gleu",
    validation=("gleu",),
    # A test with gold edits is reported in F0.5 of M2, any other in GLEU: in what each was published with.
    tests=("m2_f0.5", "gleu"),
    greedy="GLEU, of one reference",
    searched="tests with gold edits are scored in F0.5 (M2), other texts in GLEU with all references",
    remark="GLEU",
    scored_a_second=100,
    least_copied=0,
    corrects=True,
    trivial={"copied_source": "Source, copied"},
    trivial_outputs="the source",
)
TASKS = {task.name: task for task in (TRANSLATION, SUMMARIZATION, CORRECTION)}
BY_METRIC = {task.metric: task for task in TASKS.values()}
"""Tasks by what scores their greedy outputs, as settings call it."""
NO_METRIC = "none"
"""What settings say where nothing scores greedy outputs."""


def validation_score(metric: str, outputs: Sequence[str], references: Sequence[str], sources: Sequence[str]) -> float:
    """Return the score of validation outputs by what settings call `metric`; sources are read for corrections alone.

    All are normalised before they are compared, as `seqpre.score` does it.
    """
    from seqpre.metrics.correction import Gold
    from seqpre.metrics.metric import Texts
    from seqpre.metrics.texts import normalised

    outputs, references, sources = map(normalised, (outputs, references, sources))
    texts = Texts(outputs, references, gold=Gold(sources, [references]))
    score = metric_called(BY_METRIC[metric].greedy_metric).score(texts)
    assert score is not None
    return score.score


@cache
def metrics() -> dict[str, Metric]:
    """Return all metrics by their names in `scores.json`."""
    return {metric.name: metric for task in TASKS.values() for metric in task.scored_by()}


def metric_labels() -> dict[str, str]:
    """Return what readers call metrics, by their names in `scores.json`."""
    return {name: metric.label for name, metric in metrics().items()}


def metric_called(name: str) -> Metric:
    """Return the metric of a name in `scores.json`. Raises DataError for one unknown."""
    if name not in metrics():
        raise DataError(
            f"sentences.npz has statistics of {name!r}, which no metric here is called; known are "
            f"{', '.join(metrics())}. Score again with this version, or make the tables with the one that scored"
        )
    return metrics()[name]
