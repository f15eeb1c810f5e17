"""README and docs/results*.md have the numbers of the committed records, cell by cell, interval by interval."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections.abc import Callable
from functools import cache
from itertools import takewhile
from pathlib import Path
from statistics import fmean

import pytest
from documented_numbers import NOT_COUNTED, PROSE, TABLES, TESTED_BY_HAND, Table

from seqpre.report.claims_table import claims_table
from seqpre.report.contrasts import contrast, with_interval
from seqpre.report.curves import Quantity, value_at
from seqpre.report.estimates import Measurement, SeedMean, mean_of, seed_mean
from seqpre.report.results import Results, load_results
from seqpre.report.tables import study_tables
from seqpre.study.settings import AVERAGE

ROOT = Path(__file__).parents[2]
RECORDS = sorted((ROOT / "results/small").glob("*/records.zip"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("results*.md"))]
OVERVIEWS = ("README.md", "results.md")
"""Pages that are of all studies."""

Reader = Callable[[str], Results]
"""Reads a study's committed records."""
NUMBER = r"[+-]?\d+\.\d+"
CELL = re.compile(rf"({NUMBER}|\d+)(?: ± ({NUMBER}))?(?: \[({NUMBER}), ({NUMBER})\])?(?: \(({NUMBER})\))?")
"""A mean, its deviation over seeds, the ends of its interval, and what is published."""
IN_PROSE = re.compile(rf"(?<![\w.]){NUMBER}(?: ± {NUMBER}|(?: [A-Z][\w.-]*)? \[{NUMBER}, {NUMBER}\])")
"""A number with its deviation or its interval."""
COUNT = re.compile(r"(\d{1,3}(?:,\d{3})+) pairs")
P_VALUE = re.compile(r"p (?:=|<) (0\.\d+)")


