"""The folders that Snakemake works in: where it would end in a traceback, one line says what is wrong."""

from __future__ import annotations

import os
from pathlib import Path

from seqpre.common.errors import ConfigError
from seqpre.common.files import refuse_braces


def check_folders(root: Path, here: Path, results: Path) -> None:
    """Raise ConfigError unless Snakemake can work `here` with the Snakefile in `root`, and look into the results."""
    for folder in (root.absolute(), here.absolute()):
        refuse_braces(folder, "the folder")
    state = existing(here / ".snakemake")
    if not os.access(state, os.W_OK | os.X_OK):
        raise ConfigError(
            f"{state} cannot be written to, and Snakemake keeps its state there; copy the checkout elsewhere"
        )
    place = existing(results)
    if not place.is_dir() or not os.access(place, os.R_OK | os.X_OK):
        what = "cannot be read" if place.is_dir() else "is no folder"
        raise ConfigError(f"results is {str(results)!r}, and {place} {what}; name a folder that can be made")


def existing(folder: Path) -> Path:
    """Return the folder or, before it is there, the one it will be made in."""
    folder = folder.absolute()
    # Path.exists() raises where one may not look.
    return next(path for path in (folder, *folder.parents) if os.path.exists(path))
