"""SciTLDR, Gigaword, and what goes together in a list of corpora."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError, DataError


def paper(source: list[str], target: list[str]) -> bytes:
    return json.dumps({"source": source, "target": target, "paper_id": "p", "title": "T"}).encode() + b"\n"


def test_the_authors_summary_is_taken_and_cut_into_sentences(corpus) -> None:
    papers = [
        paper(["We train  nets.\n", "They work."], ["Nets work. We say why.", "The paper says that nets work."]),
        paper(["We train."], []),
        paper([], ["Nothing."]),
    ]
    corpus.add("train.jsonl", b"".join(papers), "scitldr")
    assert corpus.extract() == 1
    assert corpus.lines("document") == ["we train nets. ¶ they work."]
    assert corpus.lines("summary") == ["nets work. ¶ we say why."]
    assert corpus.reasons() == {"no_summary": 1, "no_document": 1}


@pytest.mark.parametrize(
    "line",
    [
        b'{"source": ["cut',
        b'{"source": []}',
        b"[]",
        b"null",
        b"",
        b"[" * 100_000,
        b'{"source": [], "target": [], "paper_id": ' + b"9" * 5000 + b"}",
        b'{"source":[],"target":[7],"paper_id":1}',
        b'{"source": "a string", "target": ["B."], "paper_id": "p"}',
        b'{"source": ["A."], "target": "a string", "paper_id": "p"}',
        b'{"source": ["A."], "target": null, "paper_id": "p"}',
        b'{"source": ["A.", null], "target": ["B."], "paper_id": "p"}',
    ],
    ids=lambda line: line[:50].decode(),
)
def test_a_line_that_is_no_paper_is_named(corpus, line: bytes) -> None:
    corpus.add("train.jsonl", paper(["A."], ["B."]) + line + b"\n", "scitldr")
    with pytest.raises(DataError, match=r"train\.jsonl, line 2: not a paper with paper_id, source and target"):
        corpus.extract()


NEWS = """<DOC id="AFP_1" type="story" >
<HEADLINE>
Rain falls
</HEADLINE>
<DATELINE>
Paris, May 1 (AFP)
</DATELINE>
<TEXT>
<P>
Rain fell on
Paris &amp; Lyon. Nobody
was hurt.
</P>
<P>
It stopped.
</P>
</TEXT>
</DOC>
<DOC id="AFP_2" type="advis" >
<TEXT>
An advisory.
</TEXT>
</DOC>
<DOC id="AFP_3" type="story" >
<HEADLINE>
Empty
</HEADLINE>
</DOC>
"""


def licensed_copy(folder: Path, content: bytes) -> Path:
    path = folder / "gigaword_eng_5/data/afp_eng/afp_eng_199405.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return folder / "gigaword_eng_5"


def test_stories_of_a_licensed_copy_become_documents(corpus, tmp_path: Path) -> None:
    copy = licensed_copy(tmp_path, gzip.compress(NEWS.encode()))
    corpus.add("LDC", f"{copy}\n".encode(), "gigaword", sides="document")
    assert corpus.extract(sides=("document",)) == 1
    assert corpus.lines("document") == ["rain fell on paris & lyon. ¶ nobody was hurt. ¶ it stopped."]
    assert corpus.reasons("train.document") == {"type_advis": 1, "no_document": 1}


def test_a_byte_order_mark_hides_no_document_of_a_licensed_copy(corpus, tmp_path: Path) -> None:
    news = NEWS.replace("AFP_1", "AFP_0").encode("utf-8-sig") + NEWS.encode(
        "utf-8-sig"
    )  # Two files, one after the other.
    copy = licensed_copy(tmp_path, gzip.compress(news))
    corpus.add("LDC", str(copy).encode(), "gigaword", sides="document")
    assert corpus.extract(sides=("document",)) == 2
    assert corpus.reasons("train.document") == {"type_advis": 2, "no_document": 2}


def test_a_copy_that_is_empty_or_cut_off_is_named(corpus, tmp_path: Path) -> None:
    corpus.add("LDC", str(tmp_path / "nowhere").encode(), "gigaword", sides="document")
    with pytest.raises(DataError, match=r"LDC says .*nowhere, which is no folder"):
        corpus.extract(sides=("document",))
    corpus.rows.clear()
    corpus.add("no/LDC", str(tmp_path).encode(), "gigaword", sides="document")
    with pytest.raises(DataError, match=r"LDC says .*: no \.gz file below it"):
        corpus.extract(sides=("document",))
    corpus.rows.clear()
    copy = licensed_copy(tmp_path, gzip.compress(NEWS[:-20].encode()))
    corpus.add("cut/LDC", str(copy).encode(), "gigaword", sides="document")
    with pytest.raises(DataError, match=r"afp_eng_199405\.gz: .* the document .*AFP_3.* does not end"):
        corpus.extract(sides=("document",))
    (copy / "data/afp_eng/afp_eng_199405.gz").write_bytes(gzip.compress(NEWS.encode())[:-40])
    with pytest.raises(DataError, match=r"afp_eng_199405\.gz: truncated or damaged"):
        corpus.extract(sides=("document",))


def test_half_a_character_in_a_name_is_left_out(corpus) -> None:
    corpus.add(
        "train.jsonl", paper(["A."], ["B."]) + b'{"source": [], "target": [], "paper_id": "p\\ud800"}', "scitldr"
    )
    corpus.extract()
    assert corpus.stats()["reasons"]["no_document"]["examples"][0]["name"] == "p"


def test_a_document_that_does_not_end_before_the_next_is_refused(corpus, tmp_path: Path) -> None:
    copy = licensed_copy(tmp_path, gzip.compress(NEWS.replace("</DOC>", "", 1).encode()))
    corpus.add("LDC", str(copy).encode(), "gigaword", sides="document")
    with pytest.raises(DataError, match=r'afp_eng_199405\.gz: .* the document <DOC id="AFP_1" .* does not end'):
        corpus.extract(sides=("document",))


def test_what_is_left_out_of_a_licensed_copy_is_counted(corpus, tmp_path: Path) -> None:
    unclosed = NEWS.replace("AFP_1", "AFP_0").replace("</P>", "", 1)
    copy = licensed_copy(tmp_path, gzip.compress(f"A heading\n\n{unclosed}{NEWS}</DOC>\n".encode()))
    corpus.add("LDC", str(copy).encode(), "gigaword", sides="document")
    assert corpus.extract(sides=("document",)) == 1
    reasons = {"outside_documents": 2, "unclosed_paragraph": 1, "type_advis": 2, "no_document": 2}
    assert corpus.reasons("train.document") == reasons


def test_one_byte_of_another_encoding_in_a_licensed_copy_is_counted(corpus, tmp_path: Path) -> None:
    news = NEWS.replace("Paris &amp;", "Zürich \x96").encode().replace("\x96".encode(), b"\x96")
    corpus.add("LDC", str(licensed_copy(tmp_path, gzip.compress(news))).encode(), "gigaword", sides="document")
    corpus.extract(sides=("document",))
    assert corpus.lines("document")[0].startswith("rain fell on zürich \u2013 lyon.")
    assert corpus.stats("train.document")["repaired"] == {"windows-1252": 1}


@pytest.mark.parametrize("pointer", [b"", b"\n", b"\xff", b"x" * 5000])
def test_a_file_that_names_no_folder_is_refused(corpus, pointer: bytes) -> None:
    corpus.add("LDC", pointer, "gigaword", sides="document")
    with pytest.raises(DataError, match="LDC"):
        corpus.extract(sides=("document",))


def test_readers_of_lines_and_of_documents_do_not_mix(corpus) -> None:
    corpus.add("train.jsonl", paper(["A."], ["B."]), "scitldr")
    corpus.add("more.txt", b"x\n", "lines")
    with pytest.raises(ConfigError, match="toy: the reader lines has no summaries"):
        corpus.extract()


def test_documents_alone_may_have_lines_of_other_text_beside_them(corpus) -> None:
    corpus.add("train.jsonl", paper(["A.", "B."], ["C."]), "scitldr", sides="document")
    corpus.add("more.txt", "Ein Satz.\n\nÉin Satz.\n".encode(), "lowercase", sides="document")
    corpus.add("cased.txt", b"As it is.\n", "lines", sides="document")
    assert corpus.extract(sides=("document",)) == 4
    assert corpus.lines("document") == ["a. ¶ b.", "ein satz.", "éin satz.", "As it is."]
    assert corpus.reasons("train.document") == {"no_document": 1}
