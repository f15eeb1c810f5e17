import bz2
import gzip
import hashlib
import io
import lzma
import random
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import LONGEST_LINE
from seqpre.corpora import archives
from seqpre.corpora.archives import File
from seqpre.corpora.catalog import Row
from seqpre.corpora.extract import extract
from seqpre.corpora.readers import read_sentences

TEXT = "first line\nzweite Zeile: ü\nthird\n".encode()
LINES = ["first line", "zweite Zeile: ü", "third"]


def row(url: str = "http://h/file.txt", reader: str = "lines", member: str = "", language: str = "en") -> Row:
    return Row("toy", "train", language, reader, member, url, "", None, "MIT", "")


def tar(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def test_plain_compressed_and_archived_text_gives_the_same_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "a.gz").write_bytes(gzip.compress(TEXT))
    (tmp_path / "a.bz2").write_bytes(bz2.compress(TEXT))
    tar(tmp_path / "a.tgz", {"./other": b"x\n", "./dir/a.txt": TEXT})
    zipped(tmp_path / "a.zip", {"dir/a.txt": TEXT})
    for name in ("a.txt", "a.gz", "a.bz2"):
        assert list(read_sentences(File(tmp_path / name))) == LINES
    for name in ("a.tgz", "a.zip"):
        assert list(read_sentences(File(tmp_path / name, "dir/a.txt"))) == LINES


def test_a_folder_of_an_archive_gives_the_lines_of_all_its_files(tmp_path: Path) -> None:
    tar(tmp_path / "a.tgz", {"./train/1": TEXT, "./held-out/1": b"x\n", "./train/2": b"fourth\n"})
    assert list(read_sentences(File(tmp_path / "a.tgz", "train/"))) == [*LINES, "fourth"]
    assert not list(read_sentences(File(tmp_path / "a.tgz", "tra/")))


def test_text_is_untouched_but_for_line_ends(tmp_path: Path) -> None:
    odd = " two  spaces\u2028separator \r\n\nu\u0308\x0b\n"
    (tmp_path / "a.txt").write_bytes(odd.encode())
    assert list(read_sentences(File(tmp_path / "a.txt"))) == [" two  spaces\u2028separator ", "", "u\u0308\x0b"]


