"""A page in a real browser, as the tests use it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

DESKTOP = (1280, 800)
PHONE = (360, 740)

# Text whose contrast with what is behind it is below 4.5, as "text: contrast"; disabled buttons may be pale.
LOW_CONTRAST = """
const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
const luminance = (color) => channels(color).slice(0, 3)
  .map((value) => value / 255).map((value) => value <= .03928 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4)
  .reduce((sum, value, place) => sum + value * [.2126, .7152, .0722][place], 0);
const opaque = (color) => channels(color)[3] !== 0;
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
  if (!text || !element.checkVisibility() || element.closest("script, option, :disabled")) continue;
  let behind = element;
  while (!opaque(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
  const [dark, light] = [element, behind]
    .map((one, place) => luminance(getComputedStyle(one)[place ? "backgroundColor" : "color"])).sort((a, b) => a - b);
  const contrast = (light + .05) / (dark + .05);
  if (contrast < 4.5) found.push(`${text.slice(0, 40)}: ${contrast.toFixed(2)}`);
}
return found;
"""


@dataclass(frozen=True)
class Page:
    """A page that is open in the browser, and the folder its downloads go to."""

    driver: Any
    file: Path
    downloads: Path

    def open(self, file: Path | None = None) -> None:
        """Load the page, or another one, to its last element: a busy browser may answer before it is there."""
        address = (file or self.file).as_uri()
        self.driver.get(address)
        there = "return document.readyState === 'complete' && location.href.split('#')[0] === arguments[0]"
        self.wait(lambda: self.driver.execute_script(there, address))

    def forget(self) -> None:
        """Remove what pages keep in the browser, and load this one afresh."""
        self.open()
        self.driver.execute_script("localStorage.clear()")
        self.open()

    def find(self, selector: str) -> WebElement:
        """Return the first element that matches."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        """Return every visible element that matches."""
        return [found for found in self.driver.find_elements(By.CSS_SELECTOR, selector) if found.is_displayed()]

    def text(self, selector: str) -> str:
        """Return the text that a reader sees there."""
        return self.find(selector).text

    def press(self, keys: str) -> None:
        """Type into whatever has the focus."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def wait(self, condition: Callable[[], Any]) -> Any:
        """Wait until something holds; return it."""
        return WebDriverWait(self.driver, 60, poll_frequency=0.05).until(lambda _: condition())

    def downloaded(self) -> Path:
        """Wait for the one file that was exported."""
        return self.wait(lambda: next(self.downloads.glob("*.json"), None))

    def command(self, name: str, **arguments: Any) -> None:
        """Give the browser a command of the DevTools protocol."""
        self.driver.execute_cdp_cmd(name, arguments)

    def resize(self, size: tuple[int, int], *, phone: bool = False) -> None:
        """Show the page on a screen of another size."""
        width, height = size
        self.command("Emulation.setDeviceMetricsOverride",
                     width=width, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone)  # fmt: skip

    def colours(self, scheme: str) -> None:
        """Prefer `light` or `dark`."""
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def low_contrast(self) -> list[str]:
        """Return text that is hard to read."""
        return self.driver.execute_script(LOW_CONTRAST)

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the screen."""
        return self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")

    def requests(self) -> list[str]:
        """Return the addresses that the page has asked for."""
        return self.driver.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")


def read(path: Path) -> Any:
    """Read JSON."""
    return json.loads(path.read_text(encoding="utf-8"))
