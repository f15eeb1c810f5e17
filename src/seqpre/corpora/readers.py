"""Open one row's file, plain or inside an archive, and read its sentences as a stream."""

from __future__ import annotations

import bz2
import gzip
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from pathlib import Path, PurePosixPath
from typing import IO
from xml.sax.saxutils import unescape

from seqpre.corpora.catalog import Row
from seqpre.corpora.wikipedia import read_articles
from seqpre.errors import DataError

Stream = IO[bytes] | BufferedIOBase

SEGMENT = re.compile(r"<seg\b[^>]*>(.*?)</seg>", re.IGNORECASE)
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, tarfile.ReadError, zipfile.BadZipFile)


def read_sentences(path: Path, row: Row) -> Iterator[str]:
    """Yield the sentences of `row` in the file `path`, without newline, untouched otherwise.

    Raises DataError naming file, member and line for bytes that are not UTF-8, a damaged or truncated archive, a
    missing member and a missing column.
    """
    where = f"{path}!{row.member}" if row.member else str(path)
    with opened(path, row.member) as stream:
        if row.reader == "wiki":
            yield from read_articles(stream, where)
            return
        lines = decoded(stream, where)
        if row.reader == "sgm":
            yield from _segments(lines)
        elif row.reader.startswith("column:"):
            yield from _column(lines, int(row.reader.removeprefix("column:")), where)
        elif row.reader == "lowercase":
            yield from map(str.lower, lines)
        else:
            yield from lines


@contextmanager
def opened(path: Path, member: str = "") -> Iterator[Stream]:
    """Open a plain, .gz or .bz2 file, or one member of a .zip, .tar or .tgz as a stream; nothing is ever unpacked.

    What goes wrong in the block because the file is missing, truncated or damaged is a DataError that names it.
    """
    with _damage_explained(path, member), _open(path, member) as stream:
        yield stream


def archived(path: Path, suffix: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield name and content of the files of a .tar or .tgz that end in `suffix`, in one pass."""
    with _damage_explained(path), _tar(path) as archive:
        for info in archive:
            if info.name.endswith(suffix) and info.isreg() and (stream := archive.extractfile(info)) is not None:
                yield PurePosixPath(info.name), stream.read()


@contextmanager
def _damage_explained(path: Path, member: str = "") -> Iterator[None]:
    where = f"{path}!{member}" if member else str(path)
    try:
        yield
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file; download or generate it first") from error
    except (*DAMAGED, OSError) as error:
        # bz2 reports damage as an OSError without a number; one with a number comes from the system.
        if isinstance(error, OSError) and not isinstance(error, DAMAGED) and error.errno is not None:
            raise
        raise DataError(f"{where}: truncated or damaged ({error}); delete {path} and download it again") from error


@contextmanager
def _open(path: Path, member: str) -> Iterator[Stream]:
    if not member:
        with _open_plain(path) as plain:
            yield plain
        return
    safe = PurePosixPath(member)
    if safe.is_absolute() or ".." in safe.parts:
        raise DataError(f"{path}: member {member!r} leaves its archive; use a relative path without `..`")
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            if member not in archive.namelist():
                raise DataError(f"{path}: no member {member!r}; it has {_some(archive.namelist())}")
            with archive.open(member) as file:
                yield file
        return
    with _tar_member(path, member) as file:
        yield file


def _open_plain(path: Path) -> Stream:
    if path.suffix == ".gz":
        return gzip.open(path)
    if path.suffix == ".bz2":
        return bz2.open(path)
    return path.open("rb")


@contextmanager
def _tar(path: Path) -> Iterator[tarfile.TarFile]:
    """Open an archive as a pipe: one pass, no index of the members before.

    It is decompressed here because tarfile takes a compressed file that breaks off between two members for whole.
    """
    with (
        gzip.open(path) if path.suffix == ".tgz" else _open_plain(path) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
    ):
        yield archive


@contextmanager
def _tar_member(path: Path, member: str) -> Iterator[IO[bytes]]:
    seen = []
    with _tar(path) as archive:
        for info in archive:
            if PurePosixPath(info.name) == PurePosixPath(member):
                stream = archive.extractfile(info) if info.isreg() else None
                if stream is None:
                    raise DataError(f"{path}: member {member!r} is a link or a folder, not a file")
                yield stream
                return
            seen.append(info.name)
    raise DataError(f"{path}: no member {member!r}; it has {_some(seen)}")


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "none"


def decoded(stream: Stream, where: str) -> Iterator[str]:
    """Yield lines; only a newline ends one, so that odd Unicode separators never shift parallel files."""
    for number, raw in enumerate(stream, start=1):
        try:
            yield raw.decode("utf-8").rstrip("\n").removesuffix("\r")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{where}, line {number}: not valid UTF-8 ({error.reason} at byte {error.start})"
            ) from error


def _segments(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        for text in SEGMENT.findall(line):
            yield unescape(text, {"&quot;": '"', "&apos;": "'"}).strip()


def _column(lines: Iterator[str], column: int, where: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        if column >= len(cells):
            raise DataError(f"{where}, line {number}: {len(cells)} tab-separated columns, column {column} asked for")
        yield cells[column]
