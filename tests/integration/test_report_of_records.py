"""The report of the committed records alone has every number of their tables, and each opens what it was read from."""

from __future__ import annotations

import html
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from shared import section_of, words

ROOT = Path(__file__).parents[2]
PAPERS = ("edunov2019", "poda2019", "ramachandran2017")
SUPERSEDED = "ramachandran-summarization-first"
RECORDS = sorted(path for path in (ROOT / "results/small").glob("*/records.zip") if path.parent.name != SUPERSEDED)


@pytest.fixture(scope="module")
def page(committed: Path) -> str:
    """Return the report of all records."""
    return (committed / "report.html").read_text(encoding="utf-8")


def data_of(page: str) -> Any:
    """Return what the page's program reads."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    return json.loads(text)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.parent.name)
def test_the_report_of_records_alone_has_every_cell_of_the_committed_tables(path: Path, page: str) -> None:
    shown = section_of(page, path.parent.name)
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
            assert f"“{says}” {name}" in said


def test_the_first_screen_has_the_verdicts_of_the_tables_of_claims_in_words(page: str) -> None:
    first = page.partition("<header>")[2].partition("<nav")[0]
    said = words(first)
    assert "No run is at the papers' sizes" in said
    assert not re.search(r"\b[REP]-C\d", said)
    rows = dict(re.findall(r'<tr><th scope="row" class="\w*">([\w ]+)</th>(.*?)</tr>', first, flags=re.DOTALL))
    assert list(rows) == ["holds", "fails", "undecided", "not run"]
    for word, study, says in (
        ("holds", "poda-headlines", "the gap is larger with the fewest pairs than with all"),
        ("holds", "ramachandran-translation-tatoeba", "pretraining only the decoder loses less than only the encoder"),
        ("undecided", "ramachandran-translation", "pretraining only the decoder loses less than only the encoder"),
        ("fails", "edunov-turkish", "with little bitext of another language src-elmo gains"),
        ("not run", "poda-correction", "without fine-tuning, worse than the weakest other system"),
    ):
        groups = re.findall(r'<p class="where">(.*?)</p><ul>(.*?)</ul>', rows[word], flags=re.DOTALL)
        assert [claims for by, claims in groups if f'href="#{study}"' in by and says in words(claims)]
    assert SUPERSEDED not in re.findall(r' id="([^"]+)"', page)
    explorations = page.partition('<h2 id="apart">')[2]
    assert all(f'<h3 id="ramachandran-summarization-{one}">' in explorations for one in ("causes", "scitldr"))


def test_a_study_opens_with_its_verdict(page: str) -> None:
    (verdict,) = re.findall(r'<p class="verdict">(.*?)</p>', section_of(page, "ramachandran-translation"))
    assert words(verdict) == (
        "Pretrained seq2seq against No pretraining, all labelled data: +2.7 [+1.8, +3.6] BLEU on test_2016_flickr, "
        "+3.0 [+2.4, +3.5] BLEU on test_2017_flickr; of 12 claims 4 fail, 6 are undecided and 2 could not be judged."
    )


def test_the_report_is_one_file_that_asks_for_nothing(committed: Path, page: str) -> None:
    records = [zipfile.ZipFile(path).namelist() for path in committed.glob("*/records.zip")]
    runs = sum(name.endswith("/scores.json") for names in records for name in names)
    assert 100_000 < (committed / "report.html").stat().st_size < 12_000 * runs
    addresses = re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]*)""", page)
    assert {address.partition(":")[0] for address in addresses if not address.startswith(("#", "%23"))} == {"data"}
    assert {address[1:] for address in addresses if address.startswith("#")} <= set(re.findall(r' id="([^"]+)"', page))


def test_a_number_opens_the_runs_that_it_was_read_from(committed: Path, page: str) -> None:
    data = data_of(page)
    assert re.findall(r'data-cell="(\d+)"', page) == [str(place) for place in range(len(data["cells"]))]
    packed = {}
    for path in committed.glob("*/records.zip"):
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
                numbers = [(one["score"], one["low"], one["high"]) for one in scores]
                assert any((value, low, high) == pytest.approx(one, rel=1e-6) for one in numbers)
                checked += 1
    assert checked > 100
    (run,) = [run for run in data["runs"] if run["folder"].endswith("ramachandran-translation/runs/full/100pct/seed1")]
    headings = [data["blocks"][place][0] for place in run["parts"]]
    assert [heading.partition(" ")[0] for heading in headings[:5]] == ["Settings", "How", "Scores", "How", "Commit"]
    assert any(
        re.fullmatch(r"Text of the study, multi30k \(en, de\): 28,\d+ of 29,000 lines of training kept", one)
        for one in headings
    )
    assert "(transfer.md), which the first records lack" in run["missing"]


@pytest.mark.parametrize("study", ["poda-correction", "poda-headlines", "poda-summarization"])
def test_a_language_model_is_opened_as_the_records_of_the_study_have_it(study: str, committed: Path, page: str) -> None:
    with zipfile.ZipFile(committed / study / "records.zip") as archive:
        summary = json.loads(archive.read("results/small/lms/poda/denoiser/summary.json"))
    data = data_of(page)
    (row,) = re.findall(r"<tr>\s*<th scope=\"row\">LM denoiser</th>.*?</tr>", section_of(page, study), flags=re.DOTALL)
    opened = [data["cells"][int(cell)] for cell in re.findall(r'data-cell="(\d+)"', row)]
    (place,) = {place for behind in opened for *_, places in behind for place in places}
    lines = [line for part in data["runs"][place]["parts"] for line in data["blocks"][part][1]]
    assert f"cpu_seconds: {summary['cpu_seconds']}" in lines
    assert f"commit: {summary['provenance']['commit']}" in lines


def test_what_is_printed_is_there_whether_ours_stands_beside_it_or_not(page: str) -> None:
    said = words(page)
    assert said.count("Printed, with nothing of ours beside it") == 3
    for row in (
        "Table 5 shared, 32 V100 - train tokens per second 528802",
        "Table 3 NP&lt;P, 200 documents test count 83",
    ):
        assert html.unescape(row) in said
    alone = {name: page.partition(f'id="{name}-alone"')[2].partition("</details>")[0] for name in PAPERS}
    assert not re.search("Table [34]", words(alone["edunov2019"]))  # the studies have all of them
    assert "See et al. (2017) published, non-anonymized 39.53" in words(section_of(page, "edunov-summarization"))
    assert all(alone.values())


def test_a_figure_says_in_words_what_it_shows(page: str) -> None:
    said = re.findall(r'alt="([^"]*)"', page)
    assert len(set(said)) > 10
    assert not [one for one in said if "CPU seconds" in one]
    published = [one for one in said if "the published beside ours" in one]
    assert {one.partition(" ")[0] for one in published} == {"Ablations", "Fractions"}
    assert any(one.startswith("Ablations") and one not in published for one in said)


def test_words_fit_their_numbers(page: str) -> None:
    assert not re.findall(r"p = &lt;|p = <", page)