@pytest.fixture(scope="module")
def results_of(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Return what reads a study's committed records, once."""

    @cache
    def read(study: str) -> Results:
        folder = tmp_path_factory.mktemp("records")
        with zipfile.ZipFile(ROOT / f"results/small/{study}/records.zip") as archive:
            archive.extractall(folder)
        return load_results(folder / "results/small" / study, ROOT / "workflow")

    return read


def rows_of(page: str, header: str) -> list[list[str]]:
    """Return the cells of the one table of a page that begins so, without its first column."""
    lines = [line.strip() for line in page.splitlines()]
    (start,) = [place for place, line in enumerate(lines) if line.startswith(header)]
    rows = takewhile(lambda line: line.startswith("|"), lines[start + 2 :])
    return [[cell.strip() for cell in row.strip().removeprefix("|").removesuffix("|").split("|")][1:] for row in rows]


def terms_of(operand: str, fraction: str, suffix: str = "") -> dict[tuple[str, str], float]:
    """Return the weights that a sum of systems gives to their scores."""
    words, terms = f"+ {operand}".split(), {}
    for sign, term in zip(words[::2], words[1::2], strict=True):
        system, _, other = term.partition("/")
        terms[f"{system}{suffix}", other or fraction] = 1.0 if sign == "+" else -1.0
    return terms


def perplexity(results: Results, system: str, fraction: str) -> SeedMean | None:
    """Return the lowest perplexity, over the seeds."""
    return seed_mean(
        Measurement(min(one.perplexity for one in run.validations), run.seed, ())
        for run in results.of(system, fraction)
        if run.validations
    )


def while_training(results: Results, system: str, fraction: str, text: str, seeds: list[str]) -> SeedMean | None:
    """Return greedy scores or perplexities of validation after so many updates, over the seeds or one of them."""
    quantity, updates = text.split("@")
    of: Quantity = "score" if quantity == "greedy" else "perplexity"
    values = [(value_at(run.validations, int(updates), of), run.seed) for run in results.of(system, fraction)]
    wanted = [(value, seed) for value, seed in values if not seeds or f"seed{seed}" in seeds]
    return seed_mean(Measurement(value, seed, ()) for value, seed in wanted if value is not None)


def found(results: Results, operand: str, column: str) -> SeedMean | None:
    """Return what a cell is to show, with the interval that it may have."""
    operand, _, instead = operand.partition(" @ ")
    words = column.removeprefix("Δ ").removesuffix(" each").split()
    suffix = next((f"_{word[1:]}" for word in words if word[0] == "+"), "")
    fraction, text, *metric = [word for word in words if word[0] != "+"]
    if column.startswith("Δ"):
        operand += f" - {results.study.reference}"
    if text == "perplexity":
        return perplexity(results, operand, fraction)
    if "@" in text:
        return while_training(results, f"{operand}{suffix}", fraction, text, metric)
    if metric == [AVERAGE]:
        return results.score(operand, fraction, text, AVERAGE)
    splits = results.tests if (instead or text) == "tests" else [instead or text]
    name = metric[0] if metric else None
    terms = terms_of(operand, fraction, suffix)
    if len(terms) == 1:
        ((system, _),) = terms
        if len(splits) == 1:
            return with_interval(results, (system, fraction), splits[0], name)
        return mean_of(results.score(system, fraction, split, metric=name) for split in splits)
    tested = contrast(results, terms, splits, name)
    low, high = tested.interval() if tested else (None, None)
    if len(terms) > 2:
        return SeedMean(tested.value, None, low, high, ()) if tested else None
    (one, size), (other, _) = terms
    ours = mean_of(results.difference(one, other, size, split, name) for split in splits)
    return SeedMean(ours.mean, ours.sd, low, high, ours.measurements) if ours else None


def printed(results: Results, operand: str) -> set[str]:
    """Return what the paper prints of a system, or of its distance from another, on any text or in their mean."""
    sizes, called = results.paper.fractions, {one.label: one.system for one in results.outcomes}
    terms = terms_of(operand.removeprefix("published ").partition(" @ ")[0], "")
    systems = [system for system, _ in terms]
    by_cell: dict[tuple[str, ...], dict[str, float]] = {}
    for row in results.published:
        system = called.get(row.system, row.system)
        by_cell.setdefault((row.fraction, row.split, row.metric), {}).update(
            {system: row.value} if system in systems else {}
        )
    whole = {cell: values for cell, values in by_cell.items() if len(values) == len(systems)}
    summed = {cell: sum(terms[system, ""] * values[system] for system in systems) for cell, values in whole.items()}
    for fraction, metric in {(fraction, metric) for fraction, _, metric in summed}:
        over = [value for (at, split, of), value in summed.items()
                if (at, of) == (fraction, metric) and split in (sizes.means_over or [split])]  # fmt: skip
        if over:
            summed[fraction, "mean", metric] = fmean(over)
    return {f"{value:.{digits}f}" for value in summed.values() for digits in (1, 2)}


def claimed(results: Results, claim: str) -> list[str]:
    """Return what the rows of a claim have of ours."""
    table = claims_table(results)
    return [row["ours"].text for row in table.rows if row["claim"].text == claim and "ours" in row]


def wrong(results: Results, operand: str, column: str, cell: str) -> str:
    """Return what a cell should have; nothing where it has it."""
    if re.fullmatch("[A-Z]-C[0-9]+", operand):
        rows = claimed(results, operand)
        return "" if cell in rows else " or ".join(rows)
    if not operand or not column or cell in ("", "-"):
        return ""
    if "published" in (column, operand.partition(" ")[0]):
        known = {one.lstrip("+") for one in printed(results, operand)}
        return "" if cell.lstrip("+") in known else f"one of {sorted(known)}"
    if column.endswith(" each"):
        ours = found(results, operand, column)
        assert ours is not None
        seeds = ", ".join(f"{one.value:.1f}" for one in sorted(ours.measurements, key=lambda one: one.seed or 0))
        return "" if cell == seeds else seeds
    if inner := re.fullmatch(r"- \((.*)\)", cell):  # of the reference, which has no distance from itself
        return wrong(results, operand, column.removeprefix("Δ "), inner[1])
    match = CELL.fullmatch(cell)
    ours = found(results, operand, column)
    if match is None or ours is None:
        return f"{ours}"
    mean, sd, low, high, theirs = match.groups()
    beside = wrong(results, operand, "published", theirs) if theirs else ""
    said = [(mean, ours.mean), (sd, ours.sd), (low, ours.low), (high, ours.high)]
    expected = [rounded(value, text) for text, value in said if text]
    return beside or ("" if expected == [text for text, _ in said if text] else " ".join(expected))


def rounded(value: float | None, like: str) -> str:
    """Return a number with as many decimals as a text has, and with its sign if that has one."""
    digits = len(like.partition(".")[2])
    return "none" if value is None else f"{value:{'+' if like[0] in '+-' else ''}.{digits}f}"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.page.removesuffix('.md')}-{table.study}")
def test_tables_of_pages_have_the_numbers_of_the_records(table: Table, results_of: Reader) -> None:
    (path,) = [page for page in PAGES if page.name == table.page]
    rows = rows_of(path.read_text(encoding="utf-8"), table.header)
    rows = [[*cells] for cells in zip(*rows, strict=True)] if table.transposed else rows
    assert len(rows) == len(table.rows)
    results, mistakes = results_of(table.study), {}
    for operands, cells in zip(table.rows, rows, strict=True):
        assert len(cells) == len(table.columns)
        several = re.split("[;,] ", operands)
        for column, cell in zip(table.columns, cells, strict=True):
            if not cell:
                continue
            parts = re.split(r"[;,] (?![^\[]*\])", cell) if len(several) > 1 or column == "published" else [cell]
            owners = several if len(several) == len(parts) else several * len(parts)
            for operand, part in zip(owners, parts, strict=True):
                if should := wrong(results, operand, column, part):
                    mistakes[operand, column, part] = should
    assert not mistakes


