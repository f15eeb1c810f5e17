"""What a denoiser's text is cut into, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from seqpre.corpora.segments import main, segments
from seqpre.corpora.words import Words


def vocabulary(folder: Path) -> Words:
    (folder / "words.tsv").write_text("a\t2\nb\t1\n")
    return Words(folder / "words.tsv")


def test_paragraphs_are_split_and_what_is_no_prose_is_dropped_and_counted(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    lines = ["a b a b a", "a b", "", "a b x x", "A B a a b b x ¶ b x a"]
    found = list(segments(lines, vocabulary(tmp_path), 3, counts))
    assert found == ["a b a", "b a", "A B a", "a b b", "x b x", "a"]
    assert counts == {"lines": 5, "too short": 2, "unknown": 1, "segments": 6, "words": 15}


def test_a_text_of_which_nothing_is_left_is_refused(tmp_path: Path, refused: Callable[..., str]) -> None:
    vocabulary(tmp_path)
    (tmp_path / "text").write_text("x y z\n")
    arguments = ["--input", str(tmp_path / "text"), "--vocabulary", str(tmp_path / "words.tsv"), "--split", "2"]
    assert "none of its 1 lines is left" in refused(main, [*arguments, "--output", str(tmp_path / "segments")])
    assert not (tmp_path / "segments").exists()
    (tmp_path / "text").write_text("a b a\n")
    main([*arguments, "--output", str(tmp_path / "segments")])
    assert (tmp_path / "segments").read_text() == "a b\na\n"


def test_segments_of_fewer_than_no_words_are_refused(tmp_path: Path, refused: Callable[..., str]) -> None:
    vocabulary(tmp_path)
    (tmp_path / "text").write_text("a b a\n")
    arguments = ["--input", str(tmp_path / "text"), "--vocabulary", str(tmp_path / "words.tsv"), "--split", "-3"]
    said = refused(main, [*arguments, "--output", str(tmp_path / "segments")])
    assert "ConfigError: --split is -3; it must be at least 0" in said
