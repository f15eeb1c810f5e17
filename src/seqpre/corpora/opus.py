"""OPUS bitexts by name (Tiedemann, 2012): `opus:<corpus>/<version>`, such as opus:Tatoeba/v2023-04-12.

https://opus.nlpl.eu lists corpora and versions. OPUS has one archive for two languages, in either direction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import sha256_of
from seqpre.corpora.archives import opened
from seqpre.corpora.catalog import Row
from seqpre.corpora.download import fetch

NAME = re.compile(r"opus:(?P<corpus>[\w.-]+)/(?P<version>[\w.-]+)")
ADDRESS = "https://object.pouta.csc.fi/OPUS-{corpus}/{version}/moses/{pair}.txt.zip"


def rows_of(name: str, languages: Sequence[str], corpus: str, downloads: Path, mirror: str | None) -> list[Row]:
    """Download a bitext, unless it is there; return its corpus-list rows, as training text of `corpus`.

    The rows state the archive's size, checksum and licence. Raises ConfigError for an invalid name, DataError for an
    archive that is unavailable or damaged.
    """
    found = NAME.fullmatch(name)
    if found is None:
        raise ConfigError(f"--train is {name!r}; write a file a language, or one name like opus:Tatoeba/v2023-04-12")
    pair = "-".join(sorted(languages))
    url = ADDRESS.format(pair=pair, **found.groupdict())
    rows = [
        Row(corpus, "train", language, "lines", f"{found['corpus']}.{pair}.{language}", url, "", None, "", name)
        for language in languages
    ]
    archive = fetch(rows[0], downloads, mirror)
    terms = licence(archive) or f"see https://opus.nlpl.eu, {found['corpus']}"
    checksum, size = sha256_of(archive), archive.stat().st_size
    return [replace(row, sha256=checksum, bytes=size, licence=terms) for row in rows]


def licence(archive: Path) -> str:
    """Return the text of an archive's LICENSE in one line, cut after 200 characters; empty if there is none."""
    try:
        with opened(archive, "LICENSE") as file:
            return " ".join(file.read(1_000).decode("utf-8", errors="replace").split())[:200]
    except DataError:
        return ""


def count_pairs(rows: Sequence[Row], downloads: Path) -> int:
    """Return the number of lines of parallel texts. Raises DataError if they differ."""
    count = 0
    for count, lines in enumerate(zip_longest(*(row.file(downloads, row.language).lines() for row in rows)), start=1):
        if None in lines:
            short = rows[lines.index(None)]
            raise DataError(f"{short.url}: {short.member} has {count - 1:,} lines, the other language has more")
    return count
