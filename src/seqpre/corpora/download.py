"""Download one file of the list of corpora: resumed, verified, and in place only when it is whole.

The mirror is tried first: a folder or a base address laid out `<host>/<path>` as `wget -x` writes it, from the
environment variable SEQPRE_MIRROR. Then comes the file's own address. An interrupted transfer resumes, in this run or
the next. The file is accepted if size and SHA-256 are those of the list. A row without SHA-256 is pinned in `pins.json`
at its first download, after archives have been read completely and web pages rejected; every later copy must equal that
first one. Text that needs a licence (`licensed:<name>`) is not fetched: `<downloads>/licensed/<name>` is a line of text
with the path of the user's own copy. A url that is a path is not fetched either: the file is used where it is.

    python -m seqpre.corpora.download --corpora workflow/corpora.tsv --downloads results/downloads --url URL
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import requests
import urllib3

from seqpre.common.arguments import parser_of
from seqpre.common.errors import DISK_FULL, ConfigError, DataError, command
from seqpre.common.files import read_json, sha256_of, write_json
from seqpre.corpora.archives import check_download, refuse_web_page
from seqpre.corpora.catalog import Row, find_url, read_catalog
from seqpre.corpora.progress import Progress

BLOCK = 1 << 20
RETRIES = 5
TIMEOUT = (15, 60)  # seconds to connect, seconds between bytes
PERMANENT = (400, 401, 403, 404, 405, 410)


class UnavailableError(Exception):
    """A source does not have the file or cannot be reached; the next source may."""


def fetch(row: Row, downloads: Path, mirror: str | None = None, back_off: float = 1.0) -> Path:
    """Return the verified local copy of `row`; download it if it is missing.

    `back_off` is the pause in seconds before the first retry; it doubles with every retry. Raises DataError if no
    source has the file, or if it does not match the list.
    """
    if row.generated:
        raise ConfigError(f"{row.url} is not downloaded: snakemake {downloads / row.relative_path} writes it")
    if row.own is not None:
        raise ConfigError(f"{row.url} is not downloaded: it is used where it is")
    target = downloads / row.relative_path
    if row.licensed:
        return _provided(row, target, mirror)
    # Hashed, because as one name the path may be too long for file systems.
    lock = downloads / ".locks" / hashlib.sha256(str(row.relative_path).encode()).hexdigest()[:32]
    with _no_space_explained(target, row.bytes), _locked(lock):
        target.parent.mkdir(parents=True, exist_ok=True)
        if not row.sha256:
            _read_pins(downloads / "pins.json")  # Find damage in it before the transfer.
        if target.is_dir():
            raise DataError(f"{target}: a folder in place of a file; move it away and run again")
        if target.exists():
            _verify(target, row, downloads, shown_as=target)
            return target
        failures = []
        for source in sources(row, mirror):
            try:
                part = _fetch_from(source, target, row, downloads, back_off)
                _sync_and_rename(part, target)
                return target
            except (UnavailableError, DataError) as problem:
                failures.append(f"{source}: {problem}")
                print(f"download: {source}: {problem}", file=sys.stderr)
    raise DataError(
        f"{target}: no source gave the right file ({'; '.join(failures)}); put a good copy at {target}, or set "
        f"`mirror` to a folder or address that has {row.relative_path}"
    )


def is_address(place: str) -> bool:
    """Return whether a mirror or file is on the web, and not a local path."""
    return place.startswith(("http://", "https://"))


def mirror_of(config: Mapping[str, Any]) -> str:
    """Return the mirror: SEQPRE_MIRROR, else that of a configuration; empty without one."""
    return os.environ.get("SEQPRE_MIRROR") or config["mirror"] or ""


def check_mirror(mirror: str | None) -> None:
    """Raise ConfigError if the mirror is a folder that does not exist."""
    if mirror and not is_address(mirror) and not os.path.isdir(os.path.expanduser(mirror)):
        raise ConfigError(f"the mirror {mirror} is no folder; correct SEQPRE_MIRROR or `mirror`, or leave it out")


def _provided(row: Row, target: Path, mirror: str | None) -> Path:
    """Return the file with the path of the user's licensed copy, from the downloads folder or a mirror folder."""
    offered = Path(os.path.expanduser(mirror or "")) / row.relative_path
    if not target.exists() and mirror and offered.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        _copy(offered, target)
    if not target.exists():
        raise DataError(
            f"{target}: not there. {row.note}; licence: {row.licence}. With a copy of your own, write its path into"
            f" that file: mkdir -p {target.parent} && echo /path/to/your/copy > {target}"
        )
    return target


