"""Choose the members of an ensemble: the runs that are best on validation text.

    python -m seqpre.select_ensemble --candidates RUNS/full/100pct/seed1 RUNS/full_dropout_30/100pct/seed1 ... \\
        --keep 5 --output ensemble.json --models members.txt

The test sets have no say in the choice. `ensemble.json` lists every candidate from best to worst and which were taken;
`members.txt` holds the models of those, one path a line, for `seqpre.decode --model`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seqpre.choose import PERPLEXITY, best_first
from seqpre.common.errors import ConfigError, command
from seqpre.common.files import atomic_write, read_json, write_json
from seqpre.study.declarations import WEIGHTS


def ranked(summaries: Sequence[dict[str, Any]], keep: int, criterion: str = PERPLEXITY) -> list[dict[str, Any]]:
    """Return the candidates, the best first (ties by place), the first `keep` marked as members."""
    if not 1 <= keep <= len(summaries):
        raise ConfigError(
            f"--keep is {keep}, but there are {len(summaries)} candidates; give a number between 1 and that"
        )
    key = f"best_valid_{criterion}"
    order = best_first(summaries, criterion)
    kept = ("system", "fraction", "seed", "model", key)
    return [{key: summary[key] for key in kept} | {"member": place < keep} for place, summary in enumerate(order)]


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read the candidates' summaries, rank, write the choice."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.select_ensemble",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--candidates", nargs="+", required=True, type=Path, help="folders of finished runs")
    parser.add_argument("--keep", required=True, type=int, help="how many to take")
    # Unstated: what the members of an ensemble are "best on validation" in. Perplexity, unless a study chooses
    # checkpoints otherwise.
    parser.add_argument(
        "--criterion", default=PERPLEXITY, help="what ranks them and chose their checkpoints (default: %(default)s)"
    )
    parser.add_argument("--output", required=True, type=Path, help="ensemble.json to write")
    parser.add_argument("--models", required=True, type=Path, help="members.txt to write")
    args = parser.parse_args(argv)

    summaries = [
        read_json(folder / "summary.json") | {"model": str(folder / WEIGHTS / f"{args.criterion}.safetensors")}
        for folder in args.candidates
    ]
    ranking, key = ranked(summaries, args.keep, args.criterion), f"best_valid_{args.criterion}"
    write_json(args.output, {"criterion": key, "candidates": ranking})
    with atomic_write(args.models) as file:
        file.writelines(f"{entry['model']}\n" for entry in ranking if entry["member"])
    for entry in ranking:
        mark = "*" if entry["member"] else " "
        print(f"{mark} {entry[key]:8.3f}  {entry['system']} {entry['fraction']} seed {entry['seed']}")


if __name__ == "__main__":
    main()
