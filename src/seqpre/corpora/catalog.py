"""The list of corpora: one row for each file, with address, checksum, licence and reader.

The url of the user's own text is a path, relative to the folder of the list, or `file://` and an absolute path. A row
whose url begins with `corpus:` stands for rows above it, see `_parts`.
"""

from __future__ import annotations

import csv
import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import read_lines, refuse_braces
from seqpre.corpora.readers import ARTICLES, PAIRS, READERS, SIDES, find_reader

if TYPE_CHECKING:
    from seqpre.corpora.archives import File

GENERATORS = {"grammar": "translation", "news": "news", "corrections": "corrections"}
"""Corpora of `seqpre.demo.generate`, by the scheme of their url."""
ERRORS = "errors"
"""The scheme of text to which `seqpre.corpora.errors` adds errors."""
LICENSED = "licensed"
SEGMENTS = "segments"
"""The split name of a training text cut into sequences for a denoiser."""
REFERENCES = "_references"
"""Suffix of a split that has all references of another one."""
PARTS = re.compile(r"corpus:(?P<name>\w+)(?:/(?P<split>\w+)(?:\.(?P<language>[a-z]+))?)?")
"""The url of a row that stands for other rows."""
LONGEST_NAME = 240
"""Bytes: file systems allow 255, and temporary names have up to 13 more (`.part.version`)."""


@dataclass(frozen=True)
class Row:
    """One row of `corpora.tsv`: a file, or an archive's member, that contains lines of a split in one language.

    Monolingual pairs have sides instead: `document` and `summary`, or `source` and `target`. If the reader finds
    several splits or sides in a file, the row lists them all, separated by commas.
    """

    name: str
    split: str
    language: str
    reader: str
    member: str
    url: str
    sha256: str
    bytes: int | None
    licence: str
    note: str
    catalog: Path = Path()
    """The list that contains the row, and the row's line."""
    line: int = 0

    @property
    def where(self) -> str:
        """The row's name in messages."""
        return f"{self.catalog}, line {self.line}"

    @property
    def own(self) -> Path | None:
        """The user's own file, if the url is a path; it is used in place. None for other text."""
        path = local_path(self.url)
        return None if path is None else self.catalog.parent / path

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits in the file."""
        return tuple(self.split.split(","))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages, or sides, in the file."""
        return tuple(self.language.split(","))

    @property
    def generated(self) -> bool:
        """Whether the text is generated here: the demo's, or text with synthetic errors."""
        return self.url.partition(":")[0] in (*GENERATORS, ERRORS)

    @property
    def has_errors(self) -> bool:
        """Whether the text is a corpus with synthetic errors."""
        return self.url.startswith(f"{ERRORS}:")

    @property
    def licensed(self) -> bool:
        """Whether the text needs a licence; the user says where a copy is."""
        return self.url.startswith(f"{LICENSED}:")

    @property
    def gives(self) -> str:
        """What the reader returns: text, pairs or articles."""
        return find_reader(self.reader)[0].gives

    @property
    def relative_path(self) -> PurePosixPath:
        """Path below the downloads folder or a mirror, `<host>/<path>`; for the user's own file, its own path."""
        return relative_path(self.url) if self.own is None else PurePosixPath(self.own.absolute())

    def file(self, downloads: Path, language: str) -> File:
        """Return the file to read for one language or side."""
        from seqpre.corpora.archives import File  # only needed to read a file, not the list

        return File(downloads / self.relative_path, self.member, language, self.reader, self.licensed)

    def check(self) -> None:
        """Raise ConfigError if the user's own file is missing or empty."""
        if self.own is None:
            return
        refuse_braces(self.own, f"{self.where}: the file")
        if not self.own.is_file() or not self.own.stat().st_size:
            what = "is empty" if self.own.is_file() else "is a folder" if self.own.is_dir() else "does not exist"
            raise ConfigError(f"{self.where}: url {self.url!r} names the file {self.own}, which {what}")


def local_path(url: str) -> Path | None:
    """Return the path that a url stands for, None for any other url."""
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return Path(_a_name(unquote(parts.path), url))
    return None if parts.scheme else Path(os.path.expanduser(_a_name(url, url)))