def sources(row: Row, mirror: str | None) -> list[str]:
    """Return the sources of a file, in order: the mirror, then its own address unless it needs a licence."""
    own = [] if row.licensed else [row.url]
    if not mirror or (row.licensed and is_address(mirror)):
        return own
    if is_address(mirror):
        return [f"{mirror.rstrip('/')}/{quote(str(row.relative_path))}", *own]
    return [str(Path(os.path.expanduser(mirror)) / row.relative_path), *own]


def _fetch_from(source: str, target: Path, row: Row, downloads: Path, back_off: float) -> Path:
    """Return the verified `.part` file; a resumed transfer that fails verification is restarted once from zero."""
    part = target.with_name(f"{target.name}.part")
    for again in (True, False):
        resumed = False
        if is_address(source):
            resumed = _transfer(source, part, row, back_off)
        elif Path(source).is_file():
            _copy(Path(source), part)
        else:
            raise UnavailableError("no such file")
        try:
            _verify(part, row, downloads, shown_as=target if is_address(source) else Path(source))
            return part
        except DataError:
            part.unlink()
            _version_of(part).unlink(missing_ok=True)
            if not (resumed and again):
                raise
    raise AssertionError("unreachable")


def _copy(source: Path, part: Path) -> None:
    try:
        origin = source.open("rb")
    except OSError as error:
        raise UnavailableError(f"cannot be read ({error.strerror})") from error
    with origin, part.open("wb") as file, Progress(f"copy {source.name}", source.stat().st_size, "B") as progress:
        while block := origin.read(BLOCK):
            file.write(block)
            progress.add(len(block))


def _transfer(url: str, part: Path, row: Row, back_off: float) -> bool:
    """Fill `part` from `url` with retries; return whether bytes of an earlier attempt were used."""
    resumed = part.exists() and part.stat().st_size > 0
    for attempt in range(RETRIES + 1):
        try:
            _request(url, part, row)
            return resumed or attempt > 0
        except (requests.RequestException, urllib3.exceptions.HTTPError) as problem:
            status = problem.response.status_code if isinstance(problem, requests.HTTPError) else None
            if status in PERMANENT:
                raise UnavailableError(f"HTTP {status}") from problem
            reason = f"HTTP {status}" if status else type(problem).__name__
            if attempt == RETRIES:
                raise UnavailableError(f"{reason} after {RETRIES + 1} attempts; what has arrived is kept") from problem
            pause = back_off * 2**attempt
            print(f"download: {url}: {reason}; again in {pause:.0f} s", file=sys.stderr)
            time.sleep(pause)
    raise AssertionError("unreachable")


def _version_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.version")


def _request(url: str, part: Path, row: Row) -> None:
    """Request the missing bytes of `part` once.

    The file's version (a strong ETag, else its date) is stored next to it. With If-Range the server sends the whole
    file if the version has changed, so two versions are never concatenated. A file without a version is requested whole
    unless its SHA-256 is known, which would reveal a mixture.
    """
    version, size = _version_of(part), row.bytes
    have = part.stat().st_size if part.exists() else 0
    if size is not None and have >= size:
        return
    # Without `identity` some servers decompress .gz files.
    headers = {"Accept-Encoding": "identity"}
    if have and (version.exists() or row.sha256):
        headers["Range"] = f"bytes={have}-"
        if version.exists():
            headers["If-Range"] = version.read_text(encoding="ascii")
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
        if response.status_code == 416:
            # There are no bytes beyond ours: the file is complete, or another one. Verification decides.
            if response.headers.get("Content-Range") != f"bytes */{have}":
                part.unlink()
                raise requests.ConnectionError("the partial file does not fit; starting over")
            return
        response.raise_for_status()
        if response.status_code == 206 and response.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
            mode = "ab"
        elif response.status_code == 200:
            mode, have = "wb", 0
        else:
            raise requests.ConnectionError(f"unexpected answer {response.status_code}")
        tags = (response.headers.get(name, "") for name in ("ETag", "Last-Modified"))
        if mode == "wb":
            version.unlink(missing_ok=True)
            if tag := next((tag for tag in tags if tag and tag.isascii() and not tag.startswith("W/")), ""):
                version.write_text(tag, encoding="ascii")
        length = response.headers.get("Content-Length")
        total = have + int(length) if length and length.isdecimal() else size
        with part.open(mode) as file, Progress(f"download {part.stem}", total, "B") as progress:
            progress.start_at(have)
            for block in response.raw.stream(BLOCK, decode_content=False):
                file.write(block)
                progress.add(len(block))


