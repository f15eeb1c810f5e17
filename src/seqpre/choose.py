"""Choose a system's settings: those of the candidate that is best on validation text.

    python -m seqpre.choose --candidates RUNS/full@lr=0.002/10pct/seed101 RUNS/full@lr=0.004/10pct/seed101 ... \\
        --settings optimizer.lr --criterion bleu --output tuning/full.json

The test sets have no say in the choice. The output holds the chosen settings, and every candidate with its score, best
first.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError, command
from seqpre.common.files import read_json, write_json
from seqpre.study.run import run_from_json
from seqpre.study.tasks import BY_METRIC
from seqpre.study.typed import overridden

PERPLEXITY = "perplexity"


def best_first(summaries: Sequence[dict[str, Any]], criterion: str) -> list[dict[str, Any]]:
    """Return what runs left as summary.json, the best on validation first, of equals the first.

    Of perplexity the lowest is best, of any score the highest. Raises ConfigError where the criterion is missing.
    """
    key, sign = f"best_valid_{criterion}", 1 if criterion == PERPLEXITY else -1
    for summary in summaries:
        if key not in summary:
            raise ConfigError(f"a run has no {key!r}; it has {', '.join(summary)}")
    return sorted(summaries, key=lambda summary: sign * float(summary[key]))


def with_choice(content: Mapping[str, Any], choice: Path) -> dict[str, Any]:
    """Return what `run.json` holds once the settings that this command wrote are laid over the declared ones."""
    run = run_from_json(content)
    chosen = overridden(run.settings, read_json(choice)["settings"], str(choice))
    return dataclasses.replace(run, settings=chosen).to_json()


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read what the candidates reached, rank them, write the choice."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.choose", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--candidates", nargs="+", required=True, type=Path, help="folders of finished runs")
    parser.add_argument("--settings", nargs="+", required=True, help="what they differ in, like optimizer.lr")
    parser.add_argument(
        "--criterion", required=True, help=f"what ranks them on validation: {PERPLEXITY}, {', '.join(BY_METRIC)}"
    )
    parser.add_argument("--output", required=True, type=Path, help="JSON file to write")
    args = parser.parse_args(argv)

    key, summaries = f"best_valid_{args.criterion}", []
    for folder in args.candidates:
        settings = run_from_json(read_json(folder / "run.json")).settings
        values = {name: attrgetter(name)(settings) for name in args.settings}
        summaries.append({"settings": values, "run": str(folder), **read_json(folder / "summary.json")})
    ranking = [{name: one[name] for name in ("settings", "run", key)} for one in best_first(summaries, args.criterion)]
    write_json(args.output, {"criterion": key, "settings": ranking[0]["settings"], "candidates": ranking})
    for candidate in ranking:
        print(f"{candidate[key]:8.3f}  {candidate['run']}")


if __name__ == "__main__":
    main()
