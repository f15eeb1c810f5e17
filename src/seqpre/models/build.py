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
from seqpre.study.overrides import overridden
from seqpre.study.settings import FirstLayer, ModelSettings, RepresentationSettings, RunSettings, TransformerSettings


def build(settings: RunSettings, vocab_size: int, source_vocab_size: int = 0) -> Seq2SeqModel:
    """Return the model that a run's settings describe, its weights random; 0: sources have the same vocabulary."""
    if settings.family == "transformer" and settings.transformer.pointer:
        return PointerGenerator(vocab_size, settings.transformer)
    if settings.representations.sides:
        return AugmentedTransformer(
            vocab_size,
            settings.transformer,
            settings.representations,
            settings.train.label_smoothing,
            source_vocab_size,
        )
    if settings.family == "transformer":
        return Transformer(vocab_size, settings.transformer, settings.train.label_smoothing, source_vocab_size)
    return Seq2Seq(vocab_size, vocab_size, settings.first_layer, settings.model)


def description(settings: RunSettings, vocab_size: int, source_vocab_size: int = 0) -> dict[str, Any]:
    """Return what `rebuilt` needs to know; the sizes are those of `build`."""
    if settings.family == "transformer":
        shape = {"transformer": asdict(settings.transformer)}
        if settings.representations.sides:
            shape["representations"] = asdict(settings.representations)
    else:
        shape = {"first_layer": asdict(settings.first_layer), "model": asdict(settings.model)}
    sizes = {"vocab_size": vocab_size, **({"source_vocab_size": source_vocab_size} if source_vocab_size else {})}
    return {"kind": "seq2seq", **sizes, **shape}


def rebuilt(about: Mapping[str, Any], where: str) -> Seq2SeqModel:
    """Return the model that was described so. Raises ConfigError, naming `where`, for settings that do not exist."""
    if "transformer" in about:
        shape = overridden(TransformerSettings(), about["transformer"], where)
        source_size = about.get("source_vocab_size", 0)
        if "representations" in about:
            representations = overridden(RepresentationSettings(), about["representations"], where)
            return AugmentedTransformer(about["vocab_size"], shape, representations, source_vocab_size=source_size)
        if shape.pointer:
            return PointerGenerator(about["vocab_size"], shape)
        return Transformer(about["vocab_size"], shape, source_vocab_size=source_size)
    return Seq2Seq(
        about["vocab_size"],
        about["vocab_size"],
        overridden(FirstLayer(), about["first_layer"], where),
        overridden(ModelSettings(), about["model"], where),
    )
