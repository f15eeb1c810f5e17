"""A vocabulary of words, and the ids of unknown ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.corpora.subwords import EOS, UNK
from seqpre.corpora.words import PLACES, Words


def words_of(folder: Path, *words: str) -> Words:
    path = folder / "words.tsv"
    path.write_text("".join(f"{word}\t{9 - number}\n" for number, word in enumerate(words)))
    return Words(path)


def test_a_word_falls_back_to_lower_capitalised_and_upper_case(tmp_path: Path) -> None:
    words = words_of(tmp_path, "the", "Paris", "NATO", "Paper", "paper", "McDonald")
    assert words.size == 10
    assert words.decode(words.encode("The THE paris Nato nato PAPER")) == "the the Paris NATO NATO paper"
    assert words.decode(words.encode("mcDonald McDonald")) == "McDonald McDonald"  # Only the first letter may differ.
    assert words.encode("Lyon the PARIS Mcdonald") == [10, 4, 12, 13]


def test_what_a_source_writes_in_another_casing_is_written_so_again(tmp_path: Path) -> None:
    words = words_of(tmp_path, "the", "in", "zog", "lives", "live", "nato", "dog", ".")

    def written(source: str, target: str) -> str:
        return words.decode(words.encode(target.lower(), source), source)

    assert written("The Zog live in NATO .", "the zog lives in nato .") == "The Zog lives in NATO ."
    # A word that began the sentence and no longer does was no name; what begins it now has its capital.
    assert written("Dog lives .", "the dog lives .") == "The dog lives ."
    assert written("the Zog lives", "zog lives") == "Zog lives"
    # Several casings come back in their order, and the last one as often as need be.
    assert written("In the zog Zog", "in zog the zog zog") == "In zog the Zog Zog"
    assert written("the zog lives", "the zog lives") == "the zog lives"
    # A vocabulary that knows the word as it stands has its own mind about casing.
    cased = words_of(tmp_path, "The", "the", "dog")
    assert cased.decode(cased.encode("the dog"), "The dog") == "the dog"


def test_unknown_words_of_a_source_have_the_place_where_they_first_stand(tmp_path: Path) -> None:
    words = words_of(tmp_path, "the", "of")
    source = "the Zog of Ruritania the Zog"
    assert words.encode(source) == [4, 6 + 1, 5, 6 + 3, 4, 6 + 1]
    target = "Ruritania the Kvark Zog"
    assert words.encode(target, source) == [9, 4, UNK, 7]
    assert words.decode(words.encode(target, source), source) == "Ruritania the <unk> Zog"
    assert words.encode_lines([target, ""], [source, source]) == [[9, 4, UNK, 7, EOS], [EOS]]


def test_special_symbols_in_a_text_are_words_like_others_except_unk(tmp_path: Path) -> None:
    words = words_of(tmp_path, "the")
    source = "the <unk> </s> <pad> <unk>"
    assert words.encode(source) == [4, UNK, 5 + 2, 5 + 3, UNK]
    assert words.decode(words.encode(source), source) == source


def test_sources_of_one_word_of_none_and_of_more_words_than_can_be_pointed_at(tmp_path: Path) -> None:
    words = words_of(tmp_path, "the")
    assert words.encode("") == []
    assert words.encode("Zog") == [5]
    long = "the " * PLACES + "Zog"
    assert words.encode(long)[-1] == UNK
    assert max(words.encode("the " * (PLACES - 1) + "Zog")) < words.ids_below


def test_an_id_that_no_word_of_the_source_has_is_refused(tmp_path: Path) -> None:
    words = words_of(tmp_path, "the")
    with pytest.raises(DataError, match=r"id 7 copies word 3 of a source of 2 words"):
        words.decode([4, 7], "the Zog")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("the\t3\nthe\t2\n", "'the' twice"),
        ("the 3\n", "line 1"),
        ("the\tmany\n", "line 1"),
        ("the\t0\n", "line 1: .* is not a word, a tab and its count"),
        ("the\t99999999999999999999\n", "line 1"),
        ("<unk>\t3\n", "'<unk>'"),
    ],
)
def test_a_damaged_file_is_one_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "words.tsv"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        Words(path)
