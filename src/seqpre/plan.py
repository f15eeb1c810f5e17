"""Estimate the cost of the configured studies before anything starts: jobs, GPU-hours, days, disk.

    python -m seqpre.plan                                      what config.yaml asks for
    python -m seqpre.plan --scale paper --gpus 16              days on 16 GPUs
    python -m seqpre.plan --scale paper --tflops 120           GPUs that sustain 120 TFLOP/s
    python -m seqpre.plan --scale paper --budget 2000 && snakemake --profile slurm --config scale=paper
    python -m seqpre.plan --actual                             planned beside actual, while it runs or after
    python -m seqpre.plan --scale paper --output plan.md       the same as Markdown

Start it in the folder of the Snakefile. Snakemake resolves all jobs of the studies; all are counted, done or not, and
if some are done the plan says what is left. Work is the FLOPs of matrix products, from the sizes of models
and texts, or from workflow/sizes.tsv until a text exists. Time is work divided by speed: that of --tflops, or of
earlier jobs at this scale, or a default; the plan says which. Early stopping determines how long a training takes: the
plan gives the expected time and, under "at most", what the settings allow.

Exit status 2, with a one-line reason: more hours are expected than --budget allows, or a setting is wrong.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, command
from seqpre.common.files import atomic_write
from seqpre.planning.costs import records
from seqpre.planning.planner import CORES, GPUS, at_hand, check_budget, check_memory, make_plan
from seqpre.planning.sheet import Sheet
from seqpre.planning.sheets import by_rule, by_system, overview, planned_and_actual
from seqpre.study.configuration import read_configuration


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the parsed and checked arguments."""
    parser = parser_of(__doc__)
    add, own = parser.add_argument, "instead of the configuration's own"
    add("--config", type=Path, default=Path("config.yaml"), help="default: config.yaml")
    add("--scale", help=f"demo, small or paper, {own}")
    add("--studies", nargs="+", metavar="STUDY", help=f"names or files, {own}")
    add("--seeds", nargs="+", type=int, metavar="SEED", help=own)
    add("--gpus", type=int, help="GPUs at hand for all jobs together, 0 for none (default: "
        f"{GPUS} where training asks for GPUs)")  # fmt: skip
    add("--cores", type=int, help=f"processor cores at hand (default: {CORES} beside GPUs, else this machine's)")
    add("--tflops", type=float, help="TFLOP/s that one GPU (without GPUs: one core) sustains")
    add("--budget", type=float, metavar="HOURS", help="refuse more GPU-hours (without GPUs: core-hours) than these")
    add("--actual", action="store_true", help="also set planned beside actual, for jobs that have run")
    add("--output", type=Path, metavar="FILE", help="also write everything as Markdown")
    args = parser.parse_args(argv)
    for name, value, least in (("gpus", args.gpus, 0), ("cores", args.cores, 1), ("budget", args.budget, 0)):
        if value is not None and not value >= least:
            raise ConfigError(f"--{name} is {value:g}; it must be at least {least}")
    if args.tflops is not None and not 0 < args.tflops < math.inf:
        raise ConfigError(f"--tflops is {args.tflops:g}; it must be above 0")
    return args


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Plan and print; fail if the plan is over budget."""
    args = arguments(argv)
    config = read_configuration(args.config, scale=args.scale, studies=args.studies, seeds=args.seeds)
    if not Path("workflow/corpora.tsv").is_file():
        raise ConfigError("workflow/corpora.tsv is not here; start this in the folder of the Snakefile")
    plan = make_plan(config, Path(), *at_hand(config, args.gpus, args.cores), args.tflops)
    check_memory(plan, config["gpu_memory_gb"])
    title = f"Plan of {', '.join(map(str, config['studies']))} at the {config['scale']} scale"
    sheets = [overview(plan, title), by_rule(plan), *by_system(plan), Sheet("Assumptions", notes=plan.assumptions)]
    if args.actual:
        done = records(plan.jobs, Path(), plan.machine.sharing)
        sheets += [planned_and_actual(plan, done, field) for field in ("rule", "owner")]
    if args.output:
        with atomic_write(args.output) as file:
            file.write("\n".join(sheet.markdown() for sheet in sheets))
    console = Console(width=None if sys.stdout.isatty() else 120)
    for sheet in sheets:
        sheet.show(console)
    if args.budget is not None:
        check_budget(plan, args.budget)


if __name__ == "__main__":
    main()
