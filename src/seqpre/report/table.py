"""Tables whose cells know their numbers and sources, written as csv, Markdown and LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from seqpre.common.files import atomic_write
from seqpre.metrics.inference import Estimate
from seqpre.report.estimates import Comparison, Measurement, SeedMean
from seqpre.report.published import PublishedNumber
from seqpre.report.verdicts import NOT_RUN
from seqpre.study.tasks import VALIDATION, Task

EMPTY = "-"
CHOSEN = " (chose)"
"""Marks scores on text that also selected checkpoints and length penalties."""
ONE_SEED = "[one seed]"
"""Shown instead of an interval."""
NEWLINE = "\n"
PARTS = ("", "mean", "sd", "low", "high", "seeds")
"""The numbers of a cell, in column order."""


@dataclass(frozen=True)
class Cell:
    """A cell's text, its numbers at full precision, and the measurements behind them.

    `published` is the paper's number if the cell shows one.
    """

    text: str
    numbers: Mapping[str, float | int] = field(default_factory=dict)
    measurements: tuple[Measurement, ...] = ()
    published: PublishedNumber | None = None


Row = dict[str, Any]
"""Cells by column key; plain text may stand for a cell without numbers."""


@dataclass(frozen=True)
class Table:
    """A table. The first column names the row; missing cells are empty."""

    columns: Mapping[str, str]
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    name: str = ""
    """Name of its files."""
    title: str = ""

    def __post_init__(self) -> None:
        """Convert text to cells."""
        rows = [{key: Cell(one) if isinstance(one, str) else one for key, one in row.items()} for row in self.rows]
        object.__setattr__(self, "rows", rows)

    def without_unpublished(self) -> Table:
        """Return the table without empty columns of published numbers and verdicts."""
        filled = {key for row in self.rows for key, cell in row.items() if cell.text != EMPTY}
        of_paper = ("published", "verdict")
        kept = {key: head for key, head in self.columns.items() if key in filled or not key.startswith(of_paper)}
        return replace(self, columns=kept)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """All cells as a data frame of `Cell`."""
        return pd.DataFrame([[row.get(key, Cell(EMPTY)) for key in self.columns] for row in self.rows],
                            columns=list(self.columns), dtype=object)  # fmt: skip

    @property
    def published(self) -> set[PublishedNumber]:
        """The published numbers that are shown."""
        shown = (row[key] for row in self.rows for key in self.columns if key in row)
        return {cell.published for cell in shown if cell.published}

    @cached_property
    def numeric(self) -> list[bool]:
        """Whether each column has numbers."""
        return [any(cell.numbers for cell in cells) for _, cells in self.cells.items()]

    def write(self, folder: Path) -> None:
        """Write `<name>.csv`, `.md` and `.tex` below `folder`."""
        for suffix, text in ((".csv", to_csv(self)), (".md", to_markdown(self)), (".tex", to_latex(self))):
            with atomic_write(folder / f"{self.name}{suffix}") as file:
                file.write(text)


def mark(task: Task, split: str, name: str = "") -> str:
    """Return the remark on a split's scores in a column title; `name` is their metric."""
    if split != VALIDATION:
        return ""
    return f" ({task.remark}; chose)" if task.remark not in ("", name) else CHOSEN


def published_cell(number: PublishedNumber | None) -> Cell:
    """Return a number as its paper prints it, or an empty cell."""
    return Cell(number.printed, {"": number.value}, published=number) if number else Cell(EMPTY)


def number_cell(value: float | int | None, pattern: str = ".1f", behind: Iterable[Measurement] = ()) -> Cell:
    """Return a cell of one number with the measurements behind it; an empty cell for None."""
    return Cell(EMPTY) if value is None else Cell(format(value, pattern), {"": value}, tuple(behind))


def seed_mean_cell(
    ours: SeedMean | None, pattern: str = ".1f", *, interval: bool = False, missing: str = NOT_RUN
) -> Cell:
    """Return `mean ± sd [low, high]`; the sd needs two seeds, the interval is optional."""
    if ours is None:
        return Cell(missing)
    text = format(ours.mean, pattern)
    numbers: dict[str, float | int] = {"mean": ours.mean}
    if ours.sd is not None:
        text += f" ± {format(ours.sd, pattern.lstrip('+'))}"
        numbers["sd"] = ours.sd
    if interval and ours.low is not None and ours.high is not None:
        text += f" [{format(ours.low, pattern)}, {format(ours.high, pattern)}]"
        numbers |= {"low": ours.low, "high": ours.high}
    numbers["seeds"] = ours.n
    return Cell(text, numbers, ours.measurements)


def estimate_cell(ours: Estimate | None, measurements: tuple[Measurement, ...] = ()) -> Cell:
    """Return `+mean [low, high]`, a 95 % interval; `+mean [one seed]` if nothing bounds it."""
    if ours is None:
        return Cell(NOT_RUN)
    low, high = ours.interval()
    known = math.isfinite(low)
    interval = f"[{low:+.1f}, {high:+.1f}]" if known else ONE_SEED
    numbers = {"mean": ours.value} | ({"low": low, "high": high} if known else {})
    return Cell(f"{ours.value:+.1f} {interval}", numbers, measurements)


