"""Differences of runs, over seeds and sentences; and the page that says how to compute one again."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from study_tree import PUBLISHED, STUDY, Tree

from seqpre.report.ablations import ablations
from seqpre.report.claim_sources import perplexity_beside, score_after
from seqpre.report.contrasts import behind, contrast, contrast_of_validations, with_interval
from seqpre.report.results import load_results

REPOSITORY = PUBLISHED.parents[1]
SEEDS = {"full": (30.0, 31.0, 30.2), "encoder_only": (28.0, 28.4, 27.9), "decoder_only": (29.1, 30.0, 29.5)}
DIFFERENCE = {("encoder_only", "20pct"): 1.0, ("full", "20pct"): -1.0}


@pytest.fixture
def three(tree: Tree) -> Tree:
    """Return a study of three systems and three seeds."""
    for system, scores in SEEDS.items():
        for seed, score in enumerate(scores, start=1):
            tree.add(system, "20pct", seed, score)
    return tree


def test_a_difference_is_over_seeds_of_all_systems_and_over_the_scores_own_intervals(three: Tree) -> None:
    one = contrast(three.load(), DIFFERENCE, three.tests)
    assert one is not None
    scores = np.array(list(SEEDS.values()))
    residuals = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    # Two of three systems; the intervals are 0.9 to each side; the mean of two tests halves their variance.
    assert one.value == pytest.approx(scores[1].mean() - scores[0].mean())
    (seeds, df), (sentences, known) = one.components
    assert (seeds, df) == (pytest.approx((residuals**2).sum() / 4 * 2 / 3), 4)
    assert (sentences, known) == (pytest.approx(2 * (0.9 / 1.959964) ** 2 / 2), np.inf)


def test_only_seeds_that_all_systems_have_are_compared(three: Tree) -> None:
    three.add("full", "20pct", 4, 90.0)
    one, before = (contrast(three.load(), DIFFERENCE, ["valid"]) for _ in range(2))
    assert one == before
    assert one is not None
    assert one.value == pytest.approx(np.mean(SEEDS["encoder_only"]) - np.mean(SEEDS["full"]))
    of = behind(three.load(), DIFFERENCE, ["valid"])
    assert [one.value for one in of] == [*SEEDS["encoder_only"], *SEEDS["full"]]


def test_what_has_not_been_run_has_no_difference(three: Tree) -> None:
    three.declare("parallel_lm", "20pct", 1)
    results = three.load()
    assert contrast(results, {("parallel_lm", "20pct"): 1.0, ("full", "20pct"): -1.0}, ["valid"]) is None
    assert contrast(results, {("encoder_only", "100pct"): 1.0, ("full", "100pct"): -1.0}, ["valid"]) is None
    late = contrast_of_validations(results, DIFFERENCE, lambda _, run: score_after(run, 10**6))
    assert late == (None, ())


def test_an_early_perplexity_stands_beside_the_lowest_of_what_is_taken_away(tree: Tree) -> None:
    curves = {
        "full": {1: [(100, 50.0), (300, 20.0), (600, 9.0)], 2: [(100, 52.0), (300, 24.0), (600, 8.0)]},
        "no_pretraining": {1: [(100, 90.0), (500, 35.0), (600, 36.0)], 2: [(100, 99.0), (600, 30.0)]},
    }
    for system, seeds in curves.items():
        for seed, validations in seeds.items():
            folder = tree.add(system, "100pct", seed, 30.0)
            lines = (
                {"event": "validation", "step": step, "cpu_seconds": 1.0, "valid_perplexity": perplexity}
                for step, perplexity in validations
            )
            (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    terms = {("full", "100pct"): 1.0, ("no_pretraining", "100pct"): -1.0}
    found, behind = contrast_of_validations(tree.load(), terms, lambda cell, run: perplexity_beside(cell, run, terms))
    assert found is not None
    assert found.value == pytest.approx(51.0 - 32.5)  # after a sixth of 600 updates
    assert [one.value for one in behind] == [50.0, 52.0, 35.0, 30.0]


def test_fractions_have_errors_of_their_own(three: Tree) -> None:
    for seed in (1, 2, 3):
        three.add("full", "100pct", seed, 40 + seed)
        three.add("encoder_only", "100pct", seed, 39 + seed**2)
    gap = DIFFERENCE | {("encoder_only", "100pct"): -1.0, ("full", "100pct"): 1.0}
    one = contrast(three.load(), gap, ["valid"])
    assert one is not None
    assert [df for _, df in one.components] == [4, 2, np.inf]


def test_one_run_under_two_names_is_pooled_once(three: Tree) -> None:
    once = contrast(three.load(), DIFFERENCE, three.tests)
    for name in ("a_second_name", "z_third_name"):
        for seed, score in enumerate(SEEDS["encoder_only"], start=1):
            three.add(name, "20pct", seed, score)
    for name in ("encoder_only", "a_second_name", "z_third_name"):
        again = contrast(three.load(), {(name, "20pct"): 1.0, ("full", "20pct"): -1.0}, three.tests)
        assert once is not None
        assert again is not None
        assert again.components[0] == pytest.approx(once.components[0])


def test_the_interval_of_a_mean_is_wider_than_that_of_its_runs(three: Tree) -> None:
    results = three.load()
    one = with_interval(results, ("full", "20pct"), "valid")
    assert one is not None
    assert one.low is not None
    assert one.low < np.mean(SEEDS["full"]) - 0.9


def test_the_page_recomputes_all_that_the_table_of_ablations_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (REPOSITORY / "docs/statistics.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(REPOSITORY)
    found: dict[str, Any] = {}
    exec(code, found)
    theirs = {(system, fraction): row for (fraction, system), row in found["table"].T.items()}
    folder = Path("results/small") / STUDY
    zipfile.ZipFile(folder / "records.zip").extractall(tmp_path)
    monkeypatch.chdir(tmp_path)
    results = load_results(folder, PUBLISHED.parent)
    (metric,) = results.task.validation
    rows = {(one.system, one.fraction): one for group in ablations(results).values() for one in group}
    again = {("no_pretraining_no_lm_objective", "2.5pct")}
    assert rows.keys() - theirs.keys() == again, "which has the scores of low_resource_baseline"
    for cell, line in theirs.items():
        tested = rows[cell].tested[metric]
        one = tested.difference
        assert one is not None
        assert (one.value, *one.interval()) == pytest.approx((line.difference, line.low, line.high))
        assert (one.p_zero(), tested.p_value) == pytest.approx((line.p, line.holm), rel=1e-3)
    # Pooled over five systems; of two alone; shown by itself, not among all.
    cells = ("decoder_only", "20pct"), ("no_lm_objective", "10pct"), ("encoder_only", "20pct")
    ours, seeds = [rows[cell] for cell in cells], found["SEEDS"]
    degrees = [one.tested[metric].difference.components[0][1] for one in ours]  # type: ignore[union-attr]
    assert degrees == [4 * (seeds - 1), seeds - 1, 4 * (seeds - 1)]
    assert [one.verdict(same_scale=False) for one in ours] == ["not reproduced", "not reproduced", "undecided"]
    assert theirs["encoder_only", "20pct"].p < 0.05
