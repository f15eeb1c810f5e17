"""Whether our number reproduces the published one."""

from __future__ import annotations

from typing import Final

from seqpre.report.estimates import Estimate
from seqpre.report.published import PublishedNumber

REPRODUCED: Final = "reproduced"
DIRECTION: Final = "direction only"
NOT_REPRODUCED: Final = "not reproduced"
NOT_RUN: Final = "not run"
OTHER_SCALE: Final = "other scale \N{EN DASH} not comparable"
NOT_PUBLISHED: Final = ""

# Two identical runs often differ by this much, and one seed cannot say so.
NOISE = 0.5
SIGNIFICANT = 0.05


def rule(points: str) -> str:
    """Say how verdicts are reached; `points` says what scores are counted in."""
    return (
        f"Verdict: *{REPRODUCED}* if, at paper scale, ours is within max({NOISE} {points}, 2 sd over seeds) of the "
        f"published value, beyond the latter's rounding; *{DIRECTION}* if a difference only has the published sign and "
        f"is larger than its sd (one seed: p < {SIGNIFICANT} where tested); else *{NOT_REPRODUCED}*. "
        "At another scale a score is never compared, a difference by direction only."
    )


def score_verdict(ours: Estimate | None, published: PublishedNumber | None, *, same_scale: bool) -> str:
    """Judge a score, which only another score at the same scale can confirm."""
    if published is None:
        return NOT_PUBLISHED
    if ours is None:
        return NOT_RUN
    if not same_scale:
        return OTHER_SCALE
    return REPRODUCED if agrees(ours, published.value, published.tolerance) else NOT_REPRODUCED


def difference_verdict(ours: Estimate | None, published: float | None, tolerance: float, *, same_scale: bool) -> str:
    """Judge a difference between two systems, whose direction means something at every scale."""
    if published is None:
        return NOT_PUBLISHED
    if ours is None:
        return NOT_RUN
    if same_scale and agrees(ours, published, tolerance):
        return REPRODUCED
    clear = abs(ours.mean) > ours.sd if ours.sd is not None else all(p < SIGNIFICANT for p in ours.p_values)
    return DIRECTION if clear and ours.mean * published > 0 else NOT_REPRODUCED


def agrees(ours: Estimate, published: float, tolerance: float) -> bool:
    """Tell whether ours is as close to the published value as another run of the same system would be."""
    return abs(ours.mean - published) <= tolerance + max(NOISE, 2 * (ours.sd or 0.0)) + 1e-9


def worst(verdicts: list[str]) -> str:
    """Return one verdict for a row that has several columns: the least favourable."""
    order = (NOT_RUN, OTHER_SCALE, NOT_REPRODUCED, DIRECTION, REPRODUCED)
    return next((verdict for verdict in order if verdict in verdicts), NOT_PUBLISHED)
