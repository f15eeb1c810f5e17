"""What a metric is: how it is called, what it needs, and what it makes of the outputs of one split.

A file of this room defines its metrics as constants; `seqpre.study.tasks` lists which a task is scored by. What scores,
validates, shows and reads records goes through that list.
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
"""What not every metric reads: the language of the outputs; what they were made of."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Outputs and what they are compared with, line by line, in their normal form.

    Two are never equal, so that what several metrics share can be kept for the texts of a moment.
    """

    outputs: Sequence[str]
    references: Sequence[str]
    language: str = ""
    gold: Gold | None = None
    """Of corrections: sources, all references and edits."""
    workers: int = 1
    """Processes that may share the work."""


@dataclass(frozen=True)
class Score:
    """A corpus score in 0..100, how it was computed, and the statistics of every item, shape (items, columns)."""

    score: float
    signature: str
    statistics: Statistics
    kinds: Mapping[str, Mapping[str, int]] | None = None
    """Of edits: errors there are, mended and made, by kind."""


def check_parallel(outputs: Sequence[str], references: Sequence[str], called: str, item: str) -> None:
    """Raise DataError unless there are outputs, which messages call `called`, and as many references."""
    if len(outputs) != len(references):
        raise DataError(f"{len(outputs):,} {called} for {len(references):,} references: they must be parallel")
    if not references:
        raise DataError(f"no {item} to score: {called} and references are empty")


@dataclass(frozen=True)
class Metric:
    """One metric. `tests/unit/metrics/test_metrics.py` holds every one to what is said here."""

    name: str
    """In `scores.json` and `sentences.npz`; names what was computed, so it never changes."""
    label: str
    """What readers call it."""
    score: Callable[[Texts], Score | None]
    """None where the texts do not have what it counts. Raises DataError for texts that cannot be scored."""
    scorer: Scorer
    """From summed statistics, shape (..., columns), to scores of shape (...): for intervals and paired tests."""
    of_items: Callable[[Texts], list[float]] | None = None
    """Scores of single items, 0..100, where the metric is shown beside outputs."""
    needs: frozenset[Need] = field(default=frozenset())
