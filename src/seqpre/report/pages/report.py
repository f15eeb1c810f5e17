"""Make one page of all studies at a scale: every printed number beside ours, claims, decisions and cost.

    python -m seqpre.report.pages.report --scale small --results results/small --output results/small/report.html

It is made of what is there: of a study that has no runs in the folder, of the records that it was packed into
(`records.zip`); a study that has neither is listed as not run. Nothing is trained, and the page needs no network.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup, escape

from seqpre.common.errors import DataError, command
from seqpre.common.files import atomic_write
from seqpre.corpora.catalog import Row, read_catalog
from seqpre.report.chain import CURVE, Chain, Text, chain, parts, parts_of_texts, texts
from seqpre.report.cost import Spent, spent
from seqpre.report.declared import Declared, corpus_stats, declared, lm_folders
from seqpre.report.departures import KINDS, departures
from seqpre.report.figures import study_figures
from seqpre.report.pages.page import self_contained, template
from seqpre.report.published import PublishedNumber, load_published
from seqpre.report.records import opened
from seqpre.report.results import load_results
from seqpre.report.style import styled, svg
from seqpre.report.summary import figure_titles, sentences
from seqpre.report.table import EMPTY, Cell, Table
from seqpre.report.tables import study_tables
from seqpre.report.verdicts import DIRECTION, NOT_REPRODUCED, OTHER_DIRECTION, REPRODUCED
from seqpre.study.paper import cited, in_paper

SPEAKS = {REPRODUCED: "good", "holds": "good", DIRECTION: "good", NOT_REPRODUCED: "bad", OTHER_DIRECTION: "bad",
          "fails": "bad"}  # fmt: skip
"""What a verdict's look says, where it says anything."""
FOLDED = ("learning", "cost")
"""Tables that are long, or of nothing that a paper prints."""


@dataclass(frozen=True)
class Picture:
    """A figure, as the address of its own content."""

    name: str
    title: str
    address: str


@dataclass(frozen=True)
class Section:
    """What the page says of one study; without `tables`, that it has not been run."""

    study: Declared
    printed: tuple[str, ...]
    """Titles of what the paper prints of it."""
    sentences: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    spent: Sequence[Spent] = ()
    predicates: Mapping[str, str] | None = None
    """What bounds of claims say in words."""
    chains: Sequence[Chain] = ()
    """What lies behind the numbers."""
    texts: Sequence[Text] = ()
    from_records: bool = False

    @property
    def findings(self) -> str:
        """How many claims are found to be what."""
        claims = next((table for table in self.tables if table.name == "claims"), None)
        words = [row["ours_finding"].text for row in claims.rows if "ours_finding" in row] if claims else []
        return ", ".join(f"{count} {word}" for word, count in Counter(words).items()) or EMPTY

    @property
    def cpu_hours(self) -> float:
        """Of all its trainings."""
        return sum(one.cpu_hours for one in self.spent)


def section(
    study: Declared, scale: str, folder: Path, published: Sequence[PublishedNumber], catalog: Sequence[Row]
) -> Section:
    """Return what there is to say of a study whose results are in `folder`, or whose records are."""
    said = in_paper(study.paper, study.published_as)
    printed = (*(table.title for table in said.printed), *filter(None, (said.ablations, said.fractions.printed_in)))
    from_records = not (folder / "runs").is_dir()
    with opened(folder) as here:
        if here is None:
            return Section(study, printed)
        results = load_results(here / "runs.json", here, study.name, scale, study.paper)
        if not any(one.scores or one.validations for one in results.scored):
            return Section(study, printed)
        lms = lm_folders(here.parent, study.owners)
        draw, titles = study_figures(results.task), figure_titles(results)
        pictures = []
        for name in results.figures:
            with styled():
                pictures.append(Picture(name, titles[name], _address(svg(draw[name](results, published)))))
        return Section(
            study, printed, sentences(results, published), study_tables(results, published, lms=lms), pictures,
            spent(results, lms),
            {part.bounds: part.predicate for claim in results.paper.claims for part in claim.parts},
            [chain(one) for one in (*lms, *(one.folder for one in results.scored if one.folder.is_dir()))],
            texts(corpus_stats(here.parent, study.owners), catalog), from_records,
        )  # fmt: skip


