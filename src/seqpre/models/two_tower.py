"""The language models of Edunov et al. (2019, Section 3.2): left to right (causal), and bi-directional (cloze).

The bi-directional one follows Baevski et al. (2019, Section 3). One tower reads a sentence from left to right, one from
right to left. A layer above them predicts each token from the left context of the first and the right context of the
second.

Shape suffixes as in `transformer`. A sentence of S tokens ends with EOS; with an EOS in front it is read as L = S + 1.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seqpre.corpora.subwords import EOS
from seqpre.models.batch import Batch
from seqpre.models.family import SequenceModel
from seqpre.models.kernels.dropout import drawn_by_torch
from seqpre.models.kernels.kv_cache import AncestryMask
from seqpre.models.kernels.products import PackedWeights
from seqpre.models.kernels.softmax import cross_entropy
from seqpre.models.transformer import (
    FeedForward,
    Linear,
    Positions,
    Residual,
    SelfAttentionStepper,
    apply_dropout,
    merge_heads,
    scaled_dot_product_attention,
    split_heads,
)
from seqpre.study.models.two_tower import TransformerLMShape


def lower_right_causal_attention(queries: Tensor, keys: Tensor, values: Tensor, rate: float) -> Tensor:
    """Return causal attention (B, H, L, d) over more keys than queries: the last query sees all keys.

    Each query sees one key more than the query before it. PyTorch calls such a mask `causal_lower_right`. Its causal
    kernels need no mask, but let the first query see the first key only. So zero queries are put in front.
    """
    more = keys.shape[2] - queries.shape[2]
    queries = F.pad(queries, (0, 0, more, 0))
    return F.scaled_dot_product_attention(queries, keys, values, None, rate, is_causal=True)[:, :, more:]


class BiasedAttention(nn.Module):
    """Causal self-attention with one learned key and value in front."""

    # Differs: self-attention of the language models has one learned key and value more. They are given only in the
    # published code.

    def __init__(self, shape: TransformerLMShape) -> None:
        super().__init__()
        self.heads, self.rate = shape.heads, shape.attention_dropout
        self.inputs = Linear(shape.dim, shape.dim, parts=3)
        self.output = Linear(shape.dim, shape.dim)
        self.extra = nn.Parameter(torch.randn(2, shape.dim) / math.sqrt(shape.dim))

    def forward(self, x_BLD: Tensor) -> Tensor:
        B, L, D = x_BLD.shape
        queries, keys, values = self.inputs(x_BLD).chunk(3, dim=2)
        keys, values = (
            split_heads(torch.cat([extra_D.to(part_BLD.dtype).expand(B, 1, D), part_BLD], dim=1), self.heads)
            for extra_D, part_BLD in zip(self.extra, (keys, values), strict=True)
        )
        queries, rate = split_heads(queries, self.heads), self.rate if self.training else 0.0
        # Padding comes last, so the causal mask hides it.
        if drawn_by_torch(x_BLD):
            output_BHLd = lower_right_causal_attention(queries, keys, values, rate)
        else:  # On a CPU it is as fast; sums in another order would move training curves.
            seen_LM = torch.ones(L, L + 1, dtype=torch.bool, device=x_BLD.device).tril(1)
            output_BHLd = scaled_dot_product_attention(queries, keys, values, seen_LM, rate)
        output_BLD: Tensor = self.output(merge_heads(output_BHLd))
        return output_BLD


class Block(nn.Module):
    """One layer of a tower, with layer normalisation before each sub-layer."""

    def __init__(self, shape: TransformerLMShape) -> None:
        super().__init__()
        self.attention, self.around_attention = BiasedAttention(shape), Residual(shape.block)
        self.feed_forward, self.around_feed_forward = FeedForward(shape.block), Residual(shape.block)

    def forward(self, x_BLD: Tensor) -> Tensor:
        x_BLD = self.around_attention.add(x_BLD, self.attention)
        return self.around_feed_forward.add(x_BLD, self.feed_forward)


def tower(shape: TransformerLMShape) -> nn.ModuleList:
    """Return the layers of one tower, lowest first."""
    return nn.ModuleList(Block(shape) for _ in range(shape.layers))


def layer_outputs(layers: Iterable[nn.Module], x_BLD: Tensor) -> list[Tensor]:
    """Return the output of every layer, lowest first."""
    states = []
    for layer in layers:
        x_BLD = layer(x_BLD)
        states.append(x_BLD)
    return states


class TransformerLM(SequenceModel):
    """The common part of both language models: positions, and embeddings that are tied to the softmax."""

    # Unstated: whether the softmax of the language models is tied to their embeddings. It is: otherwise they would not
    # have the published 353 M and 190 M parameters.
    kind: str
    """The `kind` in the metadata of its weights."""
    width: int
    """Size of each hidden state, W."""
    levels: int
    """Number of hidden states, K."""

    def __init__(self, vocab_size: int, shape: TransformerLMShape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(torch.randn(vocab_size, shape.dim) / math.sqrt(shape.dim))
        self.positions = Positions(shape.dim)

    def embed(self, ids_BL: Tensor, first: int = 0) -> Tensor:
        """Return embeddings plus positions from `first` on (B, L, D), after dropout."""
        positions_LD = self.positions(first, first + ids_BL.shape[1], ids_BL.device)
        sum_BLD = F.embedding(ids_BL, self.embedding) * math.sqrt(self.shape.dim) + positions_LD
        return apply_dropout(sum_BLD, self.shape.dropout, self.training)

    @abstractmethod
    def states(self, ids_BS: Tensor, lengths_B: Tensor) -> list[Tensor]:
        """Return all K hidden states (B, S, W), embeddings first. Each position sees its own token."""

    @abstractmethod
    def features(self, ids_BS: Tensor, lengths_B: Tensor) -> Tensor:
        """Return the final hidden states (B, S, D). Each position sees its own token."""


class CausalLM(TransformerLM):
    """Predicts each token from its left context."""

    kind = "causal_lm"

    def __init__(self, vocab_size: int, shape: TransformerLMShape) -> None:
        super().__init__(vocab_size, shape)
        self.width, self.levels = shape.dim, shape.levels("causal")
        self.layers = tower(shape)
        # Unstated: whether the uni-directional language model normalises its last layer's output before the softmax. It
        # does, as is usual for pre-norm layers.
        self.norm = nn.LayerNorm(shape.dim)

    def states(self, ids_BS: Tensor, lengths_B: Tensor | None = None) -> list[Tensor]:
        x_BSD = self.embed(ids_BS)
        return [x_BSD, *layer_outputs(self.layers, x_BSD)]

    def features(self, ids_BS: Tensor, lengths_B: Tensor | None = None) -> Tensor:
        features_BSD: Tensor = self.norm(self.states(ids_BS)[-1])
        return features_BSD

    def loss(self, batch: Batch) -> Tensor:
        features_ND = batch.scored(self.features(batch.inputs_BT))
        return cross_entropy(features_ND, self.embedding, None, batch.scored(batch.targets_BT))

    def stepper(self, sentences: int, packed: PackedWeights) -> CausalStepper:
        """Return the start of incremental reading of this many sentences."""
        return CausalStepper(self, sentences, packed)


class Combination(nn.Module):
    """Attention over both towers, which predicts a token from its two neighbours' states.

    The query of position i is forward_{i-1} + backward_{i+1}; keys and values are forward_j, j < i, and backward_j,
    j > i. The feed-forward layer has a residual connection, attention has none. No state that has read token i enters.
    """

    # Differs: the paper joins the two towers by "a self-attention module". Its parts are given only in the published
    # code.
    # Differs: the attention that joins the two towers divides its scores by sqrt(d), as usual. The published code
    # defines this factor but does not use it.

    def __init__(self, shape: TransformerLMShape) -> None:
        super().__init__()
        self.heads, self.attention_rate = shape.heads, shape.attention_dropout
        self.dropout = shape.dropout
        self.norms = nn.ModuleList(nn.LayerNorm(shape.dim) for _ in range(2))
        self.query = Linear(shape.dim, shape.dim)
        self.memory = Linear(shape.dim, shape.dim, parts=2)
        self.output = Linear(shape.dim, shape.dim)
        self.feed_forward, self.around_feed_forward = FeedForward(shape.block), Residual(shape.block)

    def forward(self, forward_BLD: Tensor, backward_BLD: Tensor, real_BL: Tensor, *, own: bool) -> Tensor:
        """Return the final hidden states (B, L, D). With `own` each position sees all states, its own token's too."""
        forward_BLD, backward_BLD = self.norms[0](forward_BLD), self.norms[1](backward_BLD)
        after_BLD = F.pad((backward_BLD * real_BL[:, :, None])[:, 1:], (0, 0, 0, 1))
        query_BLD = self.query(F.pad(forward_BLD[:, :-1], (0, 0, 1, 0)) + after_BLD)
        memory_BM2D = self.memory(torch.cat([forward_BLD, backward_BLD], dim=1))
        keys, values = (split_heads(part, self.heads) for part in memory_BM2D.chunk(2, dim=2))
        seen_BLM = real_BL.repeat(1, 2)[:, None]
        if not own:
            all_LL = torch.ones(real_BL.shape[1], real_BL.shape[1], dtype=torch.bool, device=real_BL.device)
            seen_BLM = seen_BLM & torch.cat([all_LL.tril(-1), all_LL.triu(1)], dim=1)
        rate = self.attention_rate if self.training else 0.0
        queries = split_heads(query_BLD, self.heads)
        output_BHLd = scaled_dot_product_attention(queries, keys, values, seen_BLM[:, None], rate)
        x_BLD = apply_dropout(self.output(merge_heads(output_BHLd)), self.dropout, self.training)
        return self.around_feed_forward.add(x_BLD, self.feed_forward)