def test_columns_are_cut_at_tabs(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Hi.\tHallo!\tx\nRun!\tLauf!\ty\n")
    assert list(read_sentences(File(tmp_path / "a.txt", reader="column:1"))) == ["Hallo!", "Lauf!"]
    (tmp_path / "a.txt").write_text("Hi.\tHallo!\nno tab\n")
    with pytest.raises(DataError, match=r"a\.txt, line 2: 1 tab-separated columns, column 1 asked for"):
        list(read_sentences(File(tmp_path / "a.txt", reader="column:1")))


def test_some_lines_of_a_file_are_a_split_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\nfour\n")
    assert list(read_sentences(File(tmp_path / "a.txt", reader="lines:2-3"))) == ["two", "three"]
    with pytest.raises(DataError, match=r"a\.txt: has 4 lines, and its row in the list of corpora takes those to 5"):
        list(read_sentences(File(tmp_path / "a.txt", reader="lines:4-5")))


def test_the_same_lines_of_files_of_unequal_lengths_are_refused(tmp_path: Path) -> None:
    text = {"en": [f"E{number}" for number in range(1, 21)], "de": [f"D{number}" for number in range(1, 21)]}
    rows = downloads(tmp_path, **{f"a_{side}": "\n".join(lines) + "\n" for side, lines in text.items()})
    rows = [replace(each, reader="lines:5-10") for each in rows]
    assert extract(rows, "toy", "train", ["en", "de"], tmp_path, tmp_path / "out") == 6
    del text["de"][1]  # Before those that are read: all six pairs would be shifted.
    (tmp_path / "h/a_de").write_text("\n".join(text["de"]) + "\n")
    (tmp_path / "pins.json").unlink()
    with pytest.raises(DataError, match=r"unequal line counts: .*h/a_en has 20, .*h/a_de has 19"):
        extract(rows, "toy", "train", ["en", "de"], tmp_path, tmp_path / "out")


def test_the_same_lines_of_references_and_of_what_they_refer_to_come_from_files_of_one_length(tmp_path: Path) -> None:
    rows = downloads(tmp_path, source_source="1\n2\n3\n", first_target="1\n2\n3\n", second_target="1\n2\n3\n")
    source, first, second = (replace(each, reader="lines:2-3") for each in rows)
    listed = [replace(source, split="test"), replace(first, split="test")]
    listed += [replace(each, split="test_references") for each in (first, second)]
    assert extract(listed, "toy", "test_references", ["target"], tmp_path, tmp_path / "out") == 4
    (tmp_path / "h/second_target").write_text("0\n1\n2\n3\n")
    (tmp_path / "pins.json").unlink()
    with pytest.raises(DataError, match=r"unequal line counts: .*h/source_source has 3, .*h/second_target has 4"):
        extract(listed, "toy", "test_references", ["target"], tmp_path, tmp_path / "out")


@pytest.mark.parametrize("member", ["../evil.txt", "/etc/passwd", "dir/../../evil.txt"])
def test_members_that_leave_the_archive_are_refused(tmp_path: Path, member: str) -> None:
    archives = tar(tmp_path / "a.tgz", {member: TEXT}), zipped(tmp_path / "a.zip", {member: TEXT})
    for archive in archives:
        with pytest.raises(DataError, match="leaves its archive"):
            list(read_sentences(File(archive, member)))


def test_evil_members_beside_the_one_asked_for_are_never_written(tmp_path: Path) -> None:
    inside = tmp_path / "deep" / "inside"
    inside.mkdir(parents=True)
    tar(inside / "a.tgz", {"../../evil": b"x", "good.txt": TEXT})
    zipped(inside / "a.zip", {"../../evil": b"x", "good.txt": TEXT})
    for name in ("a.tgz", "a.zip"):
        assert list(read_sentences(File(inside / name, "good.txt"))) == LINES
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.tgz", "a.zip", "deep", "inside"]


def test_a_link_in_an_archive_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret\n")
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        info = tarfile.TarInfo("text")
        info.type, info.linkname = tarfile.SYMTYPE, str(tmp_path / "secret")
        archive.addfile(info)
    with pytest.raises(DataError, match="member 'text' is a link"):
        list(read_sentences(File(tmp_path / "a.tgz", "text")))


def test_a_missing_member_lists_what_is_there(tmp_path: Path) -> None:
    for archive in (tar(tmp_path / "a.tgz", {"train.en": TEXT}), zipped(tmp_path / "a.zip", {"train.en": TEXT})):
        with pytest.raises(DataError, match=r"no member 'train\.de'; it has train\.en"):
            list(read_sentences(File(archive, "train.de")))


def test_truncated_files_are_named(tmp_path: Path) -> None:
    big = "".join(f"line {index} {index**3}\n" for index in range(20_000)).encode()
    (tmp_path / "a.gz").write_bytes(gzip.compress(big))
    (tmp_path / "a.bz2").write_bytes(bz2.compress(big))
    tar(tmp_path / "a.tgz", {"a.txt": big})
    zipped(tmp_path / "a.zip", {"a.txt": big})
    for name in ("a.gz", "a.bz2", "a.tgz", "a.zip"):
        path = tmp_path / name
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        member = "a.txt" if name in ("a.tgz", "a.zip") else ""
        with pytest.raises(DataError, match=rf"{name}.*truncated or damaged.*download it again"):
            list(read_sentences(File(path, member)))


def test_damaged_bz2_is_named_too(tmp_path: Path) -> None:
    (tmp_path / "a.bz2").write_bytes(b"BZh9 this is no bzip2 data at all")
    with pytest.raises(DataError, match=r"a\.bz2: truncated or damaged"):
        list(read_sentences(File(tmp_path / "a.bz2")))


@pytest.mark.parametrize("name", ["a.xz", "a.tar.xz", "a.zst"])
def test_a_file_packed_in_a_way_that_is_not_read_is_not_called_damaged(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(lzma.compress(TEXT))
    for member in ("", "train/") if ".tar" in name else ("",):
        with pytest.raises(DataError, match=r"is not read; pack it as \.gz, \.bz2 or \.zip"):
            list(read_sentences(File(tmp_path / name, member)))


def test_all_streams_of_a_bz2_file_are_read_or_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.bz2"
    first, second = bz2.compress(b"one\n"), bz2.compress(b"two\n")
    path.write_bytes(first + second)
    assert list(read_sentences(File(path))) == ["one", "two"]
    for rest in (b"A" + second[1:], second[:3], second[:-1], bytes(20), b"BZ"):
        path.write_bytes(first + rest)
        with pytest.raises(DataError, match=r"a\.bz2: truncated or damaged"):
            list(read_sentences(File(path)))


def test_a_gz_file_that_ends_in_zeros_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b""))
    assert list(read_sentences(File(path))) == ["one"]
    path.write_bytes(gzip.compress(b"one\n") + bytes(len(gzip.compress(b"two\n"))))
    with pytest.raises(DataError, match=r"a\.gz: truncated or damaged \(it ends in zeros\)"):
        list(read_sentences(File(path)))


