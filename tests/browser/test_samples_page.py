"""On the samples page a reader finds where two systems differ most, and sees what is repeated and copied."""

from __future__ import annotations

import pytest
from browser_page import PHONE, Page
from shared import write_lines

from seqpre import samples

SOURCES = [
    "The dog barks in the old park.",
    "A cat \N{GRINNING FACE} sleeps here.",
    "She reads.",
    "He runs fast today.",
]
REFERENCES = ["Der Hund bellt im alten Park.", "Eine Katze schläft hier.", "Sie liest.", "Er läuft heute schnell."]
FULL = [
    "Der Hund bellt im alten Park.",
    "Eine \N{GRINNING FACE} \N{GRINNING FACE} Katze Katze.",
    "Es liest.",
    "Er läuft.",
]
NONE = ["Der Hund bellt in the old Park.", "Eine Katze schläft hier.", "Es liest.", "Er läuft heute."]
OTHER = ["Hund", "", "Sie liest.", "Er"]


@pytest.fixture
def shown(page: Page) -> Page:
    """Open the page of three systems on four sentences."""
    folder = page.file.parent
    samples.main(
        ["--task", "translation", "--languages", "en", "de", "--title", "Four sentences & more",
         "--sources", str(write_lines(folder / "en", SOURCES)),
         "--references", str(write_lines(folder / "de", REFERENCES)),
         "--outputs", f"full={write_lines(folder / 'full', FULL)}", f"none={write_lines(folder / 'none', NONE)}",
         f"other={write_lines(folder / 'other', OTHER)}", "--output", str(page.file)]
    )  # fmt: skip
    page.open()
    return page


def numbers(page: Page) -> list[str]:
    return [heading.text.removeprefix("No. ") for heading in page.all("#items h2")]


def choose(page: Page, control: str, option: str) -> None:
    next(one for one in page.find(control).find_elements("css selector", "option") if one.text == option).click()


def test_items_come_in_the_order_of_their_differences(shown: Page) -> None:
    assert numbers(shown) == ["1", "3", "4", "2"]
    assert shown.text(".difference").startswith("full +")
    assert shown.text("#result") == "4 items. full scores higher in 1, none in 2, both the same in 1."
    choose(shown, "#order", "largest gains of the second")
    assert numbers(shown) == ["2", "4", "3", "1"]
    choose(shown, "#order", "the beginning of the text")
    assert numbers(shown) == ["1", "2", "3", "4"]
    choose(shown, "#order", "largest gains of the first")
    choose(shown, "#first", "other")
    assert numbers(shown)[0] == "3"
    assert shown.text("#result").startswith("4 items. other scores higher in 1, none in 3")


def test_another_metric_gives_other_differences(shown: Page) -> None:
    by_bleu = shown.text(".difference")
    choose(shown, "#metric", "chrF2")
    assert shown.text(".difference").endswith("chrF2")
    assert shown.text(".difference").split("+")[1].split()[0] != by_bleu.split("+")[1].split()[0]


def test_repeated_and_copied_words_are_marked_and_filtered(shown: Page) -> None:
    assert [mark.text for mark in shown.all("#items mark.repeated")] == [
        "Katze Katze"
    ]  # after two characters of an emoji
    assert [mark.text for mark in shown.all("#items mark.copied")] == ["in the old Park"]
    shown.find("#repeated").click()
    assert numbers(shown) == ["2"]
    shown.find("#copied").click()
    assert numbers(shown) == []
    assert shown.text("#result").startswith("0 items.")
    shown.find("#repeated").click()
    assert numbers(shown) == ["1"]


def test_words_are_found_in_any_text(shown: Page) -> None:
    shown.find("#search").send_keys("SCHLÄFT")
    assert numbers(shown) == ["2"]
    shown.find("#search").send_keys("x")
    assert numbers(shown) == []


def test_source_reference_and_outputs_are_side_by_side_and_the_others_at_hand(shown: Page) -> None:
    card = shown.all("article")[0]
    texts = [text.text for text in card.find_elements("css selector", ".text")]
    assert texts == [SOURCES[0], REFERENCES[0], FULL[0], NONE[0]]
    places = [text.rect for text in card.find_elements("css selector", ".text")]
    assert places[0]["y"] == places[1]["y"] < places[2]["y"] == places[3]["y"]
    card.find_element("css selector", ".others summary").click()
    shown.wait(lambda: card.find_elements("css selector", ".others .text"))
    assert card.find_element("css selector", ".others .name").text == "other"


def test_many_items_are_shown_a_few_at_a_time(page: Page) -> None:
    folder = page.file.parent
    lines = {name: write_lines(folder / name, [f"{name} {number}" for number in range(50)]) for name in "abcd"}
    samples.main(["--task", "summarization", "--title", "Fifty", "--sources", str(lines["a"]), "--references",
                  str(lines["b"]), "--outputs", f"c={lines['c']}", f"d={lines['d']}", "--sample", "45",
                  "--output", str(page.file)])  # fmt: skip
    page.open()
    assert "45 of 50 items, drawn at random (seed 1)." in page.text("#about")
    assert len(numbers(page)) == 20
    page.find("#more").click()
    assert len(numbers(page)) == 40
    assert page.text("#more") == "Show more (5 left)"
    page.find("#more").click()
    assert len(numbers(page)) == 45
    assert not page.all("#more")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_page_is_legible_labelled_and_self_contained(shown: Page, colours: str) -> None:
    shown.colours(colours)
    for summary in shown.all("summary"):
        summary.click()
    assert shown.low_contrast() == []
    colour = "return getComputedStyle(document.querySelector(arguments[0]), arguments[1]).color"
    of_text = shown.driver.execute_script(colour, ".muted", "")
    assert shown.driver.execute_script(colour, "#search", "::placeholder") == of_text
    assert all(control.accessible_name for control in shown.all("select, input, button, summary"))
    assert shown.requests() == []
    assert shown.driver.title == "Four sentences & more"


def test_the_page_fits_a_phone(shown: Page) -> None:
    shown.resize(PHONE, phone=True)
    assert shown.overflow() == 0
    assert len({text.rect["x"] for text in shown.all("article .text")}) == 1  # below each other


def test_what_corrections_insert_delete_and_replace_is_marked_and_filtered(page: Page) -> None:
    folder = page.file.parent
    sources, right = ["he go to school there .", "it is n't ."], ["he goes to the school .", "it is n't ."]
    samples.main(
        ["--task", "correction", "--title", "Two sentences", "--sources", str(write_lines(folder / "source", sources)),
         "--references", str(write_lines(folder / "target", right)),
         "--outputs", f"full={write_lines(folder / 'full', right)}", f"none={write_lines(folder / 'none', sources)}",
         "--output", str(page.file)]
    )  # fmt: skip
    page.open()
    assert [mark.text for mark in page.all("#items del.deleted")] == ["go", "there"]
    assert [mark.text for mark in page.all("#items mark.replaced")] == ["goes"]
    assert [mark.text for mark in page.all("#items mark.inserted")] == ["the"]
    assert page.all("#copied") == []
    assert "it isn't." in page.text("#items")
    page.find("#edited").click()
    assert numbers(page) == ["1"]