class ClozeLM(TransformerLM):
    """Predicts each token from all others of its sentence (bi-directional)."""

    kind = "cloze_lm"

    def __init__(self, vocab_size: int, shape: TransformerLMShape) -> None:
        super().__init__(vocab_size, shape)
        self.width, self.levels = 2 * shape.dim, shape.levels("cloze")
        self.forward_layers, self.backward_layers = tower(shape), tower(shape)
        self.combination = Combination(shape)

    def towers(self, ids_BS: Tensor, lengths_B: Tensor) -> tuple[list[Tensor], list[Tensor], Tensor]:
        """Return the states of each tower (B, L, D), embeddings first, and the mask of real positions (B, L)."""
        x_BLD = self.embed(F.pad(ids_BS, (1, 0), value=EOS))
        B, L, D = x_BLD.shape
        places_L = torch.arange(L, device=ids_BS.device)
        real_BL = places_L <= lengths_B[:, None]
        # The right-to-left tower reads reversed sentences: their padding comes last too.
        reversed_BL = torch.where(real_BL, lengths_B[:, None] - places_L, places_L)

        def reverse(x_BLD: Tensor) -> Tensor:
            return x_BLD.gather(1, reversed_BL[:, :, None].expand(B, L, D))

        backward = [reverse(state) for state in layer_outputs(self.backward_layers, reverse(x_BLD))]
        return [x_BLD, *layer_outputs(self.forward_layers, x_BLD)], [x_BLD, *backward], real_BL

    def states(self, ids_BS: Tensor, lengths_B: Tensor) -> list[Tensor]:
        # Differs: which states of the bi-directional language model lie above its towers, and that they see the current
        # token, is given only in the published code.
        forward, backward, real_BL = self.towers(ids_BS, lengths_B)
        x_BLD = self.combination(forward[-1], backward[-1], real_BL, own=True)
        before_BLD, after_BLD = F.pad(x_BLD[:, :-1], (0, 0, 1, 0)), (x_BLD * real_BL[:, :, None])[:, 1:]
        context = before_BLD, F.pad(after_BLD, (0, 0, 0, 1))
        pairs = [*zip(forward, backward, strict=True), context, (x_BLD, x_BLD)]
        return [torch.cat(pair, dim=2)[:, 1:] for pair in pairs]

    def features(self, ids_BS: Tensor, lengths_B: Tensor, *, own: bool = True) -> Tensor:
        forward, backward, real_BL = self.towers(ids_BS, lengths_B)
        features_BLD: Tensor = self.combination(forward[-1], backward[-1], real_BL, own=own)
        return features_BLD[:, 1:]

    def loss(self, batch: Batch) -> Tensor:
        features_ND = batch.scored(self.features(batch.source_BS, batch.lengths_B, own=False))
        return cross_entropy(features_ND, self.embedding, None, batch.scored(batch.targets_BT))