HEADER = 512  # bytes, of which a member's text begins after as many


def damaged_tars() -> dict[str, bytes]:
    """Archives of t/1, t/2 and t/3 whose second member cannot be found, or that do not end."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for number in "123":
            info = tarfile.TarInfo(f"t/{number}")
            info.size = len(TEXT)
            archive.addfile(info, io.BytesIO(TEXT))
    whole, second = content.getvalue(), 2 * HEADER
    flipped = bytearray(whole)
    flipped[second] ^= 1
    return {
        "a header with a flipped bit": bytes(flipped),
        "a header of zeros": whole[:second] + bytes(HEADER) + whole[second + HEADER :],
        "the end cut off after a member": whole[:second],
        "the end cut off within a header": whole[: second + 100],
        "some bytes lost": whole[: second + HEADER] + whole[second + HEADER + 5 :],
    }


@pytest.mark.parametrize("member", ["t/", "t/1"])
@pytest.mark.parametrize("damage", damaged_tars())
def test_a_tar_whose_members_cannot_all_be_found_is_damaged(tmp_path: Path, damage: str, member: str) -> None:
    (tmp_path / "a.tar").write_bytes(damaged_tars()[damage])
    with pytest.raises(DataError, match=r"a\.tar(!t/1)?: truncated or damaged"):
        list(read_sentences(File(tmp_path / "a.tar", member)))


@pytest.mark.parametrize("kind", [tarfile.LNKTYPE, tarfile.SYMTYPE])
@pytest.mark.parametrize("member", ["t/", "t/b"])
def test_a_link_in_an_archive_is_refused_where_its_text_is_wanted(tmp_path: Path, kind: bytes, member: str) -> None:
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        info = tarfile.TarInfo("t/a")
        info.size = len(TEXT)
        archive.addfile(info, io.BytesIO(TEXT))
        link = tarfile.TarInfo("t/b")
        link.type, link.linkname = kind, "t/a"
        archive.addfile(link)
    with pytest.raises(DataError, match=r"a\.tgz: member 't/b' is a link to 't/a'; pack the files themselves"):
        list(read_sentences(File(tmp_path / "a.tgz", member)))
    assert list(read_sentences(File(tmp_path / "a.tgz", "t/a"))) == LINES


def test_a_link_in_a_zip_is_no_text(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("a.txt")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(info, "elsewhere.txt")
    with pytest.raises(DataError, match=r"a\.zip: member 'a\.txt' is a link"):
        list(read_sentences(File(tmp_path / "a.zip", "a.txt")))


def test_two_files_of_one_name_in_an_archive_are_refused_where_they_are_wanted(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for name, text in (("t/a", b"old\n"), ("./t/a", b"new\n"), ("b", b"b\n")):
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zip_file:
        zip_file.writestr("t/a", b"old\n")
        zip_file.writestr("b", b"b\n")
        with pytest.warns(UserWarning, match="Duplicate name"):
            zip_file.writestr("t/a", b"new\n")
    for archived, member in (("a.tar", "t/a"), ("a.tar", "t/"), ("a.zip", "t/a")):
        with pytest.raises(DataError, match=rf"{archived}: has two files '(\./)?t/a'"):
            list(read_sentences(File(tmp_path / archived, member)))
    assert [list(read_sentences(File(tmp_path / name, "b"))) for name in ("a.tar", "a.zip")] == [["b"], ["b"]]


def test_a_name_in_a_zip_that_is_not_utf_8_is_one_line(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.txt": TEXT, "xé": b"y"})
    content = path.read_bytes()
    path.write_bytes(content.replace("xé".encode(), b"x\xff\xa9"))
    with pytest.raises(DataError, match=r"a\.zip: the name b'x\\xff\\xa9' of a member is not UTF-8"):
        list(read_sentences(File(path, "a.txt")))


def test_text_can_be_read_in_lower_case(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("The ÄRA of Ünal\nends.\n".encode())
    assert list(read_sentences(File(tmp_path / "a.txt", reader="lowercase"))) == ["the ära of ünal", "ends."]
    (tmp_path / "b.txt").write_bytes("İSTANBUL IŞIK\n".encode())
    for own in ({"reader": "lowercase", "language": "tr"}, {"reader": "lowercase:tr", "language": "document"}):
        assert list(read_sentences(File(tmp_path / "b.txt", **own))) == ["istanbul \u0131\u015f\u0131k"]


def test_an_archive_that_breaks_off_between_two_files_is_damaged(tmp_path: Path) -> None:
    path = tar(tmp_path / "a.tgz", {str(n): bytes(random.Random(n).randbytes(2000)) for n in range(20)})
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(DataError, match=r"a\.tgz!19: truncated or damaged"):
        list(read_sentences(File(path, "19")))


def test_undecodable_bytes_name_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"gut\n" + "schön\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"a\.txt, line 2: not valid UTF-8 .* at byte 3"):
        list(read_sentences(File(tmp_path / "a.txt")))
    zipped(tmp_path / "a.zip", {"x": b"ok\nok\n\xff\n"})
    with pytest.raises(DataError, match=r"a\.zip!x, line 3"):
        list(read_sentences(File(tmp_path / "a.zip", "x")))


def downloads(folder: Path, **files: str) -> list[Row]:
    """Write the files below their host; names are <part>_<language>."""
    rows = []
    (folder / "h").mkdir(parents=True)
    for name, text in files.items():
        (folder / "h" / name).write_text(text)
        rows.append(row(url=f"http://h/{name}", language=name.split("_")[1]))
    return rows


def test_a_file_that_was_put_there_by_hand_is_verified_before_it_is_read(tmp_path: Path) -> None:
    rows = [replace(one, sha256="0" * 64) for one in downloads(tmp_path / "d", a_en="1\n")]
    with pytest.raises(DataError, match=r"d/h/a_en: checksum differs: .*; delete the file and run again"):
        extract(rows, "toy", "train", ["en"], tmp_path / "d", tmp_path / "raw")
    assert not list(tmp_path.glob("raw/train*"))


def test_parts_are_concatenated_in_the_order_of_the_list(tmp_path: Path) -> None:
    rows = downloads(tmp_path / "d", b_en="1\n2\n", a_en="3\n", b_de="eins\nzwei\n", a_de="drei\n")
    assert extract(rows, "toy", "train", ["en", "de"], tmp_path / "d", tmp_path / "raw") == 3
    assert (tmp_path / "raw" / "train.en").read_text() == "1\n2\n3\n"
    assert (tmp_path / "raw" / "train.de").read_text() == "eins\nzwei\ndrei\n"


def test_references_of_unequal_lengths_are_refused(tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    for name, text in (("1", b"a\n"), ("2", b"a\nb\n"), ("3", b"a\nb\nc\n")):
        (tmp_path / "h" / name).write_bytes(text)

    def rows(split: str, *names: str) -> list[Row]:
        return [replace(row(f"http://h/{name}", language="target"), split=split) for name in names]

    # As many lines as two references of two sentences have.
    with pytest.raises(DataError, match=r"unequal line counts: .*h/1 has 1, .*h/3 has 3; .* every reference, needs"):
        extract(rows("test", "2") + rows("test_references", "1", "3"), "toy", "test_references", ["target"],
                tmp_path, tmp_path / "out")  # fmt: skip
    assert not (tmp_path / "out" / "test_references.target").exists()
    for split, references in ((["2"], ["2", "2"]), (["1", "3"], ["1", "3", "1", "3"]), ([], ["2", "2"])):
        listed = rows("test", *split) + rows("test_references", *references)
        assert extract(listed, "toy", "test_references", ["target"], tmp_path, tmp_path / "out") % 2 == 0


def test_unequal_line_counts_name_both_files_and_counts_and_leave_nothing(tmp_path: Path) -> None:
    # The sums are equal: only a comparison part by part sees it.
    rows = downloads(tmp_path / "d", a_en="1\n2\n", b_en="3\n", a_de="eins\n", b_de="zwei\ndrei\n")
    with pytest.raises(DataError, match=r"unequal line counts: .*h/a_en has 2, .*h/a_de has 1"):
        extract(rows, "toy", "train", ["en", "de"], tmp_path / "d", tmp_path / "raw")
    assert list((tmp_path / "raw").iterdir()) == []


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    rows = downloads(tmp_path / "d", a_en="")
    with pytest.raises(DataError, match="a_en: empty; put a whole copy there"):
        extract(rows, "toy", "train", ["en"], tmp_path / "d", tmp_path / "raw")


def test_a_file_not_downloaded_yet_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"h/file\.txt: no such file; download or generate it first"):
        extract([row()], "toy", "train", ["en"], tmp_path, tmp_path / "raw")


def test_a_file_of_one_s_own_is_read_where_it_is_and_is_what_its_row_says(tmp_path: Path) -> None:
    (tmp_path / "text.en").write_bytes(TEXT)
    own = replace(row("text.en"), catalog=tmp_path / "corpora.tsv", line=2)

    def lines(row: Row) -> int:
        return extract([row], "toy", "train", ["en"], tmp_path / "downloads", tmp_path / "out")

    assert lines(replace(own, bytes=len(TEXT), sha256=hashlib.sha256(TEXT).hexdigest())) == 3
    assert (tmp_path / "out/train.en").read_bytes() == TEXT
    assert not (tmp_path / "downloads").exists()
    with pytest.raises(
        DataError, match=r"text\.en: bytes is 34, .*corpora\.tsv, line 2 says 35; put the right file there"
    ):
        lines(replace(own, bytes=35))
    with pytest.raises(DataError, match=rf"sha256 is \w+, .* says {'0' * 64}"):
        lines(replace(own, sha256="0" * 64))
    with pytest.raises(ConfigError, match=r"line 2: url 'gone' names the file /.*/gone, which does not exist"):
        lines(replace(own, url="gone"))


def test_a_folder_in_place_of_a_file_is_named(tmp_path: Path) -> None:
    for name in ("a.txt", "a.gz", "a.tgz", "a.zip"):
        (tmp_path / name).mkdir()
        with pytest.raises(DataError, match=rf"{name}: cannot be read \(Is a directory\)"):
            list(read_sentences(File(tmp_path / name, "x" if name in ("a.tgz", "a.zip") else "")))


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.txt": TEXT})
    content = bytearray(path.read_bytes())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(header) + flags] |= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"a\.zip!a\.txt: cannot be unpacked \(.*encrypted.*without a password"):
        list(read_sentences(File(path, "a.txt")))


def test_a_zip_of_a_later_version_or_with_damaged_lzma_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"a.txt": TEXT})
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 250
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"a\.zip!a\.txt: cannot be unpacked \(zip file version 25"):
        list(read_sentences(File(path, "a.txt")))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.txt", TEXT)
    content = bytearray(path.read_bytes())
    start = content.index(b"a.txt") + len("a.txt") + 12
    content[start : start + 8] = b"\xff" * 8
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"a\.zip!a\.txt: truncated or damaged"):
        list(read_sentences(File(path, "a.txt")))


def test_zeros_packed_into_an_archive_are_refused_before_they_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zipped(tmp_path / "a.zip", {"a.txt": b"text\n" + bytes(LONGEST_LINE + 1)})
    with pytest.raises(DataError, match=r"a\.zip!a\.txt, line 2: longer than"):
        list(read_sentences(File(tmp_path / "a.zip", "a.txt")))
    monkeypatch.setattr(archives, "LARGEST_FILE", 1000)
    with pytest.raises(DataError, match=r"a\.zip!a\.txt: more than 1,000 bytes"):
        list(read_sentences(File(tmp_path / "a.zip", "a.txt", reader="sgm")))


def test_damage_in_a_compressed_archive_is_found_though_its_text_can_be_read(tmp_path: Path) -> None:
    path = tar(tmp_path / "a.tgz", {"a.txt": TEXT})
    content = bytearray(path.read_bytes())
    content[-8] ^= 1  # of the checksum
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"a\.tgz!a\.txt: truncated or damaged \(CRC"):
        list(read_sentences(File(path, "a.txt")))


def test_a_byte_order_mark_is_in_no_part_of_a_text(tmp_path: Path) -> None:
    rows = downloads(tmp_path / "d", a_en="\ufeff1\n", b_en="\ufeff2\n")
    extract(rows, "toy", "train", ["en"], tmp_path / "d", tmp_path / "raw")
    assert (tmp_path / "raw" / "train.en").read_text() == "1\n2\n"
