"""The language models of Edunov et al. (2019, Section 3.2): left to right, and bi-directional with two towers.

The second one is that of Baevski et al. (2019). Its towers read a sentence from left to right and from right to left;
what stands above them predicts every token from what one tower knows before it and the other one after it.

Shape suffixes as in `transformer`: a sentence of S tokens, the last one EOS, is read as L = S + 1: EOS comes first too.
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
from seqpre.models.family import LabelledModel
from seqpre.models.kernels.cells import Ancestry
from seqpre.models.kernels.products import OrderedWeights
from seqpre.models.kernels.softmax import cross_entropy
from seqpre.models.transformer import (
    FeedForward,
    Linear,
    Positions,
    Residual,
    SelfAttentionStepper,
    attended,
    dropped,
    heads_of,
    joined,
)
from seqpre.study.models.two_tower import TransformerLMShape


class BiasedAttention(nn.Module):
    """Self-attention to what is not ahead, and to one learned key and value besides."""

    # Differs: self-attention of the language models has a learned key and value besides those of the text. They are
    # given only in the published code.

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
            heads_of(torch.cat([extra_D.to(part_BLD.dtype).expand(B, 1, D), part_BLD], dim=1), self.heads)
            for extra_D, part_BLD in zip(self.extra, (keys, values), strict=True)
        )
        # No real position comes after padding, so that none sees it.
        seen_LM = torch.ones(L, L + 1, dtype=torch.bool, device=x_BLD.device).tril(1)
        rate = self.rate if self.training else 0.0
        output_BLD: Tensor = self.output(joined(attended(heads_of(queries, self.heads), keys, values, seen_LM, rate)))
        return output_BLD


class Block(nn.Module):
    """One layer of a tower, normalised before each sub-layer."""

    def __init__(self, shape: TransformerLMShape) -> None:
        super().__init__()
        self.attention, self.around_attention = BiasedAttention(shape), Residual(shape.block)
        self.feed_forward, self.around_feed_forward = FeedForward(shape.block), Residual(shape.block)

    def forward(self, x_BLD: Tensor) -> Tensor:
        around = self.around_attention
        x_BLD = around.sum(x_BLD, self.attention(around.input(x_BLD)))
        around = self.around_feed_forward
        return around.sum(x_BLD, self.feed_forward(around.input(x_BLD)))


def tower(shape: TransformerLMShape) -> nn.ModuleList:
    """Return the layers of a tower."""
    return nn.ModuleList(Block(shape) for _ in range(shape.layers))


def climbed(layers: Iterable[nn.Module], x_BLD: Tensor) -> list[Tensor]:
    """Return what each layer of a tower makes of its input, from the bottom up."""
    states = []
    for layer in layers:
        x_BLD = layer(x_BLD)
        states.append(x_BLD)
    return states


class TransformerLM(LabelledModel):
    """What both language models have: embeddings, which are the softmax's weights too, and positions."""

    # Unstated: whether the softmax of the language models is tied to their embeddings. It is: their sizes, 353 M and
    # 190 M parameters, say so.
    kind: str
    """What its weights are called in their file."""
    width: int
    """Of each of its states."""
    levels: int
    """How many states it has."""

    def __init__(self, vocab_size: int, shape: TransformerLMShape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Parameter(torch.randn(vocab_size, shape.dim) / math.sqrt(shape.dim))
        self.positions = Positions(shape.dim)

    def embedded(self, ids_BL: Tensor, first: int = 0) -> Tensor:
        """Return the sums of embeddings and positions, counted from `first` (B, L, D)."""
        positions_LD = self.positions(first, first + ids_BL.shape[1], ids_BL.device)
        sum_BLD = F.embedding(ids_BL, self.embedding) * math.sqrt(self.shape.dim) + positions_LD
        return dropped(sum_BLD, self.shape.dropout, self.training)

    @abstractmethod
    def states(self, ids_BS: Tensor, lengths_B: Tensor) -> list[Tensor]:
        """Return embeddings, all layers and, of two towers, what is above them (B, S, W); the current token is seen."""

    @abstractmethod
    def features(self, ids_BS: Tensor, lengths_B: Tensor) -> Tensor:
        """Return the representation before the softmax (B, S, D), the current token seen."""


class CausalLM(TransformerLM):
    """Predicts each token from those before it."""

    kind = "causal_lm"

    def __init__(self, vocab_size: int, shape: TransformerLMShape) -> None:
        super().__init__(vocab_size, shape)
        self.width, self.levels = shape.dim, 1 + shape.layers
        self.layers = tower(shape)
        # Unstated: whether the last layer's output of the uni-directional language model is normalised before the
        # softmax. It is, as wherever sub-layers normalise their inputs.
        self.norm = nn.LayerNorm(shape.dim)

    def states(self, ids_BS: Tensor, lengths_B: Tensor | None = None) -> list[Tensor]:
        x_BSD = self.embedded(ids_BS)
        return [x_BSD, *climbed(self.layers, x_BSD)]

    def features(self, ids_BS: Tensor, lengths_B: Tensor | None = None) -> Tensor:
        features_BSD: Tensor = self.norm(self.states(ids_BS)[-1])
        return features_BSD

    def loss(self, batch: Batch) -> Tensor:
        features_ND = batch.scored(self.features(batch.inputs_BT))
        return cross_entropy(features_ND, self.embedding, None, batch.scored(batch.targets_BT))

    def stepper(self, sentences: int, ordered: OrderedWeights) -> CausalStepper:
        """Return the beginning of so many sentences that are read a token at a time."""
        return CausalStepper(self, sentences, ordered)


class Combination(nn.Module):
    """Attention over both towers: a token is looked for with what is known right before and right after it.

    The query of position i is forward_{i-1} + backward_{i+1}; keys and values are forward_j, j < i, and backward_j,
    j > i. The feed-forward layer has a residual sum, attention has none: i itself is nowhere in it.
    """

    # Differs: the paper joins the two towers by "a self-attention module". What it is made of is given only in the
    # published code.
    # Differs: the scores of the attention that joins the two towers are divided by sqrt(d), as in all attention. The
    # published code defines this factor and does not use it.

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
        """Return the representation of each position (B, L, D), which sees all states of both towers if `own`."""
        forward_BLD, backward_BLD = self.norms[0](forward_BLD), self.norms[1](backward_BLD)
        after_BLD = F.pad((backward_BLD * real_BL[:, :, None])[:, 1:], (0, 0, 0, 1))
        query_BLD = self.query(F.pad(forward_BLD[:, :-1], (0, 0, 1, 0)) + after_BLD)
        memory_BM2D = self.memory(torch.cat([forward_BLD, backward_BLD], dim=1))
        keys, values = (heads_of(part, self.heads) for part in memory_BM2D.chunk(2, dim=2))
        seen_BLM = real_BL.repeat(1, 2)[:, None]
        if not own:
            all_LL = torch.ones(real_BL.shape[1], real_BL.shape[1], dtype=torch.bool, device=real_BL.device)
            seen_BLM = seen_BLM & torch.cat([all_LL.tril(-1), all_LL.triu(1)], dim=1)
        rate = self.attention_rate if self.training else 0.0
        found = joined(attended(heads_of(query_BLD, self.heads), keys, values, seen_BLM[:, None], rate))
        x_BLD = dropped(self.output(found), self.dropout, self.training)
        around = self.around_feed_forward
        return around.sum(x_BLD, self.feed_forward(around.input(x_BLD)))


class ClozeLM(TransformerLM):
    """Predicts each token from all others of its sentence."""

    kind = "cloze_lm"

    def __init__(self, vocab_size: int, shape: TransformerLMShape) -> None:
        super().__init__(vocab_size, shape)
        self.width, self.levels = 2 * shape.dim, 3 + shape.layers
        self.forward_layers, self.backward_layers = tower(shape), tower(shape)
        self.combination = Combination(shape)

    def towers(self, ids_BS: Tensor, lengths_B: Tensor) -> tuple[list[Tensor], list[Tensor], Tensor]:
        """Return the states of each tower (B, L, D), embeddings first, and which positions are real (B, L)."""
        x_BLD = self.embedded(F.pad(ids_BS, (1, 0), value=EOS))
        B, L, D = x_BLD.shape
        places_L = torch.arange(L, device=ids_BS.device)
        real_BL = places_L <= lengths_B[:, None]
        # The right-to-left tower reads sentences turned round, so that padding comes last there too.
        turned_BL = torch.where(real_BL, lengths_B[:, None] - places_L, places_L)

        def turned(x_BLD: Tensor) -> Tensor:
            return x_BLD.gather(1, turned_BL[:, :, None].expand(B, L, D))

        backward = [turned(state) for state in climbed(self.backward_layers, turned(x_BLD))]
        return [x_BLD, *climbed(self.forward_layers, x_BLD)], [x_BLD, *backward], real_BL

    def states(self, ids_BS: Tensor, lengths_B: Tensor) -> list[Tensor]:
        # Differs: which states the bi-directional language model has above its towers, and that the current token is
        # seen there, is given only in the published code.
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
    """A left-to-right language model a token at a time: what was read is computed once."""

    # Differs: a language model in the decoder keeps what it has read; the paper's implementation kept nothing, and read
    # the whole prefix anew at every step.

    def __init__(self, lm: CausalLM, sentences: int, ordered: OrderedWeights) -> None:
        self.lm, self.length = lm, 0
        self.ancestry = Ancestry(sentences, lm.embedding)
        self.ancestry.add()  # The learned key and value are a cell that every hypothesis goes back on.
        self.layers = [BlockStepper(layer, sentences, ordered) for layer in lm.layers if isinstance(layer, Block)]

    def step(self, ids_R: Tensor) -> list[Tensor]:
        """Take every row's next token; return the model's states there (R, D)."""
        x_RD = self.lm.embedded(ids_R[:, None], self.length)[:, 0]
        self.length += 1
        self.ancestry.add()
        seen_B1KM = self.ancestry.mask()
        states = [x_RD]
        for layer in self.layers:
            states.append(layer.step(states[-1], seen_B1KM))
        return states

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        """Go on with these rows, `sentences` being the places of the batch that stay."""
        self.ancestry.select(rows_R, len(sentences_B))
        for layer in self.layers:
            layer.attention.seen.select(sentences_B)


class BlockStepper:
    """One layer a token at a time."""

    def __init__(self, layer: Block, sentences: int, ordered: OrderedWeights) -> None:
        self.layer, attention, feed_forward = layer, layer.attention, layer.feed_forward
        self.attention = SelfAttentionStepper(attention.inputs, attention.output, attention.heads, sentences, ordered)
        self.attention.seen.add(attention.extra.detach().flatten().expand(sentences, -1))
        self.inner, self.outer = (
            ordered.product_with(one.weight, one.bias) for one in (feed_forward.inner, feed_forward.outer)
        )

    def step(self, x_RD: Tensor, seen_B1KM: Tensor | None) -> Tensor:
        """Take every row's input at the next position; return the layer's output (R, D)."""
        around = self.layer.around_attention
        x_RD = around.sum(x_RD, self.attention.step(around.input(x_RD), seen_B1KM))
        around = self.layer.around_feed_forward
        return around.sum(x_RD, self.outer(self.inner(around.input(x_RD)).relu_()))


LMS = {lm.kind: lm for lm in (CausalLM, ClozeLM)}
