from itertools import product
from pathlib import Path

import pytest
from sacrebleu.dataset import DATASETS

from seqpre.common.errors import ConfigError
from seqpre.corpora.catalog import find_url, read_catalog, relative_path, select
from seqpre.corpora.readers import TEXT

REPOSITORY = Path(__file__).parents[3]
SMALL = (
    "multi30k", "multi30k_captions", "tatoeba_ende", "reuters21578", "reuters21578_unlabelled", "scitldr",
    "jfleg", "jfleg_spellchecked", "conll2014", "cweb", "gmeg", "cweb_and_gmeg", "misspellings",
)  # fmt: skip
HEADER = "name\tsplit\tlanguage\treader\tmember\turl\tsha256\tbytes\tlicence\tnote\n"
GOOD = ["toy", "train", "en", "lines", "", "https://host/a/train.en.gz", "", "", "MIT", ""]


def catalog(folder: Path, *rows: list[str]) -> Path:
    path = folder / "corpora.tsv"
    path.write_text(HEADER + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return path


def changed(**cells: str) -> list[str]:
    columns = HEADER.split()
    return [cells.get(column, value) for column, value in zip(columns, GOOD, strict=True)]


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://host/a/b.gz", "host/a/b.gz"),
        ("http://127.0.0.1:80/x%20y.txt", "127.0.0.1:80/x y.txt"),
        ("https://host/get?id=1", "host/get?id=1"),
        ("grammar:demo/train.en", "grammar/demo/train.en"),
        ("news:demo/train.document", "news/demo/train.document"),
        ("licensed:LDC2011T07", "licensed/LDC2011T07"),
    ],
)
def test_files_lie_below_their_host(url: str, path: str) -> None:
    assert str(relative_path(url)) == path


@pytest.mark.parametrize(
    "url",
    [
        "https://host/../../etc/passwd",
        "https://host/%2e%2e/x",
        "file://host/etc/passwd",
        "ftp://host/x",
        "grammar:../x/y",
        "https://h",
        "licensed:/etc/passwd",
        "licensed:..",
    ],
)
def test_an_address_that_leaves_its_folder_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="url"):
        relative_path(url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://host/a%00b", "has %00 in it"),
        ("file:///a%00b", "has %00 in it"),
        (f"https://host/{'x' * 241}", "a name in it has 241 bytes, more than the 240"),
        (f"https://host/{'ü' * 125}.gz", "a name in it has 253 bytes"),
        (f"/{'x' * 300}/text.en", "a name in it has 300 bytes"),
    ],
)
def test_an_address_that_no_file_can_be_named_for_is_one_line(tmp_path: Path, url: str, message: str) -> None:
    with pytest.raises(ConfigError, match=rf"line 2: url .*{message}"):
        read_catalog(catalog(tmp_path, changed(url=url)))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"name": "my-corpus"}, "line 2: name 'my-corpus'; it may have letters, digits and _"),
        ({"language": "pt_BR"}, "line 2: language 'pt_BR'; it may have a-z"),
        ({"url": "ftp://host/x"}, "line 2: url 'ftp://host/x' is neither a path, file:///..., http"),
        ({"url": "https://[host/x"}, r"line 2: url 'https://\[host/x'"),
        (
            {"reader": "xml"},
            "line 2: reader 'xml'; accepted: lines, lines:<a>-<b>, lowercase, lowercase:az, lowercase:tr, column",
        ),
        ({"sha256": "ABC"}, "line 2: sha256 'ABC'"),
        ({"bytes": "1e6"}, "line 2: bytes '1e6'"),
        ({"licence": ""}, "line 2: column licence is empty"),
        ({"member": "../evil"}, r"line 2: member '\.\./evil' leaves its archive"),
        ({"member": "/etc/passwd"}, "leaves its archive"),
        ({"reader": "m2:10", "language": "en"}, "line 2: language 'en'; m2:10 gives source,target"),
    ],
)
def test_a_wrong_cell_is_named_with_line_and_value(tmp_path: Path, cells: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_catalog(catalog(tmp_path, changed(**cells)))


def test_missing_cells_and_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="line 2: expected 10"):
        read_catalog(catalog(tmp_path, GOOD[:-1]))
    (tmp_path / "other.tsv").write_text("name\turl\n")
    with pytest.raises(ConfigError, match="expected the columns name split"):
        read_catalog(tmp_path / "other.tsv")


