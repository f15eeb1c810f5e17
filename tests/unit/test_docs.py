"""README and docs/ are short sentences, their links lead somewhere, and tables have what benchmarks measured."""

from __future__ import annotations

import re
from itertools import takewhile
from pathlib import Path
from statistics import fmean

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EVERY_PAGE = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
ESTIMATE = re.compile(r"([+-]?\d[\d.,]*)(?: ± [\d.]+)?(?: \[[^\]]*\d\])?")
"""A number, with the deviation or the interval that belongs to it."""


def sentences(page: str) -> list[str]:
    """Return the sentences of a page without its code, tables and headings; code within a sentence is one word."""
    text = re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^( *\||#|    |!\[).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]+`", "CODE", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))
    text = re.sub(r"\*+", "", re.sub(r"^\s*(?:[-*]|\d+\.) ", "\n\n", text, flags=re.MULTILINE)).replace(
        "et al.", "et al"
    )
    paragraphs = (" ".join(one.split()) for one in re.split(r"\n\s*\n", text))
    found = (re.split(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]?[A-Z\d])", one) for one in paragraphs)
    return [one for several in found for one in several if words(one)]


def words(sentence: str) -> int:
    """Return how many words a sentence has."""
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def test_sentences_end_at_full_stops_paragraphs_and_items() -> None:
    page = "# No\n\nOne `a. B`, by Li et al. (2019)\nends. *Two*\n- three [four](x) 1.5 words.\n\n| no |\n```\nNo\n```"
    assert sentences(page) == ["One CODE, by Li et al (2019) ends.", "Two", "three four 1.5 words."]
    assert [words(one) for one in sentences(page)] == [8, 1, 4]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sentences_are_short(page: Path) -> None:
    found = sentences(page.read_text(encoding="utf-8"))
    assert [one for one in found if words(one) > 40] == []
    assert fmean(map(words, found)) < 20


@pytest.mark.parametrize("page", [page for page in PAGES if "results" in page.name], ids=lambda page: page.stem)
def test_more_than_three_numbers_are_a_table(page: Path) -> None:
    numbers = re.compile(rf"(?<![\w.,-]){ESTIMATE.pattern}(?![\w-])")
    found = sentences(page.read_text(encoding="utf-8"))
    assert [one for one in found if len(numbers.findall(one)) > 3] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def anchors(page: Path) -> set[str]:
    """Return what links to a page's headings end with, as GitHub makes it."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@EVERY_PAGE
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    missing = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not link.startswith("http") and (not target.exists() or (anchor and anchor not in anchors(target))):
            missing.append(link)
    assert missing == []


def numbers_of(text: str) -> list[tuple[float, float]]:
    """Return the numbers of a text in the order they come, and half a unit of the last place of each."""
    found = re.findall(r"(?<![\w.,])(\d[\d,]*(?:\.\d+)?)( M\b)?", text.replace("32 V100", ""))
    plain = [(number.replace(",", ""), 1e6 if million else 1.0) for number, million in found]
    return [(float(number) * unit, 0.5 * unit / 10 ** len(number.partition(".")[2])) for number, unit in plain]


@pytest.mark.parametrize(
    ("page", "header", "columns", "results"),
    [
        ("speed", "| part | ours | beside |", slice(1, 4), ("{}", "{}_intel")),
        ("speed", "| part | ours, before | ours |", slice(2, 5), ("{}_avx2",)),
        ("speed", "| piece | float32", slice(1, 8), ("gpu",)),
        ("cluster", "| the demo's grid, 118 jobs |", slice(1, 6), ("overhead",)),
        (
            "results-poda-headlines",
            "| greedy validation ROUGE-1, 1,000 pairs, one",
            slice(1, 3),
            ("headlines_suspects",),
        ),
        ("results-poda-headlines", "| noise of the denoiser", slice(1, 4), ("headlines_suspects",)),
        ("results-poda-correction", "| GLEU: PoDA, no pretraining |", slice(1, 3), ("corrections_by_length",)),
        ("results-ramachandran-summarization", "| | full system | the five", slice(1, 3), ("source_use",)),
    ],
)
def test_tables_have_what_the_benchmarks_measured(
    page: str, header: str, columns: slice, results: tuple[str, ...]
) -> None:
    lines = [line.strip() for line in (ROOT / f"docs/{page}.md").read_text(encoding="utf-8").splitlines()]
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    scripts: dict[str, str] = {}
    for part, *_, last in (cells for cells in table if len(cells) > 1):
        named = re.fullmatch(r"`(\w+)\.py`", last)
        scripts.setdefault(part, named[1] if named else "".join([*scripts.values()][-1:]))
    start = next(place for place, line in enumerate(lines) if line.startswith(header)) + 2
    rows = list(takewhile(lambda cells: len(cells) > 1, table[start:]))
    assert rows
    strange = []
    for row in rows:
        part = row[0]
        files = [ROOT / f"benchmarks/results/{name.format(scripts[part])}.md" for name in results]
        texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
        measured = [value for text in texts for value, _ in numbers_of(text)]
        said = numbers_of(" ".join(cell for cell in row[columns] if not cell.startswith("≥")))
        assert measured, part
        assert said, part
        strange += [(part, value) for value, half in said if all(abs(value - one) > half * 1.001 for one in measured)]
    assert strange == []
