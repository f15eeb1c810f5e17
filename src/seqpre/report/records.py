"""Pack the records that a study's tables were made from: scores, settings, validations; no models, no text.

    python -m seqpre.report.records results/small/ramachandran-translation

Reads tables/provenance.csv in that folder, which names the file behind every number, and writes them into records.zip
there, beside the scores of everything else in runs.json, the statistics of every sentence (`sentences.npz`) and what
says how each run came about (`run.json`, `ensemble.json`, `lm.json`, `summary.json`, `metrics.jsonl`, `transfer.md`;
and `tuning/`, how settings were chosen). Paths in the archive are those of provenance.csv; of corpora it has counts,
not the sentences that their stats files show.
Unpacked into an empty folder, it is all that `python -m seqpre.report.tables` needs to write the same tables again;
`python -m seqpre.restore` puts it back where other runs are to be added.
The same records give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from seqpre.common.errors import DataError, command
from seqpre.common.files import atomic_write, read_json

BESIDE = (
    "run.json", "ensemble.json", "lm.json", "summary.json", "metrics.jsonl", "transfer.md", "sentences.npz"
)  # fmt: skip
ARCHIVE = "records.zip"
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest date that a zip archive can give a member."""


def records(provenance: Path, runs: Path) -> list[Path]:
    """Return, sorted, the files that `provenance` names, the scores of `runs`, and what lies beside them.

    Raises:
        DataError: one that it names is not there.
    """
    rows = pd.read_csv(provenance, dtype=str, keep_default_na=False)
    named = set(map(Path, [*rows["file"], *" ".join(rows["corpora"].unique()).split()]))
    if missing := sorted(str(path) for path in named if not path.is_file()):
        raise DataError(
            f"{provenance} names {missing[0]} ({len(missing)} such), which is not there; run this where the study ran"
        )
    named |= {path for run in read_json(runs) if (path := Path(run["dir"], "scores.json")).is_file()}
    return sorted(named | {path for one in named for name in BESIDE if (path := one.parent / name).is_file()})


def content(path: Path) -> bytes:
    """Return what the archive holds of a file: all of it, of a corpus's stats file the counts but no examples."""
    if not path.name.endswith(".stats.json"):
        return path.read_bytes()
    stats = read_json(path)
    for reason in stats["reasons"].values():
        reason.pop("examples", None)
    return (json.dumps(stats, indent=2) + "\n").encode()


@contextmanager
def opened(study_dir: Path) -> Iterator[Path | None]:
    """Work where a study's files have the paths that they are known by; yield its folder there, None if there is none.

    A study that has runs here is worked on in place; of one that has none, in a folder with what its records hold.
    """
    archive = study_dir / ARCHIVE
    if (study_dir / "runs").is_dir() or not archive.is_file():
        yield study_dir if (study_dir / "runs.json").is_file() else None
        return
    with TemporaryDirectory(prefix="records-") as folder:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(folder)
            listed = next(name for name in packed.namelist() if name.endswith("runs.json"))
        with chdir(folder):
            yield Path(listed).parent


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Write the archive, say how much is in it."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.report.records",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study_dir", type=Path, help="folder of the study, with tables/provenance.csv")
    args = parser.parse_args(argv)

    provenance, runs = args.study_dir / "tables" / "provenance.csv", args.study_dir / "runs.json"
    for path in (provenance, runs):
        if not path.is_file():
            raise DataError(f"{path} is not there; the study's tables have to be written first")
    paths = sorted({runs, *records(provenance, runs), *(args.study_dir / "tuning").rglob("*.json")})
    with atomic_write(args.study_dir / ARCHIVE, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        for path in paths:
            archive.writestr(zipfile.ZipInfo(str(path), EPOCH), content(path), zipfile.ZIP_DEFLATED)
    print(f"{len(paths)} files in {args.study_dir / 'records.zip'}")


if __name__ == "__main__":
    main()
