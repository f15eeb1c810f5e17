"""Pages in a real browser: Chromium, without a window, driven through its own chromedriver."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_page import DESKTOP, Page
from selenium import webdriver


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """One browser for all tests; skips them, with a reason, where there is none."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    chromedriver = shutil.which("chromedriver")
    if not chromium or not chromedriver:
        pytest.skip("needs Chromium and chromedriver (Debian: apt install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options, webdriver.ChromeService(chromedriver))
    yield browser
    browser.quit()


@pytest.fixture
def page(driver: Any, tmp_path: Path) -> Iterator[Page]:
    """The browser, nothing kept from before; afterwards the page must have logged no error."""
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    page = Page(driver, tmp_path / "page.html", downloads)
    page.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))
    page.resize(DESKTOP)
    page.colours("light")
    page.file.write_text("<title>empty</title>")
    page.forget()
    driver.get_log("browser")
    yield page
    assert [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"] == []
