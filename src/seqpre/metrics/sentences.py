"""Statistics of every sentence, stored with a run's scores, from which any interval and p-value can be recomputed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from seqpre.common.errors import DataError
from seqpre.common.files import DAMAGED_ZIP, atomic_write
from seqpre.metrics.significance import Statistics

FILE = "sentences.npz"
"""File next to `scores.json`."""


def key(selection: str, split: str, metric: str) -> str:
    """Return the array name of an entry of `scores.json`."""
    return f"{selection}.{split}.{metric}"


def write_sentences(path: Path, statistics: Mapping[str, Statistics]) -> None:
    """Write arrays of shape (items, columns), compressed; integers as 32 bits."""
    small = {name: one.astype(np.int32) if one.dtype.kind == "i" else one for name, one in statistics.items()}
    with atomic_write(path, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **small)


def read_sentences(path: Path) -> dict[str, Statistics]:
    """Read all arrays; none without a file, as with old scores. Raises DataError if it is damaged."""
    if not path.exists():
        return {}
    try:
        with np.load(path) as arrays:
            return dict(arrays)
    except (*DAMAGED_ZIP, TypeError) as error:  # TypeError: a single array
        raise DataError(f"{path}: damaged ({error}); delete it and score again") from error
