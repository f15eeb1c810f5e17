"""What is kept of every sentence gives the scores again."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.metrics.bleu import detokenized_bleu, tokenized_bleu
from seqpre.metrics.rouge import rouge
from seqpre.metrics.sentences import key, read_sentences, write_sentences
from seqpre.study.tasks import metric_called

LINES = ["a dog runs over the grass", "two men sit on a bench", "the sky is blue today"]
GUESSES = ["a dog runs on the grass", "two men sit on a chair", "a blue sky"]


def test_scores_are_those_of_the_summed_statistics(tmp_path: Path) -> None:
    scores = {
        "bleu_sacre_13a": detokenized_bleu(GUESSES, LINES),
        "bleu_tok_multibleu": tokenized_bleu(GUESSES, LINES, "en"),
        "rouge_1": rouge(GUESSES, LINES)["rouge_1"],
    }
    path = tmp_path / "sentences.npz"
    write_sentences(path, {key("perplexity", "valid", name): score.statistics for name, score in scores.items()})
    kept = read_sentences(path)
    for name, score in scores.items():
        statistics = kept[f"perplexity.valid.{name}"]
        assert len(statistics) == len(LINES)
        assert float(metric_called(name).scorer(statistics.sum(axis=0))) == pytest.approx(score.score)
        assert score.score > 0


def test_the_same_statistics_give_the_same_bytes_and_none_are_no_error(tmp_path: Path) -> None:
    statistics = {key("bleu", "valid", "bleu_sacre_13a"): detokenized_bleu(GUESSES, LINES).statistics}
    for name in ("one.npz", "other.npz"):
        write_sentences(tmp_path / name, statistics)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()
    assert read_sentences(tmp_path / "none.npz") == {}


@pytest.mark.parametrize("metric", ["chrf", "bleu_of_another_version", "rouge_3", "m2"])
def test_statistics_of_an_unknown_metric_are_refused(metric: str) -> None:
    with pytest.raises(
        DataError, match=f"statistics of '{metric}', which no metric here is called; known are bleu_tok"
    ):
        metric_called(metric)
