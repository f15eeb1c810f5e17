"""Make one page of all studies at a scale: every printed number beside ours, claims, decisions and cost.

    python -m seqpre.report.pages.report --scale small --results results/small --output results/small/report.html

It uses existing results: for each study, the runs in the folder and its records (`records.zip`), and says which a
number comes from; a study without either is listed as not run. Nothing is trained, and the page needs no network.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import Environment
from markupsafe import Markup, escape

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write
from seqpre.corpora.catalog import Row, read_catalog
from seqpre.report.claims_table import FAILS, HOLDS
from seqpre.report.cost import spent
from seqpre.report.departures import KINDS, departures
from seqpre.report.lineage import CURVE, Lineage, Part, lineage, texts
from seqpre.report.outcome import Outcome
from seqpre.report.pages.overview import NOT_JUDGED, WORDS, Verdicts, by_verdict, opening, verdict, verdicts
from seqpre.report.pages.page import self_contained, template
from seqpre.report.published import PublishedNumber, load_published
from seqpre.report.records import opened
from seqpre.report.results import Results, load_results
from seqpre.report.style import styled, svg
from seqpre.report.summary import sentences
from seqpre.report.table import EMPTY, Cell, Table
from seqpre.report.tables import made, study_tables, title_of
from seqpre.report.verdicts import DIRECTION, NOT_REPRODUCED, NOT_RUN, OTHER_DIRECTION, REPRODUCED
from seqpre.study.displays import Display
from seqpre.study.fractions import in_words
from seqpre.study.load import read_study_file
from seqpre.study.paper import cited, in_paper
from seqpre.study.tasks import metric_labels

SPEAKS = {REPRODUCED: "good", HOLDS: "good", DIRECTION: "good", NOT_REPRODUCED: "bad", OTHER_DIRECTION: "bad",
          FAILS: "bad"}  # fmt: skip
"""The style of a verdict, if it has one."""


class Declared(NamedTuple):
    """A study in the report, run or not."""

    name: str
    title: str
    published_as: str
    paper: Path
    owners: tuple[str, ...]
    """The study and its pretraining, whose files document their decisions."""
    apart: bool = False
    """Whether it is an exploration, shown after the papers' studies."""


def declared(files: Iterable[Path], scale: str, project: Path) -> list[Declared]:
    """Return the studies of these files that have the scale, except superseded ones.

    `project` is the folder of the project's own studies. Raises ConfigError for a file without a paper.
    """
    found = []
    for file in files:
        text, published_as = read_study_file(file, project)
        if "paper" not in text:
            raise ConfigError(f"{file.name} lacks 'paper'; a study has it, or extends one that does")
        if text.get("scales", {}).get(scale) and text.get("in_report") != "superseded":
            paper = project.parent / "papers" / f"{text['paper']}.yaml"
            owners = filter(None, (file.stem, text.get("pretraining")))
            title, apart = text.get("title", file.stem), text.get("in_report") == "apart"
            found.append(Declared(file.stem, title, published_as, paper, tuple(owners), apart))
    return found


class Picture(NamedTuple):
    """A figure, embedded as a data URL."""

    title: str
    described: str
    """Alternative text."""
    address: str


@dataclass(frozen=True)
class Section:
    """The report on one study; without outcomes `behind` its numbers, it has not been run."""

    study: Declared
    printed: tuple[str, ...]
    """Titles of the tables and figures that the paper prints."""
    verdicts: Verdicts = field(default_factory=dict)
    """Verdicts on the paper's claims."""
    verdict: str = ""
    """A sentence about the study."""
    corpus: str = ""
    """Readable name of the labelled pairs."""
    sentences: Sequence[str] = ()
    tables: Sequence[Table] = ()
    folded: frozenset[str] = frozenset()
    """Names of the tables that are shown collapsed."""
    pictures: Sequence[Picture] = ()
    spent: Sequence[Any] = ()
    """The rows of `seqpre.report.cost.spent`."""
    predicates: Mapping[str, str] | None = None
    """The bounds of claims, in words."""
    behind: Sequence[tuple[Outcome, Lineage]] = ()
    """The outcomes behind the numbers, with their lineage."""
    texts: Sequence[Part] = ()

    @property
    def state(self) -> str:
        """Where its results come from."""
        if not self.behind:
            return NOT_RUN
        here = any(one.scores and not one.packed for one, _ in self.behind)
        return " and ".join([*self.of_records * ["records"], *here * ["runs here"]])

    @property
    def of_records(self) -> bool:
        """Whether some of its results come from records."""
        return any(one.packed for one, _ in self.behind)

    @property
    def rank(self) -> tuple[int, ...]:
        """Sort key: most claims that hold first, then most that fail, and so on; studies not run come last."""
        counts = Counter(self.verdicts.values())
        return (not self.behind, *(-counts[word] for word in WORDS))

    @property
    def cpu_hours(self) -> float:
        """CPU hours of all its trainings."""
        return float(sum(one.cpu_hours for one in self.spent))


