"""Write every table of a study, ours next to the published numbers, as csv, Markdown and LaTeX.

    python -m seqpre.report.tables results/small/ramachandran-translation

Writes the tables of the study (`study/displays.py`), each as .csv, .md and .tex, and provenance.csv, which leads from
every number to its file, run, seed and settings. What has not been run is shown as such, so a grid can be reported
while it is still running.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from seqpre.common.arguments import parser_of
from seqpre.common.errors import command
from seqpre.common.files import atomic_write
from seqpre.report.notes import languages_note
from seqpre.report.results import Results, load_results
from seqpre.report.table import ONE_SEED, Table, provenance
from seqpre.study.displays import Display

SUFFIXES = ("csv", "md", "tex")


def made(display: Display, results: Results) -> Any:
    """Make a table or a figure."""
    return resolve_name(f"seqpre.report.{display.made_by}")(results, **display.options)


def title_of(display: Display, results: Results) -> str:
    """Return the title of a table or figure in this study."""
    last = results.study.average_last
    averaged = f", and the mean of the last {last}" if last else ""
    return display.title.format(reference=results.reference_label, score=results.task.score, averaged=averaged)


def study_tables(results: Results) -> list[Table]:
    """Return the tables of the study, in order."""
    return [
        _noted(replace(made(one, results), name=one.name, title=title_of(one, results)), results)
        for one in results.tables
    ]


def _noted(table: Table, results: Results) -> Table:
    """Return a table with the notes that depend on its content."""
    theirs = any(key.startswith("published") for key in table.columns) or table.published
    notes = languages_note(results) if theirs else []
    if any(ONE_SEED in cell.text for row in table.rows for cell in row.values()):
        notes.append(f"Where {ONE_SEED} stands in the place of an interval, none can be given.")
    return replace(table, notes=(*table.notes, *notes))


def read_arguments(parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> tuple[argparse.Namespace, Results]:
    """Return the arguments of a command on a study's folder, and the results in it."""
    parser.add_argument("study_dir", type=Path, help="folder of the study, with study.json, runs/ and ensembles/")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the checkout (default: the working directory)")
    args = parser.parse_args(argv)
    return args, load_results(args.study_dir, args.checkout / "workflow")


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read the results, write the tables, print where they are."""
    parser = parser_of(__doc__)
    parser.add_argument("--output-dir", type=Path, help="default: tables/ in the study's folder")
    args, results = read_arguments(parser, argv)
    folder = args.output_dir or args.study_dir / "tables"
    tables = study_tables(results)
    for table in tables:
        table.write(folder)
    with atomic_write(folder / "provenance.csv") as file:
        file.write(provenance(tables, results.texts))
    print(f"{len(tables)} tables in {folder}: {', '.join(table.name for table in tables)} "
          f"(.{', .'.join(SUFFIXES)}), provenance.csv")  # fmt: skip


if __name__ == "__main__":
    main()
