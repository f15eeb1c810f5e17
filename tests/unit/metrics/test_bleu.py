"""BLEU against numbers worked out by hand and against sacreBLEU's own command path."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from seqpre.common.errors import DataError
from seqpre.metrics.bleu import (
    DETOKENIZED,
    MAX_ORDER,
    TOKENIZED,
    Smoothing,
    bleu_from_statistics,
    detokenized_bleu,
    moses_tokenizer,
    sentence_statistics,
    tokenized_bleu,
)
from seqpre.metrics.metric import Score, Texts

WORDS = ["der", "Hund", "läuft", ",", "die", "Frau", "&", "3.5", "z.B.", "schnell", '"gut"', "nicht-so", "Männer", "."]


def noisy_corpus(seed: int, sentences: int = 60) -> tuple[list[str], list[str]]:
    """Return hypotheses that share most words with their references; some are empty."""
    rng = random.Random(seed)
    references = [" ".join(rng.choices(WORDS, k=rng.randint(1, 14))) for _ in range(sentences)]
    hypotheses = [" ".join(word for word in line.split() if rng.random() < 0.8) for line in references]
    return hypotheses, references


def test_counts_of_a_sentence_match_those_counted_by_hand() -> None:
    # Clipping: the hypothesis has `the` three times, the reference twice.
    # Matches: the, the, cat | the cat | none | none.
    assert sentence_statistics("the the the cat", "the cat sat on the mat") == [4, 6, 3, 1, 0, 0, 4, 3, 2, 1]


def test_brevity_penalty_and_precisions_match_the_formula() -> None:
    # 1 to 4 n-grams: 4/5, 3/4, 2/3, 1/2; lengths 5 against 6.
    hypothesis, reference = "a b c d x", "a b c d e f"
    expected = 100 * math.exp(1 - 6 / 5) * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25
    assert tokenized_bleu([hypothesis], [reference], "en").score == pytest.approx(expected)


def test_an_order_without_match_gives_zero_without_smoothing_and_is_smoothed_by_13a() -> None:
    hypothesis, reference = "a b x c d", "a b y c d"
    # No trigram matches (of 3) and no 4-gram (of 2): these count as 1/(2·3) and 1/(4·2).
    expected = 100 * (4 / 5 * 2 / 4 * 1 / 6 * 1 / 8) ** 0.25
    assert tokenized_bleu([hypothesis], [reference], "en").score == 0.0
    assert detokenized_bleu([hypothesis], [reference]).score == pytest.approx(expected)


def test_text_is_tokenized_before_tokenized_bleu_but_stays_cased() -> None:
    assert moses_tokenizer("de")('Er sagt: "Nein", z.B. so.') == "Er sagt : &quot; Nein &quot; , z.B. so ."
    assert tokenized_bleu(["Der Hund schläft heute."], ["Der Hund schläft heute."], "de").score == pytest.approx(100)
    assert tokenized_bleu(["der hund schläft heute."], ["Der Hund schläft heute."], "de").score == 0.0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_13a_equals_sacrebleu(seed: int) -> None:
    hypotheses, references = noisy_corpus(seed)
    expected = BLEU().corpus_score(hypotheses, [references]).score
    assert detokenized_bleu(hypotheses, references).score == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tokenized_bleu_equals_sacrebleu_without_tokenizer_and_smoothing_on_moses_text(seed: int) -> None:
    hypotheses, references = noisy_corpus(seed)
    tokenize = moses_tokenizer("de")
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    expected = metric.corpus_score([tokenize(line) for line in hypotheses], [[tokenize(line) for line in references]])
    assert tokenized_bleu(hypotheses, references, "de").score == pytest.approx(expected.score, abs=1e-9)


@pytest.mark.parametrize("bleu", [detokenized_bleu, partial(tokenized_bleu, language="de")])
def test_perfect_hypotheses_score_100_and_empty_ones_0(bleu: Callable[[list[str], list[str]], Score]) -> None:
    references = ["Ein Mann steht im Regen .", "Zwei Hunde spielen am Strand ."]
    assert bleu(references, references).score == pytest.approx(100)
    assert bleu(["", ""], references).score == 0.0


def test_an_empty_reference_line_counts_as_length_zero() -> None:
    bleu = detokenized_bleu(["ein zwei drei vier", "zu viel"], ["ein zwei drei vier", ""])
    assert bleu.statistics.tolist() == [[4, 4, 4, 3, 2, 1, 4, 3, 2, 1], [2, 0, 0, 0, 0, 0, 2, 1, 0, 0]]


def test_scores_from_summed_statistics_equal_the_score_of_the_corpus() -> None:
    for seed in range(20):
        texts = Texts(*noisy_corpus(seed, sentences=3), "de")
        for metric in (DETOKENIZED, TOKENIZED):
            bleu = metric.score(texts)
            assert bleu is not None
            assert float(metric.scorer(bleu.statistics.sum(axis=0))) == pytest.approx(bleu.score, abs=1e-9)


@pytest.mark.parametrize("smoothing", ["none", "exp"])
def test_sums_with_few_or_no_matches_are_scored_by_sacrebleus_formula(smoothing: Smoothing) -> None:
    # A text of four words has one n-gram of the highest order, a shorter one none.
    for length, reference_length in itertools.product(range(7), range(1, 7)):
        ngrams = [max(0, length - shorter) for shorter in range(MAX_ORDER)]
        for matched in range(length + 1):
            for gap in range(3):
                matches = [max(0, min(matched - gap * shorter, count)) for shorter, count in enumerate(ngrams)]
                expected = BLEU.compute_bleu(matches, ngrams, length, reference_length, smooth_method=smoothing).score
                sums = np.array([length, reference_length, *matches, *ngrams])
                assert float(bleu_from_statistics(sums, smoothing)) == pytest.approx(expected, abs=1e-9), sums


def test_many_sums_are_scored_at_once() -> None:
    hypotheses, references = noisy_corpus(7)
    statistics = detokenized_bleu(hypotheses, references).statistics
    sums = np.stack([statistics[:10].sum(axis=0), statistics[10:30].sum(axis=0)])
    expected = [
        detokenized_bleu(hypotheses[:10], references[:10]).score,
        detokenized_bleu(hypotheses[10:30], references[10:30]).score,
    ]
    assert bleu_from_statistics(sums, "exp").tolist() == pytest.approx(expected)


def test_signatures_name_tokenizer_case_smoothing_and_versions() -> None:
    hypotheses, references = noisy_corpus(1, sentences=2)
    metric = BLEU()
    metric.corpus_score(hypotheses, [references])
    assert detokenized_bleu(hypotheses, references).signature == str(metric.get_signature())
    signature = tokenized_bleu(hypotheses, references, "de").signature
    assert "tok:moses-de|smooth:none|sacremoses:" in signature
    assert "case:mixed" in signature


def test_unequal_counts_and_empty_corpora_are_refused() -> None:
    with pytest.raises(DataError, match="1 hypotheses for 2 references"):
        detokenized_bleu(["a"], ["a", "b"])
    with pytest.raises(DataError, match="empty"):
        detokenized_bleu([], [])
