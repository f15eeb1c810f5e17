"""Models from their settings, and from what their weights say of them."""

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
"""The model that each kind of settings describes; it is made of the sizes of both vocabularies and these settings."""


def build(settings: ModelSettings, target_vocab: int, source_vocab: int = 0) -> Seq2SeqModel:
    """Return the model that settings describe, its weights random; 0: sources have the vocabulary of targets."""
    return MODELS[type(settings)](source_vocab or target_vocab, target_vocab, settings)


def description(settings: ModelSettings, target_vocab: int, source_vocab: int = 0) -> dict[str, Any]:
    """Return what `rebuilt` needs to know; the sizes are those of `build`."""
    sizes = {"vocab_size": target_vocab, **({"source_vocab_size": source_vocab} if source_vocab else {})}
    return {"kind": "seq2seq", **sizes, "model": asdict(settings)}


def rebuilt(about: Mapping[str, Any], where: str) -> Seq2SeqModel:
    """Return the model that was described so. Raises ConfigError, naming `where`, for settings that do not exist."""
    settings = typed(ModelSettings, about["model"], f"{where}: model")
    return build(settings, about["vocab_size"], about.get("source_vocab_size", 0))
