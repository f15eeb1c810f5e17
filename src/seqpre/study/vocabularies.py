"""Vocabularies: what they are learned from and called, and where text encoded with them lies."""

from __future__ import annotations

from dataclasses import dataclass

from seqpre.study.declarations import VocabularyDeclaration


@dataclass(frozen=True)
class NamedVocabulary:
    """A vocabulary of a study or of a pretraining, its owner, from whose clean training text it is learned."""

    owner: str
    name: str
    """Empty where it is the owner's usual one."""
    declaration: VocabularyDeclaration

    @property
    def key(self) -> str:
        """What its file is kept under; no other vocabulary has it."""
        return f"{self.owner}@{self.name}" if self.name else self.owner

    @property
    def words(self) -> bool:
        """Whether it has words, which can be copied from a source, and no subwords."""
        return self.declaration.kind == "words"

    @property
    def size(self) -> int:
        """Number of subwords or words, special symbols included."""
        return self.declaration.size

    def encoding(self, owner: str) -> str:
        """Return what the text of `owner` is kept under when it is encoded with this vocabulary."""
        return self.key if owner == self.owner else f"{owner}@{self.key}"
