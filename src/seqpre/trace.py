"""Say where a result comes from: settings, seed, training, scores, texts with checksums, commit and machine.

    python -m seqpre.trace results/small/ramachandran-translation/runs/full/100pct/seed1
    python -m seqpre.trace results/small/ramachandran-translation/tables/table_1.csv --row "Pretrained seq2seq"

RESULT is the folder of a run, an ensemble or a language model, a file in it, or a table, whose cells `--row` and
`--column` name as its provenance.csv does. What has been packed into a study's records.zip is found there. A number of
the report opens the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from seqpre.common.errors import DataError, command
from seqpre.corpora.catalog import read_catalog
from seqpre.report.chain import Text, chain, parts, parts_of_texts, texts
from seqpre.report.declared import corpus_stats, declared
from seqpre.report.records import ARCHIVE, opened


@contextmanager
def located(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Work where a folder lies, or where records of a study have it; yield it there, and the folder of its scale.

    Raises:
        DataError: it is in neither place.
    """
    places = [parent for parent in folder.parents if any(parent.glob(f"*/{ARCHIVE}")) or (parent / "lms").is_dir()]
    if folder.is_dir():
        yield folder, places[0] if places else folder.parent
        return
    for scale_dir in places:
        for archive in sorted(scale_dir.glob(f"*/{ARCHIVE}")):
            with opened(archive.parent) as study:
                there = study.parent / folder.relative_to(scale_dir) if study else folder
                if study and there.is_dir():
                    yield there, study.parent
                    return
    raise DataError(f"{folder}: no such folder, nor do the records ({ARCHIVE}) of a study beside it have one")


def owners_of(folder: Path, checkout: Path, scale_dir: Path) -> tuple[str, ...]:
    """Return whose text went into what is in a folder of a scale: a study's and its pretraining's."""
    first, *rest = folder.relative_to(scale_dir).parts
    if first == "lms":
        return (rest[0],)
    project = checkout / "workflow/studies"
    known = declared(sorted(project.glob("*.yaml")), scale_dir.name, project)
    return next((one.owners for one in known if one.name == first), (first,))


def behind(table: Path, row: str, column: str) -> dict[Path, list[str]]:
    """Return the folders behind some cells of a table and, of each, what was read from it. Raises DataError."""
    provenance = table.parent / "provenance.csv"
    if not provenance.is_file():
        raise DataError(f"{provenance} is not there; it says where the numbers of {table.name} come from")
    rows = pd.read_csv(provenance, dtype=str, keep_default_na=False).query("table == @table.stem")
    for name, wanted in (("row", row), ("column", column)):
        if wanted:
            known = dict.fromkeys(rows[name])
            rows = rows[rows[name] == wanted]
            if rows.empty:
                raise DataError(f"{table}: no number in {name} {wanted!r}; there are {'; '.join(known) or 'none'}")
    found: dict[Path, list[str]] = {}
    for one in rows.to_dict("records"):
        seed = f" (seed {one['of_seed']})" if one["of_seed"] else ""
        said = f"{one['row']}: {one['column']} = {one['value']}{seed}, from {one['file']}"
        found.setdefault(folder_of(Path(one["file"])), []).append(said)
    return found


def folder_of(path: Path) -> Path:
    """Return the folder of the run that a file belongs to; a folder is taken to be one."""
    if not path.suffix or path.is_dir():
        return path
    return next((parent.parent for parent in path.parents if parent.name == "hypotheses"), path.parent)


def show(found: Iterable[tuple[str, list[str]]]) -> None:
    """Print headings with their lines below them."""
    for heading, lines in found:
        print(f"  {heading}", *(f"    {line}" for line in lines), sep="\n")


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Find, read, print."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.trace", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("result", type=Path, metavar="RESULT", help="a folder, a file in it, or a table")
    parser.add_argument("--row", default="", help="of a table: the row, as its provenance.csv names it")
    parser.add_argument("--column", default="", help="of a table: the column, as its provenance.csv names it")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the checkout (default: the working directory)")
    args = parser.parse_args(argv)

    if args.result.parent.name == "tables":
        numbers = behind(args.result, args.row, args.column)
    elif args.row or args.column:
        raise DataError(f"{args.result} is no table, which --row and --column are for; name a file in tables/")
    else:
        numbers = {folder_of(args.result): []}
    checkout = args.checkout.absolute()
    listed = checkout / "workflow/corpora.tsv"
    catalog = read_catalog(listed) if listed.is_file() else []
    read: dict[tuple[str, ...], list[Text]] = {}
    for folder, said in numbers.items():
        with located(folder) as (there, scale_dir):
            one, owners = chain(there), owners_of(there, checkout, scale_dir)
            read.setdefault(owners, texts(corpus_stats(scale_dir, owners), catalog))
        print(*said, folder, sep="\n")
        show(parts(one))
        if one.missing:
            print(f"  Not there: {'; '.join(one.missing)}")
    for found in read.values():
        show(parts_of_texts(found))


if __name__ == "__main__":
    main()
