"""Errors that a user can fix, and how commands report them: one message, a non-zero exit status, no traceback."""

from __future__ import annotations

import errno
import functools
import io
import os
import select
import signal
import sys
from collections.abc import Sequence
from logging import LogRecord
from pathlib import Path
from typing import Protocol, TextIO

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


class ConfigError(ValueError):
    """A setting is wrong. The message names the key, the value, what is accepted and the likely fix."""


class DataError(ValueError):
    """A file is wrong. The message names the file and, where there is one, the line."""


class TrainingError(RuntimeError):
    """Training cannot go on. The message says at which update, what is kept and what to change."""


class Main(Protocol):
    """A command's entry point."""

    def __call__(self, argv: Sequence[str] | None = None) -> None: ...


def command(main: Main) -> Main:
    """Wrap a command's `main`, so that an error the user can fix becomes one line on stderr and exit status 2.

    What the terminal's encoding lacks is shown as an escape, and the command ends silently if nobody reads its output.
    """

    @functools.wraps(main)
    def wrapped(argv: Sequence[str] | None = None) -> None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # as stderr has it
        try:
            try:
                explained(argv)
            finally:
                sys.stdout.flush()
        except BrokenPipeError as error:
            if not (closed := [stream for stream in (sys.stdout, sys.stderr) if _is_closed(stream)]):
                raise
            for stream in closed:  # Python flushes them once more at the end.
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            raise SystemExit(128 + signal.SIGPIPE) from error

    def explained(argv: Sequence[str] | None) -> None:
        try:
            main(argv)
        except (ConfigError, DataError, TrainingError) as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            raise SystemExit(2) from error
        except OSError as error:
            name = error.filename2 or error.filename
            if error.errno in DISK_FULL:
                where = f" on {disk_of(Path(error.filename))} for {error.filename}" if error.filename else ""
                print(f"DiskFull: no space left{where}; free some and run the same command again", file=sys.stderr)
            elif name:
                print(f"DataError: {name}: {str(error.strerror).lower()}", file=sys.stderr)
            else:
                raise
            raise SystemExit(2) from error
        except KeyboardInterrupt as error:
            print("stopped by Ctrl-C", file=sys.stderr)
            raise SystemExit(128 + signal.SIGINT) from error

    return wrapped


def _is_closed(stream: TextIO) -> bool:
    """Return whether a stream is a pipe that nobody reads any more."""
    poll = select.poll()
    poll.register(stream, 0)  # reports errors only
    return bool(poll.poll(0))


def error_alone(record: LogRecord) -> bool:
    """Reduce Snakemake's log record of such an error to that line, without the call sites; a logging filter."""
    kind = vars(record).get("exception")
    if kind in ("ConfigError", "DataError"):
        said = record.getMessage().partition(":\n")[2].splitlines()
        record.msg = f"{kind}: " + "\n".join(line for line in said if not line.startswith('  File "'))
    return True


def disk_of(path: Path) -> Path:
    """Return the mount point of the file system that holds (or would hold) `path`."""
    path = path.resolve()
    return next(folder for folder in (path, *path.parents) if folder.is_mount())
