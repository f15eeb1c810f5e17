"""Every metric is what `Metric` says, and a new one needs its own file and its place in a task's lists."""

from __future__ import annotations

import pytest

from seqpre.metrics.correction import Gold
from seqpre.metrics.metric import Texts
from seqpre.study.tasks import BY_METRIC, TASKS, TRANSLATION, metric_called, metrics

REFERENCES = ["a dog runs over the grass", "two men sit on a bench", "the sky is blue today"]
OUTPUTS = ["a dog runs on the grass", "two men sit on a chair", "a blue sky"]


def texts(outputs: list[str] = OUTPUTS) -> Texts:
    return Texts(outputs, REFERENCES, "en", Gold(OUTPUTS, [REFERENCES]))


@pytest.mark.parametrize("name", metrics())
def test_scores_are_those_of_the_summed_statistics_of_every_sentence(name: str) -> None:
    metric = metric_called(name)
    found = metric.score(texts())
    if found is None:
        assert name.startswith("m2_"), "there are no gold edits here"
        return
    assert len(found.statistics) == len(REFERENCES)
    assert found.score == pytest.approx(float(metric.scorer(found.statistics.sum(axis=0))))
    assert 0 < found.score < 100
    assert found.signature
    perfect = metric.score(texts(REFERENCES))
    assert perfect is not None
    assert perfect.score == pytest.approx(100)


def test_names_are_of_one_metric_each_and_tasks_report_in_what_they_score() -> None:
    scored = [metric.name for task in TASKS.values() for metric in task.scored_by()]
    assert len(scored) == len(set(scored))
    for task in TASKS.values():
        names = {metric.name for metric in task.scored_by()}
        assert {*task.validation, *task.tests, *task.beside, task.greedy_metric} <= names
        assert not {*task.beside} & {*task.validation, *task.tests, task.greedy_metric}, "it would choose something"


def test_the_paper_validation_bleu_is_of_validation_alone() -> None:
    on = {split: list(TRANSLATION.scores(texts(), split)) for split in ("valid", "test")}
    assert on == {
        "valid": ["bleu_tok_multibleu", "bleu_sacre_13a", "chrf2"],
        "test": ["bleu_sacre_13a", "chrf2"],
    }


def test_no_checkpoint_is_chosen_by_chrf() -> None:
    assert not [name for name, task in BY_METRIC.items() if "chrf" in name + task.greedy_metric]
