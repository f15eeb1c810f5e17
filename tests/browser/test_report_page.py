"""The report is read on a desk and on a phone, by day and by night, on paper and by keys."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import zipfile
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from browser_page import DESKTOP, PHONE, Page

from seqpre.report.pages import report

ROOT = Path(__file__).parents[2]
STUDY, TITLE = "ramachandran-summarization-scitldr", "Summarization of science"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of one study's committed records."""
    folder = tmp_path_factory.mktemp("report") / "small"
    (folder / STUDY).mkdir(parents=True)
    shutil.copy(ROOT / f"results/small/{STUDY}/records.zip", folder / STUDY)
    output = folder / "report.html"
    report.main(["--scale", "small", "--results", str(folder), "--checkout", str(ROOT), "--output", str(output)])
    return output


@pytest.fixture
def shown(page: Page, written: Path) -> Page:
    """Open the report."""
    page.open(written)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(shown: Page, scheme: str) -> None:
    shown.colours(scheme)
    shown.driver.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert shown.low_contrast() == []


@pytest.mark.parametrize(("size", "phone"), [(DESKTOP, False), (PHONE, True)])
def test_tables_and_figures_are_scrolled_in_their_place(shown: Page, size: tuple[int, int], phone: bool) -> None:
    shown.resize(size, phone=phone)
    shown.open(Path(shown.driver.current_url.removeprefix("file://")))
    shown.driver.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert shown.overflow() <= 0
    table = shown.find(f"#{STUDY}-table_3 .scroll")
    assert table.get_attribute("tabindex") == "0"
    assert (table.get_property("scrollWidth") > table.get_property("clientWidth")) == phone


def test_figures_are_drawn_without_any_request(shown: Page) -> None:
    pictures = "return [...document.images].map((one) => { one.loading = 'eager'; return one.decode(); }).length"
    assert shown.driver.execute_script(pictures) == 4
    widths = "return [...document.images].map((one) => one.complete ? one.naturalWidth : 0)"
    assert shown.wait(lambda: min(shown.driver.execute_script(widths)) > 200)
    assert [address for address in shown.requests() if not address.startswith("data:")] == []


def test_the_contents_lead_to_a_study(shown: Page) -> None:
    link = next(link for link in shown.all("nav a") if link.text.startswith("Explorations ("))
    shown.press("\t")
    link.send_keys("\n")
    assert shown.driver.execute_script("return location.hash") == "#apart"
    assert shown.text(f"#{STUDY}").startswith(TITLE)


def test_all_of_a_table_is_on_the_paper_and_no_number_is_broken(shown: Page) -> None:
    shown.command("Emulation.setEmulatedMedia", media="print")
    shown.resize((1030, 700))  # A4 on its side, with its margins
    shown.driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    broken = """
      const text = document.createRange();
      const lines = (one) => { text.selectNodeContents(one); return text.getClientRects().length; };
      const whole = [...document.querySelectorAll('td button')].filter((one) => !one.textContent.includes('['));
      return whole.filter((one) => lines(one) > 1).map((one) => one.textContent);
    """
    found = shown.overflow(), shown.driver.execute_script(broken)
    shown.command("Emulation.setEmulatedMedia", media="")
    assert found[0] <= 0
    assert found[1] == []


def test_what_is_folded_is_printed(shown: Page) -> None:
    def closed() -> Any:
        return shown.driver.execute_script("return document.querySelectorAll('details:not([open])').length")

    folded = closed()
    assert folded > 5
    shown.driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert closed() == 0
    shown.driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert closed() == folded


def test_a_number_opens_its_runs_by_keys_and_closes(shown: Page) -> None:
    numbers = shown.all(f"#{STUDY}-table_3 button[data-cell]")
    number = next(one for one in numbers if "±" in one.text and not one.text.startswith(("+", "-")))
    text = number.text
    number.send_keys("\n")
    assert shown.text("#lineage-title").endswith(text.replace("\n", " "))
    assert shown.text("#lineage-about") == "From 2 measurements of 2 runs:"
    folders = [heading.text for heading in shown.all("#lineage-runs h3")]
    assert [folder.rpartition("/")[2] for folder in folders] == ["seed1", "seed2"]
    assert shown.all("#lineage-runs polyline")
    shown.all("#lineage-runs summary")[0].click()
    assert "seed: 1" in shown.text("#lineage-runs li")
    commands = [code.text for code in shown.all("#lineage-runs code")]
    assert commands == [f"python -m seqpre.trace {one}" for one in folders]
    assert "transfer.md" in shown.text("#lineage-runs .missing")
    shown.press("\ue00c")  # Escape
    assert not shown.all("#lineage")
    assert shown.driver.switch_to.active_element == number


def test_a_gain_says_what_was_taken_from_what(shown: Page) -> None:
    next(one for one in shown.all(f"#{STUDY}-table_3 button[data-cell]") if one.text.startswith(("+", "-"))).click()
    assert shown.text("#lineage-about") == "From 2 differences of 3 runs:"
    first, lead, second = (one.text for one in shown.all("#lineage-runs .read"))
    assert first.startswith("full/100pct/seed1 minus trivial/lead_")
    assert second.startswith("full/100pct/seed2 minus trivial/lead_")
    assert lead == f"{first}; {second}"


