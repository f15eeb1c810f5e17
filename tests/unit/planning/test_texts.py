"""Sizes of texts: counted where they are there, from the table before, guessed or refused without either."""

import json
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.corpora.catalog import Row
from seqpre.planning.texts import COLUMNS, TextSize, TextSizes, read_sizes


def row(
    name: str = "mine", language: str = "en", url: str = "https://example.org/a.gz", bytes: int | None = None
) -> Row:
    return Row(name, "train", language, "lines", "", url, "", bytes, "free", "")


def table(folder: Path, *lines: str) -> Path:
    path = folder / "sizes.tsv"
    path.write_text("\n".join(["\t".join(COLUMNS), *lines]) + "\n", encoding="utf-8")
    return path


MINE = "mine\ttrain\ten\t200\t100\t5000\t1200\t900\tcounted"


def test_a_text_is_as_large_as_the_table_says_until_it_is_there(tmp_path: Path) -> None:
    sizes = TextSizes(table(tmp_path, MINE), [row()], tmp_path)
    text = sizes.of("study", "mine", "train", "en")
    assert text == TextSize(raw_lines=200, lines=100, bytes=5000, tokens=1200, download=900)
    assert (text.raw_bytes, text.length) == (10_000, 12.0)

    store = tmp_path / "tokens/study/mine/train.en/store.json"
    store.parent.mkdir(parents=True)
    about = {"dtype": "<u2", "sentences": 90, "tokens": 1111, "fingerprint": "of words"}
    store.write_text(json.dumps(about), encoding="utf-8")
    clean = tmp_path / "text/study/mine/train.en_de/train.en"
    clean.parent.mkdir(parents=True)
    clean.write_text("x" * 4321, encoding="utf-8")
    there = TextSizes(table(tmp_path, MINE), [row()], tmp_path)
    assert there.of("study", "mine", "train", "en") == TextSize(200, 90, 4321, 1111, 900)
    assert there.of("another study", "mine", "train", "en") == text


def test_downloads_are_as_large_as_the_list_says_or_the_table(tmp_path: Path) -> None:
    rows = [row(), row(url="https://example.org/b.gz"), row(language="de", bytes=77)]
    sizes = TextSizes(table(tmp_path, MINE), rows, tmp_path)
    assert [sizes.download(one) for one in rows] == [450, 450, 77]
    half_known = [row(), row(url="https://example.org/b.gz", bytes=800)]
    sizes = TextSizes(table(tmp_path, MINE), half_known, tmp_path)
    assert [sizes.download(one) for one in half_known] == [100, 800]


def test_an_unknown_text_is_guessed_from_its_download_and_named(tmp_path: Path) -> None:
    sizes = TextSizes(table(tmp_path), [row(bytes=1_000_000)], tmp_path)
    assert sizes.of("study", "mine", "train", "en").bytes == 3_000_000
    assert list(sizes.guessed) == ["mine/train.en"]


def test_lines_of_the_users_own_text_are_counted(tmp_path: Path) -> None:
    own = tmp_path / "short.en"
    own.write_text("hi .\n" * 8_000, encoding="utf-8")
    sizes = TextSizes(table(tmp_path), [row(url=own.as_uri())], tmp_path)
    assert sizes.of("study", "mine", "train", "en").lines == 8_000


def test_a_text_nothing_is_known_of_is_refused_with_what_to_add(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"the size of mine/train.en is unknown: add a line .*workflow/sizes.tsv"):
        TextSizes(table(tmp_path), [row()], tmp_path).of("study", "mine", "train", "en")


@pytest.mark.parametrize("line", ["mine\ttrain\ten\tmany\t1\t1\t1\t0\tx", "mine\ttrain\ten"])
def test_a_wrong_table_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    with pytest.raises(ConfigError, match=r"sizes.tsv, line 2: raw_lines .* must be whole numbers"):
        read_sizes(table(tmp_path, line))


def test_a_table_of_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sizes.tsv"
    path.write_text("corpus\tlines\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"line 1: expected the columns corpus split"):
        read_sizes(path)


def test_one_s_own_text_is_as_large_as_its_file(tmp_path: Path) -> None:
    for name, expansion in (("text.en", 1), ("text.en.gz", 3)):
        (tmp_path / name).write_bytes(b"x" * 1000)
        sizes = TextSizes(table(tmp_path), [row(url=str(tmp_path / name))], tmp_path)
        assert sizes.of("study", "mine", "train", "en").bytes == 1000 * expansion
