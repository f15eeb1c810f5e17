"""Tables as csv, Markdown, LaTeX, and the way back from a number to its file."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import pytest

from seqpre.metrics.inference import Estimate
from seqpre.report.estimates import Measurement, SeedMean, Source, seed_mean
from seqpre.report.table import (
    Cell,
    Table,
    estimate_cell,
    number_cell,
    provenance,
    seed_mean_cell,
    to_csv,
    to_latex,
    to_markdown,
)


def two_seeds() -> SeedMean:
    found = seed_mean(
        Measurement(value, seed, (Source(f"run{seed}/scores.json", f"full/20pct/seed{seed}", str(seed), "abc"),),
                    low=value - 1, high=value + 1)
        for seed, value in ((1, 20.0), (2, 22.0))
    )  # fmt: skip
    assert found is not None
    return replace(found, low=20.0, high=22.0)


@pytest.fixture
def table() -> Table:
    """Return a table with a word, a number, an estimate and gaps."""
    rows = [
        {"system": "full", "published": number_cell(24.0), "ours": seed_mean_cell(two_seeds(), interval=True)},
        {"system": "no_lm & co | 5 %", "ours": seed_mean_cell(None)},
    ]
    columns = {"system": "system", "published": "published", "ours": "ours"}
    return Table(columns, rows, ["A_note with 95 %."], "table_1", "Test BLEU")


def test_an_estimate_shows_mean_spread_and_interval() -> None:
    assert seed_mean_cell(two_seeds(), interval=True).text == "21.0 ± 1.4 [20.0, 22.0]"
    assert seed_mean_cell(two_seeds(), "+.1f").text == "+21.0 ± 1.4"
    one = seed_mean([Measurement(20.04, 1, ())])
    assert seed_mean_cell(one, interval=True).text == "20.0"


def test_a_difference_shows_its_interval_or_that_it_has_none() -> None:
    one = estimate_cell(Estimate(-1.0, ((0.25, math.inf),)))
    assert (one.text, one.numbers["low"]) == ("-1.0 [-2.0, -0.0]", pytest.approx(-1 - 0.5 * 1.959964))
    assert estimate_cell(Estimate(-1.0, ((math.inf, math.inf),))).text == "-1.0 [one seed]"
    assert estimate_cell(None).text == "not run"


def test_csv_has_a_column_a_number_with_ten_decimals(table: Table) -> None:
    header, first, second = csv.reader(io.StringIO(to_csv(table)))
    assert header == ["system", "published", "ours_mean", "ours_sd", "ours_low", "ours_high", "ours_seeds"]
    assert first == ["full", "24.0", "21.0", "1.4142135624", "20.0", "22.0", "2"]
    assert second == ["no_lm & co | 5 %", "", "not run", "", "", "", ""]


def test_markdown_aligns_numbers_and_escapes_bars(table: Table) -> None:
    lines = to_markdown(table).splitlines()
    assert lines[0] == "## Test BLEU"
    assert lines[3].split("|")[2].strip().endswith(":")
    assert "no_lm & co \\| 5 %" in lines[5]
    assert len({line.replace("\\|", "xx").count("|") for line in lines[2:6]}) == 1
    assert lines[-1] == "- A_note with 95 %."


def test_latex_escapes_what_it_must(table: Table) -> None:
    text = to_latex(table)
    assert r"no\_lm \& co \textbar{} 5 \% & - & not run \\" in text
    assert r"full & 24.0 & 21.0 $\pm$ 1.4 [20.0, 22.0] \\" in text
    assert r"\begin{tabular}{lrr}" in text
    assert text.count("{") == text.count("}")


def test_every_seed_behind_a_number_is_traced_to_its_file(table: Table) -> None:
    rows = list(csv.DictReader(io.StringIO(provenance([table]))))
    assert [(row["row"], row["column"], row["value"], row["file"], row["seed"]) for row in rows] == [
        ("full", "ours", "20.0", "run1/scores.json", "1"),
        ("full", "ours", "22.0", "run2/scores.json", "2"),
    ]
    assert {row["settings_sha256"] for row in rows} == {"abc"}


def test_rows_that_differ_by_fraction_only_are_told_apart() -> None:
    rows = [
        {"system": "full", "fraction": fraction, "ours": seed_mean_cell(two_seeds())} for fraction in ("20 %", "100 %")
    ]
    traced = csv.DictReader(
        io.StringIO(provenance([Table({"system": "", "fraction": "", "ours": ""}, rows, name="t", title="T")]))
    )
    assert {row["row"] for row in traced} == {"full, 20 %", "full, 100 %"}


def test_an_empty_cell_is_a_dash_for_readers_and_nothing_for_programs() -> None:
    table = Table({"a": "a", "b": "b"}, [{"a": Cell("x"), "b": number_cell(None)}], name="t", title="T")
    assert to_csv(table) == "a,b\nx,\n"
    assert "| x | - |" in to_markdown(table)


def test_text_that_a_spreadsheet_would_calculate_is_text_in_a_csv_and_nowhere_else() -> None:
    names = ['=HYPERLINK("http://evil/")', "+ temporal attention", "@SUM(A1)", "-2+3", "full", "+2.7"]
    rows = [{"system": name, "ours": number_cell(-1.5)} for name in names]
    table = Table({"system": "system", "ours": "ours"}, rows, name="t", title="T")
    read = list(csv.DictReader(io.StringIO(to_csv(table))))
    assert [row["system"] for row in read] == [*(f"'{name}" for name in names[:4]), "full", "+2.7"]
    assert {row["ours"] for row in read} == {"-1.5"}
    assert all(f"| {name} " in to_markdown(table) for name in names)
