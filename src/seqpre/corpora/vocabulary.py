"""The kinds of vocabulary, and the one place where a file's is told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.subwords import Subwords
from seqpre.corpora.token_store import TokenStore
from seqpre.corpora.words import Words


class Sides:
    """A vocabulary of sources and another one of targets, as one."""

    def __init__(self, source: Subwords | Words, target: Subwords | Words) -> None:
        self.source, self.target = source, target
        self.path, self.fingerprint, self.size = target.path, target.fingerprint, target.size
        self.copies = target.copies
        self.decode = target.decode

    def encode(self, text: str, source: str | None = None) -> list[int]:
        return (self.source if source is None else self.target).encode(text)


Vocabulary = Subwords | Words | Sides
"""Text to ids and back; `Words` says what all of them offer."""


def source_vocabulary(vocabulary: Vocabulary) -> Vocabulary:
    """Return the vocabulary of sources."""
    return vocabulary.source if isinstance(vocabulary, Sides) else vocabulary


def check_encoded(store: TokenStore, vocabulary: Vocabulary) -> None:
    """Raise DataError for text that was encoded with another vocabulary."""
    if store.fingerprint != vocabulary.fingerprint:
        raise DataError(f"{store.path}: was encoded with another vocabulary than {vocabulary.path}; encode it again")


def load_vocabularies(paths: Sequence[Path]) -> Vocabulary:
    """Return the vocabulary of both sides, or, of two files, that of sources and that of targets as one."""
    if len(paths) > 2:
        raise ConfigError(f"--subwords has {len(paths)} files; it takes one for both sides, or source and target")
    source, *targets = map(load_vocabulary, paths)
    return Sides(source, targets[0]) if targets else source


def load_vocabulary(path: Path) -> Subwords | Words:
    """Return the words of a `.tsv`, or else the subwords of a SentencePiece model."""
    return Words(path) if path.suffix == ".tsv" else Subwords(path)
