"""Numbers of every printed table are those that sacreBLEU, rouge-score, scipy and a few lines here give for the texts.

The hypotheses are invented, the commands those of the workflow: score, then tables.
"""

from __future__ import annotations

import csv
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from numpy.typing import NDArray
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from scipy import optimize, stats
from shared import write_lines

from seqpre import score
from seqpre.report import tables

WORKFLOW = Path(__file__).parents[2] / "workflow"
PAPERS = {"ramachandran": "ramachandran2017", "edunov": "edunov2019", "poda": "poda2019"}
# Words that every stemmer leaves as they are, so that ROUGE is the same whoever computes it.
WORDS = ["dog", "cat", "man", "rain", "park", "red", "old", "soft", "in", "the", "on", "with", "tall", "film", "ball"]
END = "¶"
"""Between the sentences of a summary."""
Grid = Mapping[tuple[str, str], Sequence[float]]
"""How many words each seed of a system gets wrong, by system and fraction."""
Texts = dict[tuple[str, str, str], list[list[str]]]
"""Hypotheses of every seed, by system, fraction and split."""
Places = dict[tuple[str, ...], float]
"""Numbers of a table, by cells that tell their row and, last, their column."""


def invented(count: int = 60) -> list[str]:
    rng = random.Random(5)
    return [" ".join(rng.choices(WORDS, k=rng.randint(6, 14))) for _ in range(count)]


TRANSLATIONS = invented()
SUMMARIES = [f"{line} {END} {other}" for line, other in zip(TRANSLATIONS, TRANSLATIONS[::-1], strict=True)]


def noised(line: str, share: float, rng: random.Random) -> str:
    return " ".join(rng.choice(WORDS) if word != END and rng.random() < share else word for word in line.split())


# Corrections: every fourth word may be wrong in a source, with an s that is not wanted. So far apart, no two changes
# can be read as one edit, and how a text is aligned with its source is evident.
RIGHT = [line.split() for line in invented(120) if len(line.split()) > 8]
PLACES = (0, 4, 8)
ERRORS = [[place for place in PLACES if (number + place) % 3] for number in range(len(RIGHT))]
SOURCES = [
    [f"{word}s" if place in wrong else word for place, word in enumerate(line)]
    for line, wrong in zip(RIGHT, ERRORS, strict=True)
]
M2 = "".join(
    "".join([f"S {' '.join(source)}\n",
             *(f"A {at} {at + 1}|||Noun|||{right[at]}|||REQUIRED|||-NONE-|||0\n" for at in wrong), "\n"])
    for source, right, wrong in zip(SOURCES, RIGHT, ERRORS, strict=True)
)  # fmt: skip


def corrected(number: int, share: float, rng: random.Random) -> str:
    """Leave errors, or write something else where there are none, in a share of the places."""
    written = list(RIGHT[number])
    for place in PLACES:
        if rng.random() < share:
            written[place] = SOURCES[number][place] if place in ERRORS[number] else "xyz"
    return " ".join(written)


def report(folder: Path, study: str, task: str, grid: Grid, splits: Sequence[str]) -> Texts:
    """Score invented hypotheses, and write the tables of a study at the scale `small`."""
    rng, texts, runs = random.Random(7), Texts(), []
    targets = {"translation": TRANSLATIONS, "summarization": SUMMARIES}.get(task) or [" ".join(line) for line in RIGHT]
    options = ["--language", "en"] if task == "translation" else ["--task", task]
    files = {"references": targets, "sources": [" ".join(line) for line in SOURCES], "m2": M2.splitlines()}
    for name, lines in files.items():
        write_lines(folder / name, lines)
    if task == "correction":
        options += ["--sources", *(f"{split}={folder}/sources" for split in splits), "--gold", f"conll2014={folder}/m2"]
    for (system, fraction), shares in grid.items():
        for seed, share in enumerate(shares, start=1):
            run = folder / "runs" / system / fraction / f"seed{seed}"
            for split in splits:
                lines = [
                    corrected(number, share, rng) if task == "correction" else noised(line, share, rng)
                    for number, line in enumerate(targets)
                ]
                texts.setdefault((system, fraction, split), []).append(lines)
                write_lines(run / split, lines)
            score.main([*options, "--hypotheses", *(f"perplexity.{split}={run / split}" for split in splits),
                        "--references", *(f"{split}={folder}/references" for split in splits),
                        "--output", str(run / "scores.json"), "--sentences", str(run / "sentences.npz")])  # fmt: skip
            runs.append({"system": system, "fraction": fraction, "seed": seed})
    described = {
        "name": study, "scale": "small", "paper": PAPERS[study.partition("-")[0]], "published_as": study, "task": task,
        "languages": ["en", "de"], "corpus": "mine", "tests": [split for split in splits if split != "valid"],
        "labels": {}, "reference": next(iter(grid))[0], "runs": runs,
    }  # fmt: skip
    (folder / "study.json").write_text(json.dumps(described))
    tables.main([str(folder), "--checkout", str(WORKFLOW.parent)])
    return texts


