"""Every metric is what `Metric` says, and a new one needs its own file and its place in a task's lists."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from seqpre import score
from seqpre.metrics.correction import Gold
from seqpre.metrics.metric import Metric, Score, Texts
from seqpre.metrics.sentences import read_sentences
from seqpre.metrics.significance import mean_of_items
from seqpre.samples import scores_of_items
from seqpre.study import tasks
from seqpre.study.tasks import BY_METRIC, TASKS, TRANSLATION, metric_called, metric_labels, metrics

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


def test_reading_a_study_imports_no_scorer() -> None:
    program = "import sys, seqpre.study.load; print(sorted({'numpy', 'sacrebleu', 'nltk', 'torch'} & set(sys.modules)))"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def _share_of_equal_lines(given: Texts) -> Score:
    equal = [100.0 * (ours == theirs) for ours, theirs in zip(given.outputs, given.references, strict=True)]
    return Score(sum(equal) / len(equal), "lines:equal", np.array([[one, 1.0] for one in equal]))


EXACT = Metric(
    "exact",
    "Exact",
    _share_of_equal_lines,
    mean_of_items,
    lambda given: _share_of_equal_lines(given).statistics[:, 0].tolist(),
)


def test_a_new_metric_is_scored_kept_tested_and_shown_once_a_task_lists_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = replace(TRANSLATION, scored_by=lambda: (*TRANSLATION.scored_by(), EXACT), beside=("chrf2", "exact"))
    monkeypatch.setitem(tasks.TASKS, "translation", task)
    metrics.cache_clear()
    try:
        files = {}
        for name, lines in {"r": REFERENCES, "h": [REFERENCES[0], *OUTPUTS[1:]], "b": OUTPUTS}.items():
            files[name] = tmp_path / name
            files[name].write_text("".join(f"{line}\n" for line in lines))
        common = ["--language", "en", "--selection", "perplexity", "--references", f"test={files['r']}"]
        against = ["--baseline-hypotheses", f"test={files['b']}", "--against", "full"]
        written = ["--output", str(tmp_path / "scores.json"), "--sentences", str(tmp_path / "s.npz")]
        score.main([*common, "--hypotheses", f"test={files['h']}", *against, *written])
        entry = json.loads((tmp_path / "scores.json").read_text())[-1]
        assert (entry["metric"], entry["signature"]) == ("exact", "lines:equal|norm:nfc")
        assert entry["score"] == entry["delta"] == pytest.approx(100 / 3)
        assert entry["low"] == 0.0
        assert read_sentences(tmp_path / "s.npz")["perplexity.test.exact"][:, 0].tolist() == [100, 0, 0]
        assert scores_of_items("translation", OUTPUTS, OUTPUTS, [])["Exact"] == [100, 100, 100]
        assert metric_labels()["exact"] == "Exact"
    finally:
        metrics.cache_clear()
