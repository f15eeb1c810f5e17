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


def scorer_of(metric: str) -> Scorer:
    """Return what turns summed statistics into the corpus score that `scores.json` calls by this name."""
    if metric.startswith("bleu"):
        return partial(bleu_from_statistics, smoothing="none" if metric == "bleu_tok_multibleu" else "exp")
    if metric.startswith("gleu"):
        return gleu_from_statistics
    return M2_SCORERS.get(metric, mean_of_items)
