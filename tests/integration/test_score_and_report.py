"""From hypotheses to scores, tables, figures and summary, through the commands."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from shared import write_lines

from seqpre import baseline, score
from seqpre.metrics.bleu import detokenized_bleu
from seqpre.report import figures, summary, tables

STUDY = "ramachandran-translation"
ROOT = Path(__file__).parents[2]
SPLITS = ("valid", "test_a", "test_b")
WORDS = ["der", "die", "Hund", "Katze", "Mann", "Frau", "läuft", "steht", "schnell", "langsam", "im", "Regen", "heute"]


def sentences(rng: random.Random, count: int) -> list[str]:
    return [" ".join(rng.choices(WORDS, k=rng.randint(4, 12))) + "." for _ in range(count)]


def damaged(rng: random.Random, lines: list[str], share: float) -> list[str]:
    return [" ".join(rng.choice(WORDS) if rng.random() < share else word for word in line.split()) for line in lines]


@pytest.fixture
def references(tmp_path: Path) -> dict[str, list[str]]:
    """Write 40 reference lines a split and return them."""
    rng = random.Random(1)
    texts = {split: sentences(rng, 40) for split in SPLITS}
    for split, lines in texts.items():
        write_lines(tmp_path / "raw" / f"{split}.de", lines)
    return texts


def named(folder: Path) -> list[str]:
    return [f"{selection}.{split}={folder}/hypotheses/{selection}.{split}.txt"
            for selection in ("perplexity", "bleu") for split in SPLITS]  # fmt: skip


def describe(study_dir: Path, name: str, **said: object) -> None:
    """Write what the report reads of a study of the first paper."""
    about = {"name": name, "scale": "demo", "paper": "ramachandran2017", "published_as": name, "labels": {}}
    (study_dir / "study.json").write_text(json.dumps(about | said))


def test_hypotheses_become_scores_tables_figures_and_a_summary(
    tmp_path: Path, references: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    study_dir = tmp_path / "demo" / STUDY
    reference_arguments = [f"{split}={tmp_path}/raw/{split}.de" for split in SPLITS]
    for system, share in (("full", 0.1), ("no_pretraining", 0.4), ("encoder_only", 0.2)):
        folder = study_dir / "runs" / system / "100pct" / "seed1"
        rng = random.Random(system)
        for item in named(folder):
            name, _, path = item.partition("=")
            write_lines(Path(path), damaged(rng, references[name.split(".")[1]], share))
        (folder / "run.json").write_text(json.dumps({"system": system}))
        against = [] if system == "full" else [
            "--baseline-hypotheses", *named(study_dir / "runs" / "full" / "100pct" / "seed1"), "--against", "full"
        ]  # fmt: skip
        score.main(["--language", "de", "--hypotheses", *named(folder), "--references", *reference_arguments, *against,
                    "--output", str(folder / "scores.json")])  # fmt: skip
    runs = [{"system": path.parents[1].name, "fraction": "100pct", "seed": 1} for path in study_dir.glob("runs/*/*/*")]
    describe(study_dir, name=STUDY, task="translation", languages=["en", "de"], corpus="x", tests=SPLITS[1:], runs=runs)

    entries = json.loads((study_dir / "runs/no_pretraining/100pct/seed1/scores.json").read_text())
    assert len(entries) == 2 * (3 + 2 + 2), "two selections; chrF2 and, of validation two, of each test one BLEU"
    worse = next(e for e in entries if (e["selection"], e["split"]) == ("perplexity", "test_a"))
    hypotheses = Path(worse["hypotheses"]).read_text().splitlines()
    assert worse["score"] == pytest.approx(detokenized_bleu(hypotheses, references["test_a"]).score)
    assert worse["low"] < worse["score"] < worse["high"]
    assert worse["delta"] < -10
    assert (worse["p_value"], worse["against"]) == (pytest.approx(1 / 1001), "full")
    assert worse["sentences"] == 40

    for command in (tables, figures, summary):
        command.main([str(study_dir), "--checkout", str(ROOT)])

    with (study_dir / "tables" / "table_1.csv").open() as file:
        rows = {(row["system"], row["setting"]): row for row in csv.DictReader(file)}
    shown = rows["No pretraining (with LM objective)", "single"]
    assert float(shown["ours_test_a_mean"]) == pytest.approx(worse["score"])
    assert (study_dir / "figures" / "ablations.png").exists()
    assert "3 of 3 declared runs have scores." in (study_dir / "summary.md").read_text()
    assert "![Ablations" in (study_dir / "summary.md").read_text()
    assert f"Figures: {study_dir / 'figures'}" in capsys.readouterr().out


def test_the_last_line_has_the_tests_by_the_selection_that_counts_beside_the_reference_system(
    tmp_path: Path, references: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    right = dict(references)
    wrong = {split: ["nichts"] * len(lines) for split, lines in references.items()}
    written = {
        "ours": {"perplexity": right | {"test_b": wrong["test_b"]}, "bleu": wrong},
        "full": {"perplexity": wrong | {"test_b": right["test_b"]}, "bleu": right},
    }
    for system, selections in written.items():
        for selection, texts in selections.items():
            for split, lines in texts.items():
                write_lines(tmp_path / f"{system}/hypotheses/{selection}.{split}.txt", lines)
    common = ["--language", "de", "--references", *(f"{split}={tmp_path}/raw/{split}.de" for split in SPLITS),
              "--output", str(tmp_path / "scores.json"), "--hypotheses"]  # fmt: skip
    counts = ["--counts", "perplexity.test_a", "perplexity.test_b"]
    against = ["--baseline-hypotheses", *named(tmp_path / "full"), "--against", "full"]
    score.main([*common, *named(tmp_path / "ours"), *counts, *against])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "test_a 100.0 BLEU (full 0.0), test_b 0.0 BLEU (full 100.0)"
    score.main([*common, *named(tmp_path / "full"), *counts])
    assert capsys.readouterr().out.splitlines()[-1] == "test_a 0.0 BLEU, test_b 100.0 BLEU"
    said = fails([*common, *named(tmp_path / "full"), "--counts", "perplexity.tset_a"], capsys)
    assert "'perplexity.tset_a', which --hypotheses lacks; did you mean 'perplexity.test_a'?" in said


def fails(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run the scorer, which must refuse, and return what it says."""
    with pytest.raises(SystemExit) as exit_:
        score.main(arguments)
    assert exit_.value.code == 2
    return capsys.readouterr().err


