"""Several Snakemakes in one results folder: each claims the files it will make, and later ones wait for them.

Snakemake itself only locks its own checkout. A claim is a list of files in `<results>/.claims`, locked while its
process lives, so a killed process leaves no valid claim.
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import getpass
import json
import os
import socket
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from seqpre.common.errors import ConfigError
from seqpre.common.files import take_lock

_held: list[IO[Any]] = []
"""Open claim files; closing one would release it."""


def claim(results: Path, files: Iterable[str], poll_seconds: float = 5.0) -> bool:
    """Claim `files`, relative to `results`. If another process is making some of them, wait until it has.

    Returns False after waiting, because the work left to do has changed. Raises ConfigError if the folder is not
    writable.
    """
    folder, wanted = results / ".claims", set(files)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lock").touch()
    except OSError as error:
        raise ConfigError(f"results: {results} cannot be written to ({error.strerror}); name another folder") from error
    with take_lock(folder / "lock"):
        for other in _live(folder):
            content = json.loads(other.read_text(encoding="utf-8"))
            if both := sorted(wanted & set(content["files"])):
                since = other.stat().st_mtime
                break
        else:
            _hold(folder / f"{socket.gethostname()}-{os.getpid()}.json", wanted)
            return True
    more = f" and {len(both) - 1} more" if len(both) > 1 else ""
    print(f"{content['who']} is making {results / both[0]}{more}; waiting for that", file=sys.stderr, flush=True)
    while not all(_made(results / file, since) for file in both) and _is_live(other):
        time.sleep(poll_seconds)
    return False


def _hold(path: Path, files: set[str]) -> None:
    file = path.open("w", encoding="utf-8")
    json.dump({"who": f"{getpass.getuser()}@{socket.gethostname()} in {Path.cwd()}", "files": sorted(files)}, file)
    file.flush()
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # A file system without locks: take_lock has warned. A claim would say nothing.
        path.unlink()
        return
    _held.append(file)
    atexit.register(path.unlink, missing_ok=True)


def _live(folder: Path) -> Iterator[Path]:
    """Yield the claims of living processes; delete those of dead ones."""
    for path in sorted(folder.glob("*.json")):
        if _is_live(path):
            yield path
        else:
            path.unlink(missing_ok=True)


def _is_live(path: Path) -> bool:
    """Return whether the process that made a claim still has it locked."""
    try:
        with path.open("r+") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError as error:
        return error.errno in (errno.EACCES, errno.EAGAIN)
    return False


def _made(path: Path, since: float) -> bool:
    return path.exists() and path.stat().st_mtime >= since