def numbers(folder: Path, table: str, places: Places) -> Places:
    """Return what a table has in some places."""
    with (folder / "tables" / f"{table}.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = {place: [row for row in rows if set(place[:-1]) <= set(row.values())] for place in places}
    assert {place: len(of) for place, of in found.items()} == dict.fromkeys(places, 1)
    return {place: float(row[place[-1]]) for place, (row,) in found.items()}


def bleu(lines: list[str]) -> float:
    return sacrebleu.corpus_bleu(lines, [TRANSLATIONS]).score


def bleu_tokenized(lines: list[str]) -> float:
    return sacrebleu.corpus_bleu(lines, [TRANSLATIONS], tokenize="none", smooth_method="none").score


def rouge(lines: list[str], kind: str) -> float:
    scorer = RougeScorer([kind], use_stemmer=True)
    texts = [[text.replace(f" {END} ", "\n") for text in pair] for pair in zip(SUMMARIES, lines, strict=True)]
    return 100 * float(np.mean([scorer.score(*pair)[kind].fmeasure for pair in texts]))


def edits(lines: list[str], what: str) -> float:
    """Return precision, recall or F0.5 of edits, each of which is one changed word."""
    correct = proposed = 0
    for source, right, line in zip(SOURCES, RIGHT, lines, strict=True):
        for was, should, is_ in zip(source, right, line.split(), strict=True):
            proposed += is_ != was
            correct += is_ == should != was
    precision, recall = correct / proposed, correct / sum(map(len, ERRORS))
    return 100 * {"P": precision, "R": recall, "F": 1.25 * precision * recall / (0.25 * precision + recall)}[what]


def gleu(lines: list[str]) -> float:
    """Return GLEU of one reference (Napoles et al., 2016): n-grams of a source alone are kept wrongly."""
    logs = []
    for order in (1, 2, 3, 4):
        matched = total = 0
        for source, right, line in zip(SOURCES, RIGHT, lines, strict=True):
            theirs, good, ours = (
                Counter(tuple(text[at : at + order]) for at in range(len(text) - order + 1))
                for text in (source, right, line.split())
            )
            wrong = Counter({ngram: count for ngram, count in theirs.items() if ngram not in good})
            matched += max(0, (ours & good).total() - (ours & wrong).total())
            total += ours.total()
        logs.append(math.log(matched / total))
    # Every text is as long as its reference: nothing is taken off for brevity.
    return 100 * math.exp(sum(logs) / 4)


def of_seeds(scores: Sequence[float], column: str, *row: str) -> Places:
    """Return mean and standard deviation over seeds, as a table has them."""
    return {(*row, f"{column}_mean"): float(np.mean(scores)), (*row, f"{column}_sd"): float(stats.tstd(scores))}


Scorer = Callable[[list[str]], float]


def scored(texts: Texts, scorer: Scorer, *cell: str) -> NDArray[np.float64]:
    """Return the scores of a system's seeds."""
    return np.array([scorer(lines) for lines in texts[cell[0], cell[1], cell[2]]])


def gained(texts: Texts, scorer: Scorer, one: str, other: str, *at: str) -> NDArray[np.float64]:
    """Return what one system is above another, seed by seed."""
    return scored(texts, scorer, one, *at) - scored(texts, scorer, other, *at)


LITTLE, MORE = (0.15, 0.17, 0.14), (0.38, 0.35, 0.39)


def test_ramachandran_s_tables_of_translations(tmp_path: Path) -> None:
    grid = {("full", "100pct"): LITTLE, ("no_pretraining", "100pct"): MORE, ("full", "20pct"): (0.3, 0.33, 0.32),
            ("no_pretraining", "20pct"): (0.5, 0.6, 0.55), ("low_resource_frozen", "2.5pct"): (0.6, 0.62, 0.64),
            ("low_resource_baseline", "2.5pct"): (0.7, 0.75, 0.7)}  # fmt: skip
    texts = report(tmp_path, "ramachandran-translation", "translation", grid, ["valid", "test_a"])
    pair, all_data, little = ("full", "no_pretraining"), ("100pct", "test_a"), ("2.5pct", "valid")
    frozen, plain = "low_resource_frozen", "low_resource_baseline"
    expected: dict[str, Places] = {
        "table_1": {
            **of_seeds(scored(texts, bleu, "full", *all_data), "ours_test_a", "Pretrained seq2seq", "single"),
            **of_seeds(gained(texts, bleu, *pair, *all_data), "ours_test_a", "gain of pretraining"),
            **of_seeds(scored(texts, bleu, "no_pretraining", *all_data), "ours_test_a",
                       "No pretraining (with LM objective)"),
        },
        "table_2": {
            **of_seeds(scored(texts, bleu_tokenized, frozen, *little), "ours_valid", "Pretrained (emb+softmax frozen)"),
            **of_seeds(scored(texts, bleu_tokenized, plain, *little), "ours_valid", "Baseline supervised"),
            **of_seeds(gained(texts, bleu_tokenized, frozen, plain, *little), "ours_valid", "gain of pretraining"),
        },
        "fractions": {
            **of_seeds(scored(texts, bleu_tokenized, "full", "20pct", "valid"), "ours_full", "20 %"),
            **of_seeds(gained(texts, bleu_tokenized, *pair, "20pct", "valid"), "ours_gain", "20 %"),
            **of_seeds(gained(texts, bleu, *pair, *all_data), "gain_test_a", "100 %"),
            ("100 %", "tested_mean"): float(gained(texts, bleu, *pair, *all_data).mean()),
        },
    }  # fmt: skip
    for table, places in expected.items():
        assert numbers(tmp_path, table, places) == pytest.approx(places), table


def test_edunov_s_table_4_and_the_means_over_its_tests(tmp_path: Path) -> None:
    grid = {("src_elmo_shdemb", "100pct"): LITTLE, ("src_elmo", "100pct"): (0.2, 0.21, 0.19),
            ("baseline", "100pct"): MORE}  # fmt: skip
    tests = ["newstest2012", "newstest2013"]
    texts = report(tmp_path, "edunov-translation", "translation", grid, tests)
    by_test = {test: gained(texts, bleu, "src_elmo", "baseline", "100pct", test) for test in tests}
    places = {
        **of_seeds(scored(texts, bleu, "baseline", "100pct", tests[0]), f"ours_{tests[0]}", "baseline", "100 %"),
        **of_seeds(by_test[tests[0]], f"ours_{tests[0]}", "gain of src-elmo", "100 %"),
        **of_seeds(by_test[tests[1]], f"ours_{tests[1]}", "gain of src-elmo", "100 %"),
    }
    assert numbers(tmp_path, "table_4", places) == pytest.approx(places)
    mean = {("src-elmo", "100 %", "tested_mean"): float(np.mean(list(by_test.values())))}
    assert numbers(tmp_path, "fractions", mean) == pytest.approx(mean)


@pytest.mark.parametrize(
    ("study", "table", "last"),
    [
        ("ramachandran-summarization", "table_3", "rouge_lsum"),
        ("poda-summarization", "table_3", "rouge_lsum"),
        ("poda-headlines", "table_4", "rouge_l"),
    ],
)
def test_tables_of_summaries(tmp_path: Path, study: str, table: str, last: str) -> None:
    grid = {("full", "100pct"): LITTLE, ("no_pretraining", "100pct"): MORE}
    texts = report(tmp_path, study, "summarization", grid, ["test"])
    places = Places()
    for metric, kind in (("rouge_1", "rouge1"), ("rouge_2", "rouge2"), (last, last.replace("rouge_l", "rougeL"))):
        full, none = ([rouge(lines, kind) for lines in texts[system, "100pct", "test"]] for system, _ in grid)
        places |= of_seeds(full, metric, "full", "ours, mine, test") | of_seeds(
            none, metric, "no_pretraining", "ours, mine, test"
        )
        places |= of_seeds(np.subtract(full, none), metric, "gain over no_pretraining", "ours, mine, test")
    assert numbers(tmp_path, table, places) == pytest.approx(places)


def test_tables_of_corrections(tmp_path: Path) -> None:
    ablated = "no_pretrained_encoder"
    grid = {("full", "100pct"): LITTLE, ("no_pretraining", "100pct"): MORE, (ablated, "100pct"): (0.2, 0.25, 0.22)}
    texts = report(tmp_path, "poda-correction", "correction", grid, ["conll2014", "jfleg"])
    at, columns = ("100pct", "conll2014"), {"P": "m2_precision", "R": "m2_recall", "F": "m2_f0.5"}
    for table, other in (("table_6", "no_pretraining"), ("table_9", ablated)):
        places = Places()
        for what, column in columns.items():

            def scorer(lines: list[str], what: str = what) -> float:
                return edits(lines, what)

            places |= of_seeds(scored(texts, scorer, other, *at), column, other, "ours, mine, conll2014")
            gain = gained(texts, scorer, "full", other, *at)
            places |= of_seeds(gain, column, f"gain over {other}", "ours, mine, conll2014")
        assert numbers(tmp_path, table, places) == pytest.approx(places), table
    places = of_seeds(scored(texts, gleu, "full", "100pct", "jfleg"), "ours_jfleg", "PoDA")
    places |= of_seeds(scored(texts, gleu, "no_pretraining", "100pct", "jfleg"), "ours_jfleg", "PoDA w/o pre-training")
    assert numbers(tmp_path, "table_7", places) == pytest.approx(places)


def resampled(texts: Sequence[tuple[list[str], float]], draws: int = 1000) -> float:
    """Return the variance of a weighted sum of BLEU scores over sentences drawn again and again."""
    counted = [
        [sacrebleu.sentence_bleu(line, [reference]) for line, reference in zip(lines, TRANSLATIONS, strict=True)]
        for lines, _ in texts
    ]
    table = np.array([[[one.sys_len, one.ref_len, *one.counts, *one.totals] for one in text] for text in counted])
    rng, sums = np.random.default_rng(3), []
    for _ in range(draws):
        drawn = table[:, rng.integers(0, len(TRANSLATIONS), len(TRANSLATIONS))].sum(axis=1).tolist()
        found = [BLEU.compute_bleu(counts[2:6], counts[6:], *counts[:2]).score for counts in drawn]
        sums.append(sum(weight * one for (_, weight), one in zip(texts, found, strict=True)))
    return float(np.var(sums, ddof=1))


def test_intervals_and_p_values_of_claims_have_the_errors_of_seeds_and_of_sentences(tmp_path: Path) -> None:
    grid = {("full", "20pct"): (0.15, 0.16, 0.15, 0.14), ("no_pretraining", "20pct"): (0.38, 0.37, 0.38, 0.39),
            ("encoder_only", "20pct"): (0.26, 0.27, 0.25, 0.28),
            ("decoder_only", "20pct"): (0.22, 0.23, 0.21, 0.22)}  # fmt: skip
    texts = report(tmp_path, "ramachandran-translation", "translation", grid, ["test_a"])
    scores = np.array([scored(texts, bleu, *cell, "test_a") for cell in grid])
    systems, seeds = scores.shape
    assert stats.bartlett(*scores).pvalue > 0.05, "the spreads are alike: they are pooled"
    residuals = scores - scores.mean(axis=1, keepdims=True)
    residuals -= residuals.mean(axis=0)
    df = (systems - 1) * (seeds - 1)
    # Pretraining only the decoder loses less than only the encoder; gains compound.
    claims, p_values = {"R-C4": (0, 0, -1, 1), "R-C5": (-1, -1, 1, 1)}, []
    for name, weights in claims.items():
        middle = float(scores.mean(axis=1) @ weights)
        of_seeds_ = math.sqrt((residuals**2).sum() / df * np.square(weights).sum() / seeds)
        weighted = [(lines, weight / seeds) for cell, weight in zip(grid, weights, strict=True) if weight
                    for lines in texts[*cell, "test_a"]]  # fmt: skip
        of_sentences = math.sqrt(resampled(weighted))

        def half(one_sided: float, first: float = of_seeds_, second: float = of_sentences) -> float:
            return float(np.hypot(stats.t.isf(one_sided, df) * first, stats.norm.isf(one_sided) * second))

        with (tmp_path / "tables" / "claims.csv").open() as file:
            (row,) = [row for row in csv.DictReader(file) if row["claim"] == name]
        low, high = float(row["ours_low"]), float(row["ours_high"])
        assert float(row["ours_mean"]) == pytest.approx(middle)
        assert (high - middle, middle - low) == pytest.approx((half(0.025), half(0.025)), rel=0.05)
        assert half(0.025) > 1.02 * stats.t.isf(0.025, df) * of_seeds_, "not of seeds alone"
        alone = 2 * optimize.brentq(lambda p, half=half, middle=middle: half(p) - abs(middle), 1e-9, 0.5)
        p_values.append((alone, float(row["p"])))
    (least, corrected_), (most, other) = sorted(p_values)
    # Holm: the smaller of two counts twice, and the larger is no smaller than that.
    assert (corrected_, other) == pytest.approx((min(1, 2 * least), max(2 * least, most)), rel=0.25)
