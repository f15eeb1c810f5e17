"""Whether our number reproduces the published one, by tests that may also be inconclusive."""

from __future__ import annotations

from typing import Final

import numpy as np

from seqpre.metrics.inference import LEVEL, Estimate
from seqpre.report.estimates import Comparison, SeedMean
from seqpre.report.published import PublishedNumber

REPRODUCED: Final = "reproduced"
DIRECTION: Final = "direction only"
OTHER_DIRECTION: Final = "other direction"
NOT_REPRODUCED: Final = "not reproduced"
UNDECIDED: Final = "undecided"
NOT_RUN: Final = "not run"
OTHER_SCALE: Final = "other scale \N{EN DASH} not comparable"
OTHER_LANGUAGES: Final = "other languages \N{EN DASH} not comparable"
NOT_PUBLISHED: Final = ""

SEEDS = 3
"""With fewer seeds, no verdict goes beyond a direction."""

# Largest distance from the published number at which ours counts as the same. The margin is ours: two runs of one
# system often differ by this much, and the paper's number is of one run.
MARGIN = 0.5


def rule(points: str) -> str:
    """Return the explanation of the verdicts; `points` is the unit of scores."""
    return (
        f"Verdict, at the level {LEVEL}: *{REPRODUCED}* if, at paper scale, ours is shown to lie within {MARGIN} "
        f"{points} of the published value, beyond the latter's rounding (two one-sided tests over seeds; the margin is "
        f"ours); *{DIRECTION}* if a difference is shown to have the published sign; *{NOT_REPRODUCED}* if a score is "
        f"shown to lie further off, a difference to have the other sign or, where the published one is larger, to be "
        f"within {MARGIN} of 0; else *{UNDECIDED}*. At another scale a score is never compared, a difference by "
        f"direction only; so it is with fewer than {SEEDS} seeds, the other sign then being *{OTHER_DIRECTION}*. In "
        f"a table of corrected p-values *within {MARGIN}* is corrected, too (Bonferroni). "
        "docs/statistics.md has the rules."
    )


def score_verdict(ours: SeedMean | None, published: PublishedNumber, elsewhere: str) -> str:
    """Judge a score, which needs one at the same scale; `elsewhere` says why it is not comparable."""
    if ours is None:
        return NOT_RUN
    if elsewhere:
        return elsewhere
    if ours.n < SEEDS:
        return UNDECIDED
    low, high = _margin(published.value, published.tolerance)
    one = _over_seeds(ours)
    if one.p_within(low, high) < LEVEL:
        return REPRODUCED
    return NOT_REPRODUCED if one.p_beyond(low, high) < LEVEL / 2 else UNDECIDED


def difference_verdict(
    ours: SeedMean | None, tested: Comparison, published: float | None, tolerance: float, *, same_scale: bool
) -> str:
    """Judge a difference between two systems, whose direction is meaningful at every scale.

    `ours` is on the published text, `tested` tests whether there is a difference at all. Its p-value is already
    corrected for the rows of the table; the test that two numbers are equal is corrected here (Bonferroni).
    """
    if published is None:
        return NOT_PUBLISHED
    if ours is None:
        return NOT_RUN
    enough = ours.n >= SEEDS
    if same_scale and enough and _over_seeds(ours).p_within(*_margin(published, tolerance)) < LEVEL / tested.rows:
        return REPRODUCED
    one = tested.difference
    if one is None:
        return UNDECIDED
    if tested.p_value < LEVEL and published:  # 0 has no direction
        return DIRECTION if one.value * published > 0 else NOT_REPRODUCED if enough else OTHER_DIRECTION
    none_at_all = enough and abs(published) > MARGIN + tolerance and one.p_within(-MARGIN, MARGIN) < LEVEL / tested.rows
    return NOT_REPRODUCED if none_at_all else UNDECIDED


def worst(verdicts: list[str]) -> str:
    """Return the least favourable verdict of a row with several columns."""
    order = (NOT_RUN, OTHER_SCALE, OTHER_LANGUAGES, NOT_REPRODUCED, OTHER_DIRECTION, UNDECIDED, DIRECTION, REPRODUCED)
    return next((verdict for verdict in order if verdict in verdicts), NOT_PUBLISHED)


def _margin(published: float, tolerance: float) -> tuple[float, float]:
    return published - MARGIN - tolerance, published + MARGIN + tolerance


def _over_seeds(ours: SeedMean) -> Estimate:
    """Return our mean with its error over seeds, on the text that the published number is for."""
    variance = np.inf if ours.sd is None else ours.sd**2 / ours.n
    return Estimate(ours.mean, ((variance, max(ours.n - 1, 1)),))
