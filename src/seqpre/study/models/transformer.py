"""The settings and the cost of the Transformer of Vaswani et al. (2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from seqpre.study.models.model import FLOAT, Model, logits_at_once
from seqpre.study.typed import Count, Limit, Share, require

ENCODER_LAYER, DECODER_LAYER = 10, 17
"""Vectors a token kept by a layer besides F hidden units; a target token counts keys and values of cross-attention."""


@dataclass(frozen=True)
class TransformerShape(Model):
    """What every Transformer has; the defaults are the base model (Vaswani et al., 2017, Section 3)."""

    dim: Count = 512
    """Units of embeddings and of every layer's output (Vaswani et al., 2017, Section 3.1)."""
    ff_dim: Count = 2048
    """Hidden units of a feed-forward layer (Vaswani et al., 2017, Section 3.3)."""
    heads: Count = 8
    """Attention heads, of which `dim` must be a multiple (Vaswani et al., 2017, Section 3.2.2)."""
    encoder_layers: Count = 6
    """Encoder layers (Vaswani et al., 2017, Section 3.1)."""
    decoder_layers: Count = 6
    """Decoder layers (Vaswani et al., 2017, Section 3.1)."""
    norm: Literal["post", "pre"] = "post"
    """Where a sub-layer is normalised: after the residual sum, as in the paper, or before the sub-layer (Vaswani et
    al., 2017, Section 3.1)."""
    tied: Literal["none", "decoder", "all"] = "all"
    """Which embedding tables are one: none, the decoder's two (input and softmax), or these and the encoder's (Vaswani
    et al., 2017, Section 3.4)."""
    dropout: Share = 0.1
    """Dropout on sub-layers' outputs and on the sums of embeddings and positions (Vaswani et al., 2017, Section
    5.4)."""
    max_source: Limit = 0
    """Subwords of a source that the encoder reads; the rest is cut; 0: all."""
    # Unstated: whether a Transformer's attention weights are dropped, as in the authors' later code. They are not;
    # Section 5.4 drops the outputs of sub-layers and the sums of embeddings and positions.
    attention_dropout: Share = 0.0
    """Dropout on the weights of all attention, a pointer-generator's copy attention included (published code of Wang et
    al., 2019, and Edunov et al., 2019)."""
    activation_dropout: Share = 0.0
    """Dropout on the hidden units of feed-forward layers, after the ReLU (published code of Wang et al., 2019)."""
    # Unstated: whether word dropout leaves a word out everywhere in a sentence, and whether it scales the others up. As
    # in Nematus, which Sennrich and Zhang (2019) used, each position is drawn by itself and the others are scaled.
    source_word_dropout: Share = 0.0
    """Share of the encoder's input words whose embedding is zero in training (Sennrich and Zhang, 2019)."""
    target_word_dropout: Share = 0.0
    """Share of the decoder's input words whose embedding is zero in training (Sennrich and Zhang, 2019)."""
    encoder_layerdrop: Share = 0.0
    """LayerDrop: with this probability a batch skips an encoder layer, each layer by itself (Fan et al., 2020)."""
    decoder_layerdrop: Share = 0.0
    """LayerDrop: with this probability a batch skips a decoder layer, each layer by itself (Fan et al., 2020)."""

    @property
    def two_vocabularies(self) -> bool:
        """Whether the two sides may have different vocabularies: only if they share no embeddings."""
        return self.tied != "all"

    def check(self, where: str) -> None:
        """Raise ConfigError if the sizes do not fit together."""
        accepted = f"a multiple of model.heads ({self.heads}), and even"
        require(self.dim % self.heads == self.dim % 2 == 0, where, "model.dim", self.dim, accepted)

    def parameters(self, vocabulary: int) -> int:
        """Return the parameters: matrices, their biases, and the two vectors of each norm."""
        D, F = self.dim, self.ff_dim
        attention, feed_forward, norm = 4 * D * (D + 1), 2 * D * F + D + F, 2 * D
        encoder = self.encoder_layers * (attention + feed_forward + 2 * norm)
        decoder = self.decoder_layers * (2 * attention + feed_forward + 3 * norm)
        last = 2 * norm if self.norm == "pre" else 0
        embeddings = {"all": 1, "decoder": 2, "none": 3}[self.tied]
        return embeddings * vocabulary * D + encoder + decoder + last

    def sentence(
        self, vocabulary: int, source_length: float, target_length: float, beam: int = 1, scored: float = 1.0
    ) -> float:
        """Return the FLOPs to encode one source and write `beam` hypotheses; with beam 1, of the loss.

        Masked attention scores count. `scored` is the share of target positions for which the softmax is computed.
        """
        D, feed_forward = self.dim, 2 * self.dim * self.ff_dim
        source = self.encoder_layers * (4 * D**2 + feed_forward + 2 * source_length * D)
        source += self.decoder_layers * 2 * D**2
        target = self.decoder_layers * (6 * D**2 + feed_forward + 2 * (source_length + target_length) * D)
        return 2 * (source_length * source + beam * target_length * (target + scored * vocabulary * D))

    def memory(self, vocabulary: int, source_tokens: float, target_tokens: float, scored: float = 1.0) -> float:
        """Return the bytes of one batch on a GPU: what is kept for its tokens, padding included, and chunks of logits.

        Counted in vectors of D numbers a token. Attention weights are not counted, because a GPU that has a batch to
        itself never keeps them. A test that follows every tensor finds up to a quarter less.
        """
        return self._memory(vocabulary, source_tokens, target_tokens, scored, ends=8)

    def _memory(self, vocabulary: int, source_tokens: float, target_tokens: float, scored: float, ends: int) -> float:
        """Return the bytes of one batch; `ends` counts vectors of embeddings, last norms and output, on both sides."""
        D, F = self.dim, self.ff_dim * (3 if self.activation_dropout else 1)  # dropout's input, mask and output
        source = self.encoder_layers * (ENCODER_LAYER * D + F) + ends / 2 * D
        target = self.decoder_layers * (DECODER_LAYER * D + F) + ends / 2 * D
        at_once = logits_at_once(scored * target_tokens * vocabulary)
        return FLOAT * (source_tokens * source + target_tokens * target + at_once)


@dataclass(frozen=True)
class TransformerSettings(TransformerShape):
    """A Transformer that learns its embeddings."""

    kind: Literal["transformer"] = "transformer"
