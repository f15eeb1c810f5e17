"""Show where a result comes from: settings, seed, training, scores, texts with checksums, commit and machine.

    python -m seqpre.trace results/small/ramachandran-translation/runs/full/100pct/seed1
    python -m seqpre.trace results/small/ramachandran-translation/tables/table_1.csv --row "Pretrained seq2seq"

RESULT is the folder of a run, an ensemble or a language model, a file in it, or a table, whose cells `--row` and
`--column` name: whole, as its provenance.csv does, or by a part that no other name has. Git does not keep that file;
without it the study's records.zip is used.
Results without local scores are looked up in the study's records.zip; a language model of which several studies'
records have different states is shown in each. A number of the report opens the same information.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path

import pandas as pd

from seqpre.common.arguments import parser_of
from seqpre.common.errors import DataError, command
from seqpre.corpora.catalog import read_catalog
from seqpre.report.lineage import lineage, texts
from seqpre.report.outcome import Outcome
from seqpre.report.records import ARCHIVE, opened, unpacked
from seqpre.report.results import load_results
from seqpre.report.table import plain_text, provenance
from seqpre.report.tables import study_tables
from seqpre.study.reported import FILE, read_reported
from seqpre.study.restored import from_records


def located(folder: Path, study: str) -> Iterator[tuple[Path, Path, str]]:
    """Change to where a folder can be read: here, or each of the records that have it; only `study`'s, if given.

    Yields the folder there, that of its scale, and the study of the records, if any. Raises DataError if it is nowhere.
    """
    places = [parent for parent in folder.parents if any(parent.glob(f"*/{ARCHIVE}")) or (parent / "lms").is_dir()]
    found = False
    for scale_dir in places:
        inside = folder.relative_to(scale_dir)
        # A folder in a study's folder is only in its own records; language models are in those of all users.
        owner = study or (inside.parts[0] if (scale_dir / inside.parts[0] / ARCHIVE).is_file() else "*")
        if owner == "*" and folder.is_dir():
            break
        for archive in sorted(scale_dir.glob(f"{owner}/{ARCHIVE}")):
            with opened(archive.parent) as here:
                if here and (here.parent / inside).is_dir():
                    found = True
                    packed = from_records(here)
                    of_records = str(inside) in {*packed.models, *(f"{here.name}/{one}" for one in packed.folders)}
                    yield here.parent / inside, here.parent, archive.parent.name if of_records else ""
        if found:
            return
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder, here or in the records ({ARCHIVE}) of a study beside it")
    yield folder, places[0] if places else folder.parent, ""


def counts_behind(folder: Path, scale_dir: Path) -> list[Path]:
    """Return the filter counts of the texts behind a folder of a scale: of its study, or of its pretraining."""
    first, *rest = folder.relative_to(scale_dir).parts
    if first == "lms":
        return sorted((scale_dir / "text" / rest[0]).glob("*/*.stats.json"))
    study = scale_dir / first / FILE
    named = read_reported(study).texts if study.is_file() else ()
    return [file for one in named if (file := scale_dir / "text" / one).is_file()]


def sources(table: Path, checkout: Path) -> str:
    """Return the provenance of a table's numbers: its provenance.csv, or one made from the study's records.

    Raises DataError if there are neither.
    """
    written, archive = table.parent / "provenance.csv", table.parent.parent / ARCHIVE
    if written.is_file():
        return written.read_text(encoding="utf-8")
    if not archive.is_file():
        raise DataError(f"{written} is not there, nor {archive}; they say where the numbers of {table.name} come from")
    with unpacked(archive.absolute()) as here:
        return provenance(study_tables(load_results(here, checkout / "workflow")), ())


def behind(table: Path, row: str, column: str, checkout: Path) -> dict[Path, list[str]]:
    """Return the folders behind some cells of a table, with the numbers read from each. Raises DataError."""
    every = pd.read_csv(StringIO(sources(table, checkout)), dtype=str, keep_default_na=False)
    rows = every.query("table == @table.stem")
    if rows.empty:
        raise DataError(f"{table}: no such table has numbers; there are {'; '.join(dict.fromkeys(every['table']))}")
    for name, wanted in (("row", plain_text(row)), ("column", column)):
        if wanted:
            rows = rows[rows[name] == _meant(wanted, dict.fromkeys(rows[name]), f"{table}: --{name}")]
    found: dict[Path, list[str]] = {}
    for one in rows.to_dict("records"):
        seed = f" (seed {one['of_seed']})" if one["of_seed"] else ""
        said = f"{one['row']}: {one['column']} = {one['value']}{seed}, from {one['file']}"
        found.setdefault(folder_of(_placed(one["file"], table.parent.parent)), []).append(said)
    return found


def _meant(wanted: str, known: Iterable[str], where: str) -> str:
    """Return the name that is given, or that alone contains what is given, in any case. Raises DataError."""
    among = [name for name in known if wanted.casefold() in name.casefold()]
    found = [wanted] if wanted in among else among
    if len(found) == 1:
        return found[0]
    what = "several contain it" if among else "no number has it"
    raise DataError(f"{where} is {wanted!r}; {what}: name one of {'; '.join(among or known)}")


def _placed(file: str, study_dir: Path) -> Path:
    """Return the path of a file, given its path in a provenance.csv, which may be from another machine."""
    below = re.fullmatch(r"(?:.*/)?(?:[^/]+/((?:runs|ensembles|trivial)/.+)|(lms/.+))", file)
    if below is None:
        return Path(file)
    return study_dir / below[1] if below[1] else study_dir.parent / below[2]


def folder_of(path: Path) -> Path:
    """Return the run's folder that contains a file or folder; the run's folder itself is returned unchanged."""
    for part in (path, *path.parents[:2]):  # the folders of a run are two deep at most
        if part.name in ("hypotheses", "weights", "checkpoints"):
            return part.parent
    return path if not path.suffix or path.is_dir() else path.parent


def in_lines(found: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
    """Yield headings, each followed by its indented lines."""
    for heading, lines in found:
        yield f"  {heading}"
        yield from (f"    {line}" for line in lines)


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Find the result, read its lineage, print it."""
    parser = parser_of(__doc__)
    parser.add_argument("result", type=Path, metavar="RESULT", help="a folder, a file in it, or a table")
    parser.add_argument("--row", default="", help="of a table: the row, or a part of its name")
    parser.add_argument("--column", default="", help="of a table: the column, or a part of its name")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the checkout (default: the working directory)")
    args = parser.parse_args(argv)

    study, checkout, result = "", args.checkout.absolute(), Path(os.path.abspath(args.result))
    if result.parent.name == "tables":
        numbers, study = behind(result, args.row, args.column, checkout), result.parent.parent.name
    elif args.row or args.column:
        raise DataError(f"{args.result} is no table, which --row and --column are for; name a file in tables/")
    else:
        numbers = {folder_of(result): []}
    listed = checkout / "workflow/corpora.tsv"
    catalog = read_catalog(listed) if listed.is_file() else []
    read: dict[str, list[str]] = {}
    for folder, said in numbers.items():
        found: dict[str, list[str]] = {}
        for there, scale_dir, packed in located(folder, study):
            one = lineage(Outcome(there))
            if not one.parts:
                raise DataError(
                    f"{args.result} is of no run: {folder} has neither settings nor validations nor scores; name the "
                    "folder of a run, an ensemble or a language model, a file in it, or a table"
                )
            read |= dict(part for part, _ in texts(counts_behind(there, scale_dir), catalog))
            missing = [f"  Not there: {one.absent(packed=bool(packed))}"] if one.missing else []
            origin = f"  From {ARCHIVE} of the study." if packed else "  Run here."
            found.setdefault("\n".join([origin, *in_lines(one.parts), *missing]), []).append(packed)
        for text, studies in found.items():
            print(*said, folder, sep="\n")
            if len(found) > 1:
                print(f"  As the records of {' and '.join(studies)} have it:")
            print(text)
    print(*in_lines(read.items()), sep="\n")


if __name__ == "__main__":
    main()