def relative_path(url: str) -> PurePosixPath:
    """Return `<host>/<path>` for a url, the layout of `wget -x`. Raises ConfigError if it would leave the folder."""
    scheme, _, rest = url.partition(":")
    if scheme in (*GENERATORS, ERRORS, LICENSED):
        path = PurePosixPath(scheme, rest)
    else:
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        path = PurePosixPath(parts.netloc, unquote(parts.path).lstrip("/") + query)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ConfigError(
                f"url {url!r} is neither a path, file:///..., http(s)://..., {LICENSED}:<name> nor "
                "grammar:<corpus>/<split>.<language>"
            )
    if path.is_absolute() or ".." in path.parts or len(path.parts) < 2:
        raise ConfigError(f"url {url!r} does not name a file below its host")
    return PurePosixPath(_a_name(str(path), url))


def _a_name(path: str, url: str) -> str:
    """Return a url's path. Raises ConfigError if no file can have it."""
    if "\0" in path:
        raise ConfigError(f"url {url!r} has %00 in it, which no file's name has; use the path of a copy of your own")
    longest = max(len(os.fsencode(name)) for name in path.split("/"))
    if longest > LONGEST_NAME:
        raise ConfigError(
            f"url {url[:60]!r}...: a name in it has {longest:,} bytes, more than the {LONGEST_NAME} that a file's may"
            " have; use the path of a copy of your own"
        )
    return path


COLUMNS = tuple(field.name for field in fields(Row) if field.name not in ("catalog", "line"))


def read_catalog(path: Path | str) -> list[Row]:
    """Read `corpora.tsv`. Raises ConfigError for a wrong cell, naming file, line, column and accepted values."""
    path = Path(path)
    rows: list[Row] = []
    if not path.is_file():
        raise ConfigError(f"corpora: there is no list {path}")
    try:
        reader = csv.DictReader(read_lines(path), delimiter="\t", quoting=csv.QUOTE_NONE)
        if reader.fieldnames is None or tuple(reader.fieldnames) != COLUMNS:
            raise ConfigError(f"{path}, line 1: expected the columns {' '.join(COLUMNS)}")
        for cells in reader:
            where = f"{path}, line {reader.line_num}"
            if None in cells or None in cells.values():
                raise ConfigError(f"{where}: expected {len(COLUMNS)} tab-separated cells")
            row = _row(cells, where, path, reader.line_num)
            found = _parts(row, rows) if PARTS.fullmatch(row.url) else [row]
            for one in found:
                sides = {PAIRS: SIDES, ARTICLES: ("document", "summary")}.get(one.gives)
                if sides and not set(one.languages) <= set(sides):
                    raise ConfigError(f"{where}: language {one.language!r}; {one.reader} gives {','.join(sides)}")
                if not sides and len(one.splits) * len(one.languages) > 1:
                    raise ConfigError(
                        f"{where}: {one.split}.{one.language}; {one.reader} gives one text: write a row for each"
                    )
            rows += found
    except (DataError, csv.Error) as error:
        raise ConfigError(f"{path}: not a list of corpora ({error})") from error
    return rows


