"""Which words a vocabulary takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.corpora.learn_words import count_words, main
from seqpre.corpora.words import Words


def test_the_most_frequent_words_are_taken_and_equals_by_their_letters() -> None:
    lines = ["b a a <unk>", "c  b a", "</s> </s> </s> </s> A"]
    assert count_words(lines, 7) == [("a", 3), ("b", 2), ("A", 1)]
    with pytest.raises(ConfigError, match="vocab-size 4"):
        count_words(lines, 4)


def test_words_of_several_texts_are_counted_together(tmp_path: Path, refused: Callable[..., str]) -> None:
    (tmp_path / "one").write_text("a a b\n")
    (tmp_path / "other").write_text("b b c\n")
    inputs = [str(tmp_path / "one"), str(tmp_path / "other")]
    main(["--input", *inputs, "--vocab-size", "6", "--output", str(tmp_path / "words.tsv")])
    words = Words(tmp_path / "words.tsv")
    assert words.words[4:] == ["b", "a"]
    assert words.counts_W.tolist() == [3, 2]
    said = refused(main, ["--input", *inputs, "--vocab-size", "9", "--output", str(tmp_path / "more.tsv")])
    assert "the largest that works is 7" in said
    (tmp_path / "one").write_text("\n")
    said = refused(main, ["--input", inputs[0], "--vocab-size", "9", "--output", str(tmp_path / "more.tsv")])
    assert "no text to learn words from" in said
