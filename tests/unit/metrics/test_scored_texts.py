"""Texts are scored in the form that models read and write them in, by every metric, while training and after it."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from shared import write_lines

from seqpre import score
from seqpre.corpora.m2 import Annotated, Edit
from seqpre.metrics.correction import normal_form, read_gold
from seqpre.metrics.metric import Texts
from seqpre.metrics.texts import changed_lines, way_of_scoring
from seqpre.study.tasks import BY_METRIC, CORRECTION, validation_score

GERMAN = ["Die Größe der Bären überrascht über alle Maßen.", "Fünf Hühner laufen über die Straße."]


def in_nfd(line: str) -> str:
    return unicodedata.normalize("NFD", line)


def with_zero_width_spaces(line: str) -> str:
    return "\u200b".join(line)


def edit(start: int, end: int, *options: str) -> Edit:
    return Edit(start, end, tuple(tuple(option.split()) for option in options))


@pytest.mark.parametrize("written", [in_nfd, with_zero_width_spaces])
@pytest.mark.parametrize("metric", BY_METRIC)
def test_outputs_that_differ_from_references_in_nothing_visible_are_perfect(
    metric: str, written: Callable[[str], str]
) -> None:
    references = [written(line) for line in GERMAN]
    assert references != GERMAN
    assert validation_score(metric, GERMAN, references, ["ein Satz", "ein anderer"]) == pytest.approx(100)
    assert validation_score(metric, references, GERMAN, ["ein Satz", "ein anderer"]) == pytest.approx(100)


@pytest.mark.parametrize("task", ["translation", "summarization", "correction"])
def test_scores_are_of_normalised_texts_and_say_so_and_how_many_lines_that_changes(
    task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hypotheses = write_lines(tmp_path / "h", [*GERMAN, "Ja  doch, das ist gut."])
    references = write_lines(tmp_path / "r", [in_nfd(GERMAN[0]), GERMAN[1], "Ja doch, das ist gut.\u00a0"])
    sources = write_lines(tmp_path / "s", ["Die Grosse", "Funf", "Ja"])
    score.main(["--task", task, "--language", "de", "--selection", "perplexity", "--hypotheses", f"valid={hypotheses}",
                "--references", f"valid={references}", "--sources", f"valid={sources}",
                "--output", str(tmp_path / "scores.json")])  # fmt: skip
    entries = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert [entry["score"] for entry in entries] == pytest.approx([100] * len(entries))
    for entry in entries:
        assert entry["signature"].endswith("|norm:nfc")
        assert entry["changed_by_normalisation"] == {"hypotheses": 0, "references": 1, "reference_lines": 3}, (
            "white space is not counted: no metric counts it"
        )
    said = "perplexity.valid: 1 of 3 lines of references and 0 of hypotheses differ from their normal form"
    assert capsys.readouterr().out.count(said) == 1


def test_nothing_is_said_of_texts_in_their_normal_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_lines(tmp_path / "r", GERMAN)
    score.main(["--language", "de", "--hypotheses", f"bleu.test={file}", "--references", f"test={file}",
                "--output", str(tmp_path / "scores.json")])  # fmt: skip
    entries = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert [entry["metric"] for entry in entries] == ["bleu_sacre_13a", "chrf2"]
    assert not any("changed_by_normalisation" in entry for entry in entries)
    assert "normal form" not in capsys.readouterr().out


def test_gold_edits_count_the_tokens_of_the_normal_form() -> None:
    # A token that vanishes, one that becomes two, a soft hyphen that an edit removes, an edit of a decomposed letter.
    edits = (edit(2, 3, "see"), edit(4, 5, "happy"), edit(5, 6, "bu\u0308rgers"))
    raw = Annotated(("\u200b", "I", "saw", "10\u00a0000", "hap\u00adpy", "bu\u0308rger"), {0: edits, 1: ()})
    normal = normal_form(raw)
    assert normal.source == ("I", "saw", "10", "000", "happy", "bürger")
    assert normal.annotators == {0: (edit(1, 2, "see"), edit(5, 6, "bürgers")), 1: ()}
    # One that changes nothing as it was written, as some files have it, stays.
    kept = Annotated(("a", "dog"), {0: (edit(1, 2, "dog"),)})
    assert normal_form(kept) == kept


def test_gold_edits_of_decomposed_text_are_found(tmp_path: Path) -> None:
    lines = ["S Die Ba\u0308ren lauft .", "A 2 3|||V|||laufen|||REQUIRED|||-NONE-|||0"]
    source = write_lines(tmp_path / "source", ["Die Ba\u0308ren lauft ."])
    gold = read_gold(source, write_lines(tmp_path / "target", ["x"]), write_lines(tmp_path / "m2", lines))
    assert (gold.sources, gold.references) == (["Die Bären lauft ."], [["Die Bären laufen ."]])
    scores = CORRECTION.scores(Texts(["Die Bären laufen ."], gold.references[0], gold=gold), "test")
    assert scores["m2_f0.5"].score == scores["gleu"].score == 100


def test_scores_of_before_texts_were_normalised_are_comparable_where_that_changes_nothing() -> None:
    old, new = {"signature": "tok:13a"}, {"signature": "tok:13a|norm:nfc"}
    some = {"hypotheses": 3, "references": 2, "reference_lines": 1000}
    assert way_of_scoring(old) == way_of_scoring(new) == "tok:13a"
    assert way_of_scoring(new | {"changed_by_normalisation": some}) == "tok:13a|norm:nfc"
    assert way_of_scoring(new | {"changed_by_normalisation": some | {"references": 1}}) == "tok:13a"
    assert way_of_scoring({"signature": "tok:none|norm:nfc"}) != way_of_scoring(old)


def test_changed_lines_are_those_that_differ_in_more_than_white_space() -> None:
    assert changed_lines(["a  b ", "c"], ["a\u00a0b", "c\t"]) == {}
    assert changed_lines(["a\u00ad"], ["\ufeffa", "b"]) == {"hypotheses": 1, "references": 1, "reference_lines": 2}
