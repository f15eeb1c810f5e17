"""Reading corrections, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.corpora.m2 import Annotated, Edit, is_m2, read_m2

TEXT = """S he go to to school yesterday
A 1 2|||V|||went||goes|||REQUIRED|||-NONE-|||0
A 3 4|||Prep|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
A 6 6|||Punct|||.|||REQUIRED|||-NONE-|||2
A 1 2|||V|||went|||REQUIRED|||-NONE-|||2

S
S all is well
"""


def read(folder: Path, text: str) -> list[Annotated]:
    (folder / "a.m2").write_text(text)
    return list(read_m2(folder / "a.m2"))


def test_sentences_have_their_annotators_edits_in_the_order_of_the_file(tmp_path: Path) -> None:
    (first, second) = read(tmp_path, TEXT.replace("S\nS", "S"))
    assert first.source == ("he", "go", "to", "to", "school", "yesterday")
    assert first.annotators == {
        0: (Edit(1, 2, (("went",), ("goes",)), "V"), Edit(3, 4, ((),), "Prep")),
        1: (),
        2: (Edit(6, 6, ((".",),), "Punct"), Edit(1, 2, (("went",),), "V")),
    }
    assert second.annotators == {0: ()}  # Someone has agreed.
    assert [first.corrected_by(edits) for edits in first.annotators.values()] == [
        "he went to school yesterday", "he go to to school yesterday", "he went to to school yesterday .",
    ]  # fmt: skip


def test_tokens_are_parted_by_the_space_alone_as_the_edits_count(tmp_path: Path) -> None:
    (sentence,) = read(
        tmp_path, "S 10\u00a0000 people was here . \nA 2 3|||SVA|||were\u2009all|||REQUIRED|||-NONE-|||0\n"
    )
    assert sentence.source == ("10\u00a0000", "people", "was", "here", ".")
    assert sentence.corrected_by(sentence.annotators[0]) == "10\u00a0000 people were\u2009all here ."


@pytest.mark.parametrize("text", ["S a  people was here .\n", "S  a people was here .\n"])
def test_an_empty_token_is_refused_for_nothing_says_whether_edits_count_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"a\.m2, line 1: two spaces in a row"):
        read(tmp_path, f"{text}A 3 4|||SVA|||were|||REQUIRED|||-NONE-|||0\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT, "line 9: a sentence begins inside another"),
        ("S a b\nA 1 3|||X|||c|||REQUIRED|||-NONE-|||0\n", r"line 2: the edit 1 3 is outside its sentence of 2 tokens"),
        ("S a b\nA 1 0|||X|||c|||REQUIRED|||-NONE-|||0\n", r"line 2: the edit 1 0 is outside"),
        ("A 1 2|||X|||c|||REQUIRED|||-NONE-|||0\n", "line 1: an edit of no sentence"),
        ("S a b\n\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n", "line 3: an edit of no sentence"),
        ("S a b\nA 0 1|||X|||c\n", "line 2: 3 fields between"),
        ("S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||\n", "the annotator '' is none"),
        (
            "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||-1\n",
            "line 2: the annotator is -1; annotators are numbered from 0",
        ),
        ("S a b\nA 0|||X|||c|||REQUIRED|||-NONE-|||0\n", "'0' are not two numbers"),
        ("S a b\nB 0\n", "line 2: 'B 0' is neither"),
    ],
)
def test_what_is_no_correction_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (TEXT.splitlines(), True),
        (["S a b", "", "S c"], True),
        (["A 1 2|||X|||c|||REQUIRED|||-NONE-|||0", "S a b"], True),
        (["S a b", "A 1 2 c"], True),
        (["S club 7 are back", "so they say"], False),
        (["A cat sat", "", "it did"], False),
        ([], False),
    ],
)
def test_m2_is_told_from_plain_sentences(lines: list[str], found: bool) -> None:
    assert is_m2(lines) is found


def test_overlapping_edits_cannot_be_applied(tmp_path: Path) -> None:
    edits = "A 0 2|||X|||c|||REQUIRED|||-NONE-|||0\nA 1 3|||X|||d|||REQUIRED|||-NONE-|||0\n"
    (sentence,) = read(tmp_path, f"S a b e\n{edits}")
    with pytest.raises(DataError, match=r"edits 0 2 and what follows overlap in 'a b e'"):
        sentence.corrected_by(sentence.annotators[0])
