"""What a study or a pretraining declares beside systems: language models, vocabularies, and how text is filtered."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import refuse_braces, sha256_of
from seqpre.study.fractions import ALL, Amount
from seqpre.study.typed import Count, Side, Word, at_least, require


@dataclass(frozen=True)
class LMDeclaration:
    """One LM: the language and corpus role it reads (for bitext: which fraction of it)."""

    language: Side
    """Language that it reads."""
    corpus: Word
    """Role of the corpus that it reads, a name under `corpora` of a scale."""
    fraction: Amount = ALL
    """Of the bitext: which fraction it reads."""
    objective: Literal["", "causal", "cloze"] = ""
    """Of a Transformer LM: whether a token is predicted from those before it, or from all others."""

    def to_json(self) -> dict[str, Any]:
        """Return what files say of it."""
        return {key: value for key, value in dataclasses.asdict(self).items() if key != "objective" or value}


@dataclass(frozen=True)
class VocabularyDeclaration:
    """What a vocabulary consists of: SentencePiece subwords, or the most frequent words."""

    size: Annotated[int, at_least(100)] = 0
    """Subwords or words to learn, special symbols included."""
    kind: Literal["subwords", "words"] = "subwords"
    """SentencePiece subwords, or the most frequent words."""
    model: str = ""
    """Instead of `size`: a finished SentencePiece model, as a path from the folder of the file that says so."""
    learned_from: Literal["both", "source", "target"] = "both"
    """Which sides of a study's bitext it is learned from; that of a pretraining is learned from all of its text."""


@dataclass(frozen=True)
class FinishedVocabulary(VocabularyDeclaration):
    """A SentencePiece model that is there; size and path are those of the file."""

    sha256: str = ""


def found(declaration: VocabularyDeclaration, where: str) -> VocabularyDeclaration:
    """Return a vocabulary with what its file says, if it has one.

    Raises ConfigError where neither a size nor a model is given, or the model is missing, damaged, or has other ids for
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
    """Return the path of a finished model, which a file in `folder` has from there."""
    return str(folder / Path(model).expanduser())


@dataclass(frozen=True)
class FilterSettings:
    """What is dropped from training text before anything is learned from it."""

    identifier: Literal["fasttext+py3langid", "langdetect", "py3langid", "none"] = "fasttext+py3langid"
    """What identifies the language of a line."""
    # Unstated: whether the bitext was filtered by length and by the ratio of its sides. In words: 250, and 3 to 1.
    max_length: Count = 250
    """Longer lines are dropped, in words."""
    max_ratio: Annotated[float, at_least(1)] = 3.0
    """Pairs are dropped of which one side has more than so many times the words of the other."""
    with_pairs: bool = False
    """Unlabelled text may hold sources of training pairs, without their targets."""
    hash_digits: bool = False
    """Digits of training text become #, as they are in Gigaword's headlines."""


RANDOM = "random"
"""What a side starts from that takes nothing of a pretrained model."""
WEIGHTS = "weights"
"""The folder of a training's weights: a file by what chose them, or by the update that they are of."""


def declared_as(name: str) -> str:
    """Return the name that an LM is declared by, of which `name` may be a checkpoint, like `news@1000`."""
    return name.partition("@")[0]


def weights_of(name: str) -> str:
    """Return the file, in an LM's folder, of the weights that `name` starts a run from: the best, or of an update."""
    return f"{WEIGHTS}/{name.partition('@')[2] or 'perplexity'}.safetensors"


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

    @property
    def sha256(self) -> str:
        """Checksum of a finished model; empty where the vocabulary is learned."""
        return self.declaration.sha256 if isinstance(self.declaration, FinishedVocabulary) else ""

    def encoding(self, owner: str) -> str:
        """Return what the text of `owner` is kept under when it is encoded with this vocabulary."""
        return self.key if owner == self.owner else f"{owner}@{self.key}"
