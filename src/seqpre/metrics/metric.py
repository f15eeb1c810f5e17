"""The interface of a metric: its name, its requirements, and its score of one split's outputs.

Each module of this package defines its metrics as constants; `seqpre.study.tasks` lists the metrics of each task.
Scoring, validation, display and reading of records all use that list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from seqpre.common.errors import DataError

if TYPE_CHECKING:
    from seqpre.metrics.correction import Gold
    from seqpre.metrics.significance import Scorer, Statistics

Need = Literal["language", "sources"]
"""Inputs that only some metrics need: the language of the outputs, or their sources."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Outputs and what they are compared with, line by line, in normal form.

    No two objects are equal, so that metrics can cache shared results for the current texts.
    """

    outputs: Sequence[str]
    references: Sequence[str]
    language: str = ""
    gold: Gold | None = None
    """For corrections: sources, all references and edits."""
    workers: int = 1
    """Worker processes."""


@dataclass(frozen=True)
class Score:
    """A corpus score in 0..100, its signature, and the statistics of every item, shape (items, columns)."""

    score: float
    signature: str
    statistics: Statistics
    kinds: Mapping[str, Mapping[str, int]] | None = None
    """Counts of errors, corrected errors and edits, by kind."""


def check_parallel(outputs: Sequence[str], references: Sequence[str], called: str, item: str) -> None:
    """Raise DataError unless there are outputs, named `called` in messages, and as many references."""
    if len(outputs) != len(references):
        raise DataError(f"{len(outputs):,} {called} for {len(references):,} references: they must be parallel")
    if not references:
        raise DataError(f"no {item} to score: {called} and references are empty")


@dataclass(frozen=True)
class Metric:
    """One metric. `tests/unit/metrics/test_metrics.py` tests this interface for every metric."""

    name: str
    """Name in `scores.json` and `sentences.npz`; it identifies the computation, so it never changes."""
    label: str
    """Readable name."""
    score: Callable[[Texts], Score | None]
    """Scores texts; None if they lack an input that it needs. Raises DataError for texts that cannot be scored."""
    scorer: Scorer
    """Maps summed statistics, shape (..., columns), to scores of shape (...): for intervals and paired tests."""
    of_items: Callable[[Texts], list[float]] | None = None
    """Scores of single items, 0..100, if samples show the metric."""
    needs: frozenset[Need] = field(default=frozenset())
