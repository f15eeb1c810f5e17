"""The settings and the cost of the LSTMs of Ramachandran et al. (2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from seqpre.study.models.model import FLOAT, Model, logits_at_once
from seqpre.study.typed import Count, Limit, Share, at_least

if TYPE_CHECKING:
    from seqpre.study.pretraining_settings import AnyPretraining
    from seqpre.study.settings import RunSettings


@dataclass(frozen=True)
class FirstLayer:
    """The shape of a language model, which is also layer 1 of an encoder or decoder.

    With `projection_dim` 0 the LSTM has no projection; dropout applies to non-recurrent connections.
    """

    # Unstated: the embedding size of the LSTM. That of its projection, 1024, as in Jozefowicz et al. (2016).
    embedding_dim: Count = 1024
    """Units of an embedding."""
    hidden_dim: Count = 4096
    """Units of the LSTM (Ramachandran et al., 2017, Section 4.1)."""
    projection_dim: Annotated[int, at_least(0, "no projection")] = 1024
    """Units that the LSTM's output is projected to; 0: no projection (Ramachandran et al., 2017, Section 4.1)."""

    @property
    def output_dim(self) -> int:
        """Size of the layer's output, the input of the softmax."""
        return self.projection_dim or self.hidden_dim

    def parameters(self, vocabulary: int) -> int:
        """Return the parameters of a language model: embedding, LSTM with its two biases, softmax layer."""
        lstm = 4 * self.hidden_dim * (self.embedding_dim + self.output_dim + 2)
        projection = self.hidden_dim * self.projection_dim
        return vocabulary * self.embedding_dim + lstm + projection + (self.output_dim + 1) * vocabulary

    def kept(self) -> int:
        """Return how many numbers training keeps for each token: embeddings, gates, cells and outputs."""
        return 3 * self.embedding_dim + 8 * self.hidden_dim + 3 * self.output_dim

    def states(self) -> int:
        """Return the forward FLOPs of one token in the LSTM."""
        gates = 4 * self.hidden_dim * (self.embedding_dim + self.output_dim)
        return 2 * (gates + self.hidden_dim * self.projection_dim)

    def token(self, vocabulary: int) -> int:
        """Return the forward FLOPs of one token in a language model."""
        return self.states() + 2 * vocabulary * self.output_dim


@dataclass(frozen=True)
class LSTMSettings(Model):
    """A seq2seq model whose first layers are language models (Ramachandran et al., 2017, Section 2)."""

    first_layer: FirstLayer = FirstLayer()
    upper_layers: Count = 2
    """LSTM layers of each side above the language model (Ramachandran et al., 2017, Section 4.1)."""
    upper_dim: Count = 1000
    """Units of each of them (Ramachandran et al., 2017, Section 4.1)."""
    # Differs: the residual around the upper layers is plain; the paper's experiments gated it, and it reports that a
    # plain one works just as well.
    residual: Literal["plain", "gated", "none"] = "plain"
    """Connection from the decoder's first layer to the softmax (Ramachandran et al., 2017, Section 2.2)."""
    attention: Literal["first_and_top", "top"] = "first_and_top"
    """Whether the context has the first and the top encoder layer's states, or the top one's (Ramachandran et al.,
    2017, Section 2.2)."""
    # Unstated: whether the published numbers used input feeding, which only the arXiv version describes, while both
    # print the same numbers. They are taken to have used it.
    input_feeding: bool = True
    """Whether the attention context enters the next step of the decoder (Ramachandran et al., 2017, Section 2.2)."""
    dropout: Share = 0.2
    """Dropout on non-recurrent connections (Ramachandran et al., 2017, Section 4.1)."""
    max_source: Limit = 0
    """Subwords of a source that the encoder reads; the rest is cut; 0: all (Ramachandran et al., 2017, Section 4.2)."""
    kind: Literal["lstm"] = "lstm"
    pretrained_kind: ClassVar[str] = "lm"

    def check_run(self, run: RunSettings, where: str) -> None:
        """Accept every run: the model contains language models, whose losses and parts can be used."""

    def shared_with(self, pretraining: AnyPretraining) -> dict[str, tuple[Any, Any]]:
        """Return its first layer next to that of the pretrained language models."""
        return {"first_layer": (self.first_layer, getattr(pretraining, "first_layer", None))}

    def parameters(self, vocabulary: int) -> int:
        """Return the parameters with one vocabulary for both sides; both language models are counted in full."""
        below = self._encoder_inputs + self._decoder_inputs
        upper = sum(4 * self.upper_dim * (dim + self.upper_dim + 1) for dim in below)
        P = self.first_layer.output_dim
        combine = (self.upper_dim + self._context) * P
        gate = (P + 1) * P if self.residual == "gated" else 0
        return 2 * self.first_layer.parameters(vocabulary) + upper + combine + gate

    def sentence(
        self, vocabulary: int, source_length: float, target_length: float, beam: int = 1, scored: float = 1.0
    ) -> float:
        """Return the FLOPs to encode one source and write `beam` hypotheses; with beam 1, of the loss.

        Forward pass only. `scored` is the share of target positions for which the softmax is computed.
        """
        source = self.first_layer.states() + sum(map(self._upper, self._encoder_inputs))
        above = self.upper_dim + self._context
        P = self.first_layer.output_dim
        target = self.first_layer.states() + sum(map(self._upper, self._decoder_inputs))
        target += 2 * above * P + (2 * P**2 if self.residual == "gated" else 0)
        word = 2 * vocabulary * P
        return source_length * source + beam * target_length * (target + 2 * source_length * above + scored * word)

    def memory(self, vocabulary: int, source_tokens: float, target_tokens: float, scored: float = 1.0) -> float:
        """Return the bytes of one batch on a GPU: what is kept for its tokens, padding included, and chunks of logits.

        A decoder layer keeps gates, inputs, cells and, in the backward pass, their derivatives. The two LM losses take
        less. A test that follows every tensor finds up to a third less.
        """
        U, C, P = self.upper_dim, self._context, self.first_layer.output_dim
        source = self.first_layer.kept() + sum(2 * below + 8 * U for below in self._encoder_inputs) + C + U
        target = self.first_layer.kept() + sum(below + 17 * U for below in self._decoder_inputs) + 2 * U + 5 * C + 5 * P
        at_once = logits_at_once(scored * target_tokens * vocabulary)
        return FLOAT * (source_tokens * source + target_tokens * target + at_once)

    def lm_token(self, vocabulary: int) -> int:
        """Return the forward FLOPs of one token in one of its language models."""
        return self.first_layer.token(vocabulary)

    def _upper(self, below: int) -> int:
        return 2 * 4 * self.upper_dim * (below + self.upper_dim)

    @property
    def _context(self) -> int:
        return self.upper_dim + (self.first_layer.output_dim if self.attention == "first_and_top" else 0)

    @property
    def _encoder_inputs(self) -> list[int]:
        """The input size of every upper layer."""
        return [self.first_layer.output_dim] + [self.upper_dim] * (self.upper_layers - 1)

    @property
    def _decoder_inputs(self) -> list[int]:
        first, *others = self._encoder_inputs
        return [first + (self._context if self.input_feeding else 0), *others]
