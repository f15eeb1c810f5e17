"""Open plain and compressed files and archive members as streams, and reject damaged ones; nothing is unpacked."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self

from seqpre.common.errors import DataError
from seqpre.common.files import Stream, decoded, read_lines
from seqpre.corpora.progress import Progress

DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile)
BLOCK = 1 << 20
ZEROS = 16  # bytes; an empty stream, which may end a file, ends in nine
PACK_FILES = "pack the files themselves again (tar --dereference --hard-dereference)"
LONGEST_PATH = 200  # characters of a path that a message shows
LARGEST_FILE = 1 << 28  # bytes, for files read as a whole: a story, a set of test documents
WEB_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s*(?:<\?xml[^>]*>|<!--.*?-->))*+\s*<(?:!doctype\s+html|html|head|body|meta|script)\b",
    re.IGNORECASE | re.DOTALL,
)
PAGE_START = 4096
"""Bytes at the start of a web page in which it can be recognised."""


@dataclass(frozen=True)
class File:
    """A file of the corpus list: a plain file, a member of an archive or, with `<folder>/`, all files of its folder.

    `language` is the language or side to read. For a `licensed` file, `path` contains the path of the user's copy.
    """

    path: Path
    member: str = ""
    language: str = ""
    reader: str = "lines"
    licensed: bool = False

    @property
    def where(self) -> str:
        """Its name in messages."""
        return place(self.path, self.member)

    @contextmanager
    def open(self) -> Iterator[Stream]:
        """Open it, as `opened` does."""
        with opened(own_copy(self.path) if self.licensed else self.path, self.member) as stream:
            yield stream

    def lines(self) -> Iterator[str]:
        """Yield its lines; those of a folder in the order of the archive's files."""
        if self.member.endswith("/"):
            for name, content in archived(self.path, folder=self.member):
                yield from decoded(io.BytesIO(content), place(self.path, str(name)))
        else:
            with self.open() as stream:
                yield from decoded(stream, self.where)

    def whole(self) -> bytes:
        """Return all of its content."""
        with self.open() as stream:
            return whole(stream, self.where)


def own_copy(pointer: Path, folder: bool = False) -> Path:
    """Return the user's copy of a licensed text, a file or a folder; the file `pointer` contains its path.

    Raises DataError if there is no copy at that path, or if `pointer` contains something else, such as the text itself.
    """
    what, advice = "folder" if folder else "file", "write the path of your copy into it"
    try:
        named = "".join(islice(read_lines(pointer), 2)).strip()
    except DataError as error:
        raise DataError(f"{error}; {advice}") from error
    path = os.path.expanduser(named)
    if not (os.path.isdir(path) if folder else os.path.isfile(path)):
        raise DataError(f"{pointer} says {named[:LONGEST_PATH] or 'nothing'}, which is no {what}; {advice}")
    return Path(path)


def place(path: Path, member: str = "") -> str:
    """Return the name of a file or an archive's member in messages."""
    return f"{path}!{member}" if member else str(path)


@contextmanager
def opened(path: Path, member: str = "") -> Iterator[Stream]:
    """Open a plain, .gz or .bz2 file, or one member of a .zip, .tar or .tgz, as a stream; nothing is unpacked.

    Errors in the block become a DataError, naming the file, if it is missing, unreadable, truncated or damaged.
    """
    with _damage_explained(path, member), _open(path, member) as stream:
        yield stream


def whole(stream: Stream, where: str) -> bytes:
    """Return all of a stream. Raises DataError beyond LARGEST_FILE bytes, which a small archive can expand to."""
    content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise DataError(f"{where}: more than {LARGEST_FILE:,} bytes, which is no text of this kind")
    return content


