"""Build a model from its settings, or from the metadata of its weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from seqpre.models.augmented import AugmentedTransformer
from seqpre.models.family import Seq2SeqModel
from seqpre.models.lstm import Seq2Seq
from seqpre.models.pointer import PointerGenerator
from seqpre.models.transformer import Transformer
from seqpre.study.models import (
    AugmentedTransformerSettings,
    LSTMSettings,
    ModelSettings,
    PointerGeneratorSettings,
    TransformerSettings,
)
from seqpre.study.typed import typed

MODELS: dict[type, type[Seq2SeqModel]] = {
    LSTMSettings: Seq2Seq,
    TransformerSettings: Transformer,
    PointerGeneratorSettings: PointerGenerator,
    AugmentedTransformerSettings: AugmentedTransformer,
}
"""The model class of each settings class."""


def build(settings: ModelSettings, target_vocab: int, source_vocab: int = 0) -> Seq2SeqModel:
    """Build a model with random weights. With `source_vocab` 0 both sides share the target vocabulary."""
    return MODELS[type(settings)](source_vocab or target_vocab, target_vocab, settings)


def description(settings: ModelSettings, target_vocab: int, source_vocab: int = 0) -> dict[str, Any]:
    """Return the metadata that `rebuilt` reads; the arguments are those of `build`."""
    sizes = {"vocab_size": target_vocab, **({"source_vocab_size": source_vocab} if source_vocab else {})}
    return {"kind": "seq2seq", **sizes, "model": asdict(settings)}


def rebuilt(about: Mapping[str, Any], where: str) -> Seq2SeqModel:
    """Build the model of a `description`. Raises ConfigError, naming `where`, for unknown settings."""
    settings = typed(ModelSettings, about["model"], f"{where}: model")
    return build(settings, about["vocab_size"], about.get("source_vocab_size", 0))