def _row(cells: dict[str, str], where: str, path: Path, number: int) -> Row:
    stands_for_others = PARTS.fullmatch(cells["url"]) is not None
    for column in ("name", "split", "language", "reader", "url", "licence"):
        if not cells[column] and not (stands_for_others and column in ("reader", "licence")):
            raise ConfigError(f"{where}: column {column} is empty")
    for column, accepted in (("name", r"\w+"), ("split", r"\w+(,\w+)*"), ("language", "[a-z]+(,[a-z]+)*")):
        if not re.fullmatch(accepted, cells[column]):
            letters = "a-z" if column == "language" else "letters, digits and _"
            raise ConfigError(f"{where}: {column} {cells[column]!r}; it may have {letters}")
    for column in ("member", "sha256", "bytes", "licence"):
        if stands_for_others and cells[column]:
            raise ConfigError(f"{where}: {column} {cells[column]!r}; {cells['url']} has it, leave it empty")
    try:
        _ = cells["reader"] and find_reader(cells["reader"])
    except KeyError:
        raise ConfigError(f"{where}: reader {cells['reader']!r}; accepted: {', '.join(READERS)}") from None
    if cells["sha256"] and not re.fullmatch(r"[0-9a-f]{64}", cells["sha256"]):
        raise ConfigError(f"{where}: sha256 {cells['sha256']!r} is not 64 lower-case hexadecimal digits")
    if not re.fullmatch("[0-9]{0,18}", cells["bytes"]):
        raise ConfigError(f"{where}: bytes {cells['bytes']!r} is not a number")
    if cells["member"].endswith("/") and not cells["url"].endswith((".tar", ".tar.gz", ".tgz")):
        raise ConfigError(
            f"{where}: member {cells['member']!r} is a folder, of which only a .tar, .tar.gz or .tgz is read"
        )
    member = PurePosixPath(cells["member"])
    if member.is_absolute() or ".." in member.parts:
        raise ConfigError(f"{where}: member {cells['member']!r} leaves its archive; use a relative path without `..`")
    text = {column: value for column, value in cells.items() if column != "bytes"}
    row = Row(**text, bytes=int(cells["bytes"]) if cells["bytes"] else None, catalog=path, line=number)
    try:
        _ = stands_for_others or row.relative_path
    except ValueError as error:  # from urllib, for an impossible address
        raise ConfigError(
            f"{where}: {error if isinstance(error, ConfigError) else f'url {row.url!r}: {error}'}"
        ) from error
    return row


def _parts(row: Row, above: Sequence[Row]) -> list[Row]:
    """Return the rows above that `row` stands for.

    They are the rows of a corpus, or of one of its splits, with the name of `row` and, where given, its reader and
    note. Of readers that read together, it replaces its own kind. Rows of a corpus keep their splits and languages.
    Rows of a split keep their languages, but take the split, and a language that the url names, from `row`.
    """
    found = PARTS.fullmatch(row.url)
    assert found is not None
    name, split, language = found.groups()
    parts = []
    for one in (each for each in above if each.name == name):
        splits = [each for each in one.splits if each in row.splits] if split is None else row.splits
        languages = [each for each in one.languages if each in row.languages] if language is None else row.languages
        is_part = split in (None, *one.splits) and language in (None, *one.languages)
        if is_part and splits and languages:
            reader = row.reader if row.reader and not _read_beside(row.reader, one.reader) else one.reader
            part = replace(one, name=row.name, reader=reader, note=row.note or one.note)
            parts.append(replace(part, split=",".join(splits), language=",".join(languages)))
    if not parts:
        raise ConfigError(f"{row.where}: url {row.url!r} names nothing above it with {row.split}.{row.language}")
    return parts


def _read_beside(reader: str, other: str) -> bool:
    """Return whether readers of two kinds read their files together, as lists of addresses and archives of stories."""
    together = {find_reader(name)[0].together for name in (reader, other)}
    return len(together) == 1 and together != {""} and reader.partition(":")[0] != other.partition(":")[0]


def select(rows: list[Row], name: str, split: str, language: str) -> list[Row]:
    """Return the rows whose files make up a split. Raises ConfigError, with the nearest name, if there are none."""
    found = [row for row in rows if row.name == name and split in row.splits and language in row.languages]
    if found:
        return found
    texts = ((row.name, *text) for row in rows for text in product(row.splits, row.languages))
    candidates = list(dict.fromkeys(f"{corpus}/{part}.{side}" for corpus, part, side in texts))
    close = difflib.get_close_matches(f"{name}/{split}.{language}", candidates, n=1, cutoff=0.0)
    raise ConfigError(f"no corpus {name}/{split}.{language}; did you mean {close[0] if close else 'to add a row'}?")


def find_url(rows: list[Row], url: str) -> Row:
    """Return the first row with this url. Raises ConfigError if rows that share the file disagree about it."""
    found = [row for row in rows if row.url == url]
    if not found:
        close = difflib.get_close_matches(url, [row.url for row in rows], n=1, cutoff=0.0)
        raise ConfigError(f"no corpus has the url {url!r}; did you mean {close[0] if close else 'to add a row'}?")
    if len({(row.sha256, row.bytes) for row in found}) > 1:
        raise ConfigError(f"rows with the url {url} disagree about sha256 or bytes")
    return found[0]
