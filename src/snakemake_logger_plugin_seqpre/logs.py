"""What the log of a job says: progress, result and errors."""

from __future__ import annotations

import os
import re
import signal

TAIL = 65_536
"""Bytes at the end of a log that are read."""
ERROR = re.compile(r"(?!.*ChildFailedError)[\w.]*(Error|Exception|Interrupt|DiskFull|OutOfMemory)\b")
"""Start of the line that says why a command failed; torchrun adds its own error after it."""
OF_SLURM = re.compile(r"slurmstepd: ")
BY_SIGNAL = re.compile(r"exit status (\d+)|(SIG[A-Z0-9]+)")

State = tuple[int, int] | None


def state_of(log: str) -> State:
    """Return a value that changes whenever the log does; None if there is no log."""
    try:
        status = os.stat(log)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def lines_of(log: str) -> list[str]:
    """Return the last non-empty lines of a log; none if there is no log."""
    try:
        with open(log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            text = file.read().decode("utf-8", errors="replace")
    except OSError:
        return []
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def outcome(log: str, job: str) -> str:
    """Return the last line of a log without its subject, if that is the name of the job or a path."""
    # Details are indented.
    line = next((line for line in reversed(lines_of(log)) if not line[0].isspace()), "")
    about, colon, found = line.partition(": ")
    known = job.endswith(about) or ("/" in about and about.count(" ") <= 1)
    return found if colon and known else line


def error(log: str) -> str:
    """Return the line that says why a command failed, '' if there is none."""
    return next((line for line in reversed(lines_of(log)) if ERROR.match(line)), "")


def reason(log: str, ended: str = "") -> str:
    """Return the line that says why a job failed, else how its command ended and the last line of its log."""
    lines = lines_of(log)
    last = f"its log ends: {lines[-1].strip()}" if lines else "its log is empty"
    return error(log) or "; ".join(filter(None, (ended, last)))


def in_words(status: str) -> str:
    """Return how a command ended, with the name of a signal: a shell reports it as 128 plus its number."""
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
    """Return the last message of Slurm itself in a job's output, such as that it ran out of memory."""
    return next((line for line in reversed(lines_of(log)) if OF_SLURM.match(line)), "")