def p_cell(p: float | None) -> Cell:
    """Return a p-value as tables print it."""
    if p is None:
        return Cell(EMPTY)
    return Cell("< 0.0001" if p < 1e-4 else f"{p:.4f}" if p < 0.01 else f"{p:.2f}", {"": p})


def comparison_cells(one: Comparison, verdict: str) -> Row:
    """Return the cells of a tested difference, its p-value and its verdict."""
    return {
        "tested": estimate_cell(one.difference, one.scores),
        "p": p_cell(one.p_value if one.difference else None),
        "verdict": verdict or EMPTY,
    }


def to_csv(table: Table) -> str:
    """Return one line a row; a cell with several numbers becomes several columns (`valid_mean`, `valid_sd`, ...).

    Numbers have ten decimals: further ones depend on the kind of processor.
    """
    columns = []
    for key, cells in table.cells.items():
        parts = sorted({part for cell in cells for part in cell.numbers} or {""}, key=PARTS.index)
        # A column of numbers keeps words such as `not run` in its first part.
        filled = [
            {part: round(number, 10) for part, number in cell.numbers.items()}
            or {parts[0]: "" if cell.text == EMPTY else plain_text(cell.text)}
            for cell in cells
        ]
        frame = pd.DataFrame(filled, columns=parts, dtype=object)
        columns.append(frame.rename(columns={part: f"{key}_{part}" if part else key for part in parts}))
    return pd.concat(columns, axis="columns").to_csv(index=False, lineterminator="\n")


def plain_text(text: str) -> str:
    """Return text for a csv, with an apostrophe before anything that a spreadsheet would read as a formula."""
    number = re.fullmatch(r"[-+]?[\d.]+", text)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) and not number else text


def to_markdown(table: Table) -> str:
    """Return a GitHub table with its title above and its notes below."""
    columns = []
    for (key, header), right in zip(table.columns.items(), table.numeric, strict=True):
        texts = [header, *(cell.text.replace("|", "\\|") for cell in table.cells[key])]
        width = max(map(len, texts))
        first, *rest = (text.rjust(width) if right else text.ljust(width) for text in texts)
        columns.append([first, "-" * (width - 1) + (":" if right else "-"), *rest])
    lines = [f"## {table.title}", "", *(f"| {' | '.join(line)} |" for line in zip(*columns, strict=True))]
    lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines).rstrip() + "\n"


def to_latex(table: Table) -> str:
    """Return a `table*` for booktabs and graphicx, at most as wide as the page."""
    texts = table.cells.map(lambda cell: latex(cell.text)).to_numpy()
    header, *body = (" & ".join(line) + r" \\" for line in [map(latex, table.columns.values()), *texts])
    notes = r" \\ ".join(latex(note) for note in table.notes)
    sides = "".join("r" if right else "l" for right in table.numeric)
    rules = [r"\toprule", header, r"\midrule", *body, r"\bottomrule"]
    return rf"""% Needs \usepackage{{booktabs,graphicx}}.
\begin{{table*}}
\centering
\caption{{{latex(table.title)}}}
\label{{tab:{table.name.replace("_", "-")}}}
\resizebox{{\ifdim\width>\textwidth\textwidth\else\width\fi}}{{!}}{{%
\begin{{tabular}}{{{sides}}}
{NEWLINE.join(rules)}
\end{{tabular}}}}
\par\smallskip\parbox{{\textwidth}}{{\footnotesize {notes}}}
\end{{table*}}
"""


LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
     "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
     "|": r"\textbar{}", "±": r"$\pm$", "Δ": r"$\Delta$", "χ": r"$\chi$", "²": r"$^2$",
     "≥": r"$\geq$", "≤": r"$\leq$", "\N{MINUS SIGN}": "$-$", "\N{EN DASH}": "--", "*": "", "`": ""}
)  # fmt: skip


def latex(text: str) -> str:
    """Return text with LaTeX's special characters escaped."""
    return text.translate(LATEX)


def provenance(tables: Iterable[Table], corpus_stats: Sequence[Path] = ()) -> str:
    """Return a csv with the source files of every number in every table, one file a line."""
    corpora = " ".join(map(str, corpus_stats))
    lines = [
        (table.name, plain_text(name), key, one.value, one.seed, *source, corpora)
        for table in tables
        for name, (_, cells) in zip(_row_names(table), table.cells.iterrows(), strict=True)
        for key, cell in cells.items()
        for one in cell.measurements
        for source in one.sources
    ]
    header = ["table", "row", "column", "value", "of_seed", "file", "run", "seed", "settings_sha256", "corpora"]
    return pd.DataFrame(lines, columns=header, dtype=object).to_csv(index=False, lineterminator="\n")


def _row_names(table: Table) -> list[str]:
    """Return the row names: the first cells, with fractions or tests if the table has several."""
    first, *others = table.columns
    naming = table.cells[[first, *(key for key in ("fraction", "test") if key in others)]]
    return [", ".join(cell.text for cell in cells) for cells in naming.to_numpy()]
