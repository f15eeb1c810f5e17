"""Mirror, downloads, licences: what the texts need."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import requests

from seqpre.checks.checkout import existing
from seqpre.checks.finding import Finding, Site, doubtful, failed, fine
from seqpre.corpora.catalog import Row
from seqpre.corpora.download import is_address, verify_own

SECONDS = 5  # that a server may take to answer


def mirror(site: Site) -> Finding:
    """The mirror is there."""
    advice = "correct SEQPRE_MIRROR or `mirror` in config.yaml, or leave it out"
    if not site.mirror:
        return fine("none, each file comes from its own address")
    if not is_address(site.mirror):
        there = Path(site.mirror).expanduser().is_dir()
        return fine(site.mirror) if there else failed(f"{site.mirror} is no folder", advice)
    return fine(f"{site.mirror} answers") if answers(site.mirror) else failed(f"{site.mirror} does not answer", advice)


def downloads(site: Site) -> Finding:
    """Every file is here, in the mirror or at its own address; any other is the user's to provide."""
    files = {row.relative_path: row for row in site.rows if not row.generated and row.own is None}
    if not files and any(row.own is not None for row in site.rows):
        return fine("none, all text is your own")
    if not files:
        return fine(f"none, the text of the {site.config['scale']} scale is generated")
    folder = site.results / "downloads"
    absent = [row for path, row in files.items() if not (folder / path).is_file()]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: any(_is_there(place) for place in _places(row, site.mirror)), absent))
    nowhere = [row for row, there in zip(absent, found, strict=True) if not there]
    if nowhere:
        first = f"{folder / nowhere[0].relative_path} (licence: {nowhere[0].licence})"
        what = (
            f"{len(nowhere)} of {len(files)} are not here, nor in the mirror, nor at their address; the first: {first}"
        )
        return failed(what, "put them at these paths, or set `mirror` in config.yaml")
    return fine(f"{len(files) - len(absent)} of {len(files)} are here, {len(absent)} can be fetched")


def own_text(site: Site) -> Finding:
    """Text of one's own is there and can be read, as the lists of corpora say; nothing is in training and in a test."""
    files = {row.relative_path: row for row in site.rows if row.own is not None}
    for row in files.values():
        verify_own(row)
    if not files:
        return fine("none; docs/own-text.md says how to add some")
    from seqpre.checks.own_text import examine  # Its packages may be what is missing here.

    text = examine(list(site.studies.values()), site.rows, existing(site.results))
    found = f"{len(files)} files, all there; lines: {', '.join(text.found)}"
    return doubtful(f"{found}; {'; '.join(text.doubts)}", "look whether it is meant so") if text.doubts else fine(found)


def licences(site: Site) -> Finding:
    """Under which licences the texts are; keeping to them is the user's part."""
    corpora: dict[str, dict[str, None]] = {}
    for row in site.rows:
        corpora.setdefault(row.licence, {})[row.name] = None
    return fine("; ".join(f"{licence}: {', '.join(names)}" for licence, names in corpora.items()))


def _places(row: Row, mirror: str) -> Iterator[str]:
    """Yield where a file may come from, in the order in which the download tries."""
    if is_address(mirror):
        yield f"{mirror.rstrip('/')}/{quote(str(row.relative_path))}"
    elif mirror:
        yield str(Path(mirror).expanduser() / row.relative_path)
    yield row.url


def answers(address: str) -> bool:
    """Return whether a server is there, whatever it says."""
    return 0 < _status(address) < 500


def _is_there(place: str) -> bool:
    if not is_address(place):
        return Path(place).is_file()
    return 0 < (status := _status(place)) < 400 or status == 405  # 405: it will not say before it sends


def _status(address: str) -> int:
    """Return the HTTP status of an address, 0 where nothing answers in time."""
    try:
        return requests.head(address, allow_redirects=True, timeout=SECONDS).status_code
    except requests.RequestException:
        return 0
