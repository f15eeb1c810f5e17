"""chrF2 (Popovic, 2015; recall counts twice as much, 2016): F-score of the character n-grams of up to six characters.

Equal to sacreBLEU's default: spaces are left out, and n-gram orders that a text is too short for are not counted. One
reference a sentence.
"""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from seqpre.metrics.metric import Metric, Score, Texts, check_parallel

MAX_ORDER = 6
BETA = 2


def chrf2(texts: Texts) -> Score:
    """Return chrF2 of a corpus; its statistics are `sentence_statistics`."""
    check_parallel(texts.outputs, texts.references, "hypotheses", "sentence")
    statistics = _statistics(texts)
    signature = f"nrefs:1|case:mixed|eff:yes|nc:{MAX_ORDER}|nw:0|space:no|version:{version('sacrebleu')}"
    return Score(float(chrf2_from_statistics(statistics.sum(axis=0))), signature, statistics)


def chrf2_from_statistics(totals: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores, shape (...), from summed statistics, shape (..., 18).

    Precision and recall are means over the orders for which both sides have n-grams.
    """
    counts = np.asarray(totals, dtype=np.float64)
    ours, theirs, matches = (counts[..., column::3] for column in range(3))
    counted = (ours > 0) & (theirs > 0)
    orders = counted.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = (np.where(counted, matches / whole, 0.0).sum(axis=-1) / orders for whole in (ours, theirs))
        score = 100 * (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)
        return np.where((orders > 0) & (precision + recall > 0), score, 0.0)


def sentence_statistics(hypothesis: str, reference: str) -> list[int]:
    """Count a pair of lines; for each order, n-grams of hypothesis and reference, and matches."""
    from sacrebleu.metrics.helpers import extract_all_char_ngrams

    counts = []
    sides = (extract_all_char_ngrams(line, MAX_ORDER) for line in (hypothesis, reference))
    for ours, theirs in zip(*sides, strict=True):
        # As in sacreBLEU, n-grams of an order are not counted if the reference is too short for it.
        counts += [ours.total() if theirs else 0, theirs.total(), (ours & theirs).total()]
    return counts


def _statistics(texts: Texts) -> NDArray[np.int64]:
    return np.array([sentence_statistics(*pair) for pair in zip(texts.outputs, texts.references, strict=True)])


def _of_items(texts: Texts) -> list[float]:
    return chrf2_from_statistics(_statistics(texts)).tolist()  # type: ignore[no-any-return]


CHRF2 = Metric("chrf2", "chrF2", chrf2, chrf2_from_statistics, _of_items)
