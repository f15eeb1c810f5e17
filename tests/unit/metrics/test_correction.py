"""Corrections are scored with all references of a set, and edits fall into kinds, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared import write_lines

from seqpre import score
from seqpre.common.errors import DataError
from seqpre.metrics.correction import Gold, read_gold
from seqpre.metrics.edit_kinds import KINDS, kind_of
from seqpre.metrics.gleu import gleu
from seqpre.metrics.m2 import m2
from seqpre.metrics.metric import Score, Texts
from seqpre.study.tasks import CORRECTION, metric_called

SOURCES = ["He go to school .", "I has a apple .", "It is fine ."]
TARGETS = ["He goes to school .", "I have an apple .", "It is fine ."]
OTHERS = ["He went to school .", "I have an apple .", "It is fine ."]
M2 = """S He go to school .
A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0
A 1 2|||Vt|||went|||REQUIRED|||-NONE-|||1

S I has a apple .
A 1 2|||SVA|||have|||REQUIRED|||-NONE-|||0
A 2 3|||Art|||an|||REQUIRED|||-NONE-|||0

S It is fine .

"""


def correction_scores(outputs: list[str], gold: Gold) -> dict[str, Score]:
    return CORRECTION.scores(Texts(outputs, gold.references[0], gold=gold), "test")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return write_lines(tmp_path / "source", SOURCES), write_lines(tmp_path / "target", TARGETS)


def test_the_target_side_is_the_only_reference_where_there_are_no_others(files: tuple[Path, Path]) -> None:
    scores = correction_scores(TARGETS, read_gold(*files))
    assert {name: score.score for name, score in scores.items()} == {"gleu": 100.0, "gleu_expected": 100.0}
    assert correction_scores(SOURCES, read_gold(*files))["gleu"].score < 100


def test_texts_one_after_the_other_are_references(files: tuple[Path, Path], tmp_path: Path) -> None:
    gold = read_gold(*files, write_lines(tmp_path / "all", [*TARGETS, *OTHERS]))
    assert gold.references == [TARGETS, OTHERS]
    assert correction_scores(OTHERS, gold)["gleu"].score == gleu(OTHERS, SOURCES, [TARGETS, OTHERS])["gleu"].score
    with pytest.raises(DataError, match="5 lines, no multiple of the 3 of"):
        read_gold(*files, write_lines(tmp_path / "short", [*TARGETS, *OTHERS[:2]]))
    with pytest.raises(DataError, match="0 lines, no multiple"):
        read_gold(*files, write_lines(tmp_path / "empty", []))


def test_a_plain_reference_may_begin_like_m2(tmp_path: Path) -> None:
    sources = write_lines(tmp_path / "source", ["S club 7 is back .", "It are fine ."])
    target = write_lines(tmp_path / "target", ["S club 7 are back .", "It is fine ."])
    assert read_gold(sources, target, target).annotated is None


def test_edits_give_m2_and_what_their_annotators_would_write_gleu(files: tuple[Path, Path], tmp_path: Path) -> None:
    gold = read_gold(*files, write_lines(tmp_path / "edits", M2.splitlines()))
    assert gold.references == [TARGETS, ["He went to school .", SOURCES[1], SOURCES[2]]]  # Who says nothing agrees.
    assert gold.annotated is not None
    outputs = ["He went to school .", "I have a apple .", "It is so fine ."]
    scores = correction_scores(outputs, gold)
    # Found: went, have. Proposed: these and `so`. Gold: went, have, an.
    assert scores["m2_precision"].score == scores["m2_recall"].score == pytest.approx(200 / 3)
    assert scores["m2_f0.5"].score == m2(outputs, gold.annotated)["m2_f0.5"].score == pytest.approx(200 / 3)
    for name, one in scores.items():
        expected = scores["gleu_expected"].score if name == "gleu" else one.score
        assert float(metric_called(name).scorer(one.statistics.sum(axis=0))) == pytest.approx(expected)


def test_edits_of_a_sentence_with_a_no_break_space_count_its_token_as_one(tmp_path: Path) -> None:
    edits = ["S 10\u00a0000 people was here .", "A 2 3|||SVA|||were|||REQUIRED|||-NONE-|||0"]
    sources = write_lines(tmp_path / "source", ["10\u00a0000 people was here ."])
    corrected = "10 000 people were here ."
    gold = read_gold(sources, write_lines(tmp_path / "target", [corrected]), write_lines(tmp_path / "edits", edits))
    assert gold.references == [["10 000 people were here ."]]  # In their normal form, in which edits have moved, too.
    scores = correction_scores(gold.references[0], gold)
    assert scores["m2_precision"].score == scores["m2_recall"].score == 100


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (M2.splitlines()[:8], "2 sentences, .* 3 lines"),
        (M2.splitlines()[1:], "line 1: an edit of no sentence; a line `S ...` must come before it"),
        (M2.replace("S It is fine", "S It is good").splitlines(), "sentence 3, 'It is good .', is not"),
    ],
)
def test_edits_of_other_sentences_are_refused(
    files: tuple[Path, Path], tmp_path: Path, lines: list[str], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_gold(*files, write_lines(tmp_path / "edits", lines))


def test_an_empty_output_is_scored(files: tuple[Path, Path], tmp_path: Path) -> None:
    scores = correction_scores(["", "", ""], read_gold(*files, write_lines(tmp_path / "edits", M2.splitlines())))
    assert scores["gleu"].score == scores["m2_recall"].score == 0.0


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ("a", "the", "article"),
        ("", "an", "article"),
        ("of the", "of", "article"),
        ("in", "at", "preposition"),
        ("go", "goes", "agreement or number"),
        ("dogs", "dog", "agreement or number"),
        ("were", "was", "agreement or number"),
        ("cities", "city", "agreement or number"),
        ("go", "went", "form of a verb"),
        ("walk", "walked", "form of a verb"),
        ("making", "make", "form of a verb"),
        ("is", "was", "form of a verb"),
        ("has went", "went", "form of a verb"),
        ("teh", "the", "spelling"),
        ("recieve", "receive", "spelling"),
        ("always he", "he always", "order of words"),
        ("dont", "do n't", "punctuation or casing"),
        ("", ",", "punctuation or casing"),
        ("english", "English", "punctuation or casing"),
        ("big", "huge", "other"),
        ("", "dog", "other"),
    ],
)
def test_the_kind_of_an_edit_is_told_from_its_words(before: str, after: str, kind: str) -> None:
    assert kind_of(before.split(), after.split()) == kind


def test_errors_are_counted_as_mended_and_made(files: tuple[Path, Path], tmp_path: Path) -> None:
    gold = read_gold(*files, write_lines(tmp_path / "edits", M2.splitlines())).annotated
    assert gold is not None
    found = m2(["He goes to the school .", "I has an apple .", "It are fine ."], gold)["m2_f0.5"]
    counts = found.kinds
    assert counts is not None
    assert list(counts) == list(KINDS)
    assert counts["agreement or number"] == {"gold": 2, "mended": 1, "made": 1}  # has -> have
    assert counts["article"] == {"gold": 1, "mended": 1, "made": 1}
    assert counts["form of a verb"] == {"gold": 0, "mended": 0, "made": 0}
    assert sum(one["mended"] + one["made"] for one in counts.values()) == found.statistics[:, 1].sum()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--sources": []}, "--sources lacks 'test', which corrections are scored with"),
        ({"--hypotheses": ["x.test={}/short"]}, "short has 2 lines, "),
        ({"--gold": ["test={}/uneven"]}, "uneven has 5 lines, no multiple of the 3 of"),
        ({"--gold": ["tests={}/target"]}, "--gold has 'tests', which --references lacks; did you mean 'test'?"),
        ({"--sources": ["test={}/short"]}, "short has 2 lines, "),
        ({"--sources": ["test={}/empty"], "--gold": ["test={}/target"]}, "empty has 0 lines, "),
        ({"--gold": ["test={}/outside"]}, "line 2: the edit 7 8 is outside its sentence of 5 tokens"),
    ],
)
def test_bad_input_is_one_line(
    files: tuple[Path, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: dict[str, list[str]],
    message: str,
) -> None:
    write_lines(tmp_path / "short", TARGETS[:2])
    write_lines(tmp_path / "empty", [])
    write_lines(tmp_path / "uneven", [*TARGETS, *OTHERS[:2]])
    write_lines(tmp_path / "outside", M2.replace("A 1 2|||SVA|||goes", "A 7 8|||SVA|||goes").splitlines())
    options = {
        "--hypotheses": ["x.test={}/target"],
        "--references": ["test={}/target"],
        "--sources": ["test={}/source"],
        "--gold": [],
    } | change
    words = [word.format(tmp_path) for name, values in options.items() if values for word in (name, *values)]
    with pytest.raises(SystemExit):
        score.main(["--task", "correction", *words, "--output", str(tmp_path / "scores.json")])
    error = capsys.readouterr().err.strip()
    assert message in error
    assert len(error.splitlines()) == 1
    assert not (tmp_path / "scores.json").exists()
