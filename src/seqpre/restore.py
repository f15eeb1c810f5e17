"""Put back what the records of a study hold, so that the same study goes on with other runs.

    python -m seqpre.restore results/small/ramachandran-translation

For a study that ran elsewhere, or whose runs are gone. Unpacks records.zip of that folder: scores, settings, curves and
choices of settings, but no weights and no outputs. What is back is named in restored.json there; from then on the
workflow runs the others of the study's runs, and its tables are of all of them. Start it in the folder of the
Snakefile; removing restored.json undoes it. Other runs that were begun here stay; a run that is both here and in the
records is refused.

Runs of one seed are to start from the same pretrained models, and so are all runs of seeds that share them. Where every
seed has its own (`seeds_draw: all`), seeds that are complete are put back. Where seeds share them, they must have been
trained here already, to the same validation losses in every digit; then every run is put back that has its scores.
"""

from __future__ import annotations

import argparse
import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seqpre.common.errors import DataError, command
from seqpre.common.files import read_json, write_json
from seqpre.report.records import ARCHIVE
from seqpre.study.declarations import WEIGHTS
from seqpre.study.restored import FILE

LOSSES = "metrics.jsonl"
"""Of a training: its validations, among others."""
SCORES = "scores.json"
BEGUN = ("checkpoints", LOSSES, SCORES)
"""What a run that was begun has one of, if only states of its training; one whose settings are written has none."""


def scored(runs: Sequence[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return which of a list of runs, ensembles and leads (`runs.json`) have their scores among `names`."""
    return [run for run in runs if f"{run['dir']}/{SCORES}" in names]


def complete_seeds(runs: Sequence[dict[str, Any]], names: Sequence[str]) -> list[int]:
    """Return the seeds of a list of runs all of whose runs have their scores."""
    missing = {run["seed"] for run in runs if run not in scored(runs, names)}
    return [seed for seed in dict.fromkeys(run["seed"] for run in runs) if seed is not None and seed not in missing]


def validations(lines: str) -> list[tuple[int, float]]:
    """Return (update, loss) of the validations that a `metrics.jsonl` holds."""
    events = map(json.loads, lines.splitlines())
    return [(event["step"], event["valid_loss"]) for event in events if event["event"] == "validation"]


def check_same(packed: zipfile.ZipFile, name: str) -> None:
    """Check that a pretrained model whose validations an archive holds is here, and is the same.

    Raises:
        DataError: it is not.
    """
    here = Path(name)
    model = here.with_name(WEIGHTS)
    if not model.is_dir():
        raise DataError(
            f"{model} is not there: other runs of this study are to start from the same pretrained model, of which "
            f"records hold no weights; train it first (snakemake ... {model})"
        )
    if validations(here.read_text(encoding="utf-8")) != validations(packed.read(name).decode()):
        raise DataError(
            f"{here} has other losses than {packed.filename}: the model trained here is another one, as it is on "
            "another kind of processor; runs that start from it belong beside none of the records'"
        )


def check_nothing_replaced(packed: zipfile.ZipFile, folders: Sequence[str], choices: Sequence[str]) -> None:
    """Check that no run or model which an archive is to put back was begun here, and no choice was made otherwise.

    Raises:
        DataError: something was.
    """
    for folder in folders:
        if any(Path(folder, name).exists() for name in BEGUN):
            raise DataError(
                f"{folder} is there already, and in {packed.filename}; move it away to have the one of the records: "
                "nothing is replaced"
            )
    for name in filter(os.path.exists, choices):
        here, there = read_json(Path(name))["settings"], json.loads(packed.read(name))["settings"]
        if here != there:
            raise DataError(
                f"{name} has chosen {here} here, {packed.filename} {there}: move away what was chosen here, and its "
                "runs, to have those of the records"
            )


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Unpack, and say what is back."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.restore", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("study_dir", type=Path, help="folder of the study, with records.zip")
    args = parser.parse_args(argv)
    archive, listed = args.study_dir / ARCHIVE, args.study_dir / "runs.json"
    models = args.study_dir.parent / "lms"
    if not archive.is_file():
        raise DataError(f"{archive} is not there; python -m seqpre.report.records writes it where the study ran")
    if not zipfile.is_zipfile(archive):
        raise DataError(f"{archive} is no zip archive, or is cut off; fetch it again")
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
        if str(listed) not in names:
            held = next((name for name in names if name.endswith("/runs.json")), "no list of runs")
            raise DataError(f"{archive} holds {held}, not {listed}; start this in the folder of the Snakefile")
        everything = json.loads(packed.read(str(listed)))
        lms = [name for name in names if name.startswith(f"{models}/")]
        if everything[0].get("seeds_draw") == "all":
            seeds = complete_seeds(everything, names)
            if not seeds:
                raise DataError(f"{archive} has no seed of which every run is scored")
            back = [run for run in everything if run["seed"] in (None, *seeds)]
            lms = [name for name in lms if Path(name).parent.name in {f"seed{seed}" for seed in seeds}]
        else:
            for name in lms:
                if Path(name).name == LOSSES:
                    check_same(packed, name)
            back, lms = everything, []
        back = scored(back, names)
        choices = [name for name in names if name.startswith(f"{args.study_dir}/tuning/")]
        folders = [run["dir"] for run in back]
        check_nothing_replaced(packed, [*folders, *{str(Path(name).parent) for name in lms}], choices)
        of_runs = tuple(f"{folder}/" for folder in folders)
        wanted = [*(name for name in names if name.startswith(of_runs)), *choices, *lms]
        packed.extractall(members=wanted)
        declared = {
            str(Path(name).parent.relative_to(models)): json.loads(packed.read(name))
            for name in names
            if Path(name).name == "lm.json"
        }
    trained = [(run["system"], run["fraction"], run["seed"]) for run in back if run["seed"] is not None]
    others = [run["system"] for run in back if run["seed"] is None]
    write_json(
        args.study_dir / FILE,
        {
            "runs": trained,
            "others": others,
            "choices": [name[len(f"{args.study_dir}/") :] for name in choices],
            "lms": declared,
        },
    )
    seeds_back = ", ".join(map(str, sorted({seed for _, _, seed in trained})))
    print(f"{len(trained)} runs of seeds {seeds_back} are back, in {len(wanted)} files")


if __name__ == "__main__":
    main()
