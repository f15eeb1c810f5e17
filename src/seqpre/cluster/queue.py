"""Slurm's queue, as Snakemake needs it: jobs of an earlier Snakemake, and jobs that would wait forever."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError

NEVER = re.compile(
    "PartitionConfig|PartitionNodeLimit|PartitionTimeLimit|BadConstraints|InvalidAccount|InvalidQOS"
    "|PerJob|MaxWallDuration|requeued held"
)
"""Slurm's reasons for which a job waits until its request is changed or somebody helps."""

SECONDS = 60
"""Seconds between two looks at the queue."""
POLL_SECONDS = 20
"""The same while a new Snakemake waits for what an earlier one has submitted."""


@dataclass(frozen=True)
class QueuedJob:
    """A pending or running job of the user."""

    number: str
    reason: str
    """Slurm's reason for waiting."""
    comment: str
    """Its rule or group and wildcards, as written by Snakemake's plugin."""


def queue(folder: Path, *options: str) -> Iterator[QueuedJob]:
    """Yield the jobs that Snakemake has submitted in `folder`; `options` of squeue select some."""
    listed = _run("squeue", "--me", "--noheader", "--format=%i|%r|%k|%Z", *options)
    if listed.returncode:
        raise ConfigError(f"Slurm does not answer: {' '.join(listed.stderr.split())}")
    for line in listed.stdout.splitlines():
        number, reason, comment, workdir = line.split("|", maxsplit=3)
        if workdir == str(folder) and comment.startswith("rule_"):
            yield QueuedJob(number, reason, comment)


def comment_of(job: Any) -> str:
    """Return the start of Slurm's comment on one of Snakemake's jobs, as the plugin writes it, and `_`."""
    if job.is_group():
        return f"rule_{job.groupid}_"
    wildcards = "_".join(job.wildcards).replace("/", "_")
    return f"rule_{job.name}_" + (f"wildcards_{wildcards}_" if wildcards else "")


def leftovers(folder: Path, comments: Iterable[str]) -> list[str]:
    """Return the ids of queued jobs whose comments start with one of `comments`.

    The comments identify the jobs of a new Snakemake that an earlier one has submitted.
    """
    beginnings = tuple(comments)
    return [job.number for job in queue(folder) if f"{job.comment}_".startswith(beginnings)]


def wait_for(folder: Path, comments: Iterable[str]) -> None:
    """Return when no such job is left in the queue; while Slurm does not answer, the jobs are assumed to run."""
    beginnings = tuple(comments)
    while True:
        try:
            if not leftovers(folder, beginnings):
                return
        except ConfigError:
            pass
        time.sleep(POLL_SECONDS)


def known_jobs() -> set[str] | None:
    """Return the ids of all jobs of the user that Slurm knows, finished ones too; None if Slurm does not answer."""
    listed = _run("squeue", "--me", "--noheader", "--states=all", "--format=%i")
    return set(listed.stdout.split()) if listed.returncode == 0 else None


def cancel_stuck(folder: Path) -> list[QueuedJob]:
    """Cancel the jobs that would wait forever, and return them."""
    stuck = [job for job in queue(folder, "--states=PENDING") if NEVER.search(job.reason)]
    if stuck:
        _run("scancel", *(job.number for job in stuck))
    return stuck


def watch(folder: Path) -> None:
    """Cancel jobs that would wait forever, and report outages of Slurm. Never returns.

    Snakemake retries cancelled jobs, and finally gives them up.
    """
    answers = True
    while True:
        time.sleep(SECONDS)
        try:
            stuck = cancel_stuck(folder)
        except ConfigError as error:
            if answers:
                _say(f"{error}. Jobs that run go on; Snakemake asks until it answers")
            answers = False
            continue
        if not answers:
            _say("Slurm answers again")
        answers = True
        for job in stuck:
            _say(f"Slurm will not start job {job.number} ({job.comment}): {job.reason}. It is cancelled")


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def check_requests(requests: Mapping[str, str]) -> None:
    """Raise ConfigError for jobs that Slurm would never run; `requests` maps options of sbatch to the job's name."""
    for options, job in requests.items():
        if reason := refusal(options):
            raise ConfigError(
                f"Slurm would never run {job}: {reason}. It asks for `{options}`. Ask for less (gpus, runs_per_gpu in "
                "config.yaml, set-resources in the profile), or name another partition in profiles/slurm/config.yaml"
            )


def refusal(options: str) -> str:
    """Return why Slurm would never run a job with these options of sbatch; empty if it would."""
    words = shlex.split(options)
    if _run("sbatch", "--test-only", *words, "--wrap=true").returncode == 0:
        return _over_the_time_limit(words)
    # The test also fails if nodes are only down at the moment; Slurm then accepts the job, and it waits.
    taken = _run("sbatch", "--begin=now+1hour", "--parsable", "--output=/dev/null", *words, "--wrap=true")
    if taken.returncode == 0:
        _run("scancel", taken.stdout.strip().partition(";")[0])
        return ""
    return " ".join(taken.stderr.split()).rpartition("error: ")[2].removeprefix("Batch job submission failed: ")


def affordable(options: str) -> tuple[int, int]:
    """Return the memory in MB and the minutes to request, if these options of sbatch may request too much.

    Both are as requested, or the most that Slurm gives: the memory of a node, the limit of the partition. 0 means not
    requested.
    """
    words = shlex.split(options)
    minutes, (_, limit) = _value(words, "-t"), _time_limit(words)
    if minutes > limit:
        words[words.index("-t") + 1] = str(minutes := limit)
    memory = _value(words, "--mem")
    if memory:
        for size in (memory, *sorted((size for size in _node_memories() if size < memory), reverse=True)):
            words[words.index("--mem") + 1] = str(size)
            if not refusal(shlex.join(words)):
                return size, minutes
    return memory, minutes


def _value(words: list[str], option: str) -> int:
    return int(words[words.index(option) + 1]) if option in words else 0


def _node_memories() -> set[int]:
    """Return the memory sizes, in MB, that nodes offer to jobs."""
    nodes = _run("scontrol", "--oneliner", "show", "nodes").stdout.splitlines()
    found = (dict(re.findall(r"\b(RealMemory|MemSpecLimit)=(\d+)", node)) for node in nodes)
    return {int(node["RealMemory"]) - int(node.get("MemSpecLimit", 0)) for node in found if "RealMemory" in node}


def _over_the_time_limit(words: list[str]) -> str:
    """Return the partition's time limit if the job exceeds it, else empty; most Slurms would let it wait forever."""
    said, limit = _time_limit(words)
    return said if _value(words, "-t") > limit else ""


def _time_limit(words: list[str]) -> tuple[str, int]:
    """Return the time limit of a job's partition, in words and in minutes."""
    wanted = words[words.index("-p") + 1] if "-p" in words else ""
    for line in _run("sinfo", "--noheader", "--format=%P|%l").stdout.splitlines():
        partition, limit = line.split("|")
        if partition.rstrip("*") == wanted or (not wanted and partition.endswith("*")):
            match = re.fullmatch(r"(?:(\d+)-)?(?:(\d+):)?(\d+):\d+", limit)
            days, hours, rest = (int(part or 0) for part in match.groups()) if match else (10**6, 0, 0)
            return f"partition {partition.rstrip('*')} allows {limit}", rest + 60 * (hours + 24 * days)
    return "", 10**9


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ConfigError(f"there is no {command[0]} here; start on a node that jobs are submitted from") from error