def archived(path: Path, suffix: str = "", folder: str = "") -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield name and content of a .tar or .tgz's files that end in `suffix` and are below `folder`, in one pass.

    Raises DataError for links, whose text would be missing, and for two files of one name.
    """
    seen = set[PurePosixPath]()
    with _damage_explained(path), _tar(path, path.suffix) as (archive, members):
        for info in members:
            name = PurePosixPath(info.name)
            if not info.isdir() and info.name.endswith(suffix) and name.is_relative_to(folder):
                if name in seen:
                    raise _twice(path, info.name)
                seen.add(name)
                yield name, whole(_content(archive, info, path), place(path, info.name))


def check_download(path: Path, name: Path) -> None:
    """Read all of a downloaded file, which is packed as its final name `name` says.

    Raises DataError for a damaged, truncated or empty archive or compressed file, and for a web page.
    """
    refuse_web_page(path, name)
    with _damage_explained(name), Progress(f"test {name.name}", unit="B") as progress:
        if name.suffix == ".zip":
            sizes = _zip_sizes(path, name)
        elif name.suffix in (".tar", ".tgz") or name.stem.endswith(".tar"):
            sizes = _tar_sizes(path, name.suffix)
        elif name.suffix in (".gz", ".bz2"):
            sizes = _unpacked_sizes(path, name)
        else:
            sizes = iter([path.stat().st_size])
        for size in sizes:
            progress.add(size)
    if not progress.done:
        raise DataError(f"{name}: empty; put a whole copy there, or delete it to download it again")


def refuse_web_page(path: Path, name: Path) -> None:
    """Raise DataError if a file is a web page: servers may send one with status 200 instead of the file."""
    with path.open("rb") as file:
        _refuse_page(file.read(PAGE_START), name)


def _refuse_page(start: bytes, name: Path) -> None:
    if WEB_PAGE.match(start):
        raise DataError(
            f"{name}: a web page came in place of the file, perhaps one to sign in; open the address in a browser"
        )


def _zip_sizes(path: Path, name: Path) -> Iterator[int]:
    """Yield how much of a .zip has been read; the end of each member verifies its checksum."""
    with _zip_explained(name), zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            with archive.open(info) as stream:
                yield from map(len, iter(lambda: stream.read(BLOCK), b""))


def _tar_sizes(path: Path, suffix: str) -> Iterator[int]:
    with _tar(path, suffix) as (_, members):
        for info in members:
            yield info.size


def _unpacked_sizes(path: Path, name: Path) -> Iterator[int]:
    with _open_plain(path, name.suffix) as stream:
        start = stream.read(PAGE_START)
        _refuse_page(start, name)  # some servers pack their error pages, too
        yield len(start)
        yield from map(len, iter(lambda: stream.read(BLOCK), b""))


@contextmanager
def _damage_explained(path: Path, member: str = "") -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file; download or generate it first") from error
    except (*DAMAGED, OSError) as error:
        # bz2 reports damage as an OSError without errno; one with errno is a system error.
        if isinstance(error, OSError) and not isinstance(error, DAMAGED) and error.errno is not None:
            raise DataError(f"{path}: cannot be read ({error.strerror})") from error
        raise DataError(
            f"{place(path, member)}: truncated or damaged ({error}); put a whole copy there, or delete {path} to "
            "download it again if it came from the web"
        ) from error


@contextmanager
def _open(path: Path, member: str) -> Iterator[Stream]:
    if not member:
        with _open_plain(path, path.suffix) as plain:
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
    with _zip_explained(path, member):
        archive = zipfile.ZipFile(path)
        names = archive.namelist()
        if member not in names:
            raise DataError(f"{path}: no member {member!r}; it has {_some(names)}")
        if names.count(member) > 1:
            raise _twice(path, member)
        if stat.S_ISLNK(archive.getinfo(member).external_attr >> 16):
            raise DataError(f"{path}: member {member!r} is a link; {PACK_FILES}")
        return archive.open(member)


@contextmanager
def _zip_explained(path: Path, member: str = "") -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: the name {error.object!r} of a member is not UTF-8, as it says; pack it again with other names"
        ) from error
    except RuntimeError as error:  # a password, or a later version of the format
        raise DataError(
            f"{place(path, member)}: cannot be unpacked ({error}); pack it again, without a password"
        ) from error


def _open_plain(path: Path, suffix: str) -> gzip.GzipFile | io.BufferedReader:
    if suffix in (".gz", ".tgz"):
        _refuse_zeros(path)
        return gzip.open(path)
    if suffix == ".bz2":
        return io.BufferedReader(_Bz2(path), BLOCK)
    if suffix in (".xz", ".zst", ".7z"):
        raise DataError(f"{path}: {suffix} is not read; pack it as .gz, .bz2 or .zip")
    return path.open("rb")


def _refuse_zeros(path: Path) -> None:
    """Raise EOFError for a .gz file that ends in zeros, as after a broken transfer: `gzip` ignores them as padding."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - ZEROS))
        if file.read() == bytes(ZEROS):
            raise EOFError("it ends in zeros")


