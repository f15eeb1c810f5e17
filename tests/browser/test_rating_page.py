"""Raters can do all they need on the page, by mouse, by keys and on a phone, and what they do is not lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browser_page import PHONE, Page, read
from shared import write_lines

from seqpre.human_study import analyse, make
from seqpre.human_study.ratings import read_key, read_ratings

ROOT = Path(__file__).parents[2]
DOCUMENTS = [f"Document {number}. " + "Water rose in the valley for days and days. " * 40 for number in range(6)]
REFERENCES = [f"A flood & <b>rain</b> ¶ in valley {number}." for number in range(6)]
OURS = [f"The water {number} rose." for number in range(6)]
THEIRS = [f"The water {number}, the water {number}." for number in range(6)]


@pytest.fixture
def study(page: Page) -> Page:
    """Open the page of a study with four of six documents."""
    folder = page.file.parent
    make.main(
        ["--documents", str(write_lines(folder / "documents.txt", DOCUMENTS)),
         "--references", str(write_lines(folder / "references.txt", REFERENCES)),
         "--system", f"full={write_lines(folder / 'full.txt', OURS)}",
         "--baseline", f"none={write_lines(folder / 'none.txt', THEIRS)}",
         "--sample", "4", "--page", str(page.file), "--key", str(folder / "key.json")]
    )  # fmt: skip
    page.open()
    return page


def start(page: Page, rater: str = "Anna") -> None:
    page.find("#rater").send_keys(rater)
    page.find("#start .primary").click()


def rate(page: Page, *scores: int) -> None:
    """Click a score for each output."""
    for card, score in zip(page.all(".output"), scores, strict=True):
        label = card.find_elements("css selector", ".scale label")[score - 1]
        page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", label)
        label.click()


def scores(page: Page) -> list[str]:
    """Return the checked scores, in the order of the outputs."""
    return [
        radio.get_attribute("value") for radio in page.driver.find_elements("css selector", "input[type=radio]:checked")
    ]


def repeats(page: Page) -> list[bool]:
    return [box.is_selected() for box in page.driver.find_elements("css selector", "input[type=checkbox]")]


def import_file(page: Page, path: Path) -> None:
    page.find("#file").send_keys(str(path))


def key_of(page: Page) -> Path:
    return page.file.parent / "key.json"


def test_the_page_shows_the_texts_of_the_sample_as_text(study: Page) -> None:
    start(study)
    line = read(key_of(study))["items"][0]["line"] - 1
    assert study.text("#document .text") == DOCUMENTS[line].strip()
    assert study.text("#reference") == f"A flood & <b>rain</b>\nin valley {line}."  # a sentence a line
    shown = {"full": OURS[line], "none": THEIRS[line]}
    assert [card.find_element("css selector", ".text").text for card in study.all(".output")] == [
        shown[system] for system in read(key_of(study))["items"][0]["shown"]
    ]


def test_ratings_outlive_a_reload(study: Page) -> None:
    start(study)
    rate(study, 2, 5)
    study.all(".output input[type=checkbox]")[0].click()
    study.find("#next").click()
    rate(study, 3, 3)
    study.open()
    assert study.wait(lambda: study.text("#heading") == "Item 2 of 4")
    assert (scores(study), repeats(study)) == (["3", "3"], [False, False])
    study.find("#previous").click()
    assert (scores(study), repeats(study)) == (["2", "5"], [True, False])
    assert study.text("#count") == "2 rated"


def test_a_study_can_be_done_by_keys_alone_and_its_file_be_analysed(study: Page) -> None:
    study.find("#rater").send_keys("Nora 1")  # letters and digits of a name are no commands
    study.press("\n")
    study.press("4rb2")
    assert (scores(study), repeats(study)) == (["4", "2"], [True, False])
    study.press("\n5b1")
    study.press("n" + "3b3r" + "p")
    assert study.text("#heading") == "Item 2 of 4"
    assert scores(study) == ["5", "1"]
    study.press("u")
    assert study.text("#heading") == "Item 4 of 4"
    assert not study.all("#done")
    study.press("1b2")
    assert study.text("#done h2") == "All items are rated. Thank you!"
    study.find("#finish").click()
    path = study.downloaded()
    assert path.name.startswith("ratings-Nora-1-")

    key = read_key(key_of(study))
    ratings = read_ratings(path, key)
    assert (ratings.rater, ratings.unfinished) == ("Nora 1", [])
    assert [[mark.score for mark in key.unblind(item, pair)] for item, pair in sorted(ratings.marks.items())] == [
        [4, 2], [5, 1], [3, 3], [1, 2]]  # fmt: skip
    tables = study.file.parent / "tables"
    analyse.main([str(path), "--key", str(key.path), "--published", str(ROOT / "workflow/published.tsv"),
                  "--output-dir", str(tables)])  # fmt: skip
    assert "| Nora 1 " in (tables / "table_4.md").read_text()


def test_an_exported_file_can_be_taken_to_another_browser(study: Page) -> None:
    start(study, "Børge Ñ")
    rate(study, 1, 4)
    study.find("#menu summary").click()
    study.find("#export").click()
    path = study.downloaded()
    assert "3 of 4 items are not rated yet" in study.text("#alert")
    study.forget()
    assert study.all("#intro")
    import_file(study, path)
    study.wait(lambda: study.all("#study"))
    assert study.text("#heading") == "Item 2 of 4"  # the first that is not rated
    study.press("p")
    assert scores(study) == ["1", "4"]
    study.open()
    study.find("#menu summary").click()
    assert study.text("#who") == "Børge Ñ"


def test_an_import_asks_before_it_replaces_ratings(study: Page) -> None:
    start(study)
    rate(study, 1, 4)
    study.find("#menu summary").click()
    study.find("#export").click()
    path = study.downloaded()
    rate(study, 5, 5)
    import_file(study, path)
    question = study.wait(lambda: study.driver.switch_to.alert)
    assert "Replace the 1 items rated here" in question.text
    question.dismiss()
    assert scores(study) == ["5", "5"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"page": "0123456789abcdef"}, "These ratings were made on another page, for other outputs."),
        ({"rater": " "}, "This file does not name its rater."),
        ({"format": "other"}, "This file is not a file of ratings."),
        ({"ratings": [{"item": 2, "outputs": [{"score": 7, "repeats": False}] * 2}]}, "damaged at item 2."),
        ({"ratings": [{"item": 9, "outputs": [{"score": 1, "repeats": False}] * 2}]}, "damaged at item 9."),
        ({"ratings": [None]}, "This file is damaged"),
        (None, "This file is not a file of ratings."),
    ],
)
def test_an_import_of_something_else_is_refused_with_a_reason(
    study: Page, change: dict[str, Any] | None, message: str
) -> None:
    start(study)
    rate(study, 4, 2)
    content = {"format": "seqpre-ratings-1", "page": read(key_of(study))["page"], "rater": "Ben", "ratings": []}
    path = study.file.parent / "other.json"
    path.write_text("{" if change is None else json.dumps(content | change))
    import_file(study, path)
    study.wait(lambda: study.all("#alert"))
    assert message in study.text("#alert")
    assert scores(study) == ["4", "2"]


def test_the_page_open_twice_shows_the_same_ratings(study: Page) -> None:
    start(study)
    first = study.driver.current_window_handle
    study.driver.switch_to.new_window("tab")
    study.open()
    rate(study, 2, 3)
    study.driver.close()
    study.driver.switch_to.window(first)
    study.wait(lambda: scores(study) == ["2", "3"])
    study.find("#next").click()
    study.find("#previous").click()
    assert scores(study) == ["2", "3"]


@pytest.mark.parametrize(
    "damage", ["'{'", "'null'", "JSON.stringify({...state, place: 9})", "JSON.stringify({...state, ratings: [null]})"]
)
def test_damaged_ratings_in_the_browser_are_reported_and_the_rater_starts_anew(study: Page, damage: str) -> None:
    start(study)
    rate(study, 2, 3)
    study.driver.execute_script(f"localStorage.setItem(SLOT, {damage})")
    study.open()
    study.wait(lambda: study.all("#alert"))
    assert "The ratings saved in this browser are damaged." in study.text("#alert")
    assert study.find("#alert").rect["x"] > 0
    start(study, "Ben")
    assert not study.all("#alert")
    assert scores(study) == []
    rate(study, 4, 5)
    study.open()
    study.wait(lambda: scores(study) == ["4", "5"])


def test_a_browser_that_keeps_nothing_says_so(study: Page) -> None:
    study.driver.execute_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    start(study)
    rate(study, 2, 3)
    assert "NOT saved: export before you leave" in study.text("#saved")
    study.find("#menu summary").click()
    study.find("#export").click()  # so that leaving the page asks nothing
    study.downloaded()


def test_another_rater_starts_anew_after_a_question(study: Page) -> None:
    start(study)
    rate(study, 2, 3)
    study.find("#menu summary").click()
    study.find("#restart").click()
    question = study.driver.switch_to.alert
    assert "They have not been exported yet." in question.text
    question.accept()
    start(study, "Ben")
    assert scores(study) == []
    assert study.text("#count") == "0 rated"


def test_on_a_phone_everything_is_in_reach(study: Page) -> None:
    study.resize(PHONE, phone=True)
    assert study.overflow() == 0
    start(study)
    assert study.overflow() == 0
    width, height = PHONE
    for button in study.all("nav button, #menu summary"):
        assert button.rect["height"] >= 40
        assert button.rect["x"] >= 0
        assert button.rect["x"] + button.rect["width"] <= width
    top = study.driver.execute_script("return document.querySelector('nav').getBoundingClientRect().bottom")
    assert top == height  # at the lower edge, wherever one scrolls
    assert all(label.size["height"] >= 40 and label.size["width"] >= 40 for label in study.all(".scale label"))
    document = study.find("#document .text")
    short = document.size["height"]
    study.find("#whole").click()
    assert document.size["height"] > 2 * short
    assert study.find("#whole").get_attribute("aria-expanded") == "true"
    assert study.overflow() == 0
    rate(study, 4, 5)
    assert study.text("#count") == "1 rated"


def test_long_documents_scroll_beside_the_outputs_on_a_large_screen(study: Page) -> None:
    start(study)
    document, outputs = study.find("#document"), study.all(".output")
    assert all(card.rect["x"] > document.rect["x"] + document.rect["width"] for card in outputs)
    assert outputs[0].rect["y"] == outputs[1].rect["y"]
    assert document.rect["y"] + document.rect["height"] <= 800
    assert not study.all("#whole")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_text_is_legible_in_light_and_dark(study: Page, colours: str) -> None:
    study.colours(colours)
    background = study.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(21, 21, 19)") == (colours == "dark")
    assert study.low_contrast() == []
    start(study)
    rate(study, 4, 5)
    study.find("#menu summary").click()
    assert study.low_contrast() == []


def test_every_control_has_a_name_and_every_item_takes_the_focus(study: Page) -> None:
    start(study)
    study.find("#menu summary").click()
    controls = study.all("button, summary, select") + study.driver.find_elements("css selector", ".output input")
    names = [control.accessible_name for control in controls]
    assert all(names)
    assert [study.find("fieldset").accessible_name, study.find("progress").accessible_name] == [
        "Score of output A", "Rated so far"]  # fmt: skip
    assert names.count("Repeats phrases or sentences") == 2
    study.find("#next").click()
    assert study.driver.switch_to.active_element == study.find("#heading")
    assert study.find("#reference").get_attribute("lang") == "en"


def test_the_page_asks_nobody_for_anything(study: Page) -> None:
    start(study)
    assert study.requests() == []
    refused = study.driver.execute_async_script(
        "const done = arguments[0]; fetch('data:,x').then(() => done(false), () => done(true))"
    )
    assert refused
    study.driver.get_log("browser")  # the refusal is logged as an error
