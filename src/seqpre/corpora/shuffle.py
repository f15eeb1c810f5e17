"""Deduplicate and shuffle text larger than memory, in one external pass.

Every record gets a seeded 64-bit hash of its text. Sorting by it groups equal records and orders the others randomly.
The order depends only on text and seed, not on the order of the input or the number of buckets. Records are first
distributed to bucket files by the leading bits of the hash; each bucket is then sorted in memory.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import xxhash

from seqpre.common.files import full_disk_named

BUCKET_BYTES = 32 << 20  # about 200 MB of memory once split into Python strings
MAX_BUCKETS = 512  # open files


class Record(NamedTuple):
    """A line or pair of lines, its hash, and its line number in the input. Texts have no tabs or newlines."""

    key: int
    texts: tuple[str, ...]
    number: int


def text_hash(text: str, seed: int = 0) -> int:
    """Return 64 bits that identify `text`."""
    return xxhash.xxh3_64_intdigest(text.encode("utf-8"), seed=seed)


def num_buckets(input_bytes: int) -> int:
    """Return the number of buckets with which each is small enough to sort in memory."""
    return min(max(1, -(-input_bytes // BUCKET_BYTES)), MAX_BUCKETS)


def hash_order(
    records: Iterable[tuple[int, tuple[str, ...]]], seed: int, buckets: int, scratch: Path
) -> Iterator[Record]:
    """Yield (line number, texts) records in the order of their hash, equal ones adjacent, the earliest first.

    `scratch` is a folder for the bucket files. Leftovers of a killed run are deleted; at the end the folder is, too.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    try:
        paths = [scratch / f"{index:03d}.tsv" for index in range(buckets)]
        with full_disk_named(scratch), ExitStack() as stack:
            files = [stack.enter_context(path.open("w", encoding="utf-8", newline="\n")) for path in paths]
            for number, texts in records:
                joined = "\t".join(texts)
                key = text_hash(joined, seed)
                files[(key * buckets) >> 64].write(f"{key}\t{number}\t{joined}\n")
        for path in paths:
            yield from _sorted(path)
            path.unlink()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _sorted(path: Path) -> list[Record]:
    records = []
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            key, number, joined = line.rstrip("\n").split("\t", 2)
            records.append(Record(int(key), tuple(joined.split("\t")), int(number)))
    records.sort()
    return records