class CausalStepper:
    """Incremental reading of a left-to-right language model, with cached keys and values."""

    # Differs: a language model in the decoder caches its states. The paper's implementation reads the whole prefix
    # again at every step.

    def __init__(self, lm: CausalLM, sentences: int, packed: PackedWeights) -> None:
        self.lm, self.length = lm, 0
        self.ancestry = AncestryMask(sentences, lm.embedding)
        self.ancestry.add()  # An entry for the learned key and value, which every hypothesis sees.
        self.layers = [BlockStepper(layer, sentences, packed) for layer in lm.layers if isinstance(layer, Block)]

    def step(self, ids_R: Tensor) -> list[Tensor]:
        """Take each row's next token; return the LM's hidden states there (R, D)."""
        x_RD = self.lm.embed(ids_R[:, None], self.length)[:, 0]
        self.length += 1
        self.ancestry.add()
        bias_B1KM = self.ancestry.bias()
        states = [x_RD]
        for layer in self.layers:
            states.append(layer.step(states[-1], bias_B1KM))
        return states

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        """Keep these rows; `sentences` are the positions of the batch that remain."""
        self.ancestry.select(rows_R, len(sentences_B))
        for layer in self.layers:
            layer.attention.cache.select(sentences_B)


class BlockStepper:
    """One layer in incremental reading."""

    def __init__(self, layer: Block, sentences: int, packed: PackedWeights) -> None:
        self.layer, attention, feed_forward = layer, layer.attention, layer.feed_forward
        self.attention = SelfAttentionStepper(attention.inputs, attention.output, attention.heads, sentences, packed)
        self.attention.cache.add(attention.extra.detach().flatten().expand(sentences, -1))
        self.inner, self.outer = (
            packed.product_with(one.weight, one.bias) for one in (feed_forward.inner, feed_forward.outer)
        )

    def step(self, x_RD: Tensor, bias_B1KM: Tensor | None) -> Tensor:
        """Take each row's input at the next position; return the layer's output (R, D)."""
        x_RD = self.layer.around_attention.add(x_RD, lambda x: self.attention.step(x, bias_B1KM))
        return self.layer.around_feed_forward.add(x_RD, lambda x: self.outer(self.inner(x).relu_()))


LMS = {lm.kind: lm for lm in (CausalLM, ClozeLM)}
