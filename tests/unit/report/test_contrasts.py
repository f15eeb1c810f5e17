"""Differences of runs, over seeds and sentences; and the page that says how to compute one again."""

from __future__ import annotations

import csv
import json
import random
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from study_tree import PUBLISHED, Tree

from seqpre.metrics.bleu import detokenized_bleu
from seqpre.metrics.sentences import key, write_sentences
from seqpre.report.contrasts import contrast, contrast_after, contrast_of_perplexity, with_interval

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
    (seeds, df), (sentences, known) = one.parts
    assert (seeds, df) == (pytest.approx((residuals**2).sum() / 4 * 2 / 3), 4)
    assert (sentences, known) == (pytest.approx(2 * (0.9 / 1.959964) ** 2 / 2), np.inf)


def test_only_seeds_that_all_systems_have_are_compared(three: Tree) -> None:
    three.add("full", "20pct", 4, 90.0)
    one, before = (contrast(three.load(), DIFFERENCE, ["valid"]) for _ in range(2))
    assert one == before
    assert one is not None
    assert one.value == pytest.approx(np.mean(SEEDS["encoder_only"]) - np.mean(SEEDS["full"]))


def test_what_has_not_been_run_has_no_difference(three: Tree) -> None:
    three.declare("parallel_lm", "20pct", 1)
    results = three.load()
    assert contrast(results, {("parallel_lm", "20pct"): 1.0, ("full", "20pct"): -1.0}, ["valid"]) is None
    assert contrast(results, {("encoder_only", "100pct"): 1.0, ("full", "100pct"): -1.0}, ["valid"]) is None
    assert contrast_after(results, {("full", "20pct"): 1.0, ("encoder_only", "20pct"): -1.0}, 10**6) is None


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
    found = [contrast_of_perplexity(tree.load(), terms, share) for share in (1 / 6, 1 / 2, 0.1)]
    assert [one and round(one.value, 6) for one in found] == [51.0 - 32.5, 22.0 - 32.5, None]


def test_fractions_have_errors_of_their_own(three: Tree) -> None:
    for seed in (1, 2, 3):
        three.add("full", "100pct", seed, 40 + seed)
        three.add("encoder_only", "100pct", seed, 39 + seed**2)
    gap = DIFFERENCE | {("encoder_only", "100pct"): -1.0, ("full", "100pct"): 1.0}
    one = contrast(three.load(), gap, ["valid"])
    assert one is not None
    assert [df for _, df in one.parts] == [4, 2, np.inf]


def test_the_interval_of_a_mean_is_wider_than_that_of_its_runs(three: Tree) -> None:
    results = three.load()
    one = with_interval(results, results.score("full", "20pct", "valid"), "full", "20pct", "valid")
    assert one is not None
    assert one.low is not None
    assert one.low < np.mean(SEEDS["full"]) - 0.9


def lines(words: str, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(words, k=rng.randint(4, 12))) for _ in range(40)]


@pytest.fixture
def with_sentences(three: Tree) -> Tree:
    """Return the same study with statistics of sentences; those of a system resemble each other."""
    references = lines("abcdefgh", 0)
    for run in three.runs:
        rng = random.Random(run["system"] + str(run["seed"]))
        hypotheses = [" ".join(w if rng.random() < 0.8 else "x" for w in line.split()) for line in references]
        statistics = detokenized_bleu(hypotheses, references).statistics
        arrays = {key("perplexity", split, "bleu_sacre_13a"): statistics for split in three.tests}
        write_sentences(Path(run["dir"]) / "sentences.npz", arrays)
    return three


def code_of_page() -> str:
    page = (REPOSITORY / "docs/statistics.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    return str(code)


def test_the_page_recomputes_a_verdict_of_the_committed_records(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(REPOSITORY)
    exec(code_of_page(), {})
    alone, clearest = capsys.readouterr().out.splitlines()
    text = Path("results/small/ramachandran-translation/tables/ablations.md").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if re.match(r"\| Only pretrain decoder +\| 20 %", line)]
    assert alone in line
    assert (line.split("|")[-2].strip() == "not reproduced") == (float(clearest.split("[")[1].split(",")[0]) > 0)


def test_the_page_recomputes_the_error_over_sentences(
    with_sentences: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = contrast(with_sentences.load(), DIFFERENCE, with_sentences.tests)
    assert one is not None
    monkeypatch.chdir(tmp_path)
    code = code_of_page()
    for theirs, ours in (('"bleu"', '"perplexity"'), ("decoder_only", "encoder_only")):
        assert theirs in code
        code = code.replace(theirs, ours)
    folder = Path("results/small/ramachandran-translation")
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "records.zip", "w") as archive:
        for run in with_sentences.runs:
            place = folder / "runs" / run["system"] / "20pct" / f"seed{run['seed']}"
            for name in ("scores.json", "sentences.npz"):
                archive.write(Path(run["dir"]) / name, place / name)
    found: dict[str, Any] = {}
    exec(code, found)
    assert found["seed_error"] ** 2 == pytest.approx(one.parts[0][0])
    assert found["sentence_error"] ** 2 == pytest.approx(one.parts[1][0])
    assert one.parts[1][0] > 0


def test_the_committed_claims_have_numbers_for_programs() -> None:
    path = REPOSITORY / "results/small/ramachandran-translation/tables/claims.csv"
    with path.open(encoding="utf-8", newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["claim"] == "R-C4")
    assert float(row["ours_low"]) < float(row["ours_mean"]) < float(row["ours_high"])