def _verify(file: Path, row: Row, downloads: Path, shown_as: Path) -> None:
    """Raise DataError unless `file` has the row's size and SHA-256, or the pinned ones; pin them if there are none.

    Before pinning, web pages and damaged archives are rejected, because every later copy must be equal.
    """
    size, digest = file.stat().st_size, sha256_of(file)
    pins = downloads / "pins.json"
    pin = {} if row.sha256 else _read_pins(pins).get(row.url, {})
    expected, expected_size = pin.get("sha256", row.sha256), pin.get("bytes", row.bytes)
    origin = pins if pin else "the list of corpora"
    if expected_size not in (None, size):
        column, differs = "bytes", f"size differs: expected {expected_size:,} bytes ({origin}), got {size:,}"
    elif expected not in ("", digest):
        column, differs = "sha256", f"checksum differs: expected sha256 {expected} ({origin}), got {digest}"
    elif expected:
        return
    else:
        check_download(file, shown_as)
        with _locked(downloads / ".locks" / "pins"):
            write_json(pins, _read_pins(pins) | {row.url: {"sha256": digest, "bytes": size}})
        print(f"download: pinned {row.url} to sha256 {digest} in {pins}", file=sys.stderr)
        return
    refuse_web_page(file, shown_as)
    fix = f"correct `{column}` if {row.url} really has a new version"
    if pin:
        fix = f'remove "{row.url}" from {pins} if that first download was wrong, or the address has a new version'
    raise DataError(f"{shown_as}: {differs}; delete the file and run again, or {fix}")


def verify(row: Row, downloads: Path) -> None:
    """Raise DataError if a downloaded file does not match its row, whoever put it there."""
    file = downloads / row.relative_path
    if row.own is not None:
        row.check()
        verify_own(row)
    elif (row.sha256 or not (row.generated or row.licensed)) and file.is_file():
        _verify(file, row, downloads, shown_as=file)


def verify_own(row: Row) -> None:
    """Raise DataError if the user's own file does not match its row; size and SHA-256 are optional."""
    assert row.own is not None
    stated = {"bytes": row.bytes, "sha256": row.sha256 or None}
    found = {"bytes": row.own.stat().st_size, "sha256": row.sha256 and sha256_of(row.own)}
    for column, value in stated.items():
        if value not in (None, found[column]):
            raise DataError(
                f"{row.own}: {column} is {found[column]}, {row.where} says {value}; put the right file there,"
                " or correct the row"
            )


def _read_pins(path: Path) -> dict[str, Any]:
    """Return size and SHA-256 by address. Raises DataError if the file has other content."""
    known = read_json(path) if path.exists() else {}
    pins = known.values() if isinstance(known, dict) else [None]
    if not all(isinstance(pin, dict) and {"sha256", "bytes"} <= set(pin) for pin in pins):
        raise DataError(f"{path}: no sizes and checksums by address; delete it to pin them again")
    return dict(known)


def _sync_and_rename(part: Path, target: Path) -> None:
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(target)
    _version_of(part).unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on `path` across processes, so that two jobs never write one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _no_space_explained(target: Path, size: int | None) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
        needed = f" (the file has {size:,} bytes)" if size else ""
        raise DataError(
            f"{target}: no space left on the disk{needed}; free some and run again, the download goes on where it was"
        ) from error


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Parse arguments, download, say where the file is."""
    parser = parser_of(__doc__)
    parser.add_argument("--corpora", type=Path, required=True, help="the list of corpora, workflow/corpora.tsv")
    parser.add_argument("--url", required=True, help="address of a row of that list")
    parser.add_argument("--downloads", type=Path, required=True, help="folder that receives <host>/<path>")
    args = parser.parse_args(argv)
    mirror = os.environ.get("SEQPRE_MIRROR")
    check_mirror(mirror)
    print(fetch(find_url(read_catalog(args.corpora), args.url), args.downloads, mirror))


if __name__ == "__main__":
    main()
