"""The statistics of every sentence are kept as they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from seqpre.common.errors import DataError
from seqpre.metrics.bleu import detokenized_bleu
from seqpre.metrics.rouge import rouge
from seqpre.metrics.sentences import key, read_sentences, write_sentences
from seqpre.study.tasks import metric_called

LINES = ["a dog runs over the grass", "two men sit on a bench", "the sky is blue today"]
GUESSES = ["a dog runs on the grass", "two men sit on a chair", "a blue sky"]


def test_statistics_are_kept_and_the_same_give_the_same_bytes(tmp_path: Path) -> None:
    counts, shares = detokenized_bleu(GUESSES, LINES).statistics, rouge(GUESSES, LINES)["rouge_1"].statistics
    statistics = {key("bleu", "valid", "bleu_sacre_13a"): counts, key("bleu", "test", "rouge_1"): shares}
    for name in ("one.npz", "other.npz"):
        write_sentences(tmp_path / name, statistics)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()
    kept = read_sentences(tmp_path / "one.npz")
    assert {name: one.tolist() for name, one in kept.items()} == {
        "bleu.valid.bleu_sacre_13a": counts.tolist(), "bleu.test.rouge_1": shares.tolist()
    }  # fmt: skip
    assert read_sentences(tmp_path / "none.npz") == {}


@pytest.mark.parametrize("metric", ["chrf", "bleu_of_another_version", "rouge_3", "m2"])
def test_statistics_of_an_unknown_metric_are_refused(metric: str) -> None:
    with pytest.raises(
        DataError, match=f"statistics of '{metric}', which no metric here is called; known are bleu_tok"
    ):
        metric_called(metric)


def test_a_single_array_is_no_statistics(tmp_path: Path) -> None:
    with (tmp_path / "one.npz").open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(DataError, match=r"one.npz: damaged .* delete it and score again"):
        read_sentences(tmp_path / "one.npz")
