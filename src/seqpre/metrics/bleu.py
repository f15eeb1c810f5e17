"""Case-sensitive corpus BLEU in the two forms the papers report, with the counts of every sentence.

- `tokenized_bleu` gives what Moses' `multi-bleu.perl` prints for text tokenized by Moses as it was until November 2018
  (validation scores; see `moses_tokenizer`).
- `detokenized_bleu` gives what `mteval-v13a.pl -c` and sacreBLEU's default print for plain text (test scores).

The score comes from sacreBLEU's own formula; the counts are kept by sentence, so that `significance` can resample them.
One reference a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from seqpre.metrics.metric import Metric, Score, Texts, check_parallel
from seqpre.metrics.ngrams import MAX_ORDER, ngrams_of

Smoothing = Literal["none", "exp"]
Tokenizer = Callable[[str], str]


def tokenized_bleu(hypotheses: Sequence[str], references: Sequence[str], language: str) -> Score:
    """Score Moses-tokenized text as `multi-bleu.perl` does: no smoothing, 0.0 if an n-gram order has no match.

    Both sides are plain text; both are tokenized here with the rules of `language` (its default options:
    special characters escaped, hyphens kept).
    """
    # Unstated: the paper names `multi-bleu.perl` but not the tokenizer; its samples are spaced as Moses does.
    signature = (
        f"nrefs:1|case:mixed|eff:no|tok:moses-{language}|smooth:none"
        f"|sacremoses:{version('sacremoses')}|version:{version('sacrebleu')}"
    )
    return _bleu(hypotheses, references, moses_tokenizer(language), "none", signature)


def detokenized_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> Score:
    """Score plain text as `mteval-v13a.pl -c` does: its own tokenization, exponential smoothing of zero counts."""
    signature = f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{version('sacrebleu')}"
    tokenize: Tokenizer = Tokenizer13a()  # type: ignore[no-untyped-call]
    return _bleu(hypotheses, references, tokenize, "exp", signature)


def moses_tokenizer(language: str) -> Tokenizer:
    """Return a function from a plain line to its Moses tokens, joined by spaces.

    sacremoses follows `tokenizer.perl` as it was before Moses' commit 9fc964da7 of November 2018: a full stop that ends
    a line stays attached to a number or an abbreviation of the language, where today's always splits it off. What was
    published in 2017 was scored with the older one; today's gives six WMT17 systems 0.01 BLEU more. CJK characters are
    split here, by neither of them.
    """
    # Imported here because it is slow to import and a training loop has no use for it.
    from sacremoses import MosesTokenizer  # type: ignore[import-untyped]

    moses = MosesTokenizer(lang=language)
    return lambda line: str(moses.tokenize(line, return_str=True))


def bleu_from_statistics(totals: NDArray[np.int64] | NDArray[np.float64], smoothing: Smoothing) -> NDArray[np.float64]:
    """Return scores, shape (...), from summed statistics, shape (..., 10).

    The formula of Papineni et al. (2002); `exp` replaces the k-th order without a match by 1 / (2^k x n-grams).
    """
    counts = np.asarray(totals, dtype=np.float64)
    hypothesis_length, reference_length = counts[..., 0], counts[..., 1]
    matches, ngrams = np.split(counts[..., 2:], 2, axis=-1)
    unmatched = matches == 0
    numerator = matches
    if smoothing == "exp":
        numerator = np.where(unmatched, 0.5 ** np.cumsum(unmatched, axis=-1), matches)
    scorable = (matches > 0).any(axis=-1) & (ngrams > 0).all(axis=-1) & (numerator > 0).all(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_precision = np.log(numerator / ngrams).mean(axis=-1)
        log_brevity = np.minimum(0.0, 1.0 - reference_length / hypothesis_length)
        return np.where(scorable, 100.0 * np.exp(log_brevity + log_precision), 0.0)


def sentence_statistics(hypothesis: str, reference: str) -> list[int]:
    """Count one pair of tokenized lines: both lengths, matches and n-grams of the hypothesis by order."""
    hypothesis_tokens, reference_tokens = hypothesis.split(), reference.split()
    matches, totals = [], []
    for order in range(1, MAX_ORDER + 1):
        hypothesis_ngrams, reference_ngrams = ngrams_of(hypothesis_tokens, order), ngrams_of(reference_tokens, order)
        # Each n-gram of the reference can be matched once (clipping); `&` takes the smaller count.
        matches.append((hypothesis_ngrams & reference_ngrams).total())
        totals.append(max(0, len(hypothesis_tokens) - order + 1))
    return [len(hypothesis_tokens), len(reference_tokens), *matches, *totals]


def _bleu(
    hypotheses: Sequence[str], references: Sequence[str], tokenize: Tokenizer, smoothing: Smoothing, signature: str
) -> Score:
    check_parallel(hypotheses, references, "hypotheses", "sentence")
    statistics = np.array(
        [
            sentence_statistics(tokenize(hypothesis.rstrip()), tokenize(reference.rstrip()))
            for hypothesis, reference in zip(hypotheses, references, strict=True)
        ],
        dtype=np.int64,
    )
    (hypothesis_length, reference_length), matches, ngrams = np.split(statistics.sum(axis=0), [2, 2 + MAX_ORDER])
    score = BLEU.compute_bleu(
        correct=matches.tolist(),
        total=ngrams.tolist(),
        sys_len=int(hypothesis_length),
        ref_len=int(reference_length),
        smooth_method=smoothing,
    ).score
    return Score(float(score), signature, statistics)


def _of_items(texts: Texts) -> list[float]:
    """Return the BLEU of every sentence, up to the highest order with matches."""
    sentence = BLEU(effective_order=True)
    pairs = zip(texts.outputs, texts.references, strict=True)
    return [sentence.sentence_score(output, [reference]).score for output, reference in pairs]


TOKENIZED = Metric(
    "bleu_tok_multibleu",
    "BLEU",
    lambda texts: tokenized_bleu(texts.outputs, texts.references, texts.language),
    partial(bleu_from_statistics, smoothing="none"),
    needs=frozenset({"language"}),
)
DETOKENIZED = Metric(
    "bleu_sacre_13a",
    "BLEU",
    lambda texts: detokenized_bleu(texts.outputs, texts.references),
    partial(bleu_from_statistics, smoothing="exp"),
    _of_items,
)
