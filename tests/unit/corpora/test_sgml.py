"""Segments of WMT's test sets: each is read, and its partner is the one with the same ids."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.archives import File
from seqpre.corpora.catalog import Row
from seqpre.corpora.extract import extract
from seqpre.corpora.sgml import Segments, read_segments


def doc(name: str, segments: dict[str, str]) -> str:
    texts = "".join(f'<seg id="{number}">{text}</seg>\n' for number, text in segments.items())
    return f'<DOC sysid="ref" docid="{name}" genre="news">\n<hl>\n{texts}</hl>\n<p>\n</p>\n</DOC>\n'


def refset(*docs: str, tag: str = "refset") -> str:
    return f'<{tag} setid="x" srclang="any">\n{"".join(docs)}</{tag}>\n'


def segments(folder: Path, markup: str) -> Segments:
    (folder / "a.sgm").write_text(markup)
    return read_segments(File(folder / "a.sgm"))


def texts(folder: Path, markup: str) -> list[str]:
    return list(segments(folder, markup).values())


def test_a_segment_is_one_line_however_it_is_written(tmp_path: Path) -> None:
    markup = refset(doc("d", {"1": "two\r\n lines", "2": "x", "3": "", "4": "a<!-- note -->b"}))
    markup = markup.replace('<seg id="2">x</seg>', '<seg id="2"/>')
    assert texts(tmp_path, markup) == ["two lines", "", "", "ab"]


def test_what_is_neither_tag_nor_reference_is_text(tmp_path: Path) -> None:
    written = {"1": "A&B &copy=1 &amp; &#252; &quot;", "2": "a < b <unk> <i>c</i> <title> d > e", "3": "&bogus; &"}
    assert texts(tmp_path, refset(doc("d", written))) == [
        'A&B &copy=1 & ü "',
        "a < b <unk> <i>c</i> <title> d > e",
        "&bogus; &",
    ]


def test_segments_in_comments_are_none(tmp_path: Path) -> None:
    markup = refset(doc("d", {"1": "a"}), '<!-- <seg id="2">old</seg> -->\n', doc("e", {"1": "b"}))
    assert segments(tmp_path, markup) == {("d", "1"): "a", ("e", "1"): "b"}


GOOD = refset(doc("d", {"1": "a", "2": "b"}))


@pytest.mark.parametrize(
    ("markup", "message"),
    [
        (GOOD[:-20], "1 sets begin and 0 end"),
        (GOOD[: GOOD.index("</seg>")], "1 segments begin, 0 end"),
        (GOOD.replace("</seg>", "", 1), "2 segments begin, 1 end"),
        (GOOD.replace("</seg>", "<!-- </seg>", 1), "1 segments begin, 0 end, 1 could be read"),
        (GOOD + GOOD, "2 sets begin and 2 end; one whole set is read, of one reference"),
        (refset(doc("d", {"1": "a"}), doc("d", {"1": "b"})), "segment 1 of document d is there twice"),
        (GOOD.replace(' id="2"', ""), "segment 2 has no id"),
        (GOOD.replace(' docid="d"', ""), "segment 1 has no id, or its document has no docid"),
        (refset(doc("d", {"1": 'a<seg id="2">b</seg>c'})), "segment 1 of document d has others in it"),
        (refset('<doc docid="d">' * 5000, '<seg id="1">a</seg>', "</doc>" * 5000), "a.sgm: "),
        ("", "0 sets begin"),
    ],
)
def test_what_would_lose_or_shift_a_segment_is_refused(tmp_path: Path, markup: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        texts(tmp_path, markup)


def pair(folder: Path, *files: tuple[str, str]) -> list[Row]:
    """Write the files, which are (language, markup), and return their rows."""
    rows = []
    for number, (language, markup) in enumerate(files):
        row = Row("toy", "test", language, "sgm", "", f"http://h/{number}.{language}.sgm", "", None, "x", "")
        (folder / row.relative_path).parent.mkdir(parents=True, exist_ok=True)
        (folder / row.relative_path).write_text(markup, encoding="utf-8")
        rows.append(row)
    return rows


def test_segments_with_the_same_ids_are_partners_whatever_their_order(tmp_path: Path) -> None:
    source = refset(doc("d", {"1": "one", "2": "two"}), doc("e", {"1": "three"}), tag="srcset")
    target = refset(doc("e", {"1": "drei"}), doc("d", {"2": "zwei", "1": "eins"}))
    rows = pair(tmp_path, ("en", source), ("de", target))
    assert extract(rows, "toy", "test", ["en", "de"], tmp_path, tmp_path / "raw") == 3
    assert (tmp_path / "raw/test.en").read_text() == "one\ntwo\nthree\n"
    assert (tmp_path / "raw/test.de").read_text() == "eins\nzwei\ndrei\n"


def test_a_segment_without_partner_is_named_though_the_counts_agree(tmp_path: Path) -> None:
    source, target = refset(doc("d", {"1": "one", "3": "three"})), refset(doc("d", {"1": "eins", "2": "zwei"}))
    rows = pair(tmp_path, ("en", source), ("de", target))
    with pytest.raises(DataError, match=r"1\.de\.sgm has no segment 3 of document d, as .*0\.en\.sgm has"):
        extract(rows, "toy", "test", ["en", "de"], tmp_path, tmp_path / "raw")
    assert list((tmp_path / "raw").iterdir()) == []


def test_sgml_is_paired_file_by_file(tmp_path: Path) -> None:
    both = refset(doc("d", {"1": "one"}), doc("e", {"1": "two"}))
    parts = refset(doc("d", {"1": "eins"})), refset(doc("e", {"1": "zwei"}))
    rows = pair(tmp_path, ("en", both), *(("de", part) for part in parts))
    with pytest.raises(ConfigError, match="1 and 2 files for a split"):
        extract(rows, "toy", "test", ["en", "de"], tmp_path, tmp_path / "raw")