def test_rows_of_one_split_come_in_file_order_and_a_misspelling_gets_a_suggestion(tmp_path: Path) -> None:
    rows = read_catalog(catalog(tmp_path, changed(note="2"), changed(note="1"), changed(language="de")))
    assert [row.note for row in select(rows, "toy", "train", "en")] == ["2", "1"]
    with pytest.raises(ConfigError, match=r"no corpus toi/train\.en; did you mean toy/train\.en\?"):
        select(rows, "toi", "train", "en")
    with pytest.raises(ConfigError, match="did you mean https://host/a/train"):
        find_url(rows, "https://host/a/trein.en.gz")


def test_a_file_may_have_several_splits_and_sides(tmp_path: Path) -> None:
    rows = read_catalog(catalog(tmp_path, changed(split="train,valid", language="document,summary", reader="scitldr")))
    for split, side in (("train", "document"), ("train", "summary"), ("valid", "summary")):
        assert select(rows, "toy", split, side) == rows
    with pytest.raises(ConfigError, match=r"no corpus toy/test\.summary; did you mean toy/\w+\.summary\?"):
        select(rows, "toy", "test", "summary")


@pytest.mark.parametrize(
    "reader", ["lowercase", "lowercase:tr", "column:12", "urls:287113", "reuters:bodies", "gigaword"]
)
def test_readers_with_and_without_a_number_are_accepted(tmp_path: Path, reader: str) -> None:
    text = reader in ("lowercase", "lowercase:tr", "column:12")
    (row,) = read_catalog(catalog(tmp_path, changed(reader=reader, language="en" if text else "document")))
    assert (row.gives == TEXT) == text
    with pytest.raises(ConfigError, match=r"accepted: .*urls:<n>"):
        read_catalog(catalog(tmp_path, changed(reader=f"{reader}x")))


PARTS = {"reader": "", "licence": "", "url": "corpus:toy"}


@pytest.mark.parametrize(
    ("cells", "text", "notes"),
    [
        ({}, "train.en", ["1", "2"]),
        ({"note": "of toy"}, "train.en", ["of toy", "of toy"]),
        ({"split": "train,valid", "language": "en,de"}, "train.de", ["3", "4"]),
        ({"split": "train,valid", "language": "en,de"}, "valid.de", ["5"]),
        ({"split": "test", "language": "en,de", "url": "corpus:toy/train"}, "test.de", ["3", "4"]),
        ({"split": "test", "language": "tr", "url": "corpus:toy/valid.de"}, "test.tr", ["5"]),
    ],
)
def test_a_row_may_stand_for_rows_of_another_corpus(
    tmp_path: Path, cells: dict[str, str], text: str, notes: list[str]
) -> None:
    of_toy = [changed(note="1"), changed(note="2"), changed(language="de", note="3"),
              changed(language="de", note="4"), changed(split="valid", language="de", note="5")]  # fmt: skip
    lines = [*of_toy, changed(name="both", **{**PARTS, **cells}), changed(name="own", url="https://host/own")]
    rows = read_catalog(catalog(tmp_path, *lines))
    found = select(rows, "both", *text.split("."))
    assert [row.note for row in found] == notes
    assert {(row.url, row.reader, row.licence) for row in found} == {(GOOD[5], "lines", "MIT")}
    assert all(row.line < 7 for row in found)  # where the file itself is written


