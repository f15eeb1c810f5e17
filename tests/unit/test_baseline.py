"""Trivial baselines: the beginning of each source for its output, or all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre import baseline

DOCUMENTS = "one . ¶ two . ¶ three . ¶ four .\nalone\n\na ¶ ¶ b ¶ c\n"


def taken(folder: Path, take: str, text: str = DOCUMENTS) -> str:
    (folder / "test.document").write_text(text, encoding="utf-8")
    options = ["--sources", f"test={folder}/test.document", f"valid={folder}/test.document", "--take", take]
    baseline.main([*options, "--output-dir", str(folder / take)])
    valid, test = (folder / take / f"{split}.txt" for split in ("valid", "test"))
    assert valid.read_text(encoding="utf-8") == test.read_text(encoding="utf-8")
    return test.read_text(encoding="utf-8")


def test_as_many_sentences_as_asked_for_are_taken_of_every_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert taken(tmp_path, "lead_3") == "one . ¶ two . ¶ three .\nalone\n\na ¶ b ¶ c\n"
    assert "4 sources; 2 have fewer sentences, 1 of them none" in capsys.readouterr().out
    assert taken(tmp_path, "lead_1") == "one .\nalone\n\na\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--take", "lead_0"], "--take is 'lead_0'; it must be lead_N or words_N, N at least 1"),
        (["--take", "lead_3"], "none: no such file"),
    ],
)
def test_no_sentences_and_no_file_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    with pytest.raises(SystemExit):
        baseline.main(["--sources", f"test={tmp_path}/none", *options, "--output-dir", str(tmp_path)])
    assert message in capsys.readouterr().err


def test_as_many_words_as_asked_for_are_taken_across_sentences(tmp_path: Path) -> None:
    assert taken(tmp_path, "words_4", "one two . ¶ three .\nalone\n") == "one two . three\nalone\n"


def test_a_copied_source_stays_as_it_is(tmp_path: Path) -> None:
    assert taken(tmp_path, "copied_source", "an  error ¶ .\n\n") == "an  error ¶ .\n\n"
