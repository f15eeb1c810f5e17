"""What a study or a pretraining declares besides systems: language models, vocabularies, and text filters."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import refuse_braces, sha256_of
from seqpre.study.fractions import ALL, Amount
from seqpre.study.typed import Count, Side, Word, at_least, require


@dataclass(frozen=True)
class LMDeclaration:
    """One LM: the language and the corpus role that it reads, and for bitext the fraction."""

    language: Side
    """Language that it reads."""
    corpus: Word
    """Role of the corpus that it reads, a name under `corpora` of a scale."""
    fraction: Amount = ALL
    """Fraction of the bitext that it reads, if it reads bitext."""
    objective: Literal["", "causal", "cloze"] = ""
    """Objective of a Transformer LM: predict a token from those before it, or from all others."""

    def to_json(self) -> dict[str, Any]:
        """Return the entries for JSON files."""
        return {key: value for key, value in dataclasses.asdict(self).items() if key != "objective" or value}


@dataclass(frozen=True)
class VocabularyDeclaration:
    """What a vocabulary consists of: SentencePiece subwords, or the most frequent words."""

    size: Annotated[int, at_least(100)] = 0
    """Subwords or words to learn, special symbols included."""
    kind: Literal["subwords", "words"] = "subwords"
    """SentencePiece subwords, or the most frequent words."""
    model: str = ""
    """Instead of `size`: a finished SentencePiece model, as a path relative to the folder of the study file."""
    learned_from: Literal["both", "source", "target"] = "both"
    """Which sides of a study's bitext it is learned from; a pretraining's is learned from all of its text."""


@dataclass(frozen=True)
class FinishedVocabulary(VocabularyDeclaration):
    """A SentencePiece model that exists already; size and path are those of the file."""

    sha256: str = ""


def found(declaration: VocabularyDeclaration, where: str) -> VocabularyDeclaration:
    """Return a vocabulary, completed from its file if it is a finished model.

    Raises ConfigError if neither a size nor a model is given, or if the model is missing, damaged, or has other ids for
    special symbols.
    """
    if not declaration.model:
        if not declaration.size:
            raise ConfigError(f"{where} lacks 'size', or 'model', the path of a finished SentencePiece model")
        return declaration
    from seqpre.corpora.subwords import Subwords  # Slow to import, and most studies learn their vocabularies.

    accepted = "left out: 'model' is a finished SentencePiece model"
    require(declaration.kind == "subwords", where, "kind", declaration.kind, accepted)
    require(declaration.learned_from == "both", where, "learned_from", declaration.learned_from, accepted)
    refuse_braces(declaration.model, f"{where}: model")
    try:
        size = Subwords(declaration.model).size
    except DataError as error:
        raise ConfigError(f"{where}: model: {error}") from error
    return FinishedVocabulary(size=size, model=declaration.model, sha256=sha256_of(Path(declaration.model)))


def from_folder(model: str, folder: Path) -> str:
    """Return the path of a finished model, which is relative to the `folder` of the file that names it."""
    return str(folder / os.path.expanduser(model))


@dataclass(frozen=True)
class FilterSettings:
    """What is dropped from training text before anything is learned from it."""

    identifier: Literal["fasttext+py3langid", "langdetect", "py3langid", "none"] = "fasttext+py3langid"
    """What identifies the language of a line."""
    # Unstated: whether the bitext was filtered by length and by the ratio of its sides. In words: 250, and 3 to 1.
    max_length: Count = 250
    """Longest line in words; longer ones are dropped."""
    max_ratio: Annotated[float, at_least(1)] = 3.0
    """Largest ratio of the word counts of two sides; other pairs are dropped."""
    with_pairs: bool = False
    """Whether unlabelled text may contain the sources of training pairs, without their targets."""
    hash_digits: bool = False
    """Whether digits of training text become #, as in Gigaword's headlines."""


RANDOM = "random"
"""The initial weights of a side that takes nothing from a pretrained model."""
WEIGHTS = "weights"
"""The folder of a training's weights: one file for each selection, or for each kept update."""


def declared_as(name: str) -> str:
    """Return the declared name of an LM; `name` may be one of its checkpoints, like `news@1000`."""
    return name.partition("@")[0]


def weights_of(name: str) -> str:
    """Return the weights file, in an LM's folder, that `name` refers to: the best weights, or those after an update."""
    return f"{WEIGHTS}/{name.partition('@')[2] or 'perplexity'}.safetensors"


@dataclass(frozen=True)
class NamedVocabulary:
    """A vocabulary of a study or of a pretraining, its owner, learned from the owner's clean training text."""

    owner: str
    name: str
    """Empty for the owner's usual vocabulary."""
    declaration: VocabularyDeclaration

    @property
    def key(self) -> str:
        """The unique name under which its file is stored."""
        return f"{self.owner}@{self.name}" if self.name else self.owner

    @property
    def words(self) -> bool:
        """Whether it consists of words, which can be copied from a source, rather than subwords."""
        return self.declaration.kind == "words"

    @property
    def size(self) -> int:
        """Number of subwords or words, special symbols included."""
        return self.declaration.size

    @property
    def sha256(self) -> str:
        """Checksum of a finished model; empty for a learned vocabulary."""
        return self.declaration.sha256 if isinstance(self.declaration, FinishedVocabulary) else ""

    def encoding(self, owner: str) -> str:
        """Return the folder name of `owner`'s text encoded with this vocabulary."""
        return self.key if owner == self.owner else f"{owner}@{self.key}"
