"""Checks of Snakemake's folders, with a one-line error where Snakemake would end in a traceback."""

from __future__ import annotations

import os
from pathlib import Path

from seqpre.common.errors import ConfigError
from seqpre.common.files import refuse_braces


def check_folders(root: Path, here: Path, results: Path) -> None:
    """Raise ConfigError unless Snakemake can work in `here` with the Snakefile in `root`, and read the results."""
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
    """Return the folder or, if it does not exist yet, its nearest existing parent."""
    folder = folder.absolute()
    # Path.exists() raises an error if permission is denied.
    return next(path for path in (folder, *folder.parents) if os.path.exists(path))
