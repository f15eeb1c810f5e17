"""Put back what the records of a study hold, so that the same study goes on with other seeds.

    python -m seqpre.restore results/small/ramachandran-translation

For a study whose seeds draw everything (`seeds_draw: all`) and that ran elsewhere, or whose runs are gone. Unpacks
records.zip of that folder: scores, settings, curves and choices of settings, but no weights and no outputs. The seeds
of which every run has its scores are named in restored.json there. From then on the workflow runs the other seeds of
the study, with the settings that were chosen, and its tables are of all of them. Start it in the folder of the
Snakefile; removing restored.json undoes it.
"""

from __future__ import annotations

import argparse
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seqpre.common.errors import DataError, command
from seqpre.common.files import write_json
from seqpre.report.records import ARCHIVE
from seqpre.study.restored import FILE


def complete_seeds(runs: Sequence[dict[str, Any]], names: Sequence[str]) -> list[int]:
    """Return the seeds of a list of runs (`runs.json`) all of whose runs have their scores among `names`."""
    seeds = dict.fromkeys(run["seed"] for run in runs if run["seed"] is not None)
    return [seed for seed in seeds if all(f"{run['dir']}/scores.json" in names for run in runs if run["seed"] == seed)]


def seed_of(name: str) -> int | None:
    """Return the seed of a language model that a file of an archive is of; None where its seeds share one."""
    folder = Path(name).parent.name
    return int(folder.removeprefix("seed")) if folder.startswith("seed") else None


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Unpack, and say which seeds are back."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.restore", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study_dir", type=Path, help="folder of the study, with records.zip")
    args = parser.parse_args(argv)
    archive, listed = args.study_dir / ARCHIVE, args.study_dir / "runs.json"
    if not archive.is_file():
        raise DataError(f"{archive} is not there; python -m seqpre.report.records writes it where the study ran")
    if (args.study_dir / "runs").is_dir():
        raise DataError(f"{args.study_dir / 'runs'} is there: records are put back where nothing of the study is left")
    if not zipfile.is_zipfile(archive):
        raise DataError(f"{archive} is no zip archive, or is cut off; fetch it again")
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
        if str(listed) not in names:
            held = next((name for name in names if name.endswith("/runs.json")), "no list of runs")
            raise DataError(f"{archive} holds {held}, not {listed}; start this in the folder of the Snakefile")
        runs = json.loads(packed.read(str(listed)))
        if runs[0].get("seeds_draw") != "all":
            raise DataError(
                f"{archive}: the seeds of {runs[0]['study']} start from the same pretrained models, of which records "
                "hold no weights; other seeds would start from others (with `seeds_draw: all` each has its own)"
            )
        seeds = complete_seeds(runs, names)
        if not seeds:
            raise DataError(f"{archive} has no seed of which every run is scored")
        folders = [f"{run['dir']}/" for run in runs if run["seed"] in seeds]
        lms = [str(Path(name).parent) + "/" for name in names if "/lms/" in name and seed_of(name) in seeds]
        wanted = [name for name in names if name.startswith((f"{args.study_dir}/tuning/", *folders, *lms))]
        packed.extractall(members=wanted)
    write_json(args.study_dir / FILE, {"seeds": seeds})
    print(f"{len(wanted)} files of seeds {', '.join(map(str, seeds))} are back")


if __name__ == "__main__":
    main()
