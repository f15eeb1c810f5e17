"""Make files with Snakemake, from a command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

from seqpre.common.errors import TrainingError


def snakemake(words: Sequence[str], failed: str) -> None:
    """Run Snakemake with these arguments. Raises TrainingError with the message `failed` if it fails.

    After Ctrl-C, which Snakemake gets from the terminal, too, its jobs save their work before this returns.
    """
    process = subprocess.Popen([sys.executable, "-m", "snakemake", *words])
    try:
        status = process.wait()
    except KeyboardInterrupt:
        process.wait()
        raise
    if status:
        raise TrainingError(failed)
