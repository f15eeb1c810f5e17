"""How well raters agree beyond chance: Krippendorff's alpha."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Literal

Scale = Literal["nominal", "ordinal"]


def krippendorff_alpha(units: Sequence[Sequence[int]], scale: Scale) -> float | None:
    """Return 1 - observed disagreement / disagreement expected by chance (Krippendorff, 2011).

    A unit holds the values that its raters gave, in any order; a unit with fewer than two is left out. 1 is perfect
    agreement, 0 what chance gives. None where nothing can be compared: no unit has two values, or all values are equal.
    """
    paired = [unit for unit in units if len(unit) > 1]
    counts = Counter(value for unit in paired for value in unit)
    total = counts.total()
    if len(counts) < 2:
        return None
    distance = _distance(scale, counts)
    observed = sum(
        sum(distance(one, other) for one, other in permutations(unit, 2)) / (len(unit) - 1) for unit in paired
    )
    expected = sum(counts[one] * counts[other] * distance(one, other) for one, other in permutations(counts, 2))
    return 1 - (total - 1) * observed / expected


def _distance(scale: Scale, counts: Counter[int]) -> Callable[[int, int], float]:
    """Return the squared difference of two values; on the ordinal scale, of their ranks among all values given."""
    if scale == "nominal":
        return lambda one, other: float(one != other)

    def ranks_between(one: int, other: int) -> float:
        low, high = sorted((one, other))
        within = sum(count for value, count in counts.items() if low <= value <= high)
        return (within - (counts[low] + counts[high]) / 2) ** 2

    return ranks_between
