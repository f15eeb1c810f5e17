"""The report is read on a desk and on a phone, by day and by night, on paper and by keys."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from browser_page import DESKTOP, PHONE, Page

from seqpre.report.pages import report

ROOT = Path(__file__).parents[2]
STUDY = "ramachandran-summarization"


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
    assert shown.driver.execute_script(pictures) == 6
    widths = "return [...document.images].map((one) => one.complete ? one.naturalWidth : 0)"
    assert shown.wait(lambda: min(shown.driver.execute_script(widths)) > 200)
    assert [address for address in shown.requests() if not address.startswith("data:")] == []


def test_the_contents_lead_to_a_study(shown: Page) -> None:
    link = next(link for link in shown.all("nav a") if link.text == STUDY)
    shown.press("\t")
    link.send_keys("\n")
    assert shown.driver.execute_script("return location.hash") == f"#{STUDY}"
    assert shown.text(f"#{STUDY}") == STUDY


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
    assert shown.text("#chain-title").endswith(text.replace("\n", " "))
    assert shown.text("#chain-about") == "From 2 measurements of 2 runs:"
    folders = [heading.text for heading in shown.all("#chain-runs h3")]
    assert [folder.rpartition("/")[2] for folder in folders] == ["seed1", "seed2"]
    assert shown.all("#chain-runs polyline")
    shown.all("#chain-runs summary")[0].click()
    assert "seed: 1" in shown.text("#chain-runs li")
    assert [code.text for code in shown.all("#chain-runs code")] == [f"python -m seqpre.trace {one}" for one in folders]
    assert "transfer.md" in shown.text("#chain-runs .missing")
    shown.press("\ue00c")  # Escape
    assert not shown.all("#chain")
    assert shown.driver.switch_to.active_element == number


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_a_number_opens_can_be_read_on_a_phone(shown: Page, scheme: str) -> None:
    shown.colours(scheme)
    shown.resize(PHONE, phone=True)
    shown.driver.execute_script("document.querySelector('button[data-cell]').click()")
    shown.driver.execute_script("document.querySelectorAll('dialog details').forEach((part) => { part.open = true; })")
    assert shown.low_contrast() == []
    assert shown.find("#chain").get_property("scrollWidth") <= PHONE[0]
    assert shown.overflow() <= 0
