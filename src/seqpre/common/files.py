"""Strict reading of text, and atomic writing of files."""

from __future__ import annotations

import errno
import fcntl
import gzip
import hashlib
import json
import lzma
import os
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any, Protocol
from zipfile import BadZipFile

from seqpre.common.errors import DISK_FULL, ConfigError, DataError

DAMAGED_ZIP = (
    OSError, EOFError, RuntimeError, ValueError, OverflowError, struct.error, zlib.error, lzma.LZMAError, BadZipFile
)  # fmt: skip
"""What `zipfile` raises for an archive that is truncated, damaged, or packed in an unknown way."""
LONGEST_LINE = 1 << 24  # bytes; no sentence or document is longer, but a file of zeros is
MOST_RETURNS = 20  # inside a line: text from the web has a few, files with CR line ends have more


class Stream(Protocol):
    """Bytes that can be read at once or line by line."""

    def read(self, size: int = -1, /) -> bytes: ...

    def readline(self, size: int = -1, /) -> bytes: ...


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def file_hash(path: Path) -> str:
    """Return a short hash of a file's content."""
    return sha256_of(path)[:16]


@contextmanager
def full_disk_named(path: Path) -> Iterator[None]:
    """Raise a full disk or quota as an OSError with the file's name, whatever error hides it (as in `torch.save`)."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, OSError) and cause.errno in DISK_FULL:
                raise OSError(cause.errno, cause.strerror, str(path)) from error
            cause = cause.__cause__ or cause.__context__
        raise


@contextmanager
def atomic_write(path: Path | str, mode: str = "w") -> Iterator[IO[Any]]:
    """Yield a temporary file that is renamed to `path` only if the block ends without an error.

    The bytes are synced to disk (fsync) before the rename, so a crash leaves the old file or the new one.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    encoding = None if "b" in mode else "utf-8"
    try:
        with (
            full_disk_named(path),
            partial.open(mode, encoding=encoding, newline=None if encoding is None else "\n") as file,
        ):
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def take_lock(path: Path) -> IO[Any]:
    """Lock `path` until the returned file is closed or this process ends; wait if another process has the lock."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("w")
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EACCES):
            print(f"{path.parent}: another process is at work here; waiting until it ends", file=sys.stderr, flush=True)
            fcntl.lockf(file, fcntl.LOCK_EX)
        else:
            print(f"{path}: cannot be locked ({error.strerror}); let no other job work here", file=sys.stderr)
    return file


def write_json(path: Path | str, value: Any) -> None:
    """Write `value` as indented JSON, atomically."""
    with atomic_write(path) as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


def read_json(path: Path | str) -> Any:
    """Read JSON. Raises DataError, naming the file, if it is damaged."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # also numbers of thousands of digits
        raise DataError(f"{path}: not valid JSON ({error}); delete it and run again") from error


def decoded(stream: Stream, where: Path | str) -> Iterator[str]:
    """Yield the lines of a UTF-8 text without their newline, one at a time.

    Only `\\n` ends a line (a trailing `\\r` is dropped), so unusual Unicode separators never misalign parallel files. A
    byte order mark at the start is dropped, and a NUL becomes a space. Raises DataError, naming `where` and the line,
    for undecodable bytes, UTF-16, lines that end in `\\r` only and a line of more than LONGEST_LINE bytes.
    """
    for number, raw in enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), start=1):
        if len(raw) > LONGEST_LINE:
            raise DataError(f"{where}, line {number}: longer than {LONGEST_LINE:,} bytes; is it text?")
        if number == 1 and 3 * raw.count(b"\0") > len(raw):
            raise DataError(f"{where}, line {number}: not UTF-8 but UTF-16, or no text: a third of its bytes are zero")
        if b"\r" in raw and (returns := raw.rstrip(b"\r\n").count(b"\r")):
            alone = number == 1 and not raw.endswith(b"\n")  # the whole file
            if alone or returns > MOST_RETURNS:
                raise DataError(
                    f"{where}, line {number}: {returns:,} carriage returns inside it; lines must end in LF or CR LF,"
                    " not in CR alone: tr '\\r' '\\n' < FILE > NEW"
                )
        try:
            line = raw.decode("utf-8").rstrip("\n").removesuffix("\r").replace("\0", " ")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{where}, line {number}: not valid UTF-8 ({error.reason} at byte {error.start})"
            ) from error
        yield line.removeprefix("\ufeff") if number == 1 else line


def read_lines(path: Path | str) -> Iterator[str]:
    """Yield the lines of a UTF-8 text file (`.gz` too), as `decoded` does.

    Raises DataError also if the file is missing, unreadable or a truncated gzip.
    """
    path = Path(path)
    number = 0  # of the last line read
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(decoded(file, path), start=1):  # noqa: B007
                yield line
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(
            f"{path}: truncated or damaged gzip after line {number:,} ({error}); delete it to download it again"
        ) from error
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error


def require_files(paths: Iterable[Path]) -> None:
    """Raise DataError unless all files exist."""
    for path in paths:
        if not path.is_file():
            raise DataError(f"{path}: no such file")


def read_together(paths: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of parallel files together. Raises DataError, with all counts, if one has fewer than another."""
    texts = [read_lines(path) for path in paths]
    for number, found in enumerate(zip_longest(*texts)):
        lines = tuple(line for line in found if line is not None)
        if len(lines) < len(found):
            totals = (
                number + (line is not None) + sum(1 for _ in rest) for line, rest in zip(found, texts, strict=True)
            )
            counts = ", ".join(f"{path} has {total:,}" for path, total in zip(paths, totals, strict=True))
            raise DataError(f"unequal line counts: {counts}")
        yield lines


def read_parallel(paths: Sequence[Path]) -> list[list[str]]:
    """Read the lines of parallel files. Raises DataError if one is missing or their line counts differ."""
    require_files(paths)
    texts = [list(read_lines(path)) for path in paths]
    if len({len(lines) for lines in texts}) > 1:
        counts = ", ".join(f"{path} has {len(lines):,} lines" for path, lines in zip(paths, texts, strict=True))
        raise DataError(f"the files must be parallel, but {counts}")
    return texts


def refuse_braces(path: Path | str, where: str) -> None:
    """Raise ConfigError for a workflow path with braces: Snakemake reads `{x}` as a wildcard."""
    if {*"{}"} & {*str(path)}:
        raise ConfigError(
            f"{where} {str(path)!r} has a brace, which Snakemake cannot read; use a path without {{ and }}"
        )


def named_paths(pairs: Sequence[str], option: str) -> dict[str, Path]:
    """Read the `name=path` words of a command-line option. Raises ConfigError for invalid words and repeated names.

    Both may contain `=`: a word is split at the first `=` that an existing path follows, else at the first of all.
    """
    paths: dict[str, Path] = {}
    for pair in pairs:
        parted = [(pair[:place], pair[place + 1 :]) for place, letter in enumerate(pair) if letter == "="]
        there = (both for both in parted if os.path.exists(both[1]))
        name, path = next(there, parted[0] if parted else (pair, ""))
        if not (name and path):
            raise ConfigError(f"{option} wants name=path, got {pair!r}")
        if name in paths:
            raise ConfigError(f"{option}: {name!r} is given twice")
        paths[name] = Path(path)
    return paths