def test_the_way_out_of_a_chain_stays_in_sight(shown: Page) -> None:
    shown.driver.execute_script("document.querySelector('button[data-cell]').click()")
    shown.driver.execute_script("document.querySelectorAll('dialog details').forEach((part) => { part.open = true; })")
    shown.driver.execute_script("const one = document.querySelector('#lineage'); one.scrollTop = one.scrollHeight")
    assert shown.find("#lineage").get_property("scrollTop") > 200
    shown.find("#lineage form button").click()  # which fails for what is out of sight or covered
    assert not shown.all("#lineage")


def test_the_first_key_leads_past_the_contents(shown: Page) -> None:
    shown.press("\t\n")
    assert shown.driver.execute_script("return location.hash") == "#studies"


@pytest.mark.parametrize(("size", "phone"), [((1280, 800), False), ((390, 844), True)])
def test_the_page_of_all_records_fits_and_its_chains_are_of_the_records(
    page: Page, committed: Path, size: tuple[int, int], phone: bool
) -> None:
    page.resize(size, phone=phone)
    page.open(committed / "report.html")
    page.driver.execute_script("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.overflow() <= 0
    assert [address for address in page.requests() if not address.startswith("data:")] == []
    rows = "[...document.querySelectorAll('#poda-headlines-cost tr')]"
    row = f"{rows}.find((one) => one.textContent.includes('LM denoiser'))"
    page.driver.execute_script(f"{row}.querySelector('button').click()")
    page.driver.execute_script("document.querySelectorAll('dialog details').forEach((part) => { part.open = true; })")
    with zipfile.ZipFile(committed / "poda-headlines/records.zip") as archive:
        summary = json.loads(archive.read("results/small/lms/poda/denoiser/summary.json"))
    said = page.text("#lineage-runs")
    assert f"commit: {summary['provenance']['commit']}" in said
    assert f"cpu_seconds: {summary['cpu_seconds']}" in said
    assert page.find("#lineage").get_property("scrollWidth") <= size[0]


def test_on_a_phone_claims_and_what_they_rest_on_are_read_without_scrolling_aside(page: Page, committed: Path) -> None:
    page.resize((390, 844), phone=True)
    page.open(committed / "report.html")
    wider = """
      const found = [...document.querySelectorAll(".claim .scroll")];
      return [found.length, found.filter((one) => one.scrollWidth > one.clientWidth).length];
    """
    count, cut_off = page.driver.execute_script(wider)
    assert count > 20
    assert cut_off == 0
    assert page.overflow() <= 0
    top = "return ['.matrix', 'nav', 'main'].map((one) => document.querySelector(one).getBoundingClientRect().top)"
    tops = page.driver.execute_script(top)
    assert tops[0] < 600
    assert tops == sorted(tops)
    label = "return getComputedStyle(document.querySelectorAll('nav tbody td')[1], '::before').content"
    assert "verdict" in page.driver.execute_script(label)
    page.resize(DESKTOP)
    assert page.driver.execute_script(label) == "none"


def words_of_pages(pdf: Path) -> list[list[tuple[float, float, float, float, str]]]:
    """Return the words of each page but those of figures, from the top: left, top, right, bottom (points) and text."""
    if not shutil.which("pdftotext"):
        pytest.skip("needs pdftotext (Debian: apt install poppler-utils)")
    text = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    word = re.compile('<word xMin="(.*?)" yMin="(.*?)" xMax="(.*?)" yMax="(.*?)">(.*?)</word>')
    pages = [[(*map(float, found[:4]), found[4]) for found in word.findall(page)] for page in text.split("<page ")[1:]]
    return [sorted((one for one in page if one[3] - one[1] > 5), key=lambda one: one[1]) for page in pages]


def test_no_words_are_printed_over_others(page: Page, committed: Path) -> None:
    page.open(committed / "report.html")
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    page.file.with_suffix(".pdf").write_bytes(base64.b64decode(printed["data"]))
    pages = words_of_pages(page.file.with_suffix(".pdf"))
    assert len(pages) > 50
    for words in pages:
        over = [
            (one[4], other[4])
            for place, one in enumerate(words)
            for other in takewhile(lambda other, one=one: other[1] < one[3], words[place + 1 :])
            if min(one[2], other[2]) - max(one[0], other[0]) > 1
            and min(one[3], other[3]) - max(one[1], other[1]) > 0.3 * min(one[3] - one[1], other[3] - other[1])
        ]
        assert over == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_a_number_opens_can_be_read_on_a_phone(shown: Page, scheme: str) -> None:
    shown.colours(scheme)
    shown.resize(PHONE, phone=True)
    shown.driver.execute_script("document.querySelector('button[data-cell]').click()")
    shown.driver.execute_script("document.querySelectorAll('dialog details').forEach((part) => { part.open = true; })")
    assert shown.low_contrast() == []
    assert shown.find("#lineage").get_property("scrollWidth") <= PHONE[0]
    assert shown.overflow() <= 0