def test_parts_may_be_read_in_another_way_and_have_parts_themselves(tmp_path: Path) -> None:
    parts = [changed(name=name, **PARTS) for name in ("one", "two", "one")]
    parts[1][3], parts[1][5], parts[2][5] = "column:1", "corpus:one", "corpus:two"
    rows = read_catalog(catalog(tmp_path, GOOD, *parts))
    assert [(row.name, row.reader) for row in rows[1:]] == [("one", "lines"), ("two", "column:1"), ("one", "column:1")]


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"url": "corpus:other"}, r"line 3: url 'corpus:other' names nothing above it with train\.en"),
        ({"split": "test"}, r"names nothing above it with test\.en"),
        ({"url": "corpus:both"}, "names nothing above it"),
        ({"licence": "MIT"}, "line 3: licence 'MIT'; corpus:toy has it, leave it empty"),
        ({"url": "corpus:toy/train.en/x"}, "line 3: column reader is empty"),
        ({"reader": "m2", "language": "en"}, "line 3: language 'en'; m2 gives source,target"),
    ],
)
def test_parts_that_are_not_there_are_named(tmp_path: Path, cells: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_catalog(catalog(tmp_path, GOOD, changed(name="both", **{**PARTS, **cells})))


def test_rows_that_share_a_file_must_agree_about_it(tmp_path: Path) -> None:
    rows = read_catalog(catalog(tmp_path, changed(bytes="1"), changed(bytes="2")))
    with pytest.raises(ConfigError, match="disagree"):
        find_url(rows, GOOD[5])


def test_the_projects_own_list_is_valid_and_its_parallel_splits_have_matching_parts() -> None:
    rows = read_catalog(REPOSITORY / "workflow" / "corpora.tsv")
    for url in {row.url for row in rows}:
        find_url(rows, url)
    for name in ("demo_ende", "multi30k", "wmt14_ende"):
        splits = {row.split for row in rows if row.name == name}
        assert {"train", "valid"} <= splits
        for split in splits:
            assert len(select(rows, name, split, "en")) == len(select(rows, name, split, "de"))
    for name in (
        "demo_news",
        "reuters21578",
        "scitldr",
        "cnn_dailymail",
        "cnn_dailymail_tokenized",
        "cnn_dailymail_anonymised",
    ):
        for split in ("train", "valid", "test"):
            assert len(select(rows, name, split, "document")) == len(select(rows, name, split, "summary"))
    for name, split in product(
        ("jfleg", "jfleg_spellchecked", "cweb", "gmeg", "cweb_and_gmeg"), ("valid", "test", "train")
    ):
        if any(row.name == name and row.split == split for row in rows):
            assert len(select(rows, name, split, "source")) == len(select(rows, name, split, "target"))
    # Text from elsewhere is either pinned or, where nobody has fetched it yet, pinned at first download.
    small = [row for row in rows if row.name in SMALL]
    assert all(row.sha256 and row.bytes for row in small)
    # WMT's test sets are where SacreBLEU has them.
    known = {
        (file, data.split("://")[1].removeprefix("www."))
        for dataset in DATASETS.values()
        for data, files in product(dataset.data, dataset.langpairs.values())
        for file in files
    }
    sgm = {(row.member, row.url.split("://")[1].removeprefix("www.")) for row in rows if row.reader == "sgm"}
    assert sgm
    assert sgm <= known


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"reader": "csv", "language": "article,highlights"}, "csv gives document,summary"),
        ({"reader": "pairs", "language": "en,de"}, "pairs gives source,target"),
        ({"language": "source,target"}, "lines gives one text: write a row for each"),
        ({"split": "train,valid"}, "lines gives one text: write a row for each"),
    ],
)
def test_a_row_has_the_sides_that_its_reader_gives(tmp_path: Path, cells: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_catalog(catalog(tmp_path, changed(**cells)))


def test_a_reader_replaces_its_own_kind_of_those_that_read_together() -> None:
    rows = read_catalog(REPOSITORY / "workflow/corpora.tsv")
    plain, tokens = (select(rows, f"cnn_dailymail{end}", "train", "document") for end in ("", "_tokenized"))
    assert [row.reader for row in plain] == ["urls:287113", "urls:287113", "stories", "stories"]
    assert [row.reader for row in tokens] == ["urls:287113", "urls:287113", *["stories:tokenized"] * 2]
    assert [row.url for row in tokens] == [row.url for row in plain]


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("train.en", "lists/train.en"),
        ("../text/a b #1.gz", "lists/../text/a b #1.gz"),
        ("/data/train.en", "/data/train.en"),
        ("file:///data/a%20b", "/data/a b"),
        ("file://localhost/data/x", "/data/x"),
    ],
)
def test_a_path_is_a_file_of_one_s_own_from_the_folder_of_its_list(tmp_path: Path, url: str, file: str) -> None:
    (tmp_path / "lists").mkdir()
    (row,) = read_catalog(catalog(tmp_path / "lists", changed(url=url)))
    assert row.own == tmp_path / file
    assert Path("downloads") / row.relative_path == tmp_path / file  # wherever the downloads are
    with pytest.raises(ConfigError, match=r"line 2: url .*, which does not exist"):
        row.check()


def test_an_address_is_not_a_file_of_one_s_own(tmp_path: Path) -> None:
    rows = read_catalog(catalog(tmp_path, *(changed(url=url) for url in ("https://h/a", "licensed:x", "grammar:a/b"))))
    assert [row.own for row in rows] == [None] * 3


def test_a_list_that_is_no_text_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "binary.tsv").write_bytes(b"name\xff")
    with pytest.raises(ConfigError, match=r"binary\.tsv: not a list of corpora .*line 1: not valid UTF-8"):
        read_catalog(tmp_path / "binary.tsv")


@pytest.mark.parametrize(
    "cells", [{"bytes": "9" * 5000}, {"bytes": "²"}, {"reader": f"column:{'9' * 5000}"}, {"url": "https://[::1/a"}]
)
def test_numbers_and_addresses_that_python_cannot_read_are_refused(tmp_path: Path, cells: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=next(iter(cells))):
        read_catalog(catalog(tmp_path, changed(**cells)))
