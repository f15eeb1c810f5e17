"""The first sentences of documents as their summaries."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre import lead

DOCUMENTS = "one . ¶ two . ¶ three . ¶ four .\nalone\n\na ¶ ¶ b ¶ c\n"


def taken(folder: Path, sentences: int) -> str:
    documents, output = folder / "test.document", folder / "lead" / "test.txt"
    documents.write_text(DOCUMENTS, encoding="utf-8")
    lead.main(["--sources", str(documents), "--take", f"lead_{sentences}", "--output", str(output)])
    return output.read_text(encoding="utf-8")


def test_as_many_sentences_as_asked_for_are_taken_of_every_document(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert taken(tmp_path, 3) == "one . ¶ two . ¶ three .\nalone\n\na ¶ b ¶ c\n"
    assert "4 sources; 2 have fewer sentences, 1 of them none" in capsys.readouterr().out
    assert taken(tmp_path, 1) == "one .\nalone\n\na\n"


def test_no_sentences_and_no_file_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        taken(tmp_path, 0)
    assert "--take is 'lead_0'; it must be lead_N or words_N, N at least 1" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        lead.main(["--sources", str(tmp_path / "none"), "--take", "lead_3", "--output", str(tmp_path / "o")])
    assert "none: no such file" in capsys.readouterr().err


def test_as_many_words_as_asked_for_are_taken_across_sentences(tmp_path: Path) -> None:
    documents, output = tmp_path / "test.document", tmp_path / "test.txt"
    documents.write_text("one two . ¶ three .\nalone\n", encoding="utf-8")
    lead.main(["--sources", str(documents), "--take", "words_4", "--output", str(output)])
    assert output.read_text(encoding="utf-8") == "one two . three\nalone\n"
    with pytest.raises(SystemExit):
        lead.main(["--sources", str(documents), "--take", "words_0", "--output", str(output)])


def test_a_copied_source_stays_as_it_is(tmp_path: Path) -> None:
    sources, output = tmp_path / "test.source", tmp_path / "test.txt"
    sources.write_text("an  error ¶ .\n\n", encoding="utf-8")
    lead.main(["--sources", str(sources), "--take", "copied_source", "--output", str(output)])
    assert output.read_text(encoding="utf-8") == "an  error ¶ .\n\n"
