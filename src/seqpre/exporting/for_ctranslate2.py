"""Export a Transformer's weights to CTranslate2, which translates on CPUs and GPUs, also in int8."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from seqpre.common.errors import ConfigError
from seqpre.corpora.subwords import EOS, SPECIALS, UNK, Subwords
from seqpre.corpora.vocabulary import Vocabulary, source_vocabulary
from seqpre.models.family import Seq2SeqModel
from seqpre.models.transformer import (
    CrossAttention,
    FeedForward,
    Linear,
    Residual,
    SelfAttention,
    Transformer,
    sinusoids,
)

POSITIONS = 2048
"""Most subwords of a source or an output; CTranslate2 stores a table of this many positions."""


def write_ctranslate2(model: Seq2SeqModel, kind: str, vocabulary: Vocabulary, folder: Path, *, int8: bool) -> None:
    """Write model.bin, config.json and the vocabularies of a model of some kind into an existing folder.

    Raises ConfigError if CTranslate2 has no such model, cannot express a setting, or is not installed.
    """
    if type(model) is not Transformer:
        raise ConfigError(f"model.kind is {kind!r}; CTranslate2 gets those of 'transformer' alone: use --to folder")
    if model.max_source:
        raise ConfigError(f"model.max_source is {model.max_source}; CTranslate2 cuts no sources so: use --to folder")
    try:
        from ctranslate2.specs import TransformerSpec
    except ImportError as error:
        raise ConfigError(
            "the package ctranslate2 is missing; install it with: pip install 'seqpre[export]'"
        ) from error
    shape = model.settings
    layers, before = (shape.encoder_layers, shape.decoder_layers), shape.norm == "pre"
    spec = TransformerSpec.from_config(layers, shape.heads, pre_norm=before)
    # CTranslate2 also scales embeddings by sqrt(D), unless told otherwise.
    spec.encoder.embeddings[0].weight = _array(model.embeddings.get("source", model.softmax))
    spec.decoder.embeddings.weight = _array(model.embeddings.get("target", model.softmax))
    spec.decoder.projection.weight = _array(model.softmax)
    for side, norm in ((spec.encoder, model.encoder_norm), (spec.decoder, model.decoder_norm)):
        side.position_encodings.encodings = sinusoids(POSITIONS, shape.dim).numpy()
        if isinstance(norm, nn.LayerNorm):
            _set_norm(side.layer_norm, norm)
    for to, layer in zip((*spec.encoder.layer, *spec.decoder.layer), (*model.encoder, *model.decoder), strict=True):
        _set_attention(to.self_attention, layer.attention, layer.around_attention)
        if hasattr(layer, "cross_attention"):
            _set_attention(to.attention, layer.cross_attention, layer.around_cross_attention)
        _set_feed_forward(to.ffn, layer.feed_forward, layer.around_feed_forward)
    spec.register_source_vocabulary(_pieces(source_vocabulary(vocabulary)))
    spec.register_target_vocabulary(_pieces(getattr(vocabulary, "target", vocabulary)))
    config = spec.config
    config.unk_token, config.eos_token, config.decoder_start_token = SPECIALS[UNK], SPECIALS[EOS], SPECIALS[EOS]
    config.add_source_eos, config.layer_norm_epsilon = True, nn.LayerNorm(1).eps
    spec.validate()
    spec.optimize(quantization="int8" if int8 else None)
    spec.save(str(folder))


def _array(tensor: Tensor) -> NDArray[np.float32]:
    """Return a copy: CTranslate2 quantizes in place."""
    return np.array(tensor.detach().cpu().numpy())


def _pieces(vocabulary: Vocabulary) -> list[str]:
    assert isinstance(vocabulary, Subwords)  # a Transformer has no other vocabulary
    return vocabulary.pieces(range(vocabulary.size))


def _set_linear(spec: Any, linear: Linear) -> None:
    spec.weight, spec.bias = _array(linear.weight), _array(linear.bias)


def _set_norm(spec: Any, norm: nn.LayerNorm) -> None:
    spec.gamma, spec.beta = _array(norm.weight), _array(norm.bias)


def _set_attention(spec: Any, attention: SelfAttention | CrossAttention, residual: Residual) -> None:
    """Copy attention weights; like here, CTranslate2 stores matrices with the same input as one, in the same order."""
    its = [attention.inputs] if isinstance(attention, SelfAttention) else [attention.query, attention.memory]
    for to, linear in zip(spec.linear, [*its, attention.output], strict=True):
        _set_linear(to, linear)
    _set_norm(spec.layer_norm, residual.norm)


def _set_feed_forward(spec: Any, feed_forward: FeedForward, residual: Residual) -> None:
    _set_linear(spec.linear_0, feed_forward.inner)
    _set_linear(spec.linear_1, feed_forward.outer)
    _set_norm(spec.layer_norm, residual.norm)
