"""Statistics of every sentence, kept beside a run's scores, so that any interval and p-value can be computed again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

from seqpre.common.errors import DataError
from seqpre.common.files import DAMAGED_ZIP, atomic_write
from seqpre.metrics.bleu import bleu_from_statistics
from seqpre.metrics.gleu import gleu_from_statistics
from seqpre.metrics.m2 import M2_SCORERS
from seqpre.metrics.rouge import NLTK, TYPES
from seqpre.metrics.significance import Scorer, Statistics, mean_of_items

FILE = "sentences.npz"
"""Beside `scores.json`."""


def key(selection: str, split: str, metric: str) -> str:
    """Name the array of an entry of `scores.json`."""
    return f"{selection}.{split}.{metric}"


def write_sentences(path: Path, statistics: Mapping[str, Statistics]) -> None:
    """Write arrays of shape (items, columns), compressed; whole numbers as 32 bits."""
    small = {name: one.astype(np.int32) if one.dtype.kind == "i" else one for name, one in statistics.items()}
    with atomic_write(path, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **small)


def read_sentences(path: Path) -> dict[str, Statistics]:
    """Read all arrays, none if there is no file, as beside scores of former versions; DataError if it is damaged."""
    if not path.exists():
        return {}
    try:
        with np.load(path) as arrays:
            return dict(arrays)
    except DAMAGED_ZIP as error:
        raise DataError(f"{path}: damaged ({error}); delete it and score again") from error


SCORERS: dict[str, Scorer] = {
    "bleu_tok_multibleu": partial(bleu_from_statistics, smoothing="none"),
    "bleu_sacre_13a": partial(bleu_from_statistics, smoothing="exp"),
    "gleu": gleu_from_statistics,
    "gleu_expected": gleu_from_statistics,
    **M2_SCORERS,
    **{f"{name}{stemmer}": mean_of_items for name in TYPES for stemmer in ("", f"_{NLTK}")},
}
"""What turns summed statistics into a corpus score, by the metric's name in `scores.json`."""


def scorer_of(metric: str) -> Scorer:
    """Return what turns the summed statistics of a metric into its corpus score. Raises DataError for one unknown."""
    if metric not in SCORERS:
        raise DataError(
            f"{FILE} has statistics of {metric!r}, which no metric here is called; known are {', '.join(SCORERS)}."
            " Score again with this version, or make the tables with the one that scored"
        )
    return SCORERS[metric]