class Numbers:
    """Numbers of ours that open what lies behind them; a text that several have is kept once."""

    def __init__(self, sections: Iterable[Section]) -> None:
        """Take what lies behind the numbers of all studies."""
        self.blocks: dict[str, int] = {}
        self.runs: dict[str, dict[str, Any]] = {}
        self.cells: list[list[Any]] = []
        for one in sections:
            of_texts = [self._block(*part) for part in parts_of_texts(one.texts)]
            for found in one.chains:
                curve = [[value.step, round(value.perplexity, 3), _finite(value.score)] for value in found.curve]
                self.runs[found.folder] = {
                    "folder": found.folder, "curve": curve, "missing": "; ".join(found.missing),
                    "parts": [*(self._block(*part) for part in parts(found) if part[0] != CURVE), *of_texts],
                }  # fmt: skip
        self.places = {folder: place for place, folder in enumerate(self.runs)}

    def button(self, cell: Cell) -> Markup | str:
        """Return a cell's text; of a number with anything behind it, as a button that opens it."""
        behind = [
            [
                one.value,
                one.seed,
                one.low,
                one.high,
                sorted({*self._runs(source.path for source in one.sources)}),
            ]
            for one in cell.measurements
        ]
        if not any(runs for *_, runs in behind):
            return cell.text
        self.cells.append(behind)
        return Markup('<button type="button" data-cell="{}">{}</button>').format(len(self.cells) - 1, tight(cell.text))

    @property
    def data(self) -> dict[str, Any]:
        """What the page's program reads."""
        return {"cells": self.cells, "runs": [*self.runs.values()], "blocks": [*map(json.loads, self.blocks)]}

    def _runs(self, files: Iterable[str]) -> Iterator[int]:
        """Yield the places of the runs that files belong to."""
        for file in files:
            yield from [self.places[str(folder)] for folder in Path(file).parents if str(folder) in self.places][:1]

    def _block(self, heading: str, lines: list[str]) -> int:
        return self.blocks.setdefault(json.dumps([heading, lines]), len(self.blocks))


def body(scale: str, sections: Sequence[Section], checkout: Path, numbers: Numbers) -> str:
    """Return the page's markup."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(inline=inline, tight=tight, speaks=lambda cell: SPEAKS.get(cell.text, ""))
    # What there is to read comes first, and a study before those that extend it.
    sections = sorted(sections, key=lambda one: (not one.tables, one.study.name != one.study.published_as))
    papers = {file: [one for one in sections if one.study.paper == file]
              for file in dict.fromkeys(one.study.paper for one in sections)}  # fmt: skip
    found = departures(checkout)
    return environment.from_string(template("report.html")).render(
        title=titled(scale),
        scale=scale,
        papers=[(file.stem, cited(file), ones) for file, ones in papers.items()],
        run=[one for one in sections if one.tables],
        decisions=[(heading, [one for one in found if one.kind == kind]) for kind, heading in KINDS.items()],
        empty=Cell(EMPTY),
        folded=FOLDED,
        button=numbers.button,
    )


def titled(scale: str) -> str:
    """Return the title of the page."""
    return f"Three papers on pretraining, reproduced: scale {scale}"


def inline(text: str) -> Markup:
    """Return a sentence's `code` and *stressed words* as markup."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\*([^*]+)\*", r"<em>\1</em>", marked))


def tight(text: str) -> str:
    """Return a cell's text that can be broken before its interval alone."""
    return re.sub(" (?!\\[)", "\N{NO-BREAK SPACE}", text)


def _finite(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None


def _address(picture: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read what is there, write the page, say what it is made of."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.report.pages.report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scale", required=True, help="demo, small or paper")
    parser.add_argument("--results", required=True, type=Path, help="folder of the scale's studies, e.g. results/small")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the checkout (default: the working directory)")
    parser.add_argument("--studies", nargs="*", type=Path, default=[], metavar="FILE", help="study files of one's own")
    parser.add_argument("--output", required=True, type=Path, help="HTML file to write")
    args = parser.parse_args(argv)

    checkout = args.checkout.absolute()
    project = checkout / "workflow/studies"
    if not project.is_dir():
        raise DataError(f"{project} is not there; start this in the folder of the Snakefile, or name it by --checkout")
    files = dict.fromkeys([*sorted(project.glob("*.yaml")), *(file.absolute() for file in args.studies)])
    published = load_published(checkout / "workflow/published.tsv")
    catalog = read_catalog(checkout / "workflow/corpora.tsv")
    sections = [section(study, args.scale, args.results / study.name, published, catalog)
                for study in declared(files, args.scale, project)]  # fmt: skip
    numbers = Numbers(sections)
    with atomic_write(args.output) as file:
        markup = body(args.scale, sections, checkout, numbers)
        file.write(self_contained("report", titled(args.scale), numbers.data, markup))
    run = [one for one in sections if one.tables]
    print(f"{args.output}: {len(run)} of {len(sections)} studies have results, "
          f"{sum(one.from_records for one in run)} of them from their records")  # fmt: skip


if __name__ == "__main__":
    main()
