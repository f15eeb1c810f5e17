"""Corrections in M2 files: a tokenized sentence, then what its annotators would change.

    S This are a sentence .
    A 1 2|||SVA|||is|||REQUIRED|||-NONE-|||0

An edit replaces the tokens from its first number up to its second by one of the alternatives that `||` separates;
`-NONE-` is the empty one. It also names its kind. An annotator without corrections writes `noop`, or nothing. Only
U+0020 separates tokens: a no-break space, for example, is part of a token, as the edits' numbers assume.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from seqpre.common.errors import DataError
from seqpre.common.files import read_lines

SEPARATOR, ALTERNATIVES, NOTHING, NOOP = "|||", "||", "-NONE-", "noop"
FIELDS = 6
EDIT = re.compile(r"A -?\d+ -?\d+ *\|\|\|")


@dataclass(frozen=True)
class Edit:
    """Tokens `start` up to `end` of a source become one of the corrections, each a tuple of tokens."""

    start: int
    end: int
    corrections: tuple[tuple[str, ...], ...]
    kind: str = ""


@dataclass(frozen=True)
class Annotated:
    """A sentence and its annotators' edits, in file order; edits may overlap or be repeated."""

    source: tuple[str, ...]
    annotators: dict[int, tuple[Edit, ...]]

    def compatible(self, annotator: int) -> tuple[tuple[Edit, ...], int]:
        """Return an annotator's edits without those that overlap an earlier one, and the number of the latter."""
        kept: list[Edit] = []
        edits = self.annotators.get(annotator, ())
        for edit in edits:
            if all(edit.end <= other.start or other.end <= edit.start for other in kept):
                kept.append(edit)
        return tuple(kept), len(edits) - len(kept)

    def corrected_by(self, edits: Sequence[Edit]) -> str:
        """Return the sentence after these edits. Raises DataError if two overlap."""
        tokens, rest = list(self.source), len(self.source)
        # From the end, so that offsets stay valid; insertions at one offset keep their order.
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end))[::-1]:
            if edit.end > rest:
                raise DataError(f"edits {edit.start} {edit.end} and what follows overlap in {' '.join(self.source)!r}")
            tokens[edit.start : edit.end] = edit.corrections[0]
            rest = edit.start
        return " ".join(tokens)


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the tokens of a sentence or correction; repeated, leading and trailing spaces are ignored."""
    return tuple(filter(None, text.split(" ")))


def is_m2(lines: Sequence[str]) -> bool:
    """Return whether lines are M2, valid or not, rather than plain sentences: edits, or only `S` and `A` lines."""
    marked = [line for line in lines if line.strip()]
    return any(map(EDIT.match, marked)) or (bool(marked) and all(re.match(r"[SA]( |$)", line) for line in marked))


def read_m2(path: Path) -> Iterator[Annotated]:
    """Yield the sentences of a file. Raises DataError, naming file and line, if it is not M2."""
    return parse_m2(read_lines(path), path)


def parse_m2(lines: Iterable[str], place: Path | str) -> Iterator[Annotated]:
    """Yield the sentences of lines; messages name them `place`. Raises the same errors as `read_m2`."""
    source: tuple[str, ...] | None = None
    edits: dict[int, list[Edit]] = {}
    for number, line in enumerate(lines, start=1):
        where = f"{place}, line {number:,}"
        if not line.strip():
            if source is not None:
                yield _annotated(source, edits)
            source, edits = None, {}
        elif line == "S" or line.startswith("S "):
            if source is not None:
                raise DataError(f"{where}: a sentence begins inside another; an empty line must end it")
            if "\t" in line:
                raise DataError(f"{where}: a tab inside a sentence, whose tokens spaces separate")
            if "  " in line.rstrip(" "):
                raise DataError(
                    f"{where}: two spaces in a row, and nothing says whether the edits count an empty token there;"
                    " leave the sentence out, or write one space and the numbers that belong to it"
                )
            source = tokens_of(line[2:])
        elif line.startswith("A "):
            if source is None:
                raise DataError(f"{where}: an edit of no sentence; a line `S ...` must come before it")
            annotator, edit = _edit(line[2:], source, where)
            edits.setdefault(annotator, []).extend(edit)
        else:
            raise DataError(f"{where}: {line[:40]!r} is neither `S <tokens>` nor `A <start> <end>|||...`")
    if source is not None:
        yield _annotated(source, edits)


def _annotated(source: tuple[str, ...], edits: dict[int, list[Edit]]) -> Annotated:
    """Return the sentence with its edits. Without any, one annotator agrees: there is always an annotator."""
    return Annotated(source, {annotator: tuple(edits[annotator]) for annotator in sorted(edits)} or {0: ()})


def _edit(text: str, source: tuple[str, ...], where: str) -> tuple[int, list[Edit]]:
    """Return the annotator and the edits; none for a `noop`."""
    fields = text.split(SEPARATOR)
    if len(fields) != FIELDS:
        raise DataError(f"{where}: {len(fields)} fields between {SEPARATOR}, {FIELDS} expected, the last an annotator")
    offsets, kind, correction, _, _, annotator = fields
    try:
        start, end = map(int, offsets.split())
        who = int(annotator)
    except ValueError:
        raise DataError(f"{where}: {offsets!r} are not two numbers, or the annotator {annotator!r} is none") from None
    if who < 0:
        raise DataError(f"{where}: the annotator is {who}; annotators are numbered from 0")
    if kind == NOOP:
        return who, []
    if not 0 <= start <= end <= len(source):
        raise DataError(f"{where}: the edit {start} {end} is outside its sentence of {len(source)} tokens")
    options = ("" if option == NOTHING else option for option in correction.split(ALTERNATIVES))
    return who, [Edit(start, end, tuple(map(tokens_of, options)), kind)]
