"""Checklists of conferences: what records know is filled in, what only a person knows is left open."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from study_tree import PUBLISHED, Tree, fill, write

from seqpre import checklist
from seqpre.report.table import latex

ROOT = PUBLISHED.parents[1]
MADE_BY = {"seqpre": "0.1.0", "commit": "abc", "device": "a processor", "processors": 2, "threads": 1,
           "python": "3.11", "torch": "2.13"}  # fmt: skip


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study of two seeds, one setting of which was chosen."""
    tree = fill(Tree(tmp_path))
    for folder in tree.study_dir.glob("runs/full/100pct/*"):
        write(
            folder / "summary.json",
            {"provenance": MADE_BY, "cpu_seconds": 90.0, "seconds": 100.0, "parameters": 2e6, "processes": 4},
        )
    tuned = [{"settings": {"optimizer.lr": lr}} for lr in (0.2, 0.1)]
    chosen = {"criterion": "best_valid_bleu", "settings": {"optimizer.lr": 0.2}, "candidates": tuned}
    write(tree.study_dir / "tuning/full.json", chosen)
    decoded = {"beam": 5, "length_penalty": 1.0, "tuned": [{"length_penalty": 0.6}, {"length_penalty": 1.0}]}
    for selection, took in (("perplexity", {}), ("bleu", {"taken_from": "perplexity"})):
        searched = decoded | took | {"cpu_seconds": 1800.0}
        write(tree.study_dir / f"runs/full/100pct/seed1/hypotheses/{selection}/valid.json", searched)
    tree.described()
    return tree.study_dir


def rows(page: str) -> list[list[str]]:
    """Return the cells of all tables."""
    lines = [line for line in page.splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def filled(study: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what the command prints."""
    checklist.main([str(study), "--checkout", str(ROOT)])
    return capsys.readouterr().out


def test_records_fill_in_what_they_know(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = filled(study, capsys)
    cells = rows(page)
    assert ["full", "optimizer.lr", "0.1, 0.2", "2", "0.2", "bleu on validation"] in cells
    assert ["length_penalty", "0.6, 1.0", "1.0"] in cells
    assert ["Pretrained seq2seq", "100 %", "2", "2.00", "1.50", "35.40 ± 0.28", "34.60 ± 0.28", "34.60 ± 0.28"] in cells
    assert ["bleu_sacre_13a", "valid, test_2016_flickr, test_2017_flickr", "signature-of-bleu_sacre_13a"] in cells
    assert ["valid", "1,000"] in cells
    assert any(row[:2] == ["multi30k", "research use (upstream README)"] for row in cells)
    assert "- a processor, 2 processors, threads of a training: 1; Python 3.11, PyTorch 2.13.\n" in page
    assert "2 trainings (fine-tuning) on a processor: 0.05 CPU-hours, 0.22 hours." in page
    assert "Decoding: 0.59 CPU-hours." in page
    assert "- seqpre 0.1.0, commit abc.\n" in page


def test_text_that_no_list_of_the_project_has_is_ones_own(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = study / "study.json"
    file.write_text(file.read_text().replace('"corpus": "multi30k"', '"corpus": "mine"'))
    page = filled(study, capsys)
    assert ["mine", "TO ANSWER:", "own text"] in rows(page.replace("**", ""))
    assert "describe mine" in page


def test_what_a_person_knows_is_open(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sections = dict(re.findall(r"^### (.*)\n\n((?:.|\n(?!#))*)", filled(study, capsys), flags=re.MULTILINE))
    assert len(sections) == 14 + 16
    still_open = {name.partition(".")[0] for name, said in sections.items() if checklist.OPEN in said}
    assert {"A1", "A2", "B3", "B4", "E1", "Expected validation performance"} <= still_open
    assert not {"B2", "B6", "C2", "C3", "C4", "New data"} & still_open


def test_latex_says_the_same(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = filled(study, capsys)
    checklist.main([str(study), "--checkout", str(ROOT), "--output", str(tmp_path / "checklist.tex")])
    text = (tmp_path / "checklist.tex").read_text()
    assert text.count(rf"\textbf{{{checklist.OPEN}}}") == page.count(checklist.OPEN)
    assert text.count(r"\begin{tabular}") == sum(row[0].startswith("--") for row in rows(page))
    for name in re.findall(r"^### (.*)$", page, flags=re.MULTILINE):
        assert rf"\paragraph{{{latex(name)}}}" in text


@pytest.mark.parametrize(
    ("study", "cells"),
    [
        ("edunov-translation", ["shdemb", "model.dropout", "0.3, 0.5", "2", "0.3", "bleu on validation"]),
        ("ramachandran-summarization", ["test", "2,041"]),
        (
            "ramachandran-translation",
            ["full", "optimizer.lr", "0.004, 0.008, 0.016", "6", "0.004", "bleu on validation"],
        ),
    ],
)
def test_candidates_and_splits_are_counted_where_records_have_none(
    study: str, cells: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cells in rows(filled(ROOT / "results/small" / study, capsys))


def test_another_form_and_a_folder_of_no_study_are_refused(tmp_path: Path, refused: Callable[..., str]) -> None:
    for more, says in (
        (["--output", "x.pdf"], "name a file that ends in .md or .tex"),
        ([], "name the folder of a study"),
    ):
        assert says in refused(checklist.main, [str(tmp_path), "--checkout", str(ROOT), *more])
