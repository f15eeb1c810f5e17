"""The tables of a paper that nobody has written code for: published rows and a declaration are enough."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from study_tree import STUDY, SUMMARIZATION, Tree

from seqpre.common.errors import DataError
from seqpre.report import tables
from seqpre.report.draw_fractions import draw_fractions
from seqpre.report.fractions import fraction_table
from seqpre.report.printed_table import printed_table
from seqpre.report.published import COLUMNS
from seqpre.report.style import styled

PAPER = """\
invented-translation:
  corpus: Letters
  baselines: [base]
  printed:
    - name: table_7
      title: "Table 7: BLEU by system and size"
      printed_in: [Table 7]
      gains: [{label: gain of size, of: big, over: base}]
      notes: ["Checkpoints by {chosen_by}."]
  fractions:
    printed_in: Table 7
    curves: {big: Big, huge: Huge, base: Base}
    gain: Gain over Base
invented-summaries:
  printed:
    - {name: table_8, title: "Table 8: ROUGE", printed_in: [Table 8]}
"""

Line = tuple[str, str, str, str, str, str, str]
"""Table, system, label, fraction, split, metric and value."""
SIZES: list[Line] = [
    ("Table 7", "Others (2001)", "Others (2001)", "", "test_a", "bleu_sacre_13a", "19.0"),
    *(
        ("Table 7", system, system.title(), fraction, split, "bleu_sacre_13a", f"{score + more:.1f}")
        for split, more in (("test_a", 0.0), ("test_b", 5.0))
        for system, fraction, score in (
            ("base", "10k", 10.0), ("base", "40k", 20.0), ("big", "10k", 14.0), ("big", "40k", 21.0),
        )
    ),
]  # fmt: skip
ROUGE: list[Line] = [
    ("Table 8", system, label, fraction, "test", metric, score)
    for system, label, fraction, scores in (
        ("Lead", "Lead", "", ("40.34", "17.70")),
        ("no_pretraining", "Ours w/o", "100pct", ("29.00", "9.00")),
        ("full", "Ours", "100pct", ("31.87", "12.27")),
    )
    for metric, score in zip(("rouge_1", "rouge_2"), scores, strict=True)
]


def publish(tree: Tree, study: str, lines: Sequence[Line], paper: str = PAPER) -> None:
    """Write published numbers and what a paper declares; let the tree's runs be those of its study."""
    tree.workflow, tree.paper = tree.root / "workflow", "invented"
    (tree.workflow / "papers").mkdir(parents=True)
    (tree.workflow / "papers/invented.yaml").write_text(paper)
    tree.more["published_as"] = study
    rows = [
        ["invented", study, table, "", system, label, "", fraction, split, metric, value, "text", "0.05", ""]
        for table, system, label, fraction, split, metric, value in lines
    ]
    (tree.workflow / "published.tsv").write_text("".join("\t".join(row) + "\n" for row in (COLUMNS, *rows)))


