"""Restore what the records of a study contain, so that the same study continues with other runs.

    python -m seqpre.restore results/small/ramachandran-translation

For a study that ran elsewhere, or whose runs are gone. Unpacks records.zip in that folder: scores, settings, curves and
choices of settings, but no weights and no outputs. Only records are written, and only to the folders of the study and
of its language models. Restored runs are listed in restored.json there; from then on the workflow runs the study's
other runs, and its tables cover all of them. Start it in the folder of the Snakefile; removing restored.json undoes it.
Other runs that were begun here stay; a run that is both here and in the records is rejected.

Runs with one seed must start from the same pretrained models, and so must all runs of seeds that share them. If every
seed has its own (`seeds_draw: all`), a seed is restored if all its runs are in the records, or if its models are here.
If seeds share their models, every run with scores is restored; while such a model is not here, the workflow refuses
other runs that start from it. A model that is here must have exactly the validation losses of the records.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.errors import DataError, command
from seqpre.common.files import read_json, write_json
from seqpre.report.records import ARCHIVE, read_records, write_files
from seqpre.study.declarations import WEIGHTS
from seqpre.study.reported import GridRun
from seqpre.study.restored import FILE
from seqpre.study.run import SCORES

LOSSES = "metrics.jsonl"
"""A training's metrics, which include its validations."""
BEGUN = ("checkpoints", LOSSES, SCORES)
"""Files of which any run that has begun has at least one; a run with only settings has none."""


def complete_seeds(runs: Sequence[GridRun], scored: Collection[GridRun]) -> list[int]:
    """Return the seeds for which all runs have scores."""
    missing = {run.seed for run in runs if run not in scored}
    return [seed for seed in dict.fromkeys(run.seed for run in runs) if seed not in missing]


def validations(lines: str) -> list[tuple[int, float]]:
    """Return (update, loss) of the validations in a `metrics.jsonl`."""
    events = map(json.loads, lines.splitlines())
    return [(event["step"], event["valid_loss"]) for event in events if event["event"] == "validation"]


def serves(name: str, seed: int) -> bool:
    """Return whether the pretrained model with this file belongs to a seed, or to all seeds."""
    folder = Path(name).parent.name
    return folder == f"seed{seed}" or not re.fullmatch(r"seed\d+", folder)


def are_here(names: Sequence[str]) -> bool:
    """Return whether all pretrained models with these files have their weights here."""
    return all(Path(name).with_name(WEIGHTS).is_dir() for name in names)


def check_same(archive: Path, name: str, content: bytes) -> None:
    """Raise DataError unless a pretrained model here has the same validations as in an archive (`content`)."""
    here = Path(name)
    if validations(here.read_text(encoding="utf-8")) != validations(content.decode()):
        raise DataError(
            f"{here} has other losses than {archive}: the model trained here is another one, as it is on "
            "another kind of processor; runs that start from it cannot be added to those of the records"
        )


def check_nothing_replaced(
    archive: Path, files: Mapping[str, bytes], folders: Sequence[str], choices: Sequence[str]
) -> None:
    """Raise DataError if a run or model to restore was begun here, or another choice was made here.

    Identical files were restored before, perhaps incompletely, and are accepted.
    """
    for folder in folders:
        packed = {Path(name): content for name, content in files.items() if name.startswith(f"{folder}/")}
        begun = {path for name in BEGUN if (path := Path(folder, name)).exists()}
        same = all(path.read_bytes() == content for path, content in packed.items() if path.exists())
        if begun and not (begun <= packed.keys() and same):
            raise DataError(
                f"{folder} is there already, and in {archive}; move it away to have the one of the records: "
                "nothing is replaced"
            )
    for name in filter(os.path.exists, choices):
        here, there = read_json(Path(name))["settings"], json.loads(files[name])["settings"]
        if here != there:
            raise DataError(
                f"{name} has chosen {here} here, {archive} {there}: move away what was chosen here, and its "
                "runs, to have those of the records"
            )


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Unpack the records and print what is restored."""
    parser = parser_of(__doc__)
    parser.add_argument("study_dir", type=Path, help="folder of the study, with records.zip")
    args = parser.parse_args(argv)
    archive = args.study_dir / ARCHIVE
    models = args.study_dir.parent / "lms"
    if not archive.is_file():
        raise DataError(
            f"{archive} is not there; name the folder of a study, where python -m seqpre.report.records has written it"
        )
    packed = read_records(archive)
    study, results = packed.study, packed.study_dir.parents[1]
    if packed.study_dir.parts[-2:] != args.study_dir.parts[-2:]:
        raise DataError(
            f"{archive} holds {packed.study_dir}, not {args.study_dir}; start this in the folder of the Snakefile"
        )
    files = {
        str(args.study_dir.parents[1] / Path(name).relative_to(results)): content
        for name, content in packed.files.items()
    }
    scored = [run for run in study.runs if f"{args.study_dir}/{run.folder}/{SCORES}" in files]
    others = {name: place for name, place in study.others.items() if f"{args.study_dir}/{place}/{SCORES}" in files}
    lms = [name for name in files if name.startswith(f"{models}/")]
    if study.seeds_draw == "all":
        whole, seeds = complete_seeds(study.runs, scored), sorted({run.seed for run in scored})
        pretrained = {seed: [name for name in lms if serves(name, seed)] for seed in seeds}
        here = [seed for seed in seeds if seed not in whole and are_here(pretrained[seed])]
        if left_out := [seed for seed in seeds if seed not in (*whole, *here)]:
            print(
                f"left out: seeds {', '.join(map(str, left_out))}. Their other runs would start from models that are "
                "not here; train those models first to restore these seeds"
            )
        scored = [run for run in scored if run.seed in (*whole, *here)]
        to_compare = [name for seed in here for name in pretrained[seed]]
        own, of_whole = f"{models}/{args.study_dir.name}/", {f"seed{seed}" for seed in whole}
        lms = [name for name in lms if name.startswith(own) and Path(name).parent.name in of_whole]
    else:
        to_compare, lms = lms, []
    to_compare = [name for name in to_compare if Path(name).name == LOSSES]
    absent = [name for name in to_compare if not are_here([name])]
    for name in to_compare:
        if name not in absent:
            check_same(archive, name, files[name])
    choices = [name for name in files if name.startswith(f"{args.study_dir}/tuning/")]
    folders = [f"{args.study_dir}/{place}" for place in (*(run.folder for run in scored), *others.values())]
    check_nothing_replaced(archive, files, [*folders, *{str(Path(name).parent) for name in lms}], choices)
    of_runs = tuple(f"{folder}/" for folder in folders)
    wanted = [*(name for name in files if name.startswith(of_runs)), *choices, *lms]
    declared = {
        str(Path(name).parent.relative_to(models)): json.loads(content)
        for name, content in files.items()
        if Path(name).name == "lm.json"
    }
    elsewhere = [str(Path(name).parent.relative_to(models)) for name in absent]
    said = {
        "runs": [(run.system, run.fraction, run.seed) for run in scored],
        "others": list(others),
        "choices": [name.removeprefix(f"{args.study_dir}/") for name in choices],
        "lms": declared,
        "elsewhere": elsewhere,
    }
    write_files({name: files[name] for name in wanted})
    write_json(args.study_dir / FILE, said)
    restored_seeds = ", ".join(map(str, sorted({run.seed for run in scored}))) or "none"
    print(f"{len(scored)} runs (seeds: {restored_seeds}) and {len(choices)} choices of settings are restored")
    if elsewhere:
        print(f"not here: {', '.join(elsewhere)}; before other runs start from it, train it here and restore again")


if __name__ == "__main__":
    main()
