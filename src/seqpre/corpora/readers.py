"""Open one row's file, plain or inside an archive, and read its sentences as a stream."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO

from seqpre.common.errors import DataError
from seqpre.common.files import Stream, decoded, read_lines
from seqpre.corpora.catalog import Row
from seqpre.corpora.corrections import SIDES, read_pairs
from seqpre.corpora.normalise import lowercase
from seqpre.corpora.sgml import Segments, paired, read_segments
from seqpre.corpora.stats import Stats
from seqpre.corpora.treebank import tokenize
from seqpre.corpora.wikipedia import read_articles

DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile)
BLOCK = 1 << 20
LARGEST_FILE = 1 << 28  # bytes, of what is read as a whole: a story, a set of test documents


def read_sentences(path: Path, row: Row, stats: Stats | None = None) -> Iterator[str]:
    """Yield the sentences of `row` in the file `path`, without newline, untouched otherwise.

    Of a row whose member is a folder of an archive, `<folder>/`, those are the lines of all files in it, in the order
    that they have there. Of corrections that is the side which the row's language names; what is left out of them is
    counted in `stats`. A licensed one is read from where its file says that the user's copy is.

    Raises DataError naming file, member and line for bytes that are not UTF-8, a damaged or truncated archive, a
    missing member and a missing column.
    """
    if row.reader == "sgm":
        yield from _segments(path, row).values()
        return
    if row.licensed:
        path = _own_copy(path)
    if row.member.endswith("/"):
        for name, content in archived(path, ""):
            if name.is_relative_to(row.member):
                yield from decoded(io.BytesIO(content), place(path, str(name)))
        return
    where = place(path, row.member)
    with opened(path, row.member) as stream:
        if row.reader == "wiki":
            yield from chain.from_iterable(read_articles(stream, where))
            return
        if row.reader == "wiki:paragraphs":
            for paragraph in read_articles(stream, where):
                yield " ".join(chain.from_iterable(map(tokenize, paragraph)))
            return
        lines = decoded(stream, where)
        if row.reader.startswith("column:"):
            yield from _column(lines, int(row.reader.removeprefix("column:")), where)
        elif row.reader.startswith("tatoeba:"):
            from seqpre.corpora.tatoeba import read_portion  # imports NLTK and SciPy, which takes a second

            yield from read_portion(lines, row.reader.removeprefix("tatoeba:"), row.language, where)
        elif row.reader.startswith("lines:"):
            yield from _some_lines(lines, row.reader.removeprefix("lines:"), where)
        elif row.of_corrections:
            for pair in read_pairs(lines, row.reader, where, stats or Stats()):
                yield pair.source if row.language == SIDES[0] else pair.target
        elif row.reader.partition(":")[0] == "lowercase":
            language = row.reader.partition(":")[2] or row.language
            yield from (lowercase(line, language) for line in lines)
        else:
            yield from lines


def _own_copy(pointer: Path) -> Path:
    """Return the user's copy of a licensed text, whose path the file `pointer` holds."""
    named = "".join(read_lines(pointer)).strip()
    path = Path(named).expanduser()
    if not named or not path.is_file():
        raise DataError(f"{pointer} says {named or 'nothing'}, which is no file; write the path of your copy into it")
    return path


def read_beside(path: Path, row: Row, first: Path, first_row: Row) -> list[str]:
    """Return the segments of an SGML file in the order of another's: those with the same ids belong together."""
    return paired(
        _segments(path, row), place(path, row.member), _segments(first, first_row), place(first, first_row.member)
    )


def _segments(path: Path, row: Row) -> Segments:
    with opened(path, row.member) as stream:
        return read_segments(whole(stream, place(path, row.member)), place(path, row.member))


def place(path: Path, member: str = "") -> str:
    """Return how messages name a file or an archive's member."""
    return f"{path}!{member}" if member else str(path)


@contextmanager
def opened(path: Path, member: str = "") -> Iterator[Stream]:
    """Open a plain, .gz or .bz2 file, or one member of a .zip, .tar or .tgz as a stream; nothing is ever unpacked.

    What goes wrong in the block because the file is missing, unreadable, truncated or damaged is a DataError that names
    it.
    """
    with _damage_explained(path, member), _open(path, member) as stream:
        yield stream


def whole(stream: Stream, where: str) -> bytes:
    """Return all of a stream; DataError beyond LARGEST_FILE bytes, which a small archive may well unpack to."""
    content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise DataError(f"{where}: more than {LARGEST_FILE:,} bytes, which is no text of this kind")
    return content


def archived(path: Path, suffix: str) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield name and content of the files of a .tar or .tgz that end in `suffix`, in one pass."""
    with _damage_explained(path), _tar(path) as archive:
        for info in archive:
            if info.name.endswith(suffix) and info.isreg() and (stream := archive.extractfile(info)) is not None:
                yield PurePosixPath(info.name), whole(stream, place(path, info.name))


@contextmanager
def _damage_explained(path: Path, member: str = "") -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file; download or generate it first") from error
    except (*DAMAGED, OSError) as error:
        # bz2 reports damage as an OSError without a number; one with a number comes from the system.
        if isinstance(error, OSError) and not isinstance(error, DAMAGED) and error.errno is not None:
            raise DataError(f"{path}: cannot be read ({error.strerror})") from error
        raise DataError(
            f"{place(path, member)}: truncated or damaged ({error}); put a whole copy there, or delete {path} to "
            "download it again if it came from the web"
        ) from error


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
        with _zip_member(path, member) as file:
            yield io.BufferedReader(file)  # type: ignore[type-var]  # zipfile's own `readline` is slow
        return
    with _tar_member(path, member) as file:
        yield file


def _zip_member(path: Path, member: str) -> IO[bytes]:
    try:
        archive = zipfile.ZipFile(path)
        if member not in archive.namelist():
            raise DataError(f"{path}: no member {member!r}; it has {_some(archive.namelist())}")
        return archive.open(member)
    except RuntimeError as error:  # a password, a later version of the format
        raise DataError(
            f"{place(path, member)}: cannot be unpacked ({error}); pack it again, without a password"
        ) from error


def _open_plain(path: Path) -> gzip.GzipFile | bz2.BZ2File | io.BufferedReader:
    if path.suffix == ".gz":
        return gzip.open(path)
    if path.suffix == ".bz2":
        return bz2.open(path)
    return path.open("rb")


@contextmanager
def _tar(path: Path) -> Iterator[tarfile.TarFile]:
    """Open an archive as a pipe: one pass, no index of the members before; in the end its checksum has been compared.

    It is decompressed here because tarfile takes a compressed file that breaks off between two members for whole.
    """
    with (
        gzip.open(path) if path.suffix == ".tgz" else _open_plain(path) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
    ):
        yield archive
        while stream.read(BLOCK):  # A member is read before the checksum comes.
            pass


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


def _some_lines(lines: Iterator[str], numbers: str, where: str) -> Iterator[str]:
    """Yield the lines of these numbers, `first-last`, counted from 1."""
    first, last = map(int, numbers.split("-"))
    number = 0
    for number, line in enumerate(lines, start=1):
        if first <= number <= last:
            yield line
    if number < last:
        raise DataError(f"{where}: has {number:,} lines, and its row in the list of corpora takes those to {last:,}")


def _column(lines: Iterator[str], column: int, where: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        if column >= len(cells):
            raise DataError(f"{where}, line {number}: {len(cells)} tab-separated columns, column {column} asked for")
        yield cells[column]
