"""Text of one's own is read before anything trains, and what is wrong with it is named."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from seqpre.checks import data
from seqpre.checks.finding import DOUBTFUL, FINE, Finding, Site
from seqpre.common.errors import ConfigError, DataError

Sites = Callable[..., Site]
HEADER = "name\tsplit\tlanguage\treader\tmember\turl\tsha256\tbytes\tlicence\tnote\n"
GRID = "grid: {data_fractions: {fractions: [100pct]}, low_resource: {fractions: [100pct]}}"
PAIRS = [(split, side) for split in ("train", "valid", "test") for side in ("en", "de")]


@pytest.fixture
def examined(site: Sites, tmp_path: Path) -> Callable[..., Finding]:
    """Return a function that examines three pairs a split and three unlabelled lines a side, but for some files.

    `size` is what the list of corpora says of each.
    """

    def examine(monolingual: str = "mine_news", size: str = "", **files: bytes | str) -> Finding:
        rows = [("mine", split, side, f"{split}_{side}") for split, side in PAIRS]
        rows += [("mine_news", "train", side, f"news_{side}") for side in ("en", "de")]
        rows = [(*row, f"{url}.gz" if f"{url}.gz" in files else url) for *row, url in rows]
        table = [f"{name}\t{split}\t{side}\tlines\t\t{url}\t\t{size}\tmine\t\n" for name, split, side, url in rows]
        (tmp_path / "mine.tsv").write_text(HEADER + "".join(table), encoding="utf-8")
        for *_, url in rows:
            content = files.get(url, "".join(f"{url} {number}\n" for number in range(3)))
            (tmp_path / url).write_bytes(content if isinstance(content, bytes) else content.encode())
        corpora = f"{{bitext: mine, monolingual: {monolingual}, other_domain: demo_other_domain}}"
        (tmp_path / "study.yaml").write_text(
            f"extends: ramachandran-translation\nscales: {{demo: {{corpora: {corpora}, tests: [test], {GRID}}}}}\n",
            encoding="utf-8",
        )
        (tmp_path / "results").mkdir(exist_ok=True)
        return data.own_text(site(studies=[str(tmp_path / "study.yaml")], corpora=str(tmp_path / "mine.tsv")))

    return examine


def test_what_is_well_is_counted_and_nothing_is_downloaded(
    examined: Callable[..., Finding], site: Sites, tmp_path: Path
) -> None:
    finding = examined()
    assert finding.mark == FINE
    words = "8 files, all there; lines: mine/test.en+de 3, mine/train.en+de 3, mine/valid.en+de 3, "
    assert finding.found == f"{words}mine_news/train.de 3, mine_news/train.en 3"
    assert list((tmp_path / "results").iterdir()) == []  # nothing of its scratch files
    own = site(studies=[str(tmp_path / "study.yaml")], corpora=str(tmp_path / "mine.tsv"))
    assert data.downloads(own).mark == FINE


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"test_de": "one\ntwo\n"}, "unequal line counts: .*/test_en has 3, .*/test_de has 2"),
        ({"size": "2"}, r"train_en: bytes is 33, .*mine\.tsv, line 2 says 2"),
        ({"test_de": "\n\n\n"}, r"mine/test\.de: all of its 3 lines are empty"),
        ({"valid_en": "caf\xe9\n".encode("latin-1")}, "valid_en, line 1: not valid UTF-8"),
        ({"news_en": "caf\xe9\n".encode("utf-16")}, "news_en, line 1: not UTF-8 but UTF-16"),
        (
            {"news_en": "train_en 0\nvalid_en 2\n"},
            r"2 of 2 lines of mine_news/train\.en are in mine, too: nothing of it is left, .* give another",
        ),
    ],
)
def test_text_that_cannot_be_used_is_named(
    examined: Callable[..., Finding], files: dict[str, bytes | str], message: str
) -> None:
    with pytest.raises(DataError, match=message) as refused:
        examined(**files)
    assert not re.search("delete|download", str(refused.value))


def test_a_file_without_lines_is_to_be_filled_and_not_deleted(examined: Callable[..., Finding]) -> None:
    with pytest.raises(DataError, match=r"test_de\.gz: no text in it; put some there, or correct its row"):
        examined(**{"test_de.gz": gzip.compress(b"")})


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"test_en": "train_en 0\nx\ntrain_en 2\n"}, "2 of 3 lines of mine/test.en are in train.en, too, and are tr"),
        ({"valid_en": "train_en 1 \nx\ny\n"}, "1 of 3 lines of mine/valid.en are in train.en, too, and are trained on"),
        ({"test_de": "x\n\ny\n"}, "1 lines of mine/test.de are empty"),
        (
            {"news_de": "train_de 0\ntest_de 1\nx\n"},
            "2 of 3 lines of mine_news/train.de are in mine, too, and are left out",
        ),
    ],
)
def test_what_is_odd_is_said(examined: Callable[..., Finding], files: dict[str, str], words: str) -> None:
    finding = examined(**files)
    assert (finding.mark, words in finding.found) == (DOUBTFUL, True), finding


def test_blank_lines_are_no_overlap(examined: Callable[..., Finding]) -> None:
    finding = examined(test_en="x\n\ny\n", train_en="a\n\nb\n", train_de="a\nb\nc\n", news_en="\n \nz\n")
    assert finding.found.partition("; 1 ")[2] == "lines of mine/test.en are empty"


def test_pairs_that_are_read_as_unlabelled_text_are_a_remark(
    examined: Callable[..., Finding], site: Sites, tmp_path: Path
) -> None:
    assert examined(monolingual="mine").mark == FINE
    (study,) = site(studies=[str(tmp_path / "study.yaml")]).studies.values()
    words = "study: corpora.monolingual is 'mine', the pairs, whose training text its language models read"
    assert study.remarks() == [words]


def test_a_fraction_larger_than_its_text_is_refused(
    examined: Callable[..., Finding], site: Sites, tmp_path: Path
) -> None:
    examined()
    text = (tmp_path / "study.yaml").read_text(encoding="utf-8")
    (tmp_path / "study.yaml").write_text(text.replace("100pct", "5k"), encoding="utf-8")
    with pytest.raises(ConfigError, match="the fraction of mine is 5k, of 3 that there are; take fewer"):
        data.own_text(site(studies=[str(tmp_path / "study.yaml")], corpora=str(tmp_path / "mine.tsv")))


def test_text_that_is_only_translated_back_is_examined_too(
    examined: Callable[..., Finding], site: Sites, tmp_path: Path
) -> None:
    assert examined(monolingual="demo_monolingual, added: mine_news", news_de="train_de 0\nvalid_de 2\n").mark == FINE
    study = tmp_path / "study.yaml"
    system = "{backtranslation: {system: no_pretraining_no_lm_objective, corpus: added}}"
    study.write_text(f"systems: {{full: {system}}}\n{study.read_text(encoding='utf-8')}", encoding="utf-8")
    with pytest.raises(DataError, match=r"2 of 2 lines of mine_news/train\.de are in mine, too: nothing of it is left"):
        data.own_text(site(studies=[str(study)], corpora=str(tmp_path / "mine.tsv")))
