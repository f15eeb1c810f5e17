"""Pack the records behind a study's tables: scores, settings, validations; no models, no text.

    python -m seqpre.report.records results/small/ramachandran-translation

Writes records.zip in that folder. It has the files behind every number, as tables/provenance.csv there names them; the
scores of everything else in study.json; the statistics of every sentence (`sentences.npz`); how each run was made
(`run.json`, `ensemble.json`, `lm.json`, `summary.json`, `metrics.jsonl`, `transfer.md`); and how settings were chosen
(`tuning/`). Of corpora it has counts, not the sentences that their stats files show. Paths in the archive are relative
to the folder of the Snakefile; if the results are outside it, they begin with `results/`.

Unpacked into an empty folder, it is all that `python -m seqpre.report.tables` needs to write the same tables again.
`python -m seqpre.restore` restores it, so that other runs can be added. The same records give the same bytes. An
existing records.zip with files that are not here is not replaced.
"""

from __future__ import annotations

import json
import os
import re
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import pandas as pd

from seqpre.common.arguments import parser_of
from seqpre.common.errors import DataError, command
from seqpre.common.files import DAMAGED_ZIP, atomic_write, read_json
from seqpre.metrics.sentences import FILE as SENTENCES
from seqpre.report.merged import lay_over
from seqpre.report.outcome import SETTINGS
from seqpre.study.reported import FILE, ReportedStudy, read_reported, reported_from
from seqpre.study.run import SCORES

BESIDE = (*SETTINGS, "summary.json", "metrics.jsonl", "transfer.md", SENTENCES)
ARCHIVE = "records.zip"
END, COUNT, MANY = 22, 10, 0xFFFF
"""Bytes of the record that ends a zip file, bytes before its count of files, and the count that means "more"."""
_NAME = r"(?!\.\.?(?:/|$))[^/\\:\0]+"
_BESIDE = "|".join(map(re.escape, (*BESIDE, SCORES)))
OF_STUDY = re.compile(
    rf"{re.escape(FILE)}|(?:runs/{_NAME}/{_NAME}/seed\d+|ensembles/{_NAME}|trivial/{_NAME})/"
    rf"(?:{_BESIDE}|hypotheses/(?:{_NAME}/)?{_NAME}\.json)|tuning/(?:{_NAME}/)?{_NAME}\.json"
)
"""Files of a study's folder that records contain."""
OF_SCALE = re.compile(
    rf"lms/(?:{_NAME}/){{1,3}}(?:lm\.json|metrics\.jsonl|summary\.json)|text/{_NAME}/{_NAME}/{_NAME}\.stats\.json"
)
"""Files of the scale's folder, outside studies, that records contain."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest date of a zip member."""


def records(study_dir: Path) -> list[Path]:
    """Return, sorted, the files named in a study's provenance, its other scores, and the files that explain them.

    Raises DataError if the study has no tables yet, or one of these files is missing.
    """
    provenance, study = study_dir / "tables" / "provenance.csv", study_dir / FILE
    for path in (provenance, study):
        if not path.is_file():
            raise DataError(f"{path} is not there; the study's tables have to be written first")
    rows = pd.read_csv(provenance, dtype=str, keep_default_na=False)
    said, named = read_reported(study), set(map(Path, rows["file"]))
    if named and not any(path.is_relative_to(study_dir) for path in named):
        raise DataError(
            f"{provenance} is of {min(named)}, which is not in {study_dir} from here; start this "
            f"where the study ran, or remove {provenance.parent} and have Snakemake write its tables again"
        )
    if missing := sorted(str(path) for path in named if not path.is_file()):
        raise DataError(
            f"{provenance} names {missing[0]} ({len(missing)} such), which is not there; run this where the study ran"
        )
    scores = (study_dir / folder / SCORES for folder in said.folders)
    counts = (study_dir.parent / "text" / text for text in said.texts)
    named |= {path for path in (*scores, *counts) if path.is_file()}
    beside = {path for one in named for name in BESIDE if (path := one.parent / name).is_file()}
    return sorted({study, *named, *beside, *(study_dir / "tuning").rglob("*.json")})


def content(path: Path) -> bytes:
    """Return the archived content of a file: all of it, but of a corpus's stats file only the counts, no examples."""
    if not path.name.endswith(".stats.json"):
        return path.read_bytes()
    stats = read_json(path)
    for reason in stats["reasons"].values():
        reason.pop("examples", None)
    return (json.dumps(stats, indent=2) + "\n").encode()


def packed_as(path: Path, study_dir: Path) -> Path:
    """Return a file's path in the archive: below `results` if the results are outside the Snakefile's folder."""
    elsewhere = study_dir.is_absolute() or ".." in study_dir.parts
    return "results" / path.relative_to(study_dir.parents[1]) if elsewhere else path


