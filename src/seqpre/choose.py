"""Choose a system's settings: those of the candidate that is best on validation text.

    python -m seqpre.choose --candidates RUNS/full@lr=0.002/10pct/seed101 RUNS/full@lr=0.004/10pct/seed101 ... \\
        --settings optimizer.lr --criterion bleu --output tuning/full.json

The test sets have no say in the choice. The output holds the chosen settings, and every candidate with its score, best
first.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seqpre.errors import ConfigError, command
from seqpre.files import read_json, write_json
from seqpre.settings import run_from_json


def setting(settings: Any, name: str) -> Any:
    """Return a setting by its dotted name."""
    for part in name.split("."):
        if not hasattr(settings, part):
            raise ConfigError(f"--settings: there is no setting {name!r}")
        settings = getattr(settings, part)
    return settings


def ranked(candidates: Sequence[dict[str, Any]], criterion: str) -> list[dict[str, Any]]:
    """Return candidates by score, best first, of equals the first: lowest perplexity, or highest score."""
    best_first = -1 if criterion == "perplexity" else 1
    return sorted(candidates, key=lambda candidate: -best_first * float(candidate[criterion]))


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read what the candidates reached, rank them, write the choice."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.choose", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--candidates", nargs="+", required=True, type=Path, help="folders of finished runs")
    parser.add_argument("--settings", nargs="+", required=True, help="what they differ in, like optimizer.lr")
    parser.add_argument(
        "--criterion", required=True, help="what ranks them: perplexity, bleu or rouge_1, on validation"
    )
    parser.add_argument("--output", required=True, type=Path, help="JSON file to write")
    args = parser.parse_args(argv)

    key = f"best_valid_{args.criterion}"
    candidates = []
    for folder in args.candidates:
        run, summary = run_from_json(read_json(folder / "run.json")), read_json(folder / "summary.json")
        if key not in summary:
            raise ConfigError(f"{folder / 'summary.json'} has no {key!r}; --criterion is {args.criterion!r}")
        values = {name: setting(run.settings, name) for name in args.settings}
        candidates.append({"settings": values, args.criterion: summary[key], "run": str(folder)})
    ranking = ranked(candidates, args.criterion)
    write_json(args.output, {"criterion": args.criterion, "settings": ranking[0]["settings"], "candidates": ranking})
    for candidate in ranking:
        print(f"{candidate[args.criterion]:8.3f}  {candidate['run']}")


if __name__ == "__main__":
    main()
