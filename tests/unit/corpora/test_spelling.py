"""Spelling errors corrected before a model reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from seqpre.corpora import spelling
from seqpre.corpora.spelling import Speller
from seqpre.corpora.words import Words


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    counts = {"house": 90, "horse": 80, "Paris": 40, "because": 30, "form": 9, "from": 20, "NATO": 3, "2nd": 2, ".": 99}
    path = tmp_path_factory.mktemp("vocabulary") / "words.tsv"
    path.write_text("".join(f"{word}\t{count}\n" for word, count in counts.items()))
    return path


@pytest.fixture(scope="module")
def speller(vocabulary: Path) -> Speller:
    """What takes seconds to make and is only asked."""
    return Speller(Words(vocabulary))


@pytest.fixture
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dictionary of English that is read at once."""
    monkeypatch.setattr(spelling, "read_dictionary", lambda: {"forum": 2, "horde": 1})


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the hosue becuase of horsse", "the house because of horse"),  # swapped neighbours are one edit
        ("a hoxse", "a house"),  # of two words one edit away the more frequent
        ("fromn", "from"),
        ("forum in a horde", "forum in a horde"),  # English, though the vocabulary lacks it
        ("Becuase HOSUE parris", "Because HOUSE paris"),
        ("in Horze and Hosue", "in Horze and Hosue"),  # names
        ("form House horse NATO nato", "form House horse NATO nato"),  # known words, though the wrong ones
        ("fro hosue2 ho-use 2ndd .. zzzzzz", "fro hosue2 ho-use 2ndd .. zzzzzz"),
        ("bzczusz", "bzczusz"),  # three edits
    ],
)
def test_unknown_words_become_the_closest_of_the_vocabulary(speller: Speller, sentence: str, expected: str) -> None:
    assert " ".join(speller.correct(sentence.split())) == expected


@pytest.mark.usefixtures("few_words")
def test_the_order_of_equal_words_does_not_decide(tmp_path: Path) -> None:
    for words in (("house", "mouse"), ("mouse", "house")):
        (tmp_path / "words.tsv").write_text("".join(f"{word}\t5\n" for word in words))
        assert Speller(Words(tmp_path / "words.tsv")).correct(["xouse"]) == ["house"]


@pytest.mark.usefixtures("few_words")
def test_the_command_keeps_lines_and_says_what_it_corrected(tmp_path: Path, vocabulary: Path) -> None:
    (tmp_path / "test.source").write_text("hosue form\n\nhosue becuase zzzzzz\n")
    output = tmp_path / "out/test.source"
    spelling.main(["--input", f"{tmp_path}/test.source", "--vocabulary", str(vocabulary), "--output", str(output)])
    assert output.read_text() == "house form\n\nhouse because zzzzzz\n"
    assert json.loads((tmp_path / "out/test.source.json").read_text()) == {
        "lines": 3, "tokens": 5, "unknown": 4, "corrected": 3,
        "most_frequent": {"hosue -> house": 2, "becuase -> because": 1},
    }  # fmt: skip


def test_a_vocabulary_that_is_not_there_is_one_line(tmp_path: Path, refused: Callable[..., str]) -> None:
    said = refused(spelling.main, ["--input", "x", "--vocabulary", f"{tmp_path}/w.tsv", "--output", f"{tmp_path}/y"])
    assert "w.tsv: no such vocabulary; make it with seqpre.corpora.learn_words" in said
