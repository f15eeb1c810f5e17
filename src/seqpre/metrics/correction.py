"""The gold standard for corrections: all references of a set and, if available, gold edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from seqpre.common.errors import DataError
from seqpre.common.files import read_lines
from seqpre.corpora.m2 import Annotated, Edit, is_m2, read_m2
from seqpre.corpora.normalise import normalise
from seqpre.metrics.texts import normalised


@dataclass(frozen=True)
class Gold:
    """The sources, references and edits against which corrections of one set are scored."""

    sources: list[str]
    references: list[list[str]]
    """One or more texts, each parallel to the sources."""
    annotated: list[Annotated] | None = None
    """The edits behind the references, if known."""


def read_gold(sources: Path, target: Path, more: Path | None = None) -> Gold:
    """Read a set, in normal form.

    `more` has all references, concatenated, or M2; without it `target` is the only reference.

    Raises DataError if they do not fit the sources.
    """
    lines, corrections = normalised(read_lines(sources)), normalised(read_lines(target))
    if not lines or len(corrections) != len(lines):
        raise DataError(
            f"{sources} has {len(lines):,} lines, {target} has {len(corrections):,}; they must be parallel, not empty"
        )
    if more is None:
        return Gold(lines, [corrections])
    found = list(read_lines(more))
    if is_m2(found):
        return _annotated(sources, lines, more)
    if not found or len(found) % len(lines):
        raise DataError(
            f"{more} has {len(found):,} lines, no multiple of the {len(lines):,} of {sources}: a reference is too "
            "short or too long"
        )
    found = normalised(found)
    return Gold(lines, [found[start : start + len(lines)] for start in range(0, len(found), len(lines))])


def _annotated(sources: Path, lines: list[str], m2_file: Path) -> Gold:
    sentences = list(map(normal_form, read_m2(m2_file)))
    if len(sentences) != len(lines):
        raise DataError(f"{m2_file} has {len(sentences):,} sentences, {sources} has {len(lines):,} lines")
    for number, (sentence, line) in enumerate(zip(sentences, lines, strict=True), start=1):
        if list(sentence.source) != line.split():
            raise DataError(f"{m2_file}: sentence {number:,}, {' '.join(sentence.source)[:60]!r}, is not {sources}'s")
    annotators = sorted({who for sentence in sentences for who in sentence.annotators})
    # An annotator without edits for a sentence agrees with it.
    references = [[one.corrected_by(one.compatible(who)[0]) for one in sentences] for who in annotators]
    return Gold(lines, references, sentences)


def normal_form(sentence: Annotated) -> Annotated:
    """Return a sentence and its edits in normal form, without edits that then change nothing.

    Offsets count the normalised tokens.
    """
    tokens, places = list[str](), [0]
    for token in sentence.source:
        tokens += normalise(token).split()
        places.append(len(tokens))
    normal = Annotated(tuple(tokens), {})
    for who, edits in sentence.annotators.items():
        pairs = [(edit, _in_normal_form(edit, places)) for edit in edits]
        normal.annotators[who] = tuple(
            after for before, after in pairs if _changes(after, normal) or not _changes(before, sentence)
        )
    return normal


def _in_normal_form(edit: Edit, places: Sequence[int]) -> Edit:
    corrections = tuple(tuple(normalise(" ".join(option)).split()) for option in edit.corrections)
    return replace(edit, start=places[edit.start], end=places[edit.end], corrections=corrections)


def _changes(edit: Edit, sentence: Annotated) -> bool:
    return any(option != sentence.source[edit.start : edit.end] for option in edit.corrections)
