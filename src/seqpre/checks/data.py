"""Checks of the texts: the mirror, downloads with their licences, and the user's own text."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import requests

from seqpre.checks.checkout import existing
from seqpre.checks.finding import Finding, Site, doubtful, failed, fine
from seqpre.common.errors import DataError
from seqpre.corpora.archives import own_copy
from seqpre.corpora.catalog import Row
from seqpre.corpora.download import is_address, sources, verify_own
from seqpre.corpora.readers import find_reader
from seqpre.planning.sheet import size
from seqpre.planning.texts import TextSizes

SECONDS = 5  # seconds that a server may take to answer
HAVE, DOWNLOAD, SUPPLY, NO_ANSWER = "have", "download", "supply", "no answer"


def mirror(site: Site) -> Finding:
    """Check that the mirror exists or answers."""
    advice = "correct SEQPRE_MIRROR or `mirror` in config.yaml, or leave it out"
    if not site.mirror:
        return fine("none, each file comes from its own address")
    if not is_address(site.mirror):
        there = os.path.isdir(os.path.expanduser(site.mirror))
        return fine(site.mirror) if there else failed(f"{site.mirror} is no folder", advice)
    return fine(f"{site.mirror} answers") if answers(site.mirror) else failed(f"{site.mirror} does not answer", advice)


def downloads(site: Site) -> Finding:
    """Check that every file is here, in the mirror or at its own address; list files with their licences.

    Files found nowhere must be supplied by the user. Sizes with ~ are estimated (`workflow/sizes.tsv`).
    """
    files: dict[PurePosixPath, list[Row]] = {}
    for row in site.rows:
        if not row.generated and row.own is None:
            files.setdefault(row.relative_path, []).append(row)
    if not files and any(row.own is not None for row in site.rows):
        return fine("none, all text is your own")
    if not files:
        return fine(f"none, the text of the {site.config['scale']} scale is generated")
    sizes = TextSizes(site.root / "workflow/sizes.tsv", site.rows, site.results / site.config["scale"])
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda rows: _found(rows, site, sizes), files.values()))
    nowhere = sum(file.state in (SUPPLY, NO_ANSWER) for file in found)
    together = "; ".join(
        f"{len(those)} {state}{f' ({_size(those)})' if state != SUPPLY else ''}"
        for state in (HAVE, DOWNLOAD, SUPPLY, NO_ANSWER)
        if (those := [file for file in found if file.state == state])
    )
    table = (*_table(found), f"together: {together}")
    if nowhere:
        what = f"{nowhere} of {len(files)} are not here, nor in the mirror, nor at their address"
        put = f"put them at {site.results}/downloads/<host>/<path>, as the table says where you need a licence"
        return failed(what, f"{put}, or set `mirror` in config.yaml", table)
    return fine(f"{len(files)} files", table)


@dataclass(frozen=True)
class _File:
    """A file of the corpus lists: its state, size and place. `about`: the size is an estimate."""

    state: str
    corpus: str
    bytes: int
    about: bool
    where: str
    licence: str


def _found(rows: list[Row], site: Site, sizes: TextSizes) -> _File:
    """Return the state of the file that these rows read."""
    row = rows[0]
    stated = sizes.download(row)
    here = site.results / "downloads" / row.relative_path
    for place in (str(here), *sources(row, site.mirror)):
        if _is_there(place):
            local = None if is_address(place) else Path(place)
            state = DOWNLOAD if local is None else HAVE
            size, about = (stated, row.bytes is None) if local is None else (local.stat().st_size, False)
            if local and row.licensed:  # this file only contains the path of the user's copy
                try:
                    place, size = str(own_copy(local, find_reader(row.reader)[0].folder)), 0
                except DataError as error:
                    return _File(SUPPLY, row.name, 0, False, str(error), row.licence)
            elif local and row.bytes not in (None, size):
                how = f"{local} has {size:,} bytes, not {row.bytes:,}: delete it"
                return _File(SUPPLY, row.name, 0, False, how, row.licence)
            return _File(state, row.name, size, about, place, row.licence)
    if row.licensed:
        return _File(SUPPLY, row.name, 0, False, f"{row.note}; write the path of your copy into {here}", row.licence)
    return _File(NO_ANSWER, row.name, stated, row.bytes is None, row.url, row.licence)


def _table(found: list[_File]) -> Iterator[str]:
    """Yield one line for all files of a corpus that have the same state, folder and licence."""
    groups: dict[tuple[str, ...], list[_File]] = {}
    for file in found:
        folder = file.where if file.state == SUPPLY else file.where.rpartition("/")[0]
        groups.setdefault((file.state, file.corpus, folder, file.licence), []).append(file)
    wide = max(len(file.corpus) for file in found)
    for (state, corpus, folder, licence), files in groups.items():
        where = files[0].where if len(files) == 1 else f"{folder}/"
        count = f"{len(files)} file{'s' * (len(files) > 1)}"
        size = "" if state == SUPPLY else _size(files)
        yield f"{state:9}  {corpus:{wide}}  {count:>8}  {size:>9}  {where} (licence: {licence})"


def _size(files: list[_File]) -> str:
    """Return the total size of files, marked if some sizes are estimated or unknown."""
    about = any(file.about or not file.bytes for file in files)
    return f"{'~' * about}{size(sum(file.bytes for file in files)) or '?'}"


def own_text(site: Site) -> Finding:
    """Check that the user's own text exists and is readable, and that training text contains no test text."""
    files = {row.relative_path: row for row in site.rows if row.own is not None}
    for row in files.values():
        verify_own(row)
    if not files:
        return fine("none; docs/own-text.md says how to add some")
    from seqpre.checks.own_text import examine  # Its packages may be missing here.

    texts, doubts = examine(list(site.studies.values()), site.rows, existing(site.results))
    found = f"{len(files)} files, all there; lines: {', '.join(texts)}"
    return doubtful(f"{found}; {'; '.join(doubts)}", "look whether it is meant so") if doubts else fine(found)


def answers(address: str) -> bool:
    """Return whether a server answers."""
    return 0 < _status(address) < 500


def _is_there(place: str) -> bool:
    if not is_address(place):
        return Path(place).is_file()
    return 0 < (status := _status(place)) < 400 or status == 405  # 405: the server refuses HEAD requests


def _status(address: str) -> int:
    """Return the HTTP status of an address, 0 if nothing answers in time."""
    try:
        return requests.head(address, allow_redirects=True, timeout=SECONDS).status_code
    except requests.RequestException:
        return 0
