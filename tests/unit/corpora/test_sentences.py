from pathlib import Path

import pytest

from seqpre.corpora.learn_bpe import learn_bpe
from seqpre.corpora.normalise import normalise
from seqpre.corpora.sentences import SENTENCE_BREAK, join_sentences, sentences_of, split_sentences
from seqpre.corpora.subwords import Subwords


def test_sentences_end_neither_at_abbreviations_nor_at_german_ordinals() -> None:
    text = 'Am 3. Oktober kam Dr. Müller. Er blieb bis ca. 1990! "Warum?" So fragte er.'
    assert split_sentences(text, ordinals=True) == [
        "Am 3. Oktober kam Dr. Müller.",
        "Er blieb bis ca. 1990!",
        '"Warum?"',
        "So fragte er.",
    ]


def test_an_english_sentence_may_end_in_a_number() -> None:
    text = "The merger with Ames Corp. of Fort Worth ends on June 25. The board approved it. 5,200 jobs will go."
    assert split_sentences(text) == [
        "The merger with Ames Corp. of Fort Worth ends on June 25.",
        "The board approved it.",
        "5,200 jobs will go.",
    ]


def test_sentences_survive_one_line_and_cleaning() -> None:
    sentences = ["It rains.", "", "  Nobody\tknows\nwhy ¶ yet. ", "“Odd”, he said"]
    line = join_sentences(sentences)
    assert line == "It rains. ¶ Nobody knows why yet. ¶ “Odd”, he said"
    assert normalise(line) == line
    assert sentences_of(line) == ["It rains.", "Nobody knows why yet.", "“Odd”, he said"]


@pytest.mark.parametrize("line", ["¶ a ¶ ¶ b ¶", "a¶b", "a ¶ b"])
def test_marks_a_model_put_wrongly_make_no_empty_sentences(line: str) -> None:
    assert sentences_of(line) == ["a", "b"]


def test_a_subword_model_makes_the_mark_one_piece(tmp_path: Path) -> None:
    text = tmp_path / "train.summary"
    text.write_text("\n".join(f"boat {n} sinks ¶ {n} men are saved ¶ nobody dies" for n in range(200)))
    (tmp_path / "bpe.model").write_bytes(learn_bpe([text], vocab_size=60))
    subwords = Subwords(tmp_path / "bpe.model")
    ids = subwords.encode("boat 7 sinks ¶ nobody dies")
    assert subwords.pieces(ids).count(f"▁{SENTENCE_BREAK}") == 1
    assert subwords.decode(ids) == "boat 7 sinks ¶ nobody dies"


def test_a_paragraph_of_abbreviations_takes_no_squared_time() -> None:
    text = "Dr. A " * 200_000 + "ends."
    assert split_sentences(text) == [text]