def test_files_that_are_not_parallel_are_named_with_their_counts(
    tmp_path: Path, references: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    short = write_lines(tmp_path / "short.txt", references["valid"][:39])
    output = tmp_path / "scores.json"
    message = fails(["--language", "de", "--selection", "perplexity", "--hypotheses", f"valid={short}", "--references",
                     f"valid={tmp_path}/raw/valid.de", "--output", str(output)], capsys)  # fmt: skip
    assert f"{short} has 39 lines, {tmp_path}/raw/valid.de has 40" in message
    assert not output.exists()


def test_empty_hypotheses_score_zero_and_an_empty_reference_file_is_refused(
    tmp_path: Path, references: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    empty_lines = write_lines(tmp_path / "empty_lines.txt", [""] * 40)
    output = tmp_path / "scores.json"
    score.main(["--language", "de", "--selection", "bleu", "--hypotheses", f"valid={empty_lines}", "--references",
                f"valid={tmp_path}/raw/valid.de", "--output", str(output)])  # fmt: skip
    assert [(e["score"], e["low"], e["high"], e["selection"]) for e in json.loads(output.read_text())] == [
        (0.0, 0.0, 0.0, "bleu")
    ] * 3
    nothing = write_lines(tmp_path / "nothing.de", [])
    message = fails(["--language", "de", "--selection", "bleu", "--hypotheses", f"valid={nothing}", "--references",
                     f"valid={nothing}", "--output", str(output)], capsys)  # fmt: skip
    assert f"{nothing}: no references" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--hypotheses", "valid=h", "--references", "valid=r"], "is not SELECTION.SPLIT"),
        (["--hypotheses", "bleu.valid=h", "--references", "test=r"], "--references lacks 'valid'; it has test"),
        (["--hypotheses", "bleu.valid=h", "bleu.valid=i", "--references", "valid=r"], "'bleu.valid' is given twice"),
        (["--hypotheses", "bleu.valid=h", "--references", "valid=r", "--against", "full"], "belong together"),
        (["--hypotheses", "bleu.valid=h", "--references", "valid=r", "--against", "full", "--baseline-hypotheses",
          "perplexity.valid=b"], "must name the same files"),
        (["--hypotheses", "bleu.valid=h", "--references", "valid=r"], "h: no such file"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_explained(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in fails([*arguments, "--language", "de", "--output", str(tmp_path / "s.json")], capsys)


def test_summaries_are_scored_with_rouge(tmp_path: Path) -> None:
    highlights = ["the children ran ¶ oil prices fell", "a document of the professional", "it rained"] * 5
    references = write_lines(tmp_path / "valid.en", highlights)
    swapped = [" ¶ ".join(reversed(line.split(" ¶ "))) for line in highlights]
    turned = write_lines(tmp_path / "turned.txt", swapped)
    stemmed = write_lines(tmp_path / "stemmed.txt", ["the child ran", "documents of the profession", ""] * 5)
    output = tmp_path / "scores.json"
    score.main(["--task", "summarization", "--selection", "perplexity", "--hypotheses", f"valid={stemmed}",
                "--references", f"valid={references}", "--baseline-hypotheses", f"valid={turned}", "--against", "full",
                "--workers", "2", "--output", str(output)])  # fmt: skip
    entries = {entry["metric"]: entry for entry in json.loads(output.read_text())}
    assert list(entries) == ["rouge_1", "rouge_2", "rouge_l", "rouge_lsum",
                             "rouge_1_nltk", "rouge_2_nltk", "rouge_l_nltk", "rouge_lsum_nltk"]  # fmt: skip
    # By item: 3 of 3 and 6 words; 4 of 4 and 5; nothing. NLTK's stemmer keeps `child` and `children` apart.
    first, second = 2 * 3 / (3 + 6), 2 * 4 / (4 + 5)
    assert entries["rouge_1"]["score"] == pytest.approx(100 * (first + second) / 3)
    assert entries["rouge_1_nltk"]["score"] == pytest.approx(100 * (2 * 2 / (3 + 6) + 2 * 3 / (4 + 5)) / 3)
    assert entries["rouge_1"]["low"] < entries["rouge_1"]["score"] < entries["rouge_1"]["high"]
    assert entries["rouge_1"]["delta"] == pytest.approx(entries["rouge_1"]["score"] - 100)
    assert (entries["rouge_1"]["p_value"], entries["rouge_1"]["against"]) == (pytest.approx(1 / 1001), "full")
    assert (entries["rouge_1"]["documents"], entries["rouge_1"]["selection"]) == (15, "perplexity")
    assert "resamples of documents" in entries["rouge_1"]["interval"]
    assert "|type:rougeLsum|" in entries["rouge_lsum"]["signature"]

    score.main(["--task", "summarization", "--hypotheses", f"perplexity.valid={turned}", "--references",
                f"valid={references}", "--output", str(output)])  # fmt: skip
    entries = {entry["metric"]: entry for entry in json.loads(output.read_text())}
    assert entries["rouge_lsum"]["score"] == pytest.approx(100), "sentences in another order"
    assert entries["rouge_l"]["score"] == pytest.approx(100 * (3 / 6 + 1 + 1) / 3), "but not as one sentence"


def test_first_sentences_and_summaries_become_table_3(tmp_path: Path) -> None:
    study, rng = "ramachandran-summarization", random.Random(3)
    documents = [" ¶ ".join(sentences(rng, 5)) for _ in range(30)]
    source = write_lines(tmp_path / "raw" / "test.document", documents)
    highlights = [" ¶ ".join(line.split(" ¶ ")[1:3]) for line in documents]  # none is in the first sentence
    references = write_lines(tmp_path / "raw" / "test.summary", highlights)
    full, lead_1 = tmp_path / "runs" / "full" / "100pct" / "seed1", tmp_path / "trivial" / "lead_1"
    outputs = write_lines(full / "hypotheses" / "perplexity" / "test.txt", damaged(rng, highlights, 0.2))
    first = lead_1 / "hypotheses" / "none" / "test.txt"
    baseline.main(["--sources", f"test={source}", "--take", "lead_1", "--output-dir", str(first.parent)])
    common = ["--task", "summarization", "--references", f"test={references}"]
    score.main([*common, "--hypotheses", f"perplexity.test={outputs}", "--output", str(full / "scores.json")])
    score.main([*common, "--hypotheses", f"none.test={first}", "--baseline-hypotheses", f"none.test={outputs}",
                "--against", "full", "--output", str(lead_1 / "scores.json")])  # fmt: skip
    runs = [{"system": "full", "fraction": "100pct", "seed": 1}]
    describe(tmp_path, name=study, task="summarization", languages=["document", "summary"], corpus="news",
             tests=["test"], trivial=["lead_1"], runs=runs)  # fmt: skip
    tables.main([str(tmp_path), "--checkout", str(ROOT)])

    with (tmp_path / "tables" / "table_3.csv").open() as file:
        rows = {(row["system"], row["test"]): row for row in csv.DictReader(file)}
    ours, gain = rows["full", "ours, news, test"], rows["gain over lead_1", "ours, news, test"]
    entries = {entry["metric"]: entry["score"] for entry in json.loads((full / "scores.json").read_text())}
    for metric in ("rouge_1", "rouge_2", "rouge_lsum", "rouge_l"):
        assert float(ours[f"{metric}_mean"]) == pytest.approx(entries[metric])
        assert float(gain[f"{metric}_mean"]) > 10


def test_an_empty_reference_summary_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    references = write_lines(tmp_path / "valid.en", ["one", "", "three"])
    message = fails(["--task", "summarization", "--hypotheses", f"bleu.valid={references}", "--references",
                     f"valid={references}", "--output", str(tmp_path / "s.json")], capsys)  # fmt: skip
    assert f"{references}: reference 2 is ''" in message


def test_translations_need_a_language(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = fails(["--hypotheses", "bleu.valid=h", "--references", "valid=r", "--output", str(tmp_path / "s.json")],
                    capsys)  # fmt: skip
    assert "--language is missing" in message


def test_a_language_without_rules_of_its_own_is_refused_with_what_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    message = fails(
        ["--language", "xx", "--hypotheses", "a.valid=h", "--references", "valid=r", "--output", "s"], capsys
    )
    assert "--language is 'xx', which Moses' tokenizer has no rules for; known are as, bn, " in message
    assert message.strip().endswith("Any other language takes en, as with Moses itself")


HEAVY = ("torch", "matplotlib", "pandas", "scipy")


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("seqpre.score", HEAVY),
        ("seqpre.report.tables", HEAVY[:2]),
        ("seqpre.report.summary", HEAVY[:2]),
        ("seqpre.plan", (*HEAVY, "numpy", "sacrebleu", "nltk", "snakemake")),
    ],
)
def test_commands_start_without_heavy_libraries(module: str, absent: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print([name for name in {absent} if name in sys.modules])"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert ended.stdout == "[]\n"
