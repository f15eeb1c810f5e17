"""Write every table of a study: ours beside the published numbers, as csv, Markdown and LaTeX.

    python -m seqpre.report.tables --study ramachandran-translation --scale small \\
        --study-dir results/small/ramachandran-translation --runs RUNS.json \\
        --published workflow/published.tsv --paper workflow/papers/ramachandran2017.yaml \\
        --output-dir results/small/ramachandran-translation/tables

Writes the printed tables that the paper's file declares, ablations, learning, cost and, if the paper has them,
fractions and claims (.csv, .md, .tex), and provenance.csv, which leads from every number to the file, run, seed and
settings it comes from. RUNS.json is a list of the declared runs: {"study", "scale", "system", "label", "fraction",
"seed", "dir"}, with "task" if the study does not translate, and "corpus"; an ensemble has seed null. What has not been
run is shown as such, so a grid can be reported while it is still running.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from seqpre.common.errors import command
from seqpre.common.files import atomic_write
from seqpre.report.ablations import ablation_table
from seqpre.report.checkpoints import checkpoint_table
from seqpre.report.claims_table import claims_table
from seqpre.report.corrections import kinds_table, spelling_table
from seqpre.report.cost import cost_table
from seqpre.report.fractions import fraction_table
from seqpre.report.learning import learning_table
from seqpre.report.notes import languages_note
from seqpre.report.printed_table import printed_table
from seqpre.report.published import PublishedNumber, load_published
from seqpre.report.results import Results, load_results
from seqpre.report.table import ONE_SEED, Table, provenance

SUFFIXES = ("csv", "md", "tex")


def study_tables(
    results: Results,
    published: Sequence[PublishedNumber],
    updates: Sequence[int] | None = None,
    lms: Sequence[Path] = (),
) -> list[Table]:
    """Return the tables of the study, in the order in which it or its paper names them."""
    make: dict[str, Callable[[], Table]] = {
        **{said.name: partial(printed_table, results, published, said) for said in results.paper.printed},
        "ablations": lambda: ablation_table(results, published),
        "fractions": lambda: fraction_table(results, published),
        "checkpoints": lambda: checkpoint_table(results),
        "spelling": lambda: spelling_table(results),
        "error_kinds": lambda: kinds_table(results),
        "learning": lambda: learning_table(results, updates),
        "claims": lambda: claims_table(results, published),
        "cost": lambda: cost_table(results, lms),
    }
    return [_noted(make[name](), results) for name in results.tables]


def _noted(table: Table, results: Results) -> Table:
    """Return a table with the notes that go by what it shows."""
    notes = (
        languages_note(results) if any(key.startswith("published") for key in table.columns) or table.published else []
    )
    if any(ONE_SEED in cell.text for row in table.rows for cell in row.values()):
        notes.append(f"Where {ONE_SEED} stands in the place of an interval, none can be given.")
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def add_study_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that tables, figures and summary share."""
    parser.add_argument("--study", required=True, help="name of the study, e.g. ramachandran-translation")
    parser.add_argument("--scale", required=True, help="demo, small or paper")
    parser.add_argument("--study-dir", required=True, type=Path, help="folder of the study, with runs/ and ensembles/")
    parser.add_argument("--runs", required=True, type=Path, metavar="RUNS.json", help="the declared runs")
    parser.add_argument("--published", required=True, type=Path, help="workflow/published.tsv")
    parser.add_argument("--paper", nargs="?", type=Path, help="what the paper prints: workflow/papers/<paper>.yaml")


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read what the runs left, write the tables, say where they are."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.report.tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_study_arguments(parser)
    parser.add_argument("--updates", nargs="+", type=int, help="numbers of updates to compare at; default: doubling")
    parser.add_argument(
        "--lms", nargs="*", type=Path, default=[], help="folders of language models, for the cost table"
    )
    parser.add_argument("--corpus-stats", nargs="*", type=Path, default=[], metavar="FILE",
                        help="stats files of the corpora, named in provenance.csv")  # fmt: skip
    parser.add_argument("--output-dir", required=True, type=Path)
    args = parser.parse_args(argv)

    results = load_results(args.runs, args.study_dir, args.study, args.scale, args.paper)
    tables = study_tables(results, load_published(args.published), args.updates, args.lms)
    for table in tables:
        table.write(args.output_dir)
    with atomic_write(args.output_dir / "provenance.csv") as file:
        file.write(provenance(tables, args.corpus_stats))
    print(f"{len(tables)} tables in {args.output_dir}: {', '.join(table.name for table in tables)} "
          f"(.{', .'.join(SUFFIXES)}), provenance.csv")  # fmt: skip


if __name__ == "__main__":
    main()
