"""What a study took, from its results folder, against what it may take.

    python benchmarks/study_cost.py results/small

Training is read from each summary.json, which adds up over interruptions; every other job from Snakemake's benchmark
files, which know the last attempt only. CPU minutes are the processes' own, on one thread unless a rule was given more.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seqpre.study.fractions import by_size

LM_MINUTES = FINETUNE_MINUTES = 10.0
FINETUNE_FRACTION = "20pct"
STUDY_HOURS = 6.0

Job = tuple[str, float, float]
"""Kind, CPU minutes, wall minutes."""


def trainings(folder: Path) -> Iterator[Job]:
    """Yield one job for every trained language model and run."""
    for path in sorted(folder.rglob("summary.json")):
        about = json.loads(path.read_text(encoding="utf-8"))
        if "cpu_seconds" in about and path.parent.name != "checkpoints":
            kind = f"finetune {about['fraction']}" if "fraction" in about else "pretrain"
            yield kind, about["cpu_seconds"] / 60, about["seconds"] / 60


def others(folder: Path) -> Iterator[Job]:
    """Yield one job for every benchmark file that is not of a training."""
    for path in sorted(folder.rglob("*.benchmark.tsv")):
        rule = path.name.split(".")[0]
        if rule in ("finetune", "pretrain"):
            continue
        if "tokens" in path.parts:
            rule = "encode"
        with path.open(encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                # A job of under half a second has no CPU time in the file.
                cpu = float(row["cpu_time"]) if row["cpu_time"] not in ("NA", "-", "") else float(row["s"])
                yield rule, cpu / 60, float(row["s"]) / 60


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of one scale, such as results/small")
    parser.add_argument("--cores", type=int, default=2, help="cores the study ran on (default: 2)")
    parser.add_argument("--output", type=Path, help="also write the table here")
    args = parser.parse_args()
    kinds: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for kind, cpu, wall in (*trainings(args.results), *others(args.results)):
        kinds[kind].append((cpu, wall))
    if not kinds:
        raise SystemExit(f"{args.results}: holds no summary.json and no *.benchmark.tsv; give the folder of a scale")

    def order(kind: str) -> tuple[Any, ...]:
        rule, _, fraction = kind.partition(" ")
        return (1, *by_size(fraction)) if fraction else (0 if rule == "pretrain" else 2, kind)

    lines = [
        "| job | jobs | CPU minutes each: median [min, max] | CPU minutes together | wall minutes together | goal |",
        "| --- | ---: | --- | ---: | ---: | --- |",
    ]
    for kind in sorted(kinds, key=order):
        minutes = [cpu for cpu, _ in kinds[kind]]
        goal = None
        if kind == "pretrain":
            goal = LM_MINUTES
        elif kind.startswith("finetune") and by_size(kind.split()[1]) <= by_size(FINETUNE_FRACTION):
            goal = FINETUNE_MINUTES
        above = sum(cpu >= goal for cpu in minutes) if goal else 0
        verdict = f"under {goal:g} each: {f'missed by {above} of {len(minutes)}' if above else 'met'}" if goal else ""
        lines.append(
            f"| {kind} | {len(minutes)} | {statistics.median(minutes):.2f} [{min(minutes):.2f}, {max(minutes):.2f}] "
            f"| {sum(minutes):.1f} | {sum(wall for _, wall in kinds[kind]):.1f} | {verdict} |"
        )
    cpu_hours = sum(cpu for jobs in kinds.values() for cpu, _ in jobs) / 60
    wall_hours = sum(wall for jobs in kinds.values() for _, wall in jobs) / 60
    verdict = "met" if wall_hours / args.cores < STUDY_HOURS else "missed"
    lines += [
        "",
        f"{cpu_hours:.2f} CPU hours; {wall_hours:.2f} hours of jobs, on {args.cores} cores at least "
        f"{wall_hours / args.cores:.2f} hours (goal: under {STUDY_HOURS:g}: {verdict}).",
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if args.output:
        args.output.write_text(f"# Cost of {args.results}\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
