"""The size of every text before it exists: from the results, else `workflow/sizes.tsv`, else an estimate."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from seqpre.common.errors import ConfigError
from seqpre.common.files import read_lines
from seqpre.corpora.catalog import Row, select
from seqpre.study.fractions import count_of
from seqpre.study.study import Study, runs_here, tuning_runs

COLUMNS = ("corpus", "split", "language", "raw_lines", "lines", "bytes", "tokens", "download", "source")
# For a corpus in neither the results nor the table: lines and subwords estimated from the compressed size.
EXPANSION, LINE_BYTES, TOKEN_BYTES = 3, 100, 4.5
LEAST_LINES = 1_000  # so that a share of the smallest text is some of it
PACKED = (".gz", ".bz2", ".zip", ".tgz")
MOST_COUNTED = 2**26
"""Bytes of the user's own text whose lines are counted; those of a larger one are estimated, too."""

Key = tuple[str, str, str]
"""Corpus, split, language."""


@dataclass(frozen=True)
class TextSize:
    """One side of a split: lines as extracted, and lines, bytes and tokens (EOS counted) after the filter."""

    raw_lines: int
    lines: int
    bytes: int
    tokens: int
    download: int = 0
    """Bytes of its files, if `corpora.tsv` does not state them; a file with several texts counts with the first."""

    @property
    def raw_bytes(self) -> int:
        return self.bytes * self.raw_lines // max(1, self.lines)

    @property
    def length(self) -> float:
        """Tokens a line."""
        return self.tokens / max(1, self.lines)


class TextSizes:
    """Looks up the sizes of texts. `guessed` names those for which only the size of the download is known."""

    def __init__(self, table: Path, rows: list[Row], results: Path) -> None:
        self.rows, self.results = rows, results
        self.table = read_sizes(table)
        self.guessed: dict[str, None] = {}
        self.found: dict[tuple[str, ...], TextSize] = {}

    def of(self, owner: str, corpus: str, split: str, language: str, encoding: str = "") -> TextSize:
        """Return the size of a text, encoded as in `tokens/<encoding>`, or in the owner's usual encoding.

        Raises ConfigError, saying what to add, if nothing is known about the text.
        """
        key = (owner, corpus, split, language, encoding or owner)
        if key not in self.found:
            known = self.table.get((corpus, split, language))
            self.found[key] = self._counted(*key, known) or known or self._guess(corpus, split, language)
        return self.found[key]

    def download(self, row: Row) -> int:
        """Return the bytes of a file that is downloaded or generated; 0 if unknown."""
        if row.bytes is not None:
            return row.bytes
        known = self.table.get((row.name, row.split, row.language))
        if known is None:
            return 0
        rows = select(self.rows, row.name, row.split, row.language)
        if row.generated:
            return known.raw_bytes // len(rows)
        stated = [one.bytes for one in rows if one.bytes is not None]
        return max(0, known.download - sum(stated)) // (len(rows) - len(stated))

    def _counted(
        self, owner: str, corpus: str, split: str, language: str, encoding: str, known: TextSize | None
    ) -> TextSize | None:
        from seqpre.corpora.token_store import ABOUT, read_about  # Imports NumPy, which most plans do not need.

        store = self.results / "tokens" / encoding / corpus / f"{split}.{language}"
        raw = self.results / "corpora" / corpus / "raw" / f"{split}.{language}"
        clean = (self.results / "text" / owner / corpus).glob(f"train.*/train.{language}")
        text = next(clean, None) if split == "train" else raw
        if not (store / ABOUT).is_file() or text is None or not text.is_file():
            return None
        about = read_about(store)
        raw_lines = max(known.raw_lines if known else 0, about["sentences"])
        return TextSize(
            raw_lines, about["sentences"], text.stat().st_size, about["tokens"], known.download if known else 0
        )

    def _guess(self, corpus: str, split: str, language: str) -> TextSize:
        name = f"{corpus}/{split}.{language}"
        rows = select(self.rows, corpus, split, language)
        sizes = [_bytes(row) for row in rows]
        if None in sizes:
            raise ConfigError(
                f"the size of {name} is unknown: add a line for it to workflow/sizes.tsv (a rough one will do), "
                "or its bytes to workflow/corpora.tsv"
            )
        self.guessed[name] = None
        total = sum(size for size in sizes if size)
        lines = max(LEAST_LINES, total // LINE_BYTES)
        counted = [row.own for row in rows if row.own and _is_counted(row)]
        if len(counted) == len(rows):
            lines = sum(1 for file in counted for _ in read_lines(file))
        return TextSize(lines, lines, total, int(total / TOKEN_BYTES))


def _bytes(row: Row) -> int | None:
    """Return the approximate bytes of text in a file; None if unknown."""
    if row.own is None:
        return None if row.bytes is None else EXPANSION * row.bytes
    return row.own.stat().st_size * (EXPANSION if row.own.suffix in PACKED else 1)


def _is_counted(row: Row) -> bool:
    """Return whether the lines of a file are counted: the user's own text, unless packed or large."""
    plain = row.own is not None and row.reader == "lines" and row.own.suffix not in PACKED
    return plain and (_bytes(row) or 0) <= MOST_COUNTED


def check_counts(studies: Iterable[Study], sizes: Mapping[Key, TextSize]) -> None:
    """Raise ConfigError for a fraction that counts more items of a text than the table of sizes has."""
    for study in studies:
        read = [(f"runs of {run.system}", "bitext", study.source, run.fraction) for run in runs_here(study)]
        read += [(f"tuning of {run.system}", "bitext", study.source, run.fraction) for run in tuning_runs(study)]
        for owner in study.owners:
            its = [(f"lms.{name}", lm.corpus, lm.language, lm.fraction) for name, lm in owner.lms.items()]
            for what, role, language, fraction in its + (read if owner is study else []):
                corpus = owner.corpora[role]
                if known := sizes.get((corpus, "train", language)):
                    count_of(fraction, known.raw_lines, f"{owner.name}: {what}: the fraction of {corpus}")


def read_sizes(path: Path) -> dict[Key, TextSize]:
    """Read `sizes.tsv`. Raises ConfigError, naming file and line, for a wrong cell."""
    sizes = {}
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        if reader.fieldnames is None or tuple(reader.fieldnames) != COLUMNS:
            raise ConfigError(f"{path}, line 1: expected the columns {' '.join(COLUMNS)}")
        for number, cells in enumerate(reader, start=2):
            numbers = [cells[column] or "" for column in COLUMNS[3:8]]
            if not all(cell.isdecimal() for cell in numbers):
                raise ConfigError(f"{path}, line {number}: {' '.join(COLUMNS[3:8])} must be whole numbers")
            sizes[cells["corpus"], cells["split"], cells["language"]] = TextSize(*map(int, numbers))
    return sizes