@dataclass(frozen=True)
class Records:
    """The content of an archive of records."""

    study_dir: Path
    """The study's folder, relative like the paths of files."""
    study: ReportedStudy
    files: Mapping[str, bytes]
    """Content by path: of the study, of its pretrained models, and the counts of its texts."""


def read_records(archive: Path) -> Records:
    """Read an archive of records; files that do not belong in records are ignored.

    Raises DataError if it is truncated, damaged, or not an archive of records.
    """
    files = _members(archive)
    listed = [name for name in files if PurePosixPath(name).name == FILE]
    if len(listed) != 1:
        raise DataError(
            f"{archive}: holds {len(listed) or 'no'} {FILE}, which says what runs a study has; fetch records that "
            "python -m seqpre.report.records has written"
        )
    folder = PurePosixPath(listed[0]).parent
    if folder.is_absolute() or ".." in folder.parts or len(folder.parts) < 2 or str(folder / FILE) != listed[0]:
        raise DataError(
            f"{archive}: its study is {folder}; records are read of a folder below that of the Snakefile, such as "
            "results/small/my-study"
        )
    try:
        said = json.loads(files[listed[0]])
    except (ValueError, RecursionError) as error:
        raise DataError(f"{archive}: {listed[0]} is not valid JSON ({error}); fetch it again") from error
    known = {name: content for name, content in files.items()
             if _in(folder, OF_STUDY, name) or _in(folder.parent, OF_SCALE, name)}  # fmt: skip
    return Records(Path(folder), reported_from(said, f"{archive}: {listed[0]}"), known)


def _members(archive: Path) -> dict[str, bytes]:
    """Return the members of an archive, by name. Raises DataError if it is incomplete."""
    try:
        whole = archive.read_bytes()
        with zipfile.ZipFile(BytesIO(whole)) as packed:
            # Reading a member checks its name against its local header.
            files = {one.filename: packed.read(one) for one in packed.infolist()}
            # zipfile ignores the count of files at the end.
            (count,) = struct.unpack_from("<H", whole, len(whole) - len(packed.comment) - END + COUNT)
            if len(packed.infolist()) != count < MANY:
                raise ValueError(f"it has {len(files)} files of {count}")
    except DAMAGED_ZIP as error:
        raise DataError(f"{archive}: cut off or damaged ({error}); fetch it again") from error
    return files


def _in(folder: PurePosixPath, pattern: re.Pattern[str], name: str) -> bool:
    return name.startswith(f"{folder}/") and pattern.fullmatch(name.removeprefix(f"{folder}/")) is not None


@contextmanager
def unpacked(archive: Path) -> Iterator[Path]:
    """Unpack records and change to a folder in which their paths are valid; yield the study's folder there."""
    packed = read_records(archive)
    with TemporaryDirectory(prefix="records-") as folder, chdir(folder):
        write_files(packed.files)
        yield packed.study_dir


@contextmanager
def opened(study_dir: Path) -> Iterator[Path | None]:
    """Change to a folder in which a study's paths are valid; yield its folder there, or None if it has no results.

    A study without records is read in place. One with records is merged with the local runs (`seqpre.report.merged`) in
    a temporary folder.
    """
    if not (study_dir / ARCHIVE).is_file():
        yield study_dir if (study_dir / FILE).is_file() else None
        return
    here = study_dir.absolute()
    with unpacked(here / ARCHIVE) as there:
        lay_over(here, there)
        yield there


def write_files(files: Mapping[str, bytes]) -> None:
    """Write files by path, each atomically."""
    for folder in {os.path.dirname(name) for name in files}:
        os.makedirs(folder or ".", exist_ok=True)
    for name, content in files.items():
        part = Path(f"{name}.part")
        part.write_bytes(content)
        part.replace(name)


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Write the archive and print its size."""
    parser = parser_of(__doc__)
    parser.add_argument("study_dir", type=Path, help="folder of the study, with tables/provenance.csv")
    args = parser.parse_args(argv)
    packed = args.study_dir / ARCHIVE
    files = {str(packed_as(path, args.study_dir)): path for path in records(args.study_dir)}
    if packed.is_file() and (lost := sorted(read_records(packed).files.keys() - files.keys())):
        raise DataError(
            f"{packed} has {lost[0]} ({len(lost)} such), which is not here and would be lost; restore it (python -m "
            f"seqpre.restore --help), or remove {packed} if such records are to go"
        )
    with atomic_write(packed, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        for name, path in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), content(path), zipfile.ZIP_DEFLATED)
    print(f"{len(files)} files in {packed}")


if __name__ == "__main__":
    main()
