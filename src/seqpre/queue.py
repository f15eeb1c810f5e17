"""Slurm's queue before the first job: what an earlier Snakemake left in it, and what would wait in it for ever."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from seqpre.errors import ConfigError

NEVER = ("PartitionConfig", "PartitionNodeLimit", "PartitionTimeLimit", "BadConstraints")
"""What keeps a job waiting until its request or the cluster is changed, in Slurm's words."""


def leftovers(folder: Path, comments: Iterable[str]) -> list[str]:
    """Return the ids of the user's jobs in the queue that work in `folder` and whose comments begin like these.

    A comment names rule or group and wildcards, so it says which of a new Snakemake's jobs an earlier one submitted.
    """
    beginnings, found = tuple(comments), []
    for line in _run("squeue", "--me", "--noheader", "--format=%i|%Z|%k").stdout.splitlines():
        number, workdir, comment = line.split("|", maxsplit=2)
        if workdir == str(folder) and f"{comment}_".startswith(beginnings):
            found.append(number)
    return found


def check_requests(requests: Mapping[str, str]) -> None:
    """Raise ConfigError for what Slurm would never run; `requests` maps options of sbatch to who needs them."""
    for options, job in requests.items():
        if reason := refusal(options):
            raise ConfigError(
                f"Slurm would never run {job}: {reason}. It asks for `{options}`. Ask for less (gpus in config.yaml, "
                "set-resources in the profile), or name another partition in profiles/slurm/config.yaml"
            )


def refusal(options: str) -> str:
    """Return why Slurm would never run a job with these options of sbatch, or nothing."""
    words = shlex.split(options)
    if _run("sbatch", "--test-only", *words, "--wrap=true").returncode == 0:
        return _over_the_time_limit(words)
    # The test fails also where nodes are only down at the moment; then Slurm takes the job all the same, to wait.
    taken = _run("sbatch", "--parsable", "--output=/dev/null", *words, "--wrap=true")
    if taken.returncode:
        return " ".join(taken.stderr.split()).rpartition("error: ")[2].removeprefix("Batch job submission failed: ")
    number = taken.stdout.strip().partition(";")[0]
    time.sleep(2)  # until Slurm has looked at it
    reason = _run("squeue", "--noheader", "--jobs", number, "--format=%r").stdout.strip()
    _run("scancel", number)
    return reason if reason in NEVER else ""


def _over_the_time_limit(words: list[str]) -> str:
    """Return whether the job is longer than its partition allows; most sites' Slurm would let it wait for ever."""
    minutes = int(words[words.index("-t") + 1]) if "-t" in words else 0
    wanted = words[words.index("-p") + 1] if "-p" in words else ""
    for line in _run("sinfo", "--noheader", "--format=%P|%l").stdout.splitlines():
        partition, limit = line.split("|")
        if partition.rstrip("*") == wanted or (not wanted and partition.endswith("*")):
            match = re.fullmatch(r"(?:(\d+)-)?(?:(\d+):)?(\d+):\d+", limit)
            days, hours, rest = (int(part or 0) for part in match.groups()) if match else (10**6, 0, 0)
            if minutes > rest + 60 * (hours + 24 * days):
                return f"partition {partition.rstrip('*')} allows {limit}"
    return ""


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)
