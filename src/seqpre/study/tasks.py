"""Tasks, independent of any paper: metrics, words for outputs, and baselines that need no training."""

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
    """Return the validation and test splits, each once: `valid`, splits that tune some decoding, the tests."""
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
    """One kind of task. Metrics have the names of `scores.json`; where only one is shown, it is the first."""

    name: str
    items: str
    """What a line of an output file is called."""
    points: str
    """The unit of scores."""
    scored_by: Callable[[], tuple[Metric, ...]]
    """Return all metrics, in the order of `scores.json`."""
    metric: str
    """Metric of greedy outputs in training, which selects a second checkpoint; its name in the settings."""
    greedy_metric: str
    """The same metric; its name in `scores.json`."""
    validation: tuple[str, ...]
    """Metrics that report validation. One that is in neither `tests` nor `beside` is used on validation only."""
    tests: tuple[str, ...]
    """Metrics that report tests: each test uses the first that it has."""
    greedy: str
    """The metric of greedy outputs, in words."""
    searched: str
    """The metric of beam-search outputs, in words."""
    scored_a_second: int
    """Items scored in a core second, bootstrap intervals included."""
    least_copied: int
    """Shortest sequence of words shared with the source that samples mark: single words are often names or
    coincidences. For corrections, insertions are marked instead."""
    beside: tuple[str, ...] = ()
    """Further metrics in the learning table and in the summary, if outputs were scored by them.

    No checkpoint is selected by them, and no verdict is based on them.
    """
    remark: str = ""
    """How validation is scored, if tests are scored in another way."""
    corrects: bool = False
    """Whether outputs are corrected sources; if so, they are scored against the sources and any gold edits."""
    trivial: Mapping[str, str] = field(default_factory=dict)
    """Baselines without training, and their labels in tables."""
    more_trivial: Mapping[str, str] = field(default_factory=dict)
    """More such baselines, which a study may name instead."""
    trivial_outputs: str = ""
    """What these baselines output, in words."""

    @property
    def all_trivial(self) -> dict[str, str]:
        """All trivial baselines, and their labels in tables."""
        return {**self.trivial, **self.more_trivial}

    @property
    def metrics(self) -> list[str]:
        """The metrics of validation, then the first one of the tests; each once."""
        return list(dict.fromkeys((*self.validation, self.tests[0])))

    @property
    def score(self) -> str:
        """Name of the score where one stands for all."""
        return metric_called(self.greedy_metric).label

    def scores(self, texts: Texts, split: str) -> dict[str, Score]:
        """Return the scores of one split by metric: all metrics whose requirements the texts meet."""
        alone = {*self.validation} - {*self.tests, *self.beside} if split != VALIDATION else set()
        metrics = (metric for metric in self.scored_by() if metric.name not in alone)
        return {metric.name: score for metric in metrics if (score := metric.score(texts))}

    @property
    def validation_score(self) -> str:
        """The score that compares systems on validation, in words."""
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
    # Unstated: what ROUGE-L takes for a sentence, except in Ramachandran et al. Every sentence (highlight) of a
    # summary: ROUGE-Lsum. ROUGE-L, which takes a summary for one sentence, is shown beside it.
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
"""Tasks by the metric of their greedy outputs, as settings name it."""
NO_METRIC = "none"
"""Value in the settings if greedy outputs are not scored."""


def validation_score(metric: str, outputs: Sequence[str], references: Sequence[str], sources: Sequence[str]) -> float:
    """Return the validation score of outputs by the metric that settings name; sources are only read for corrections.

    Outputs and references are normalised first, as in `seqpre.score`.
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
    """Return the labels of all metrics, by their names in `scores.json`."""
    return {name: metric.label for name, metric in metrics().items()}


def metric_called(name: str) -> Metric:
    """Return the metric with a name in `scores.json`. Raises DataError for an unknown one."""
    if name not in metrics():
        raise DataError(
            f"sentences.npz has statistics of {name!r}, which no metric here is called; known are "
            f"{', '.join(metrics())}. Score again with this version, or make the tables with the one that scored"
        )
    return metrics()[name]
