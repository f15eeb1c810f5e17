"""Write the run.json of a run that takes settings chosen on validation text.

python -m seqpre.resolve --run '{"study": ..., "settings": {...}}' --tuned tuning/full.json --output RUN/run.json
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError, command
from seqpre.common.files import atomic_write, read_json
from seqpre.study.run import run_from_json
from seqpre.study.typed import overridden


def with_choice(content: Mapping[str, Any], tuned: Path) -> dict[str, Any]:
    """Return what `run.json` holds once the settings that `seqpre.choose` wrote are laid over the declared ones."""
    run = run_from_json(content)
    chosen = overridden(run.settings, read_json(tuned)["settings"], str(tuned))
    return dataclasses.replace(run, settings=chosen).to_json()


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Lay the chosen settings over the declared ones."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.resolve", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", required=True, help="what run.json would hold without the choice, as JSON")
    parser.add_argument("--tuned", type=Path, help="what seqpre.choose wrote; without it the run stays as declared")
    parser.add_argument("--output", required=True, type=Path, help="run.json to write")
    args = parser.parse_args(argv)
    try:
        content = json.loads(args.run)
    except json.JSONDecodeError as error:
        raise ConfigError(f"--run is not JSON: {error}") from error
    if args.tuned:
        content = with_choice(content, args.tuned)
    with atomic_write(args.output) as file:
        file.write(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    main()
