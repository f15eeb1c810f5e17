"""Pairs of a sentence and its correction, from every kind of file, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.corpora.archives import File
from seqpre.corpora.catalog import Row
from seqpre.corpora.corrections import OVERLAPPING
from seqpre.corpora.extract import extract
from seqpre.corpora.readers import read_sentences
from seqpre.corpora.stats import Stats

Pairs = Callable[..., list[tuple[str, str]]]

M2 = """S he go to to school
A 1 2|||V|||went||goes|||REQUIRED|||-NONE-|||0
A 3 4|||Prep|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S all is well
"""
OVERLAP = """S we has a idea
A 1 3|||V|||have an|||REQUIRED|||-NONE-|||0
A 2 3|||Det|||an|||REQUIRED|||-NONE-|||0
A 4 4|||Punct|||.|||REQUIRED|||-NONE-|||0
"""
LANG8 = """1\t7\thttp://h/7\t0\tI has cat\tI have a cat
0\t7\thttp://h/7\t1\tIt is black .
2\t7\thttp://h/7\t2\tI like .\tI  like .\tI like it .

1\t8\t0\tno address\tNo address
"""


@pytest.fixture
def pairs(tmp_path: Path) -> Pairs:
    """Return a function that reads both sides of a text."""

    def read(text: str, reader: str, stats: Stats | None = None) -> list[tuple[str, str]]:
        (tmp_path / "file").write_text(text)
        source, target = (File(tmp_path / "file", language=side, reader=reader) for side in ("source", "target"))
        return list(zip(read_sentences(source, stats), read_sentences(target), strict=True))

    return read


def rows(folder: Path, **files: tuple[str, str, str]) -> list[Row]:
    """Write files below their host, each with its sides and reader."""
    (folder / "h").mkdir()
    for name, (_, _, text) in files.items():
        (folder / "h" / name).write_text(text)
    return [
        Row("toy", "train", sides, reader, "", f"http://h/{name}", "", None, "MIT", "")
        for name, (sides, reader, _) in files.items()
    ]


def test_every_annotators_correction_is_a_pair(pairs: Pairs) -> None:
    assert pairs(M2, "m2") == [
        ("he go to to school", "he went to school"),
        ("he go to to school", "he go to to school"),
        ("all is well", "all is well"),
    ]


def test_a_named_annotator_gives_a_pair_a_sentence_and_agrees_where_he_is_silent(pairs: Pairs) -> None:
    assert [target for _, target in pairs(M2, "m2:0")] == ["he went to school", "all is well"]
    assert [target for _, target in pairs(M2, "m2:1")] == ["he go to to school", "all is well"]
    with pytest.raises(DataError, match=r"file: no annotator 2; it has 0, 1"):
        pairs(M2, "m2:2")


def test_an_edit_that_overlaps_an_earlier_one_is_skipped_and_counted(pairs: Pairs) -> None:
    stats = Stats()
    assert pairs(OVERLAP, "m2:0", stats) == [("we has a idea", "we have an idea .")]
    assert stats.repaired == {OVERLAPPING: 1}


def test_an_insertion_within_a_replaced_phrase_overlaps_and_one_beside_it_does_not(pairs: Pairs) -> None:
    edits = "S a b c\nA 0 2|||X|||d|||REQUIRED|||-NONE-|||0\nA {0} {0}|||X|||e|||REQUIRED|||-NONE-|||0\n"
    targets = [pairs(edits.format(place), "m2:0")[0][1] for place in range(4)]
    assert targets == ["e d c", "d c", "d e c", "d c e"]


def test_pairs_without_edits_are_left_out_of_lang8_only(pairs: Pairs) -> None:
    stats = Stats()
    assert pairs(LANG8, "lang8", stats) == [
        ("I has cat", "I have a cat"), ("I like .", "I like it ."), ("no address", "No address"),
    ]  # fmt: skip
    assert stats.reasons == {"no_correction": 1, "no_edits": 1}
    assert pairs("a b\ta b\n", "pairs") == [("a b", "a b")]


@pytest.mark.parametrize(
    ("text", "reader", "message"),
    [
        ("a\tb\nc\td\te\n", "pairs", "file, line 2: 3 tab-separated columns, expected a sentence, one tab"),
        ("a b\n", "pairs", "file, line 1: 1 tab-separated columns"),
        ("x\ty\n", "lang8", "file, line 1: .* does not begin with the number of its corrections"),
        ("3\t1\ta\tb\n", "lang8", "file, line 1"),
        ("S a\tb c\n", "m2", "file, line 1: a tab inside a sentence"),
        ("S a b\nA 1 3|||X|||c|||REQUIRED|||-NONE-|||0\n", "m2", "file, line 2: the edit 1 3 is outside its sentence"),
    ],
)
def test_what_gives_no_pairs_is_one_line(pairs: Pairs, text: str, reader: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        pairs(text, reader)


def test_both_sides_of_a_corpus_of_several_files_are_parallel_and_counted(tmp_path: Path) -> None:
    listed = rows(
        tmp_path,
        a=("source,target", "m2", M2 + "\n" + OVERLAP),
        b=("source", "lines", "he sing\n"),
        c=("target", "lines", "he sings\n"),
        d=("source,target", "lang8", LANG8),
    )
    assert extract(listed, "toy", "train", ["source", "target"], tmp_path, tmp_path / "out") == 8
    lines = [(tmp_path / f"out/train.{side}").read_text().splitlines() for side in ("source", "target")]
    assert list(zip(*lines, strict=True))[3:6] == [
        ("we has a idea", "we have an idea ."), ("he sing", "he sings"), ("I has cat", "I have a cat"),
    ]  # fmt: skip
    report = json.loads((tmp_path / "out/extract.train.source_target.json").read_text())
    assert (report["lines"], report["kept"], report["repaired"]) == (10, 8, {OVERLAPPING: 1})
    assert {reason: found["count"] for reason, found in report["reasons"].items()} == {
        "no_correction": 1,
        "no_edits": 1,
    }


def test_a_reference_file_short_of_a_line_is_one_line(tmp_path: Path) -> None:
    listed = rows(tmp_path, dev_src=("source", "lines", "a\nb\n"), dev_ref0=("target", "lines", "a\n"))
    with pytest.raises(DataError, match=r"unequal line counts: .*dev_src has 2, .*dev_ref0 has 1"):
        extract(listed, "toy", "train", ["source", "target"], tmp_path, tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_a_licensed_copy_is_read_from_where_its_file_says(tmp_path: Path) -> None:
    row = Row("toy", "train", "source,target", "pairs", "", "licensed:pairs", "", None, "on request", "")
    pointer = tmp_path / "licensed/pairs"
    pointer.parent.mkdir()
    (tmp_path / "copy.tsv").write_text("a\tb\n")
    pointer.write_text(f"{tmp_path}/copy.tsv\n")
    assert extract([row], "toy", "train", ["source", "target"], tmp_path, tmp_path / "out") == 1
    assert (tmp_path / "out/train.target").read_text() == "b\n"
    pointer.write_text("/nowhere\n")
    with pytest.raises(DataError, match=r"licensed/pairs says /nowhere, which is no file; write the path of your copy"):
        extract([row], "toy", "train", ["source", "target"], tmp_path, tmp_path / "out")
