"""The report of the committed records alone has every number of their tables, and each opens what it was read from."""

from __future__ import annotations

import html
import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from seqpre.report.pages import report

ROOT = Path(__file__).parents[2]
RECORDS = sorted((ROOT / "results/small").glob("*/records.zip"))


def words(markup: str) -> str:
    """Return what a reader sees, in one line."""
    text = re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", markup, flags=re.DOTALL)
    return " ".join(html.unescape(text).split())


def section_of(markup: str, study: str) -> str:
    """Return the part of the page that is of one study."""
    return markup.partition(f'<h3 id="{study}">')[2].partition('<section class="study')[0]


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a folder with nothing but the committed records, and the report that was made there."""
    folder = tmp_path_factory.mktemp("committed") / "results/small"
    for path in RECORDS:
        (folder / path.parent.name).mkdir(parents=True)
        shutil.copy(path, folder / path.parent.name)
    output = folder / "report.html"
    report.main(["--scale", "small", "--results", str(folder), "--checkout", str(ROOT), "--output", str(output)])
    return folder, output.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_the_report_of_records_alone_has_every_cell_of_the_committed_tables(
    path: Path, committed: tuple[Path, str]
) -> None:
    shown = section_of(committed[1], path.parent.name)
    said = words(shown)
    for table in sorted((path.parent / "tables").glob("table_*.md")):
        lines = [line for line in table.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][2:]
        assert lines
        for line in lines:
            cells = (cell.strip().replace("\\|", "|") for cell in line.strip("|").split(" | "))
            assert " ".join(" ".join(filter(None, cells)).split()) in said
    for claims in path.parent.glob("tables/claims.md"):
        found = re.findall(r"^\| (\w+-\w+) +\| (\w.*?) +\|", claims.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert found
        for name, says in found:
            assert f"{name} “{says}”" in said


def test_the_report_is_one_file_that_asks_for_nothing(committed: tuple[Path, str]) -> None:
    folder, page = committed
    assert 100_000 < (folder / "report.html").stat().st_size < 5_000_000
    addresses = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]*)""", page)
    assert {address.partition(":")[0] for address in addresses if not address.startswith("#")} == {"data"}
    assert {address[1:] for address in addresses if address.startswith("#")} <= set(re.findall(r' id="([^"]+)"', page))


def test_a_number_opens_the_runs_that_it_was_read_from(committed: tuple[Path, str]) -> None:
    folder, page = committed
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    data = json.loads(text)
    assert re.findall(r'data-cell="(\d+)"', page) == [str(place) for place in range(len(data["cells"]))]
    packed = {}
    for path in folder.glob("*/records.zip"):
        with zipfile.ZipFile(path) as archive:
            packed |= {name: archive.read(name) for name in archive.namelist() if name.endswith("scores.json")}
    checked = 0
    for behind in data["cells"]:
        for value, seed, low, high, places in behind:
            runs = [data["runs"][place] for place in places]
            assert runs
            seeds = [run["folder"].rpartition("/seed")[2] for run in runs if "/seed" in run["folder"]]
            assert seed is None or set(seeds) == {str(seed)}
            if low is not None:
                (run,) = runs
                scores = json.loads(packed[f"{run['folder']}/scores.json"])
                assert (value, low, high) in {(one["score"], one["low"], one["high"]) for one in scores}
                checked += 1
    assert checked > 100
    (run,) = [run for run in data["runs"] if run["folder"].endswith("ramachandran-translation/runs/full/100pct/seed1")]
    headings = [data["blocks"][place][0] for place in run["parts"]]
    assert [heading.partition(" ")[0] for heading in headings[:4]] == ["Settings", "How", "Scores", "Commit"]
    assert any(
        re.fullmatch(r"Text of the study, multi30k \(en, de\): 28,\d+ of 29,000 lines of training kept", one)
        for one in headings
    )
    assert "transfer.md" in run["missing"]
