"""The page of samples has the right scores and marks for each item, and says what it leaves out."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
from shared import write_lines

from seqpre import samples
from seqpre.samples import correction_entry, drawn_lines, output_entry, scores_of_items


def make(folder: Path, *more: str, names: tuple[str, ...] = ("full", "none"), lines: int = 3) -> dict[str, Any]:
    """Make a page of `lines` items and return what it holds."""
    sources = write_lines(folder / "sources", [f"source {number}" for number in range(lines)])
    references = write_lines(folder / "references", [f"target {number}" for number in range(lines)])
    outputs = [f"{name}={write_lines(folder / f'{name}.txt', [f'{name} {n}' for n in range(lines)])}" for name in names]
    samples.main(["--task", "translation", "--title", "T", "--sources", str(sources), "--references", str(references),
                  "--output", str(folder / "page.html"), *more, "--outputs", *outputs])  # fmt: skip
    found = re.search(r'id="data">(.*?)</script>', (folder / "page.html").read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return json.loads(found[1])


def test_items_of_a_translation_have_sentence_bleu_and_chrf() -> None:
    scores = scores_of_items("translation", ["ein Hund bellt laut", ""], ["ein Hund bellt leise", "eine Katze"], [])
    assert scores["BLEU"][0] == sacrebleu.sentence_bleu("ein Hund bellt laut", ["ein Hund bellt leise"]).score
    assert scores["chrF2"][0] == pytest.approx(
        sacrebleu.sentence_chrf("ein Hund bellt laut", ["ein Hund bellt leise"]).score
    )
    assert (scores["BLEU"][1], scores["chrF2"][1]) == (0.0, 0.0)


def test_items_of_a_summarization_have_rouge_1() -> None:
    scores = scores_of_items("summarization", ["storms hit the coast"], ["a storm hit the northern coast"], [])
    assert scores == {"ROUGE-1": [pytest.approx(100 * 2 * 4 / (4 + 6))]}  # stemmed, four words of four and of six


def test_sentences_become_lines_and_marks_count_their_characters() -> None:
    entry = output_entry("He said so. ¶ He said so.", "they say He said so today", 3, [12.345])
    assert entry["text"] == "He said so.\nHe said so."
    assert [entry["text"][start:end] for start, end in entry["repeated"]] == ["He said so.\nHe said so"]
    assert [entry["text"][start:end] for start, end in entry["copied"]] == ["He said so", "He said so"]
    assert entry["scores"] == [12.3]


def test_all_items_are_shown_or_a_seeded_sample_in_the_order_of_the_text(tmp_path: Path) -> None:
    assert [item["line"] for item in make(tmp_path)["items"]] == [1, 2, 3]
    few = make(tmp_path, "--sample", "4", "--seed", "7", lines=30)
    assert [item["line"] - 1 for item in few["items"]] == drawn_lines(30, 4, 7) == sorted(drawn_lines(30, 4, 7))
    assert (few["total"], few["seed"], len(few["items"])) == (30, 7, 4)
    assert drawn_lines(30, 4, 8) != drawn_lines(30, 4, 7)
    assert all(item["outputs"][1]["text"] == f"none {item['line'] - 1}" for item in few["items"])


def test_a_label_with_an_equals_sign_is_a_name_like_any_other(tmp_path: Path) -> None:
    names = ("full, rate=0.1", "none")
    assert make(tmp_path, names=names)["systems"] == list(names)


@pytest.mark.parametrize(
    ("arguments", "names", "message"),
    [
        ([], ("full",), "--outputs has one system"),
        ([], ("full", "full"), "--outputs: 'full' is given twice"),
        (["--sample", "0"], ("full", "none"), "--sample is 0"),
        (["--references", "short"], ("full", "none"), "short has 1 lines"),
        (["--sources", "gone"], ("full", "none"), "gone: no such file"),
        (
            ["--task", "summarization", "--references", "dots"],
            ("full", "none"),
            "dots, 3 lines, of which 3 are shown: ",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    names: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "short", ["x"])
    write_lines(tmp_path / "dots", ["x", "...", "y"])
    with pytest.raises(SystemExit) as stopped:
        make(tmp_path, *arguments, names=names)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_corrections_show_what_they_insert_delete_and_replace() -> None:
    entry = correction_entry("He goes to the school .", "He go to school there .", [50.0])
    text = entry["text"]
    assert text == "He go goes to the school there."
    assert {kind: [text[start:end] for start, end in entry[kind]] for kind in ("inserted", "deleted", "replaced")} == {
        "inserted": ["the"],
        "deleted": ["go", "there"],
        "replaced": ["goes"],
    }
    same = correction_entry("It is n't .", "It is n't .", [100.0])
    assert (same["text"], same["inserted"], same["deleted"], same["replaced"]) == ("It isn't.", [], [], [])


def test_items_of_corrections_have_gleu_beside_their_sources() -> None:
    right, wrong = "He goes to the big school .", "He go to the big school ."
    scores = scores_of_items("correction", [right, wrong], [right, right], [wrong, wrong])
    assert scores["GLEU"][0] == pytest.approx(100)
    assert 0 < scores["GLEU"][1] < 70
