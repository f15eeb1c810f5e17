"""The settings and the cost of the language models of Edunov et al. (2019, Section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from seqpre.study.models.transformer import TransformerSettings
from seqpre.study.typed import Count, Share, require

Direction = Literal["causal", "cloze"]
"""Whether a token is predicted from those before it, by one tower, or from all others of its sentence, by two."""
TOWERS: dict[Direction, int] = {"causal": 1, "cloze": 2}


@dataclass(frozen=True)
class TransformerLMShape:
    """A Transformer language model, of one tower or two, by default as large as in Edunov et al. (2019)."""

    dim: Count = 1024
    """Units of embeddings and of every layer's output (Edunov et al., 2019, Section 3.2)."""
    ff_dim: Count = 4096
    """Hidden units of a feed-forward layer (Edunov et al., 2019, Section 3.2)."""
    heads: Count = 16
    """Attention heads, of which `dim` must be a multiple (Edunov et al., 2019, Section 3.2)."""
    layers: Count = 12
    """Layers of each tower (Edunov et al., 2019, Section 3.2)."""
    # Differs: the three dropouts of the Transformer language models (0.1, 0.1 and 0.05) are given only in the published
    # code.
    dropout: Share = 0.1
    """Dropout on the outputs of sub-layers and on embeddings (published code of Edunov et al., 2019)."""
    attention_dropout: Share = 0.1
    """Dropout on attention weights (published code of Edunov et al., 2019)."""
    relu_dropout: Share = 0.05
    """Dropout on the hidden units of feed-forward layers (published code of Edunov et al., 2019)."""

    @property
    def block(self) -> TransformerSettings:
        """The shape of the parts that it shares with a seq2seq Transformer."""
        # Differs: sub-layers of the Transformer language models are normalised before, not after. This is given only in
        # the published code.
        return TransformerSettings(
            self.dim, self.ff_dim, self.heads, norm="pre", dropout=self.dropout, activation_dropout=self.relu_dropout
        )

    def check(self, where: str) -> None:
        """Raise ConfigError if the sizes do not fit together."""
        accepted = f"a multiple of its heads ({self.heads}), and even"
        require(self.dim % self.heads == self.dim % 2 == 0, where, "dim", self.dim, accepted)

    def levels(self, direction: Direction) -> int:
        """Return the number of hidden states: embeddings, layers, and two more above two towers."""
        return self.layers + (1 if direction == "causal" else 3)

    def parameters(self, vocabulary: int, direction: Direction) -> int:
        """Return the parameters of one tower, or of two with the layer that combines them."""
        D, F, towers = self.dim, self.ff_dim, TOWERS[direction]
        attention, feed_forward, norm = 4 * D * (D + 1), 2 * D * F + D + F, 2 * D
        layers = towers * self.layers * (attention + 2 * D + feed_forward + 2 * norm)
        above = norm if towers == 1 else attention + feed_forward + 3 * norm
        return vocabulary * D + layers + above

    def states(self, direction: Direction, length: float) -> float:
        """Return the FLOPs of reading one sentence, without the softmax."""
        D, feed_forward, towers = self.dim, 2 * self.dim * self.ff_dim, TOWERS[direction]
        if towers == 2:
            length += 1  # EOS comes first.
        layer = 4 * D**2 + feed_forward + 2 * (length + 1) * D
        above = 6 * D**2 + feed_forward + 4 * length * D if towers == 2 else 0
        return 2 * length * (towers * self.layers * layer + above)

    def sentence(self, vocabulary: int, direction: Direction, length: float) -> float:
        """Return the FLOPs of the loss of one sentence, forward only."""
        return self.states(direction, length) + 2 * length * vocabulary * self.dim
