"""What every vocabulary offers, and the one place where its kind is told from its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

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


def load_vocabulary(path: Path) -> Vocabulary:
    """Return the words of a `.tsv`, or else the subwords of a SentencePiece model."""
    return Words(path) if path.suffix == ".tsv" else Subwords(path)