def write(tree: Tree, study: str, lines: Sequence[Line], name: str) -> list[Mapping[str, str]]:
    """Publish numbers, write all tables from the command line; return the rows of one."""
    publish(tree, study, lines)
    tree.described()
    tables.main([str(tree.study_dir), "--checkout", str(tree.root), "--output-dir", str(tree.root / "tables")])
    with (tree.root / "tables" / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def by_size(tmp_path: Path, scale: str) -> Tree:
    """Return a translation study of two systems at three sizes, of which the paper prints two."""
    tree = Tree(tmp_path, study=STUDY, scale=scale, tests=("test_a", "test_b"))
    for fraction, base, big in (("10k", 11.0, 15.0), ("40k", 21.0, 21.0), ("2500", 5.0, 6.0)):
        for seed in (1, 2, 3):
            tree.add("base", fraction, seed, base + 0.1 * seed)
            tree.add("big", fraction, seed, big + 0.1 * seed)
    tree.more["reference"] = "big"
    return tree


def test_systems_by_sizes_need_no_code_of_their_own(tmp_path: Path) -> None:
    tree = by_size(tmp_path, "paper")
    rows = write(tree, "invented-translation", SIZES, "table_7")
    assert [(row["system"], row["fraction"]) for row in rows] == [
        ("Others (2001)", ""),
        ("base", "2500"), ("big", "2500"),
        ("Base", "10k"), ("Base", "40k"), ("Big", "10k"), ("Big", "40k"),
        ("gain of size", "2500"), ("gain of size", "10k"), ("gain of size", "40k"),
    ]  # fmt: skip
    found = {(row["system"], row["fraction"]): row for row in rows}
    # Validation 15.2 in the mean; tests 1 less, plus 0.2.
    big = found["Big", "10k"]
    assert (float(big["published_test_b"]), float(big["ours_test_b_mean"])) == pytest.approx((19.0, 14.4))
    assert (float(big["difference_test_a"]), float(big["difference_test_b"])) == pytest.approx((0.4, -4.6))
    assert (big["ours_test_a_seeds"], big["verdict"]) == ("3", "not reproduced")
    assert (found["Others (2001)", ""]["published_test_a"], found["Others (2001)", ""]["verdict"]) == ("19.0", "")
    gain = found["gain of size", "10k"]
    assert (float(gain["published_test_a"]), float(gain["ours_test_a_mean"])) == pytest.approx((4.0, 4.0))
    assert gain["verdict"] == "reproduced"
    text = (tmp_path / "tables" / "table_7.md").read_text()
    assert text.startswith("## Table 7: BLEU by system and size\n")
    assert "- Checkpoints by validation perplexity.\n" in text
    assert "of all the paper's labelled data" not in text


def test_all_data_of_the_paper_stands_beside_the_most_of_ours_and_is_said_to(tmp_path: Path) -> None:
    tree = by_size(tmp_path, "small")
    sizes = [(*line[:3], line[3].replace("40k", "100pct"), *line[4:]) for line in SIZES]
    rows = write(tree, "invented-translation", sizes, "table_7")
    assert {row["fraction"] for row in rows} == {"", "2500", "10k", "40k (paper: all)"}
    (big,) = [row for row in rows if (row["system"], row["fraction"]) == ("Big", "40k (paper: all)")]
    assert (float(big["published_test_a"]), float(big["ours_test_a_mean"])) == pytest.approx((21.0, 20.4))


def test_sizes_of_its_own_rise_as_printed_ones_do(tmp_path: Path) -> None:
    tree = by_size(tmp_path, "small")
    printed = [(*line[:3], line[3].replace("10k", "160k"), *line[4:]) for line in SIZES]
    rows = write(tree, "invented-translation", printed, "table_7")
    own = [
        (row["system"], row["fraction"]) for row in rows if row["fraction"] in ("2500", "10k") and row["verdict"] == ""
    ]
    assert own[:4] == [("base", "2500"), ("big", "2500"), ("base", "10k"), ("big", "10k")]


def test_sizes_that_a_scale_does_not_have_are_not_run_and_its_own_stand_beside(tmp_path: Path) -> None:
    tree = by_size(tmp_path, "small")
    tree.runs = [run for run in tree.runs if run.fraction == "2500"]
    for system in ("base", "big"):
        tree.declare(system, "5k", 1)
    rows = write(tree, "invented-translation", SIZES, "table_7")
    verdicts = {(row["system"], row["fraction"]): row["verdict"] for row in rows}
    assert verdicts["Big", "40k"] == "not run"
    assert not any(column.startswith("difference") for column in rows[0])
    (own,) = [row for row in rows if (row["system"], row["fraction"]) == ("big", "2500")]
    assert float(own["ours_test_a_mean"]) == pytest.approx(5.4)
    assert "5k" not in {row["fraction"] for row in rows}, "neither printed nor run"


@pytest.mark.parametrize("apart", [["test_c"], ["test_c", "test_d", "test_e", "test_f"]])
def test_many_tests_that_only_the_paper_has_stand_behind_ours(tmp_path: Path, apart: list[str]) -> None:
    tree = by_size(tmp_path, "small")
    sizes = [(*line[:4], split, *line[5:]) for line in SIZES for split in ("test_a", *apart)]
    columns = list(write(tree, "invented-translation", sizes, "table_7")[0])
    theirs = [f"published_{split}" for split in apart]
    if len(apart) < 4:
        assert columns[3:6] == [*theirs, "published_test_a", "ours_test_a_mean"]
    else:
        assert columns[3:5] == ["published_test_a", "ours_test_a_mean"]
        assert columns[-6:] == ["seeds", "verdict", *theirs]


def test_several_metrics_are_columns_with_ours_below_the_printed_row_of_the_same_system(tmp_path: Path) -> None:
    tree = Tree(tmp_path, study=SUMMARIZATION, scale="paper", tests=("test",), corpus="letters")
    for seed in (1, 2, 3):
        tree.add("full", "100pct", seed, 32.0 + 0.1 * seed)
        tree.add("no_pretraining", "100pct", seed, 30.0 + 0.1 * seed)
    tree.add_trivial("lead_3", 40.0)
    rows = write(tree, "invented-summaries", ROUGE, "table_8")
    found = {(row["system"], row["test"]): row for row in rows}
    ours, missing = "ours, letters, test", "ours minus published, test"
    assert list(found) == [
        ("Lead", "published"),
        ("Lead-3", ours),
        ("Ours w/o", "published"), ("No pretraining", ours), ("No pretraining", missing),
        ("Ours", "published"), ("Pretrained seq2seq", ours), ("Pretrained seq2seq", missing),
        ("gain over Lead-3", ours),
        ("gain over No pretraining", "published"), ("gain over No pretraining", ours),
    ]  # fmt: skip
    # 32.2 on validation, 1 less on the test, 20 less by ROUGE-2: 31.2 where 31.87 is printed, and 11.2 where 12.27.
    missed = found["Pretrained seq2seq", missing]
    assert [float(missed[metric]) for metric in ("rouge_1", "rouge_2")] == pytest.approx([-0.67, -1.07])
    assert found["Pretrained seq2seq", ours]["verdict"] == "not reproduced"
    # Printed are 31.87 - 29.00 and 12.27 - 9.00, in ROUGE-2 more than 0.5 beyond our 2.0 in either.
    printed, gain = (found["gain over No pretraining", of] for of in ("published", ours))
    assert [float(printed[metric]) for metric in ("rouge_1", "rouge_2")] == pytest.approx([2.87, 3.27])
    assert [float(gain[f"{metric}_mean"]) for metric in ("rouge_1", "rouge_2")] == pytest.approx([2.0, 2.0])
    assert (printed["verdict"], gain["verdict"]) == ("", "direction only")
    assert found["gain over Lead-3", ours]["verdict"] == "", "its printed row is of another system"
    assert not any(column.startswith("rouge_l") for column in missed), "the paper prints none"


@pytest.mark.parametrize("table", ["table_7", "table_8"])
def test_what_has_no_seed_of_its_own_is_of_no_seeds(tmp_path: Path, table: str) -> None:
    study, name, lines = (STUDY, "invented-translation", SIZES) if table == "table_7" else (
        SUMMARIZATION, "invented-summaries", ROUGE)  # fmt: skip
    tree = Tree(tmp_path, study=study, scale="paper", tests=("test_a", "test_b") if study == STUDY else ("test",))
    for seed in (1, 2):
        tree.add("full", "10k" if study == STUDY else "100pct", seed, 30.0)
    tree.add_ensemble("ensemble_5", 31.0)
    metrics = dict.fromkeys((line[4], line[5]) for line in lines)
    lines = [*lines, *((f"Table {table[-1]}", "ensemble_5", "Ensemble", "100pct", *one, "32.0") for one in metrics)]
    publish(tree, name, lines)
    rows = printed_table(tree.load(), table).rows
    assert {row["seeds"].text for row in rows if "nsemble" in row["system"].text and "seeds" in row} == {"-"}


def test_a_figure_of_several_systems_has_a_curve_and_a_gain_each(tmp_path: Path) -> None:
    tree = by_size(tmp_path, "paper")
    for seed in (1, 2, 3):
        tree.add("huge", "40k", seed, 25.0)
    lines = [(*line[:4], "valid", "bleu_tok_multibleu", line[6]) for line in SIZES[1:5]]
    publish(tree, "invented-translation", lines)
    results = tree.load()
    table = fraction_table(results)
    found = {(row["system"].text, row["fraction"].text): row for row in table.rows}
    assert set(found) == {("Big", "2500"), ("Big", "10k"), ("Big", "40k"), ("Huge", "40k")}  # The rest nobody has.
    assert found["Huge", "40k"]["ours_gain"].numbers["mean"] == pytest.approx(3.8)
    assert (found["Big", "10k"]["published_gain"].text, found["Big", "10k"]["ours_gain"].text) == ("+4.0", "+4.0 ± 0.0")
    with styled():
        figure = draw_fractions(results)
        curves, gains = figure.axes
        assert gains.get_title(loc="left") == "Gain over Base"
        assert {text.get_text() for text in curves.texts} == {"published", "Big", "Huge", "Base"}
        assert {text.get_text() for text in gains.texts} == {"dashed: published", "Big", "Huge"}


def test_a_declared_table_that_has_no_published_row_is_named(tmp_path: Path) -> None:
    tree = by_size(tmp_path, "paper")
    publish(tree, "invented-translation", ROUGE)
    with pytest.raises(DataError, match="invented-translation has no number of Table 7"):
        tables.study_tables(tree.load())


def test_scores_by_size_are_means_over_tests_where_those_of_the_paper_are(tmp_path: Path) -> None:
    tree = by_size(tmp_path, "small")
    stated = ("Table 7", "big", "Big", "2500", "test_a", "delta_bleu_sacre_13a", "7.0")
    on_tests = "    on_tests: true\n    means_over: [test_a, test_b]\n    gain: Gain over Base\n"
    said = PAPER.replace("    gain: Gain over Base\n", on_tests)
    publish(tree, "invented-translation", [*SIZES, stated], said)
    results = tree.load()
    table = fraction_table(results)
    assert table.columns["ours_system"] == "system, ours"
    found = {(row["system"].text, row["fraction"].text): row for row in table.rows}
    big = found["Big", "10k"]
    assert [big[f"published_{name}"].text for name in ("system", "base", "gain")] == ["16.5", "12.5", "+4.0"]
    of_tests = [one.mean for split in ("test_a", "test_b") if (one := results.score("big", "10k", split))]
    assert len(of_tests) == 2
    assert big["ours_system"].numbers["mean"] == pytest.approx(sum(of_tests) / 2)
    assert (found["Big", "2500"]["published_gain"].text, found["Big", "2500"]["published_system"].text) == ("+7.0", "-")
    with styled():
        assert draw_fractions(results).axes[0].get_ylabel() == "mean test BLEU"
