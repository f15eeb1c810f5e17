"""Validation curves from `metrics.jsonl`, their mean over seeds, and their value after a number of updates."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seqpre.common.errors import DataError
from seqpre.common.files import read_lines
from seqpre.study.tasks import TASKS

Axis = Literal["step", "cpu_seconds"]
Quantity = Literal["score", "perplexity"]
SCORES = tuple(f"valid_{task.metric}" for task in TASKS.values())


class Validation(NamedTuple):
    """One validation in training; `score` is of greedy outputs (BLEU, ROUGE-1, GLEU), nan for language models."""

    step: int
    cpu_seconds: float
    score: float
    perplexity: float


class Curve(NamedTuple):
    """Points with equally many x and y, sorted by x."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]


def read_validations(path: Path) -> list[Validation]:
    """Read the validations of one run, each update once, in order.

    An interrupted run may have validated twice after the same update; the later line counts. A truncated last line is
    ignored; any other damaged line is a DataError.
    """
    lines = list(read_lines(path))
    found: dict[int, Validation] = {}
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            if number == len(lines):
                break
            raise DataError(f"{path}, line {number}: not valid JSON ({error})") from error
        if entry.get("event") == "validation":
            score = next((entry[key] for key in SCORES if key in entry), float("nan"))
            found[entry["step"]] = Validation(entry["step"], entry["cpu_seconds"], score, entry["valid_perplexity"])
    return [found[step] for step in sorted(found)]


def curve(validations: Sequence[Validation], axis: Axis, quantity: Quantity) -> Curve:
    """Return one quantity of one run against updates or CPU seconds, where it was measured."""
    points = [(getattr(one, axis), getattr(one, quantity)) for one in validations]
    array = np.array([point for point in points if math.isfinite(point[1])], dtype=np.float64).reshape(-1, 2)
    return Curve(array[:, 0], array[:, 1])


def mean_curve(curves: Sequence[Curve]) -> Curve:
    """Return the mean of curves over their common range, interpolating between points.

    The mean ends where the first run stopped: beyond, it would jump to the mean of other seeds.
    """
    curves = [one for one in curves if len(one.x)]
    if not curves:
        return Curve(np.array([]), np.array([]))
    low, high = max(one.x[0] for one in curves), min(one.x[-1] for one in curves)
    points = np.unique(np.concatenate([one.x for one in curves]))
    points = points[(points >= low) & (points <= high)]
    return Curve(points, np.mean([np.interp(points, one.x, one.y) for one in curves], axis=0))


def value_at(validations: Sequence[Validation], step: int, quantity: Quantity) -> float | None:
    """Return a quantity after `step` updates, interpolated; None before the first and after the last validation."""
    one = curve(validations, "step", quantity)
    if not len(one.x) or not one.x[0] <= step <= one.x[-1]:
        return None
    return float(np.interp(step, one.x, one.y))


def update_marks(runs: Sequence[Sequence[Validation]]) -> list[int]:
    """Return up to five numbers of updates at which to compare systems, each about twice the one before.

    All are validation steps. At the last, half of the runs are still training, so no column is empty.
    """
    runs = [run for run in runs if run]
    if not runs:
        return []
    lengths = sorted(run[-1].step for run in runs)
    last = lengths[(len(lengths) - 1) // 2]
    steps = sorted({validation.step for run in runs for validation in run if validation.step <= last})
    return sorted({min(steps, key=lambda step: abs(step - last / 2**power)) for power in range(5)})
