"""Check the user's own text, read as it will be extracted. Used before training, and by the doctor."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seqpre.common.errors import DataError
from seqpre.common.files import read_lines
from seqpre.corpora.catalog import Row, select
from seqpre.corpora.extract import extract
from seqpre.corpora.shuffle import text_hash
from seqpre.planning.texts import TextSize, check_counts
from seqpre.study.study import Study

Hashes = NDArray[np.uint64]


class Text(NamedTuple):
    """One split of a corpus: both sides of pairs, or one side of unlabelled text."""

    corpus: str
    split: str
    sides: tuple[str, ...]


def own_texts(studies: Iterable[Study], rows: Sequence[Row]) -> list[Text]:
    """Return the texts of the studies whose files are all the user's own."""
    texts = {
        Text(corpus, split, study.sides if corpus == study.corpora["bitext"] else (side,))
        for study in studies
        for corpus, split, side in study.texts()
    }
    own = {text for text in texts if all(row.own for side in text.sides for row in select(list(rows), *text[:2], side))}
    return sorted(own)


def examine(studies: Sequence[Study], rows: Sequence[Row], folder: Path) -> tuple[list[str], list[str]]:
    """Return the user's texts with their line counts, and warnings about them.

    The text is extracted to scratch files in `folder`.

    Raises DataError if a file does not match its row, is not text, is empty, or has another number of lines than the
    other side; or if nothing of a text would be left. Raises ConfigError for a fraction larger than its text.
    """
    texts = own_texts(studies, rows)
    hashes: dict[tuple[str, str, str], Hashes] = {}
    for text in texts:
        hashes |= {(*text[:2], side): lines for side, lines in zip(text.sides, _read(text, rows, folder), strict=True)}
    check_counts(studies, {text: TextSize(len(lines), len(lines), 0, 0) for text, lines in hashes.items()})
    doubts = dict.fromkeys(doubt for study in studies for doubt in _doubts(study, hashes))
    return [f"{_named(text)} {len(hashes[*text[:2], text.sides[0]]):,}" for text in texts], list(doubts)


def _read(text: Text, rows: Sequence[Row], folder: Path) -> list[Hashes]:
    """Return a hash of every line of each side."""
    with tempfile.TemporaryDirectory(prefix=".own-text-", dir=folder) as scratch:
        with contextlib.redirect_stderr(io.StringIO()):  # hide its progress
            extract(list(rows), text.corpus, text.split, text.sides, Path(), Path(scratch))
        files = [Path(scratch, f"{text.split}.{side}") for side in text.sides]
        lines = [np.fromiter((text_hash(line.strip()) for line in read_lines(file)), np.uint64) for file in files]
    for side, found in zip(text.sides, lines, strict=True):
        if (found == EMPTY).all():
            raise DataError(f"{text.corpus}/{text.split}.{side}: all of its {len(found):,} lines are empty")
    return lines


EMPTY = np.uint64(text_hash(""))


def _doubts(study: Study, hashes: dict[tuple[str, str, str], Hashes]) -> Iterator[str]:
    """Yield warnings about the texts of a study that were read."""
    pairs, source = study.corpora["bitext"], study.source
    for split in study.published:
        for side in study.sides:
            if blank := int((hashes.get((pairs, split, side), NONE) == EMPTY).sum()):
                yield f"{blank:,} lines of {pairs}/{split}.{side} are empty"
        tested, trained = (_not_blank(hashes.get((pairs, one, source), NONE)) for one in (split, "train"))
        if both := int(np.isin(tested, trained).sum()):
            what = "and are trained on" if study.task == "translation" else "and are left out there"
            yield f"{both:,} of {len(tested):,} lines of {pairs}/{split}.{source} are in train.{source}, too, {what}"
    for corpus, language in study.read_alone:
        lines = _not_blank(hashes.get((corpus, "train", language), NONE))
        if corpus == pairs or not len(lines):
            continue
        of_pairs = [hashes.get((pairs, split, language), NONE) for split in study.kept_out]
        left_out = np.isin(lines, np.concatenate(of_pairs))
        said = f"{int(left_out.sum()):,} of {len(lines):,} lines of {corpus}/train.{language} are in {pairs}, too"
        if left_out.all():
            raise DataError(f"{said}: nothing of it is left, as lines of the pairs are left out; give another")
        if 2 * left_out.sum() > len(lines):
            yield f"{said}, and are left out"


NONE: Hashes = np.empty(0, np.uint64)


def _not_blank(lines: Hashes) -> Hashes:
    """Return the hashes without those of blank lines, which are no text that two files share."""
    kept: Hashes = lines[lines != EMPTY]
    return kept


def _named(text: Text) -> str:
    return f"{text.corpus}/{text.split}.{'+'.join(text.sides)}"
