"""Where each file will come from is known before anything is downloaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from seqpre.checks import data
from seqpre.checks.finding import FAILED, FINE, Site
from seqpre.planning.sheet import size

Sites = Callable[..., Site]


@pytest.fixture
def internet(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The status of each address that answers; others do not."""
    statuses: dict[str, int] = {}
    monkeypatch.setattr(data, "_status", lambda address: statuses.get(address, 0))
    return statuses


def files(site: Site) -> list[data.Row]:
    """Return one row for each file of a site."""
    return list({row.url: row for row in site.rows}.values())


def fill(folder: Path, rows: list[data.Row]) -> None:
    """Write something of the right size under the names of the rows' files."""
    for row in rows:
        (folder / row.relative_path).parent.mkdir(parents=True, exist_ok=True)
        (folder / row.relative_path).write_text("text", encoding="utf-8")
        if row.bytes and not row.licensed:
            os.truncate(folder / row.relative_path, row.bytes)


def test_generated_text_needs_no_download(site: Sites) -> None:
    assert data.downloads(site()).mark == FINE


def test_files_come_from_here_from_the_mirror_or_from_their_address(
    site: Sites, tmp_path: Path, internet: dict[str, int]
) -> None:
    small = site(scale="small", mirror=str(tmp_path / "mirror"))
    rows = files(small)
    fill(small.results / "downloads", rows[:2])
    fill(tmp_path / "mirror", rows[2:5])
    internet.update({row.url: 200 for row in rows[5:]})
    finding = data.downloads(small)
    assert (finding.mark, finding.found) == (FINE, f"{len(rows)} files")
    here, left = (size(sum(row.bytes or 0 for row in some)) for some in (rows[:5], rows[5:]))
    assert finding.table[-1] == f"together: 5 have ({here}); {len(rows) - 5} download ({left})"
    assert sum(int(line.split()[2]) for line in finding.table[:-1]) == len(rows)
    assert all("(licence: " in line for line in finding.table[:-1])


def test_what_needs_a_licence_says_where_to_get_it_what_stands_in_and_where_to_put_it(
    site: Sites, tmp_path: Path, internet: dict[str, int]
) -> None:
    paper = site(scale="paper", studies=["ramachandran-summarization"])
    internet |= {row.url: 200 for row in paper.rows}
    pointer = paper.results / "downloads/licensed/LDC2011T07"

    def supplied() -> list[str]:
        finding = data.downloads(paper)
        assert (finding.mark == FAILED) == any(line.startswith("supply") for line in finding.table)
        return [line for line in finding.table if " gigaword " in line]

    (missing,) = supplied()
    assert missing.startswith("supply ")
    for words in ("without it, use news_crawl_lowercase", f"into {pointer}", "catalog.ldc.upenn.edu/LDC2011T07"):
        assert words in missing
    fill(paper.results / "downloads", [row for row in paper.rows if row.licensed])
    assert f"{pointer} says text, which is no folder" in supplied()[0]
    pointer.write_text(f"{tmp_path}\n", encoding="utf-8")
    assert supplied()[0].startswith("have ")
    assert f" {tmp_path} " in supplied()[0]


@pytest.mark.parametrize("text", [b"caf\xe9\n", b"a sentence of the corpus\n" * 300, b"a word " * 300, b"{folder}"])
def test_a_licensed_file_must_hold_the_path_of_a_copy(
    site: Sites, tmp_path: Path, internet: dict[str, int], text: bytes
) -> None:
    paper = site(scale="paper", studies=["poda-headlines"])
    pointer = paper.results / "downloads/licensed/train.title"
    pointer.parent.mkdir(parents=True)
    pointer.write_bytes(text.replace(b"{folder}", str(tmp_path).encode()))
    (line,) = [line for line in data.downloads(paper).table if f" {pointer}" in line]
    assert line.startswith("supply ")
    assert "; write the path of your copy into it (licence: " in line
    assert len(line) < 600
    pointer.write_text(f"\ufeff{__file__}\n", encoding="utf-8")
    assert any(line.startswith("have ") and __file__ in line for line in data.downloads(paper).table)


def test_a_file_that_is_nowhere_is_the_users_to_provide(site: Sites, internet: dict[str, int]) -> None:
    small = site(scale="small")
    *others, last = files(small)
    internet.update({row.url: 200 for row in others})
    internet[last.url] = 404
    finding = data.downloads(small)
    assert finding.mark == FAILED
    assert f"1 of {len(others) + 1} " in finding.found
    assert f"{small.results}/downloads/<host>/<path>" in finding.advice
    (line,) = [line for line in finding.table if line.startswith("no answer")]
    assert f" {last.url} " in line
    assert last.licence in line


def test_a_file_that_was_cut_off_is_not_the_file(site: Sites, internet: dict[str, int]) -> None:
    small = site(scale="small")
    fill(small.results / "downloads", files(small))
    (cut, *_) = [row for row in files(small) if row.bytes]
    file = small.results / "downloads" / cut.relative_path
    os.truncate(file, 3)
    finding = data.downloads(small)
    assert finding.mark == FAILED
    assert any(f"{file} has 3 bytes, not {cut.bytes:,}: delete it" in line for line in finding.table)


def test_a_folder_in_place_of_a_file_is_not_the_file(site: Sites, internet: dict[str, int]) -> None:
    small = site(scale="small")
    fill(small.results / "downloads", files(small)[1:])
    (small.results / "downloads" / files(small)[0].relative_path).mkdir(parents=True)
    assert data.downloads(small).mark == FAILED


def test_a_mirror_on_the_web_has_the_files_under_host_and_path(site: Sites, internet: dict[str, int]) -> None:
    small = site(scale="small", mirror="https://mirror.test/data/")
    internet |= {f"https://mirror.test/data/{row.relative_path}": 200 for row in files(small)}
    assert data.downloads(small).mark == FINE


def test_the_mirror_must_answer(
    site: Sites, tmp_path: Path, internet: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert data.mirror(site()).mark == FINE
    assert data.mirror(site(mirror=str(tmp_path))).mark == FINE
    assert data.mirror(site(mirror=str(tmp_path / "gone"))).mark == FAILED
    web = site(mirror="https://mirror.test/")
    assert data.mirror(web).mark == FAILED
    internet["https://mirror.test/"] = 403  # its front page is nobody's business, but it is there
    assert data.mirror(web).mark == FINE
    monkeypatch.setenv("SEQPRE_MIRROR", str(tmp_path / "gone"))
    assert data.mirror(web).mark == FAILED


def test_an_address_where_nothing_listens_does_not_answer() -> None:
    assert data._status("http://127.0.0.1:9/") == 0


def test_without_text_of_one_s_own_there_is_none_to_look_at(site: Sites) -> None:
    assert data.own_text(site()).found.startswith("none")
