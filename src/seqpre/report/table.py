"""A table as cells that know their numbers and sources, written as csv, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from seqpre.files import atomic_write
from seqpre.report.estimates import Estimate, Measurement, Source

EMPTY = "-"


@dataclass(frozen=True)
class Cell:
    """What a reader sees, the numbers behind it at full precision, and the measurements they were made from."""

    text: str
    numbers: Mapping[str, float | int] = field(default_factory=dict)
    measurements: tuple[Measurement, ...] = ()


@dataclass(frozen=True)
class Table:
    """Rows are dicts from column key to cell; a missing cell is empty. The first column names the row."""

    name: str
    title: str
    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Cell]]
    notes: Sequence[str] = ()

    def write(self, folder: Path) -> list[Path]:
        """Write `<name>.csv`, `.md` and `.tex` below `folder` and return their paths."""
        paths = []
        for suffix, text in ((".csv", to_csv(self)), (".md", to_markdown(self)), (".tex", to_latex(self))):
            path = folder / f"{self.name}{suffix}"
            with atomic_write(path) as file:
                file.write(text)
            paths.append(path)
        return paths


def text_cell(text: object) -> Cell:
    """Return a cell without numbers."""
    return Cell(str(text))


def number_cell(value: float | int | None, pattern: str = ".1f", sources: Iterable[Source] = ()) -> Cell:
    """Return a cell of one number, or an empty one."""
    if value is None:
        return Cell(EMPTY)
    measurements = tuple(Measurement(value, None, (source,)) for source in sources)
    return Cell(format(value, pattern), {"": value}, measurements)


def estimate_cell(ours: Estimate | None, pattern: str = ".1f", *, interval: bool = False, missing: str = EMPTY) -> Cell:
    """Return `mean ± sd [low, high]`; the sd needs two seeds, the interval is shown on request."""
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


def to_csv(table: Table) -> str:
    """Return one line a row; a cell with several numbers becomes as many columns (`valid_mean`, `valid_sd`, ...)."""
    parts: dict[str, list[str]] = {}
    for key in table.columns:
        found = [name for row in table.rows for name in (row[key].numbers if key in row else ())]
        parts[key] = sorted(dict.fromkeys(found), key=("", "mean", "sd", "low", "high", "seeds").index)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([f"{key}_{part}" if part else key for key in table.columns for part in parts[key] or [""]])
    for row in table.rows:
        line: list[object] = []
        for key in table.columns:
            cell = row.get(key, Cell(""))
            blank = "" if cell.text == EMPTY else cell.text
            # A column of numbers keeps a word such as `not run` in its first place.
            filled = [cell.numbers.get(part, "") for part in parts[key]] if cell.numbers else [blank]
            line += filled + [""] * (max(1, len(parts[key])) - len(filled))
        writer.writerow(line)
    return out.getvalue()


def to_markdown(table: Table) -> str:
    """Return a GitHub table with its title above and its notes below."""
    keys = list(table.columns)
    grid = [[table.columns[key] for key in keys]]
    grid += [[row.get(key, Cell(EMPTY)).text.replace("|", "\\|") for key in keys] for row in table.rows]
    widths = [max(len(line[place]) for line in grid) for place in range(len(keys))]
    numeric = [any(row[key].numbers for row in table.rows if key in row) for key in keys]

    def line(cells: Sequence[str]) -> str:
        padded = (c.rjust(w) if right else c.ljust(w) for c, w, right in zip(cells, widths, numeric, strict=True))
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * (w - 1) + ":" if right else "-" * w for w, right in zip(widths, numeric, strict=True)]
    lines = [f"## {table.title}", "", line(grid[0]), "| " + " | ".join(rule) + " |", *map(line, grid[1:])]
    lines += ["", *(f"- {note}" for note in table.notes)]
    return "\n".join(lines).rstrip() + "\n"


def to_latex(table: Table) -> str:
    """Return a `table*` for booktabs and graphicx, as wide as the page at most."""
    keys = list(table.columns)
    numeric = [any(row[key].numbers for row in table.rows if key in row) for key in keys]
    body = [" & ".join(_latex(row.get(key, Cell(EMPTY)).text) for key in keys) + r" \\" for row in table.rows]
    notes = r" \\ ".join(_latex(note) for note in table.notes)
    return "\n".join(
        [
            "% Needs \\usepackage{booktabs,graphicx}.",
            r"\begin{table*}",
            r"\centering",
            rf"\caption{{{_latex(table.title)}}}",
            rf"\label{{tab:{table.name.replace('_', '-')}}}",
            r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in numeric)}}}",
            r"\toprule",
            " & ".join(_latex(table.columns[key]) for key in keys) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}}",
            rf"\par\smallskip\parbox{{\textwidth}}{{\footnotesize {notes}}}",
            r"\end{table*}",
            "",
        ]
    )


LATEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "_": r"\_", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
         "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
         "|": r"\textbar{}", "±": r"$\pm$", "Δ": r"$\Delta$", "χ": r"$\chi$", "²": r"$^2$",
         "≥": r"$\geq$", "≤": r"$\leq$", "\N{EN DASH}": "--", "*": "", "`": ""}  # fmt: skip


def _latex(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text)


def provenance(tables: Iterable[Table], corpus_stats: Sequence[Path] = ()) -> str:
    """Return the csv that leads from every number of every table to the files it was read from, one file a line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["table", "row", "column", "value", "of_seed", "file", "run", "seed", "settings_sha256", "corpora"])
    corpora = " ".join(map(str, corpus_stats))
    for table in tables:
        first = next(iter(table.columns))
        for row in table.rows:
            for key in table.columns:
                for one in row[key].measurements if key in row else ():
                    for source in one.sources:
                        where = (table.name, _row_name(table, row, first), key)
                        writer.writerow([*where, one.value, "" if one.seed is None else one.seed, *source, corpora])
    return out.getvalue()


def _row_name(table: Table, row: Mapping[str, Cell], first: str) -> str:
    """Name a row by its first cell, and by its fraction or test where the table has several."""
    others = [key for key in ("fraction", "test") if key in table.columns and key != first]
    return ", ".join(row[key].text for key in (first, *others))
