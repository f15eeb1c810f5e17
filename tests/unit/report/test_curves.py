"""Learning curves: reading, averaging, interpolating."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from seqpre.common.errors import DataError
from seqpre.report.curves import Curve, Validation, curve, mean_curve, read_validations, update_marks, value_at


def line(step: int, bleu: float, **more: object) -> str:
    entry = {
        "event": "validation",
        "step": step,
        "cpu_seconds": 2.0 * step,
        "valid_bleu": bleu,
        "valid_perplexity": 9.0,
    }
    return json.dumps(entry | more)


def validations(*points: tuple[int, float]) -> list[Validation]:
    return [Validation(step, 2.0 * step, bleu, 9.0) for step, bleu in points]


def test_a_validation_repeated_after_an_interruption_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    train = json.dumps({"event": "train", "step": 150, "train_loss": 3.0})
    path.write_text("\n".join([line(100, 5.0), train, line(200, 7.0), line(200, 7.5), line(300, 8.0)]) + "\n")
    assert [(one.step, one.score) for one in read_validations(path)] == [(100, 5.0), (200, 7.5), (300, 8.0)]


def test_a_last_line_cut_short_is_left_out_but_damage_elsewhere_is_named(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text(line(100, 5.0) + "\n" + line(200, 7.0)[:20])
    assert [one.step for one in read_validations(path)] == [100]
    path.write_text(line(100, 5.0)[:20] + "\n" + line(200, 7.0) + "\n")
    with pytest.raises(DataError, match=r"metrics.jsonl, line 1: not valid JSON"):
        read_validations(path)


def test_values_between_validations_are_interpolated_and_never_extrapolated() -> None:
    run = validations((100, 10.0), (200, 20.0))
    assert value_at(run, 150, "score") == pytest.approx(15.0)
    assert value_at(run, 99, "score") is None
    assert value_at(run, 201, "score") is None
    assert value_at([], 100, "score") is None


def test_validations_without_a_score_are_no_points_of_its_curve() -> None:
    run = validations((100, float("nan")), (200, 20.0))
    assert curve(run, "cpu_seconds", "score").x.tolist() == [400.0]
    assert curve(run, "step", "perplexity").x.tolist() == [100.0, 200.0]


def test_a_mean_curve_covers_only_what_all_seeds_cover() -> None:
    one = Curve(np.array([0.0, 10.0, 20.0]), np.array([0.0, 10.0, 20.0]))
    other = Curve(np.array([5.0, 15.0]), np.array([1.0, 3.0]))
    mean = mean_curve([one, other, Curve(np.array([]), np.array([]))])
    # By hand: x 5: (5 + 1) / 2, 10: (10 + 2) / 2, 15: (15 + 3) / 2.
    assert mean.x.tolist() == [5.0, 10.0, 15.0]
    assert mean.y.tolist() == pytest.approx([3.0, 6.0, 9.0])
    assert len(mean_curve([]).x) == 0


def test_marks_double_and_are_validated_by_half_of_the_runs() -> None:
    runs = [validations(*((step, 1.0) for step in range(100, last + 1, 100))) for last in (800, 1600, 3200)]
    assert update_marks([*runs, []]) == [100, 200, 400, 800, 1600]
    assert update_marks([[]]) == []
