"""Numbers of tables are those that sacreBLEU, rouge-score and scipy give for the hypotheses, called directly."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from rouge_score.rouge_scorer import RougeScorer
from scipy import stats

from seqpre import score
from seqpre.report import tables

WORKFLOW = Path(__file__).parents[2] / "workflow"
# Words that every stemmer leaves as they are, so that ROUGE is the same whoever computes it.
WORDS = ["dog", "cat", "man", "rain", "park", "red", "old", "soft", "in", "the", "on", "with", "tall", "film", "ball"]
SHARES = {"full": (0.15, 0.16, 0.15, 0.14), "no_pretraining": (0.38, 0.37, 0.38, 0.39)}
"""How many words of its references each seed of a system gets wrong."""
Texts = dict[tuple[str, str], list[list[str]]]
"""Hypotheses of every seed, by system and split."""


def sentences(rng: random.Random, count: int) -> list[str]:
    return [" ".join(rng.choices(WORDS, k=rng.randint(6, 14))) for _ in range(count)]


def table_of(folder: Path, name: str, task: str, splits: list[str]) -> tuple[list[dict[str, str]], list[str], Texts]:
    """Score invented hypotheses of two systems, write tables; return one of them, the references, the hypotheses."""
    study, rng, texts = f"ramachandran-{task}", random.Random(5), Texts()
    references = sentences(rng, 60)
    (folder / "references").write_text("".join(f"{line}\n" for line in references))
    runs, options = [], ["--language", "en"] if task == "translation" else ["--task", task]
    for system, shares in SHARES.items():
        for seed, share in enumerate(shares, start=1):
            run = folder / "runs" / system / "100pct" / f"seed{seed}"
            run.mkdir(parents=True)
            for split in splits:
                lines = [" ".join(rng.choice(WORDS) if rng.random() < share else word for word in line.split())
                         for line in references]  # fmt: skip
                texts.setdefault((system, split), []).append(lines)
                (run / split).write_text("".join(f"{line}\n" for line in lines))
            score.main([*options, "--hypotheses", *(f"perplexity.{split}={run / split}" for split in splits),
                        "--references", *(f"{split}={folder}/references" for split in splits),
                        "--output", str(run / "scores.json"), "--sentences", str(run / "sentences.npz")])  # fmt: skip
            runs.append({"study": study, "scale": "small", "system": system, "label": system, "fraction": "100pct",
                         "seed": seed, "dir": str(run), "task": task})  # fmt: skip
    (folder / "runs.json").write_text(json.dumps(runs))
    tables.main(["--study", study, "--scale", "small", "--study-dir", str(folder), "--runs", str(folder / "runs.json"),
                 "--published", str(WORKFLOW / "published.tsv"), "--paper",
                 str(WORKFLOW / "papers/ramachandran2017.yaml"), "--output-dir", str(folder / "tables")])  # fmt: skip
    with (folder / "tables" / f"{name}.csv").open() as file:
        return list(csv.DictReader(file)), references, texts


def test_translations_are_scored_as_by_sacrebleu_and_their_differences_as_by_scipy(tmp_path: Path) -> None:
    rows, references, texts = table_of(tmp_path, "table_1", "translation", ["test_a", "test_b"])
    shown = {row["system"]: row for row in rows if row["seeds"]}

    def bleu(lines: list[str]) -> float:
        return sacrebleu.corpus_bleu(lines, [references]).score

    full, none = ([bleu(lines) for lines in texts[system, "test_a"]] for system in SHARES)
    gains = np.subtract(full, none)  # paired by seed
    numbers = {
        ("Pretrained seq2seq", "ours_test_a_mean"): np.mean(full),
        ("Pretrained seq2seq", "ours_test_a_sd"): stats.tstd(full),
        ("No pretraining (with LM objective)", "ours_test_a_mean"): np.mean(none),
        ("gain of pretraining", "ours_test_a_mean"): np.mean(gains),
        ("gain of pretraining", "ours_test_a_sd"): stats.tstd(gains),
        ("gain of pretraining", "ours_test_b_mean"): np.mean([bleu(lines) for lines in texts["full", "test_b"]])
        - np.mean([bleu(lines) for lines in texts["no_pretraining", "test_b"]]),
    }
    assert {place: float(shown[place[0]][place[1]]) for place in numbers} == pytest.approx(numbers)


def test_the_interval_of_a_difference_has_the_errors_of_seeds_and_of_sentences(tmp_path: Path) -> None:
    rows, references, texts = table_of(tmp_path, "ablations", "translation", ["test_a"])
    (row,) = [row for row in rows if row["tested_low"]]
    middle, low, high = (float(row[f"tested_{part}"]) for part in ("mean", "low", "high"))

    def difference(lines: list[int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.subtract(*(
            [sacrebleu.corpus_bleu([text[line] for line in lines], [[references[line] for line in lines]]).score
             for text in texts[system, "test_a"]]
            for system in ("no_pretraining", "full")
        ))  # fmt: skip

    found = difference(list(range(60)))
    rng = random.Random(7)
    drawn = [difference(rng.choices(range(60), k=60)).mean() for _ in range(300)]
    seeds = stats.t.ppf(0.975, len(found) - 1) * stats.sem(found)  # the paired t-test's
    half = np.hypot(seeds, stats.norm.ppf(0.975) * np.std(drawn, ddof=1))
    assert middle == pytest.approx(found.mean())
    assert (high - middle, middle - low) == pytest.approx((half, half), rel=0.05)
    assert half > 1.02 * seeds  # not of seeds alone


def test_summaries_are_scored_as_by_rouge_score(tmp_path: Path) -> None:
    rows, references, texts = table_of(tmp_path, "table_3", "summarization", ["test"])
    shown = {row["system"]: row for row in rows if row["test"].startswith("ours")}
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)

    def rouge(lines: list[str], kind: str) -> float:
        pairs = zip(references, lines, strict=True)
        return 100 * float(np.mean([scorer.score(reference, line)[kind].fmeasure for reference, line in pairs]))

    full, none = ([rouge(lines, "rouge1") for lines in texts[system, "test"]] for system in SHARES)
    numbers = {
        ("full", "rouge_1_mean"): np.mean(full),
        ("full", "rouge_1_sd"): stats.tstd(full),
        ("full", "rouge_2_mean"): np.mean([rouge(one, "rouge2") for one in texts["full", "test"]]),
        ("full", "rouge_l_mean"): np.mean([rouge(one, "rougeL") for one in texts["full", "test"]]),
        ("gain over no_pretraining", "rouge_1_mean"): np.mean(np.subtract(full, none)),
        ("gain over no_pretraining", "rouge_1_sd"): stats.tstd(np.subtract(full, none)),
    }
    assert {place: float(shown[place[0]][place[1]]) for place in numbers} == pytest.approx(numbers)
