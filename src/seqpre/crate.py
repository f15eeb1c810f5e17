"""Pack a finished study as an RO-Crate (RO-Crate 1.1), a format of archives such as Zenodo and WorkflowHub.

    pip install 'seqpre[crate]'
    python -m seqpre.crate results/small/ramachandran-translation --output ramachandran-translation.crate.zip

It has the study's tables, figures, summary and records, each described; the paper; the software with the commits that
trained; and the corpora by address, checksum and licence. It has no corpus text and no model outputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write
from seqpre.corpora.catalog import Row, read_catalog
from seqpre.report.notes import first_of
from seqpre.report.records import ARCHIVE, unpacked
from seqpre.report.results import load_results
from seqpre.study.paper import cited
from seqpre.study.reported import ReportedStudy, languages_of
from seqpre.study.run import SCORES

KINDS = {
    "summary.md": ("what the study found", "text/markdown"),
    ARCHIVE: ("scores, settings and validations of every run; no text, no weights", "application/zip"),
    ".csv": ("a table, every number at full precision", "text/csv"),
    ".md": ("a table to read", "text/markdown"),
    ".tex": ("a table for LaTeX", "application/x-tex"),
    ".png": ("a figure", "image/png"),
    ".pdf": ("a figure", "application/pdf"),
}
"""Description and type of files, by name or suffix."""


def contents(study_dir: Path) -> list[Path]:
    """Return the files of a study to pack. Raises DataError if its summary or records are missing."""
    found = [path for folder in ("tables", "figures") for path in sorted((study_dir / folder).glob("*.*"))
             if path.suffix in KINDS]  # fmt: skip
    needed = [study_dir / name for name in ("summary.md", ARCHIVE)]
    if missing := [path for path in needed if not path.is_file()]:
        raise DataError(
            f"{missing[0]} is not there; finish the study, and pack its records with "
            f"`python -m seqpre.report.records {study_dir}`"
        )
    return [*needed, *found]


def files_of(study: ReportedStudy, catalog: Sequence[Row]) -> list[Row]:
    """Return the files of a study's pairs and of the text of its pretrained models."""
    read = {(study.corpus, side) for side in study.languages}
    read |= {(text.parent.name, side) for text in map(Path, study.texts) for side in languages_of(text)}
    return [row for row in catalog if any((row.name, side) in read for side in row.languages)]


def not_packed(study_dir: Path, records: Path) -> list[Path]:
    """Return the folders of a study whose scores differ from its unpacked records."""
    scored = (path.relative_to(study_dir) for path in sorted(study_dir.glob(f"*/**/{SCORES}")))
    return [
        study_dir / file.parent
        for file in scored
        if not (records / file).is_file() or (records / file).read_bytes() != (study_dir / file).read_bytes()
    ]


def entities(rows: Iterable[Row]) -> dict[str, dict[str, Any]]:
    """Return RO-Crate entities for corpus files that are not included, {@id: properties}.

    Generated text and the user's own text get a local id: they have no address that others could use.
    """
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        address = row.url if row.own is None and "://" in row.url else f"#{row.name}/{row.split}.{row.language}"
        one = found.setdefault(address, {"@type": "CreativeWork", "name": row.name, "license": row.licence})
        one |= {"sha256": row.sha256} if row.sha256 else {}
        one |= {"contentSize": f"{row.bytes}"} if row.bytes else {}
    return found


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read the study's results, describe them, and write the archive."""
    parser = parser_of(__doc__)
    parser.add_argument("study_dir", type=Path, help="folder of the study, with tables/ and records.zip")
    parser.add_argument("--checkout", type=Path, default=Path(), help="the checkout (default: the working directory)")
    parser.add_argument("--output", required=True, type=Path, help="zip file to write")
    args = parser.parse_args(argv)
    try:
        from rocrate.model.contextentity import ContextEntity
        from rocrate.rocrate import ROCrate
    except ImportError as error:
        raise ConfigError("the package rocrate is missing; install it with: pip install 'seqpre[crate]'") from error

    files, checkout = contents(args.study_dir), args.checkout.absolute()
    catalog = read_catalog(checkout / "workflow/corpora.tsv")
    study_dir = args.study_dir.absolute()
    with unpacked(study_dir / ARCHIVE) as here:
        stale = not_packed(study_dir, here)
        results = load_results(here)
        made_by = [run.made_by for run in results.runs]
        scored = sum(bool(run.scores) for run in results.runs)
    name, scale = results.study.name, results.study.scale
    rows = files_of(results.study, catalog)
    paper = checkout / f"workflow/papers/{results.study.paper}.yaml"

    crate = ROCrate(version="1.1")
    crate.name = f"{name}, scale {scale}"
    crate.description = (
        f"Results of the study {name} of seqpre at the scale {scale}: {scored} runs, with "
        "tables and figures beside the published numbers, and the records that they were made from."
    )
    crate.license = "MIT"
    versions = sorted({f"{made['seqpre']}, commit {made['commit']}" for made in made_by if made})
    software = {"@type": "SoftwareApplication", "name": "seqpre", "version": "; ".join(versions) or "not recorded"}
    crate.add(ContextEntity(crate, "#seqpre", properties=software))
    packed = []
    for path in files:
        what, kind = KINDS[path.name if path.name in KINDS else path.suffix]
        place = path.relative_to(args.study_dir)
        about = {"name": f"{place}: {what}", "encodingFormat": kind, "contentSize": f"{path.stat().st_size}"}
        packed.append(crate.add_file(path, str(place), properties=about))
    corpora = [crate.add(ContextEntity(crate, url, properties=one)) for url, one in entities(rows).items()]
    printed = [{"@type": "ScholarlyArticle", "name": cited(paper)}] if paper.is_file() else []
    articles = [crate.add(ContextEntity(crate, "#paper", properties=one)) for one in printed]
    action = {"@type": "CreateAction", "name": "training, decoding, scoring, and tables"}
    made = crate.add(ContextEntity(crate, "#study", properties=action))
    made["instrument"], made["object"], made["result"] = crate.get("#seqpre"), corpora, packed
    crate.root_dataset["citation"] = articles
    crate.root_dataset["mentions"] = [made, *corpora]
    with atomic_write(args.output, "wb") as file:
        for block in crate.stream_zip():
            file.write(block)
    print(f"{args.output}: {len(packed)} files; {len(corpora)} files of corpora, by address and licence")
    if stale:
        print(f"records.zip lacks these, or has other scores of them: {first_of([*map(str, stale)])}; "
              f"`python -m seqpre.report.records {args.study_dir}` packs them")  # fmt: skip


if __name__ == "__main__":
    main()