class _Bz2(io.RawIOBase):
    """The content of a .bz2 file, with all its streams; `bz2.open` silently drops what follows a damaged header."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self._stream = bz2.BZ2Decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = b""
        while not content:
            compressed = b""
            if self._stream.eof:
                compressed = self._stream.unused_data or self._file.read(BLOCK)
                if not compressed:
                    return 0
                self._stream = bz2.BZ2Decompressor()
            elif self._stream.needs_input:
                compressed = self._file.read(BLOCK)
                if not compressed:
                    raise EOFError("the file ends before its last stream does")
            content = self._stream.decompress(compressed, len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        self._file.close()
        super().close()


class _Header(tarfile.TarInfo):
    """A tar header that rejects damage; tarfile silently treats a damaged or missing header as the end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        if any(buf) or len(buf) < tarfile.BLOCKSIZE:  # otherwise the end mark, which tarfile looks for
            try:
                return super().frombuf(buf, encoding, errors)
            except tarfile.HeaderError as error:
                raise tarfile.ReadError(f"{error} where a member or the archive's end was to come") from error
        return super().frombuf(buf, encoding, errors)


@contextmanager
def _tar(path: Path, suffix: str) -> Iterator[tuple[tarfile.TarFile, Iterator[tarfile.TarInfo]]]:
    """Open an archive as a pipe and yield its members in one pass; at the end all of it has been verified.

    It is decompressed here because tarfile accepts a compressed file that breaks off between two members.
    """
    with _open_plain(path, suffix) as stream, tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive:
        members = iter(archive.next, None)
        yield archive, members
        for _ in members:  # Read the rest, for the checksum of the whole.
            pass
        rest = archive.fileobj
        assert rest is not None
        while block := rest.read(BLOCK):
            if any(block):
                raise tarfile.ReadError("text follows the mark of the archive's end")
        if rest.tell() % tarfile.BLOCKSIZE:
            raise tarfile.ReadError(f"{rest.tell():,} bytes, no multiple of {tarfile.BLOCKSIZE}")


@contextmanager
def _tar_member(path: Path, member: str) -> Iterator[IO[bytes]]:
    seen = []
    with _tar(path, path.suffix) as (archive, members):
        for info in members:
            if PurePosixPath(info.name) == PurePosixPath(member):
                yield _content(archive, info, path)
                break
            seen.append(info.name)
        else:
            raise DataError(f"{path}: no member {member!r}; it has {_some(seen)}")
        if any(PurePosixPath(info.name) == PurePosixPath(member) for info in members):
            raise _twice(path, member)


def _content(archive: tarfile.TarFile, info: tarfile.TarInfo, path: Path) -> IO[bytes]:
    """Return the content of the current member of an archive. Raises DataError unless it is a file."""
    if info.issym() or info.islnk():
        raise DataError(f"{path}: member {info.name!r} is a link to {info.linkname!r}; {PACK_FILES}")
    stream = archive.extractfile(info) if info.isreg() else None
    if stream is None:
        raise DataError(f"{path}: member {info.name!r} is a folder or a device, not a file")
    return stream


def _twice(path: Path, member: str) -> DataError:
    return DataError(f"{path}: has two files {member!r}; pack it again with the right one alone")


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "none"
