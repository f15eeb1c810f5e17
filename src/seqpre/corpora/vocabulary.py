"""What every vocabulary offers, and the one place where its kind is told from its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from seqpre.common.errors import ConfigError
from seqpre.corpora.subwords import Subwords
from seqpre.corpora.words import Words


class Vocabulary(Protocol):
    """Text to ids and back. Text is normalised by it, so nobody who encodes can forget it."""

    path: Path
    fingerprint: str

    @property
    def size(self) -> int:
        """Number of tokens, special symbols included: of rows of an embedding."""
        ...

    @property
    def copies(self) -> int:
        """From which id on an id means a word of the source, by its place; 0 if none does."""
        ...

    @property
    def ids_below(self) -> int:
        """What all ids are below."""
        ...

    def encode(self, text: str, source: str | None = None) -> list[int]:
        """Return the ids of one line, without bos or eos: of a source or, where one is given, of its target."""
        ...

    def encode_lines(self, lines: Sequence[str], sources: Sequence[str] | None = None) -> list[list[int]]:
        """Return the ids of many lines, each ending with eos."""
        ...

    def decode(self, ids: Sequence[int], source: str = "") -> str:
        """Return the text of `ids`, which may copy words of `source`; special symbols other than <unk> have none."""
        ...


class Sides:
    """A vocabulary of sources and another one of targets, as one."""

    def __init__(self, source: Vocabulary, target: Vocabulary) -> None:
        self.source, self.target = source, target
        self.path, self.fingerprint, self.size = target.path, target.fingerprint, target.size
        self.copies, self.ids_below = target.copies, target.ids_below
        self.decode = target.decode

    def encode(self, text: str, source: str | None = None) -> list[int]:
        return (self.source if source is None else self.target).encode(text)

    def encode_lines(self, lines: Sequence[str], sources: Sequence[str] | None = None) -> list[list[int]]:
        return (self.source if sources is None else self.target).encode_lines(lines)


def source_vocabulary(vocabulary: Vocabulary) -> Vocabulary:
    """Return the vocabulary of sources."""
    return vocabulary.source if isinstance(vocabulary, Sides) else vocabulary


def load_vocabularies(paths: Sequence[Path]) -> Vocabulary:
    """Return the vocabulary of both sides, or, of two files, that of sources and that of targets as one."""
    if len(paths) > 2:
        raise ConfigError(f"--subwords has {len(paths)} files; it takes one for both sides, or source and target")
    source, *targets = map(load_vocabulary, paths)
    return Sides(source, targets[0]) if targets else source


def load_vocabulary(path: Path) -> Vocabulary:
    """Return the words of a `.tsv`, or else the subwords of a SentencePiece model."""
    return Words(path) if path.suffix == ".tsv" else Subwords(path)
