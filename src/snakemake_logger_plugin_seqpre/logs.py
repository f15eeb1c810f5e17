"""What the log of a job says: how far the job is, what came of it, what went wrong."""

from __future__ import annotations

import os
import re
import signal

TAIL = 65_536
"""Bytes at the end of a log that are looked at."""
ERROR = re.compile(r"(?!.*ChildFailedError)[\w.]*(Error|Exception|Interrupt|DiskFull|OutOfMemory)\b")
"""How the line begins that says why a command failed; torchrun adds an error of its own after it."""
OF_SLURM = re.compile(r"slurmstepd: ")
BY_SIGNAL = re.compile(r"exit status (\d+)|(SIG[A-Z0-9]+)")

State = tuple[int, int] | None


def state_of(log: str) -> State:
    """Return what changes whenever a log does; None where there is none."""
    try:
        status = os.stat(log)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def lines_of(log: str) -> list[str]:
    """Return the last lines of a log, those that say something; none where there is no log."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def outcome(log: str, job: str) -> str:
    """Return the last line of a log without what it is about, where the name of the job or a path says that."""
    # Details are indented.
    line = next((line for line in reversed(lines_of(log)) if not line[0].isspace()), "")
    about, colon, found = line.partition(": ")
    known = job.endswith(about) or ("/" in about and about.count(" ") <= 1)
    return found if colon and known else line


def error(log: str) -> str:
    """Return the line that says why a command failed, '' if none does."""
    return next((line for line in reversed(lines_of(log)) if ERROR.match(line)), "")


def reason(log: str, ended: str = "") -> str:
    """Return the line that says why a job failed, else how its command ended and the last line of its log."""
    lines = lines_of(log)
    last = f"its log ends: {lines[-1].strip()}" if lines else "its log is empty"
    return error(log) or "; ".join(filter(None, (ended, last)))


def in_words(status: str) -> str:
    """Return how a command ended, with the signal by its name: a shell tells it as 128 more than its number."""
    found = BY_SIGNAL.fullmatch(status)
    if not found:
        return status
    name = found[2]
    if not name:
        try:
            name = signal.Signals(int(found[1]) - 128).name
        except ValueError:
            return status
    return "killed (SIGKILL), perhaps out of memory" if name == "SIGKILL" else f"ended by {name}"


def words_of_slurm(log: str) -> str:
    """Return the last thing that Slurm itself says in the output of its job, such as that the memory was too small."""
    return next((line for line in reversed(lines_of(log)) if OF_SLURM.match(line)), "")
