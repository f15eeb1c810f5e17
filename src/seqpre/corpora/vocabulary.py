"""The kinds of vocabulary, and how a file's kind is recognised."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.subwords import Subwords
from seqpre.corpora.token_store import TokenStore
from seqpre.corpora.words import Words


class Sides:
    """A source and a target vocabulary, combined."""

    def __init__(self, source: Subwords | Words, target: Subwords | Words) -> None:
        self.source, self.target = source, target
        self.path, self.fingerprint, self.size = target.path, target.fingerprint, target.size
        self.copies = target.copies
        self.encode, self.decode = source.encode, target.decode


Vocabulary = Subwords | Words | Sides
"""Maps text to ids and back; `Words` documents the common interface."""


def source_vocabulary(vocabulary: Vocabulary) -> Vocabulary:
    """Return the source vocabulary."""
    return vocabulary.source if isinstance(vocabulary, Sides) else vocabulary


def check_encoded(store: TokenStore, vocabulary: Vocabulary) -> None:
    """Raise DataError for text that was encoded with another vocabulary."""
    if store.fingerprint != vocabulary.fingerprint:
        raise DataError(f"{store.path}: was encoded with another vocabulary than {vocabulary.path}; encode it again")


def load_vocabularies(paths: Sequence[Path]) -> Vocabulary:
    """Return the shared vocabulary or, for two files, the combined source and target vocabularies."""
    if len(paths) > 2:
        raise ConfigError(f"--subwords has {len(paths)} files; it takes one for both sides, or source and target")
    source, *targets = map(load_vocabulary, paths)
    return Sides(source, targets[0]) if targets else source


def load_vocabulary(path: Path) -> Subwords | Words:
    """Return a word vocabulary for a `.tsv` file, else the subwords of a SentencePiece model."""
    return Words(path) if path.suffix == ".tsv" else Subwords(path)