def section(study: Declared, folder: Path, workflow: Path, catalog: Sequence[Row]) -> Section:
    """Return the report on a study, from the results in `folder` or from its records."""
    said = in_paper(study.paper, study.published_as)
    printed = (*(table.title for table in said.printed), *filter(None, (said.ablations, said.fractions.printed_in)))
    with opened(folder) as here:
        results = load_results(here, workflow) if here else None
        if results is None or not any(one.scores or one.validations for one in results.outcomes):
            return Section(study, printed, {claim.says: NOT_JUDGED for claim in said.claims})
        tables = study_tables(results)
        found = verdicts(next((table for table in tables if table.name == "claims"), None))
        behind = [one for one in (*results.pretrained, *results.outcomes) if one.folder.is_dir()]
        return Section(
            study, printed, found, verdict(results, found),
            results.corpus, sentences(results), tables,
            frozenset(display.name for display in results.tables if display.folded),
            [picture(display, results, tables) for display in results.figures if display.on_page],
            list(spent(results).itertuples()),
            {part.bounds: part.predicate for claim in results.paper.claims for part in claim.parts},
            [(one, lineage(one)) for one in behind],
            [part for part, _ in texts(results.texts, catalog)],
        )  # fmt: skip


def picture(display: Display, results: Results, tables: Iterable[Table]) -> Picture:
    """Return a figure; its text mentions published values if the table of the same name has some."""
    title = title_of(display, results)
    published = any(table.published for table in tables if table.name == display.name)
    whose = "the published beside ours" if published else "ours"
    where = "" if "perplexity" in display.name else "; the numbers are in the tables above"
    with styled():
        address = address_of(svg(made(display, results)))
    return Picture(title, f"{title}. {display.described}; {whose}{where}", address)


class Numbers:
    """Our numbers, linked to the runs behind them; texts that several runs share are stored once."""

    def __init__(self, sections: Iterable[Section]) -> None:
        """Collect what is behind the numbers of all studies."""
        self.blocks: dict[str, int] = {}
        self.runs: dict[tuple[str, str], dict[str, Any]] = {}
        """By study and folder: several studies' records may have different states of one language model."""
        self.cells: list[list[Any]] = []
        for one in sections:
            of_texts = [self._block(*part) for part in one.texts]
            for outcome, found in one.behind:
                curve = [
                    [value.step, _short(value.perplexity), _short(value.score)]
                    for value in outcome.validations
                    if math.isfinite(value.perplexity)  # the perplexity of a diverged training is not finite
                ]
                folder, packed = str(outcome.folder), outcome.packed
                self.runs[one.study.name, folder] = {
                    "folder": folder, "packed": packed, "curve": curve, "missing": found.absent(packed=packed),
                    "parts": [*(self._block(*part) for part in found.parts if part[0] != CURVE), *of_texts],
                }  # fmt: skip
        self.places: dict[tuple[str, str], int | None] = {key: place for place, key in enumerate(self.runs)}

    def button(self, cell: Cell, study: str) -> Markup | str:
        """Return the text of a cell, as a button if the number has runs behind it."""
        behind = [
            [_short(one.value), one.seed, _short(one.low), _short(one.high),
             [*dict.fromkeys(self._runs(study, (source.path for source in one.sources)))]]
            for one in cell.measurements
        ]  # fmt: skip
        if not any(runs for *_, runs in behind):
            return cell.text
        self.cells.append(behind)
        return Markup('<button type="button" data-cell="{}">{}</button>').format(len(self.cells) - 1, tight(cell.text))

    @property
    def data(self) -> dict[str, Any]:
        """The data that the page's program reads."""
        return {"cells": self.cells, "runs": [*self.runs.values()], "blocks": [*map(json.loads, self.blocks)]}

    def _runs(self, study: str, files: Iterable[str]) -> Iterator[int]:
        """Yield the indices of the runs that files of a study belong to."""
        for file in files:
            if (study, file) not in self.places:  # Many numbers come from the same files.
                found = (self.places.get((study, str(folder))) for folder in Path(file).parents)
                self.places[study, file] = next((place for place in found if place is not None), None)
            if (place := self.places[study, file]) is not None:
                yield place

    def _block(self, heading: str, lines: list[str]) -> int:
        return self.blocks.setdefault(json.dumps([heading, lines]), len(self.blocks))