def prose_of(page: Path) -> str:
    """Return a page in one line, without the tables that are held to the records cell by cell."""
    headers, kept, inside = tuple(table.header for table in TABLES if table.page == page.name), [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        inside = line.startswith("|") and (inside or bool(headers and line.startswith(headers)))
        kept += [] if inside else [line]
    return " ".join(" ".join(kept).split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_sentences_of_pages_have_the_intervals_of_the_records(page: Path, results_of: Reader) -> None:
    prose, expected, mistakes = prose_of(page), PROSE.get(page.name, []), {}
    found = [*IN_PROSE.finditer(prose)]
    assert len(found) == len(expected), [one[0] for one in found]
    for one, (study, operand, column) in zip(found, expected, strict=True):
        cell = re.sub(r" [A-Z][\w.-]* \[", " [", one[0])
        if should := wrong(results_of(study), operand, column, cell):
            mistakes[prose[max(0, one.start() - 60) : one.end()]] = should
    assert not mistakes


def studies_of(page: Path) -> list[str]:
    """Return the studies that a page links to; an overview is of all."""
    text, known = page.read_text(encoding="utf-8"), [path.parent.name for path in RECORDS]
    return [study for study in known if page.name in OVERVIEWS or f"results/small/{study}/" in text]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_numbers_of_pairs_are_those_that_were_read_trained_on_or_scored(page: Path, results_of: Reader) -> None:
    known = set[str]()
    for study in studies_of(page):
        results = results_of(study)
        known |= {f"{run.summary.get('train_pairs', 0):,}" for run in results.runs}
        known |= {f"{score[results.task.items]:,}" for run in results.runs for score in run.scores}
        with zipfile.ZipFile(ROOT / f"results/small/{study}/records.zip") as archive:
            stats = [json.loads(archive.read(name)) for name in archive.namelist() if name.endswith(".stats.json")]
        known |= {f"{counts[key]:,}" for counts in stats for key in ("kept", "lines")}
    said = {one[1] for one in COUNT.finditer(prose_of(page))}
    assert said - known - NOT_COUNTED.get(page.name, set()) == set()


def test_sizes_and_memory_of_the_front_pages_are_those_of_the_records() -> None:
    summaries = list[dict[str, float]]()
    for path in RECORDS:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if "/runs/" in name and name.endswith("/summary.json")]
            summaries += [json.loads(archive.read(name)) for name in names]
    parameters = [one["parameters"] / 1e6 for one in summaries]
    assert 1 <= min(parameters) <= max(parameters) <= 11
    assert "one to eleven million parameters" in (ROOT / "README.md").read_text(encoding="utf-8")
    memory = [one["peak_memory_mb"] / 1000 for one in summaries]
    said = f"{min(memory):.1f} to {max(memory):.1f} GB"
    assert (ROOT / "docs/README.md").read_text(encoding="utf-8").count(said) == 2


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_p_values_are_those_of_tables(page: Path) -> None:
    known = set[float]()
    for study in studies_of(page):
        for name in ("ablations", "fractions", "claims"):
            table = ROOT / f"results/small/{study}/tables/{name}.csv"
            rows = csv.DictReader(table.read_text(encoding="utf-8").splitlines()) if table.is_file() else ()
            known |= {float(row["p"]) for row in rows if re.match(r"\d", row.get("p", ""))}
    said = {one[1] for one in P_VALUE.finditer(prose_of(page))} - TESTED_BY_HAND.get(page.name, set())
    assert {one for one in said if one not in {rounded(value, one) for value in known}} == set()


def verdicts(results: Results) -> dict[str, str]:
    """Return each corrected verdict of a study, with its p-value, by the system and fraction or the claim."""
    results.contrasts.clear()
    found = {}
    for table in study_tables(results):
        if table.name in ("ablations", "claims", "fractions"):
            for row in table.rows:
                cells = {key: cell.text for key, cell in row.items()}
                name = cells.get("claim") or f"{cells.get('system')}, {cells.get('fraction')}"
                verdict = cells.get("ours_finding") or cells.get("verdict")
                if verdict:  # A claim's second part has none.
                    found[name] = f"{verdict} ({cells['p']})"
    return found


def test_the_verdicts_that_rest_on_a_pooled_spread_are_those_of_the_page(
    results_of: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
    listed = rows_of(page, "| study | difference or claim | pooled |")
    given_up = {"ramachandran-summarization-first", "edunov-translation-longer-lm"}
    studies = [path.parent.name for path in RECORDS if path.parent.name not in given_up]
    pooled = {study: verdicts(results_of(study)) for study in studies}
    monkeypatch.setattr("seqpre.metrics.inference.alike", lambda scores_KS: False)
    alone = {study: verdicts(results_of(study)) for study in studies}
    for study in studies:
        results_of(study).contrasts.clear()
    differ = [
        [row, verdict, alone[study][row]]
        for study in studies
        for row, verdict in pooled[study].items()
        if verdict.partition(" (")[0] != alone[study][row].partition(" (")[0]
    ]
    assert sorted(differ) == sorted(listed)
