"""Choose among trained runs by validation text: a system's settings, or the members of an ensemble.

    python -m seqpre.choose --candidates RUNS/full@lr=0.002/10pct/seed101 RUNS/full@lr=0.004/10pct/seed101 ... \\
        --settings optimizer.lr --criterion bleu --output tuning/full.json
    python -m seqpre.choose --candidates RUNS/full/100pct/seed1 RUNS/full_dropout_30/100pct/seed1 ... \\
        --keep 5 --output ensemble.json

Test sets play no part in the choice. The output lists all candidates and scores, best first; with --settings, the best
one's settings, with --keep, the members, whose weights `seqpre.decode --model ensemble.json` uses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, command
from seqpre.common.files import read_json, write_json
from seqpre.study.declarations import WEIGHTS
from seqpre.study.run import CELL, run_from_json
from seqpre.study.settings import PERPLEXITY, RunSettings
from seqpre.study.tasks import BY_METRIC
from seqpre.study.typed import overridden, require_keys, typed


def best_first(folders: Sequence[Path], criterion: str) -> list[tuple[Path, dict[str, Any]]]:
    """Return runs' folders and their summary.json, best on validation first; ties keep their order.

    The lowest perplexity is best, or the highest of any other score; diverged runs come last. Raises ConfigError if the
    criterion is missing or no number.
    """
    key, sign = f"best_valid_{criterion}", 1 if criterion == PERPLEXITY else -1
    summaries = [(folder, read_json(folder / "summary.json")) for folder in folders]
    for folder, summary in summaries:
        require_keys(summary, CELL, f"{folder}/summary.json")
        if key not in summary:
            raise ConfigError(f"{folder} has no {key!r}; it has {', '.join(summary)}")
    scores = {folder: typed(float, summary[key], f"{folder}/summary.json: {key}") for folder, summary in summaries}
    return sorted(summaries, key=lambda one: (one[1].get("stopped_by") == "diverged", sign * scores[one[0]]))


def with_choice(content: Mapping[str, Any], choice: Path) -> dict[str, Any]:
    """Return the content of `run.json` with the settings chosen by this command applied.

    Raises ConfigError for a file without settings, such as an ensemble.
    """
    run, found = run_from_json(content), read_json(choice)
    require_keys(found, ("settings",), str(choice))
    chosen = overridden(run.settings, found["settings"], str(choice))
    return dataclasses.replace(run, settings=chosen).to_json()


def setting_of(settings: RunSettings, name: str) -> Any:
    """Return the setting that a name like `optimizer.lr` stands for. Raises ConfigError if it stands for none."""
    try:
        value = attrgetter(name)(settings)
    except AttributeError as error:
        raise ConfigError(f"--settings has {name!r}; no run has such a setting ({error})") from error
    if dataclasses.is_dataclass(value):
        raise ConfigError(f"--settings has {name!r}, a group of settings; name one, as in optimizer.lr")
    return value


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read the candidates' results, rank them, and write the choice."""
    parser = parser_of(__doc__)
    parser.add_argument("--candidates", nargs="+", required=True, type=Path, help="folders of finished runs")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--settings", nargs="+", help="what they differ in, like optimizer.lr")
    what.add_argument("--keep", type=int, help="how many are the members of an ensemble")
    # Unstated: which validation score ranks the models of an ensemble. Perplexity, unless a study chooses checkpoints
    # by another score.
    ranked = f"what ranks them on validation: {PERPLEXITY} (default), {', '.join(BY_METRIC)}"
    parser.add_argument("--criterion", default=PERPLEXITY, help=ranked)
    parser.add_argument("--output", required=True, type=Path, help="JSON file to write")
    args = parser.parse_args(argv)
    if args.keep is not None and not 1 <= args.keep <= len(args.candidates):
        raise ConfigError(
            f"--keep is {args.keep}, but there are {len(args.candidates)} candidates; give a number between 1 and that"
        )

    key, ranking = f"best_valid_{args.criterion}", []
    for place, (folder, summary) in enumerate(best_first(args.candidates, args.criterion)):
        if args.settings:
            settings = run_from_json(read_json(folder / "run.json")).settings
            values = {name: setting_of(settings, name) for name in args.settings}
            one: dict[str, Any] = {"settings": values, "run": str(folder), key: summary[key]}
        else:
            one = {name: summary[name] for name in CELL}
            model = folder / WEIGHTS / f"{args.criterion}.safetensors"
            one |= {"model": str(model), key: summary[key], "member": place < args.keep}
        ranking.append(one)
        print(f"{'*' if one.get('member', not place) else ' '} {summary[key]:8.3f}  {folder}")
    chosen = {"settings": ranking[0]["settings"]} if args.settings else {}
    write_json(args.output, {"criterion": key, **chosen, "candidates": ranking})


if __name__ == "__main__":
    main()