def body(
    scale: str, sections: Sequence[Section], checkout: Path, numbers: Numbers, published: Sequence[PublishedNumber]
) -> str:
    """Return the page's markup."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(inline=inline, tight=tight, metric=metric_in_words, of=of_in_words,
                               speaks=lambda word: SPEAKS.get(word, ""))  # fmt: skip
    ranked = sorted(sections, key=lambda one: one.rank)
    main = [one for one in ranked if not one.study.apart]
    papers = {file: [one for one in main if one.study.paper == file]
              for file in dict.fromkeys(one.study.paper for one in main)}  # fmt: skip
    claims = {
        file: by_verdict(((one.study.name, one.study.title), one.verdicts) for one in ones)
        for file, ones in papers.items()
        if any(one.verdicts for one in ones)
    }
    shown = {number for one in sections for table in one.tables for number in table.published}
    found, lonely = departures(checkout), [number for number in published if number not in shown]
    of_owner = {owner: one.study.paper.stem for one in sections for owner in one.study.owners}
    return environment.from_string(template("report.html")).render(
        title=titled(scale),
        scale=scale,
        papers=[
            (file.stem, cited(file), ones, [one for one in lonely if one.paper == file.stem])
            for file, ones in papers.items()
        ],
        apart=[one for one in ranked if one.study.apart],
        run=[one for one in ranked if one.behind],
        opening=[*opening(scale, claims.values(), len([one for one in main if one.behind]))],
        claims={cited(file).partition(":")[0]: found for file, found in claims.items()},
        words=WORDS,
        decisions=[
            (heading, [(one, of_owner.get(Path(one.file).stem, "")) for one in found if one.kind == kind])
            for kind, heading in KINDS.items()
        ],
        empty=Cell(EMPTY),
        button=numbers.button,
    )


def titled(scale: str) -> str:
    """Return the title of the page."""
    return f"Three papers on pretraining, reproduced: scale {scale}"


def inline(text: str) -> Markup:
    """Return a sentence as markup, with its `code` and *stressed words*."""
    marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    return Markup(re.sub(r"\*([^*]+)\*", r"<em>\1</em>", marked))


def tight(text: str) -> str:
    """Return a cell's text so that a line can only break before its interval."""
    return re.sub(" (?!\\[)", "\N{NO-BREAK SPACE}", text)


def metric_in_words(metric: str) -> str:
    """Return the label of a published number's metric."""
    plain = metric.removeprefix("delta_")
    return f"{'Δ ' if plain != metric else ''}{metric_labels().get(plain, plain.replace('_', ' '))}"


def of_in_words(number: PublishedNumber) -> str:
    """Return what a published number is about: its row's label, condition and share of the labelled data."""
    share = in_words(number.fraction) if number.fraction else ""
    return ", ".join(filter(None, (number.label, number.condition, share)))


def address_of(picture: str) -> str:
    """Return an SVG as a data URL for use in double quotes; a quarter shorter than base64."""
    plain = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>", "", picture, flags=re.DOTALL)
    plain = re.sub(r"> <", "><", re.sub(r"\s+", " ", plain)).strip()
    plain = re.sub(r"=\"([^\"']*)\"", r"='\1'", plain)
    return "data:image/svg+xml," + quote(plain, safe=" !$'()*+,-./:;=?@[]_{|}~")


def _short(value: float | None) -> float | None:
    """Return a number rounded as the page shows it; None for values that JSON cannot represent."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.7g}")


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read the results, write the page, print its sources."""
    parser = parser_of(__doc__)
    parser.add_argument("--scale", required=True, help="demo, small or paper")
    parser.add_argument("--results", required=True, type=Path, help="folder of the scale's studies, e.g. results/small")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the checkout (default: the working directory)")
    parser.add_argument("--studies", nargs="*", type=Path, default=[], metavar="FILE", help="study files of one's own")
    parser.add_argument("--output", required=True, type=Path, help="HTML file to write")
    args = parser.parse_args(argv)

    checkout = args.checkout.absolute()
    workflow = checkout / "workflow"
    if not (workflow / "studies").is_dir():
        raise DataError(
            f"{workflow / 'studies'} is not there; start this in the folder of the Snakefile, or name it by --checkout"
        )
    files = dict.fromkeys([*sorted(workflow.glob("studies/*.yaml")), *(file.absolute() for file in args.studies)])
    published, catalog = load_published(workflow / "published.tsv"), read_catalog(workflow / "corpora.tsv")
    studies = declared(files, args.scale, workflow / "studies")
    if not studies:
        raise DataError(f"--scale is {args.scale!r}, which no study has; name demo, small or paper")
    sections = []
    for place, study in enumerate(studies, start=1):  # Each takes seconds, or minutes on a busy machine.
        print(f"Reading {study.name}, study {place} of {len(studies)}, {len(studies) - place} left", flush=True)
        sections.append(section(study, args.results / study.name, workflow, catalog))
    numbers = Numbers(sections)
    with atomic_write(args.output) as file:
        markup = body(args.scale, sections, checkout, numbers, published)
        file.write(self_contained("report", titled(args.scale), numbers.data, markup))
    run = [one for one in sections if one.behind]
    print(f"{args.output}: {len(run)} of {len(sections)} studies have results, "
          f"{sum(one.of_records for one in run)} of them from their records, if only in part")  # fmt: skip


if __name__ == "__main__":
    main()
