"""The Transformer of Vaswani et al. (2017), with layer normalisation after or before each sub-layer.

Shape suffixes: B sentences, S source positions, T target positions, L positions of either side, N scored positions,
D model size, H heads, d = D / H, F size of the feed-forward layer, V vocabulary; in the search K hypotheses a sentence,
R = B K rows. Inputs and outputs of attention, (B, H, L, d), are views.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seqpre.models.batch import Batch
from seqpre.models.family import PretrainedMapping, Seq2SeqModel, SubwordStepper
from seqpre.models.kernels.dropout import drawn_by_torch, dropout, dropout_mask
from seqpre.models.kernels.kv_cache import AncestryMask, KVCache
from seqpre.models.kernels.products import PackedWeights, linear
from seqpre.models.kernels.softmax import cross_entropy
from seqpre.study.models.transformer import TransformerShape


def sinusoids(length: int, dim: int) -> Tensor:
    """Return PE(pos, 2i) = sin(pos / 10000^(2i / D)), PE(pos, 2i + 1) = cos of the same (L, D) (Section 3.5)."""
    angles_Ld = torch.arange(length)[:, None] * torch.exp(torch.arange(0, dim, 2) * (-math.log(10_000.0) / dim))
    return torch.stack([angles_Ld.sin(), angles_Ld.cos()], dim=2).flatten(1)


class Positions:
    """The table of sinusoids, extended on demand."""

    def __init__(self, dim: int) -> None:
        self.dim, self.table_LD = dim, sinusoids(512, dim)

    def __call__(self, first: int, last: int, device: torch.device) -> Tensor:
        """Return the sinusoids of positions `first` to `last` - 1 (L, D)."""
        if len(self.table_LD) < last:
            self.table_LD = sinusoids(2 * last, self.dim)
        self.table_LD = self.table_LD.to(device)
        return self.table_LD[first:last]


def split_heads(x_BLD: Tensor, heads: int) -> Tensor:
    """Split into heads (B, H, L, d), a view."""
    B, L, D = x_BLD.shape
    return x_BLD.view(B, L, heads, D // heads).transpose(1, 2)


def merge_heads(output_BHLd: Tensor) -> Tensor:
    """Concatenate the heads (B, L, D)."""
    return output_BHLd.transpose(1, 2).flatten(2)


class Linear(nn.Module):
    """x W^T + b (..., O). `parts` matrices with the same input are stored as one."""

    def __init__(self, inputs: int, outputs: int, parts: int = 1) -> None:
        super().__init__()
        # Unstated: the initial weights of a Transformer. Every matrix follows Glorot and Bengio (2010), as in the
        # authors' code.
        bound = math.sqrt(6 / (inputs + outputs))
        self.weight = nn.Parameter(torch.empty(parts * outputs, inputs).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(parts * outputs))

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)


def apply_dropout(x_B: Tensor, rate: float, training: bool) -> Tensor:
    """Apply dropout to `x` (B, ...). A sentence's mask is the same in any process (`kernels.dropout`)."""
    return dropout(x_B.flatten(1), rate, training).view_as(x_B)


def scaled_dot_product_attention(
    queries: Tensor, keys: Tensor, values: Tensor, seen: Tensor | None, rate: float = 0.0, *, causal: bool = False
) -> Tensor:
    """Return softmax(Q K^T / sqrt(d)) V (B, H, L, d) over the positions that are `seen` (Equation 1).

    Dropout falls on the weights. They are stored only with dropout on a CPU or in several processes, whose masks are
    drawn here.
    """
    if not rate or drawn_by_torch(values):
        return F.scaled_dot_product_attention(queries, keys, values, seen, rate, is_causal=causal)
    scores = (queries / math.sqrt(queries.shape[3])) @ keys.transpose(2, 3)
    if causal:
        seen = scores.new_ones(scores.shape[2:], dtype=torch.bool).tril()
    if seen is not None:
        scores = scores.masked_fill(~seen, float("-inf"))
    weights = torch.softmax(scores, dim=3, dtype=torch.float32)
    return apply_dropout(weights, rate, training=True).to(values.dtype) @ values


class SelfAttention(nn.Module):
    """Multi-head attention (Section 3.2.2) of a sequence to itself; in the decoder it is causal (Section 3.2.3)."""

    def __init__(self, settings: TransformerShape) -> None:
        super().__init__()
        self.heads, self.rate = settings.heads, settings.attention_dropout
        self.inputs = Linear(settings.dim, settings.dim, parts=3)
        self.output = Linear(settings.dim, settings.dim)

    def forward(self, x_BLD: Tensor, real_B11S: Tensor | None, causal: bool) -> Tensor:
        queries, keys, values = (split_heads(part, self.heads) for part in self.inputs(x_BLD).chunk(3, dim=2))
        rate = self.rate if self.training else 0.0
        output_BHLd = scaled_dot_product_attention(queries, keys, values, real_B11S, rate, causal=causal)
        output_BLD: Tensor = self.output(merge_heads(output_BHLd))
        return output_BLD


class CrossAttention(nn.Module):
    """Multi-head attention (Section 3.2.2) of target positions to the encoder's output (Section 3.2.3)."""

    def __init__(self, settings: TransformerShape) -> None:
        super().__init__()
        self.heads, self.rate = settings.heads, settings.attention_dropout
        self.query = Linear(settings.dim, settings.dim)
        self.memory = Linear(settings.dim, settings.dim, parts=2)
        self.output = Linear(settings.dim, settings.dim)

    def forward(self, x_BTD: Tensor, memory_BSD: Tensor, real_B11S: Tensor | None) -> Tensor:
        queries = split_heads(self.query(x_BTD), self.heads)
        keys, values = (split_heads(part, self.heads) for part in self.memory(memory_BSD).chunk(2, dim=2))
        rate = self.rate if self.training else 0.0
        output_BHTd = scaled_dot_product_attention(queries, keys, values, real_B11S, rate)
        output_BTD: Tensor = self.output(merge_heads(output_BHTd))
        return output_BTD


class FeedForward(nn.Module):
    """max(0, x W_1 + b_1) W_2 + b_2 (Section 3.3), with dropout in between if set."""

    def __init__(self, settings: TransformerShape) -> None:
        super().__init__()
        self.rate = settings.activation_dropout
        self.inner = Linear(settings.dim, settings.ff_dim)
        self.outer = Linear(settings.ff_dim, settings.dim)

    def forward(self, x_BLD: Tensor) -> Tensor:
        output_BLD: Tensor = self.outer(apply_dropout(self.inner(x_BLD).relu_(), self.rate, self.training))
        return output_BLD


class Residual(nn.Module):
    """The residual connection: LayerNorm(x + Sublayer(x)) (Section 3.1), or x + Sublayer(LayerNorm(x))."""

    def __init__(self, settings: TransformerShape) -> None:
        super().__init__()
        self.norm, self.pre_norm, self.rate = nn.LayerNorm(settings.dim), settings.norm == "pre", settings.dropout

    def add(self, x_D: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Return the sum of `x_D` and the sub-layer's output."""
        output_D = sublayer(self.norm(x_D) if self.pre_norm else x_D)
        sum_D = x_D + apply_dropout(output_D, self.rate, self.training)
        return sum_D if self.pre_norm else self.norm(sum_D)


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward layer; each has a residual connection (Section 3.1, encoder)."""

    def __init__(self, settings: TransformerShape) -> None:
        super().__init__()
        self.attention, self.around_attention = SelfAttention(settings), Residual(settings)
        self.feed_forward, self.around_feed_forward = FeedForward(settings), Residual(settings)

    def forward(self, x_BSD: Tensor, real_B11S: Tensor | None) -> Tensor:
        x_BSD = self.around_attention.add(x_BSD, lambda x: self.attention(x, real_B11S, causal=False))
        return self.around_feed_forward.add(x_BSD, self.feed_forward)


class DecoderLayer(nn.Module):
    """Causal self-attention, attention to the encoder's output, then the feed-forward layer (Section 3.1, decoder).

    Each of the three has a residual connection.
    """

    def __init__(self, settings: TransformerShape) -> None:
        super().__init__()
        self.attention, self.around_attention = SelfAttention(settings), Residual(settings)
        self.cross_attention, self.around_cross_attention = CrossAttention(settings), Residual(settings)
        self.feed_forward, self.around_feed_forward = FeedForward(settings), Residual(settings)

    def forward(self, x_BTD: Tensor, memory_BSD: Tensor, real_B11S: Tensor | None) -> Tensor:
        # Padding comes last, so the causal mask hides it.
        x_BTD = self.around_attention.add(x_BTD, lambda x: self.attention(x, None, causal=True))
        x_BTD = self.around_cross_attention.add(x_BTD, lambda x: self.cross_attention(x, memory_BSD, real_B11S))
        return self.around_feed_forward.add(x_BTD, self.feed_forward)


def run_layers(layers: nn.ModuleList, rate: float, x_BLD: Tensor, *context: Tensor | None) -> Tensor:
    """Return the last layer's output (B, L, D). In training a layer is left out with probability `rate` (LayerDrop)."""
    # Unstated: whether LayerDrop scales the outputs of the layers that stay. It does not, as in its published code (Fan
    # et al., 2020).
    dropping = rate > 0 and layers.training
    left_out = (torch.rand(len(layers)) < rate).tolist() if dropping else [False] * len(layers)
    for layer, out in zip(layers, left_out, strict=True):
        if out:  # Processes that share a batch need a gradient of every parameter, the encoder's too; here it is 0.
            unread = (*layer.parameters(), *(one for one in context if one is not None))
            x_BLD = x_BLD + 0 * sum(one.sum() for one in unread)
        else:
            x_BLD = layer(x_BLD, *context)
    return x_BLD


class Transformer(Seq2SeqModel):
    """Embeddings, encoder, decoder and softmax."""

    def __init__(self, source_vocab: int, target_vocab: int, settings: TransformerShape) -> None:
        super().__init__(source_vocab, target_vocab, settings)
        self.settings, self.max_source, dim = settings, settings.max_source, settings.dim
        # Embeddings may be tied to the softmax and have its scale; inputs are multiplied by sqrt(D) (Section 3.4).
        self.softmax = nn.Parameter(torch.randn(target_vocab, dim) / math.sqrt(dim))
        own = ["source", "target"][: {"all": 0, "decoder": 1, "none": 2}[settings.tied]]
        sizes = {"source": source_vocab, "target": target_vocab}
        self.embeddings = nn.ParameterDict(
            {side: nn.Parameter(torch.randn(sizes[side], dim) / math.sqrt(dim)) for side in own}
        )
        self.encoder = nn.ModuleList(EncoderLayer(settings) for _ in range(settings.encoder_layers))
        self.decoder = nn.ModuleList(DecoderLayer(settings) for _ in range(settings.decoder_layers))
        # Pre-norm layers leave the last residual sum without normalisation.
        last = nn.LayerNorm if settings.norm == "pre" else nn.Identity
        self.encoder_norm, self.decoder_norm = last(dim), last(dim)
        self.positions = Positions(dim)
        self.packed = PackedWeights()

    def train(self, mode: bool = True) -> Transformer:
        if mode:
            self.packed.clear()
        return super().train(mode)

    def scaled_embeddings(self, ids_BL: Tensor, side: str) -> Tensor:
        """Return a side's scaled embeddings (B, L, D), in training after word dropout."""
        x_BLD = F.embedding(ids_BL, self.embeddings.get(side, self.softmax)) * math.sqrt(self.settings.dim)
        rate = self.settings.source_word_dropout if side == "source" else self.settings.target_word_dropout
        if not self.training or rate == 0:
            return x_BLD
        return x_BLD * dropout_mask(tuple(ids_BL.shape), rate, x_BLD)[:, :, None]

    def embed(self, ids_BL: Tensor, side: str, first: int = 0) -> Tensor:
        """Return a side's embeddings plus positions from `first` on (B, L, D), after dropout."""
        positions_LD = self.positions(first, first + ids_BL.shape[1], ids_BL.device)
        return apply_dropout(self.scaled_embeddings(ids_BL, side) + positions_LD, self.settings.dropout, self.training)

    def source_inputs(self, ids_BS: Tensor, lengths_B: Tensor) -> Tensor:
        """Return the input of the encoder's first layer (B, S, D)."""
        return self.embed(ids_BS, "source")

    def target_inputs(self, ids_BT: Tensor) -> Tensor:
        """Return the input of the decoder's first layer (B, T, D)."""
        return self.embed(ids_BT, "target")

    def encode(self, ids_BS: Tensor, lengths_B: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return the encoder's output (B, S, D) and the mask of real positions (B, 1, 1, S), None if all are real."""
        real_BS = torch.arange(ids_BS.shape[1], device=ids_BS.device) < lengths_B[:, None]
        real_B11S = None if bool(real_BS.all()) else real_BS[:, None, None]
        x_BSD = self.source_inputs(ids_BS, lengths_B)
        x_BSD = run_layers(self.encoder, self.settings.encoder_layerdrop, x_BSD, real_B11S)
        return self.encoder_norm(x_BSD), real_B11S

    def decode(self, ids_BT: Tensor, memory_BSD: Tensor, real_B11S: Tensor | None) -> Tensor:
        """Return the softmax layer's input (B, T, D), given the previous target tokens."""
        x_BTD = self.target_inputs(ids_BT)
        x_BTD = run_layers(self.decoder, self.settings.decoder_layerdrop, x_BTD, memory_BSD, real_B11S)
        features_BTD: Tensor = self.decoder_norm(x_BTD)
        return features_BTD

    def loss(self, batch: Batch) -> Tensor:
        features_BTD = self.decode(batch.inputs_BT, *self.encode(batch.source_BS, batch.lengths_B))
        smoothing = self.label_smoothing if self.training else 0.0
        return cross_entropy(batch.scored(features_BTD), self.softmax, None, batch.scored(batch.targets_BT), smoothing)

    def sides_of(self, tensor: str) -> tuple[str, ...]:
        """Return the sides that a tensor belongs to: `encoder`, `decoder` or both."""
        if tensor == "softmax" and self.settings.tied == "all":
            return "encoder", "decoder"
        source = tensor.startswith("encoder") or tensor.endswith((".source", ".source.weight", ".source.bias"))
        return ("encoder",) if source else ("decoder",)

    def pretrained_mapping(self, side: str, parts: Sequence[str]) -> PretrainedMapping:
        tensors = {name: name for name in self.state_dict() if side in self.sides_of(name)}
        shape = {name: getattr(self.settings, name) for name in ("heads", "norm", f"{side}_layers")}
        return PretrainedMapping(tensors, "seq2seq", "a whole model", "vocabulary and model", "model", shape)

    def stepper(self, source_BS: Tensor, lengths_B: Tensor) -> TransformerStepper:
        return TransformerStepper(self, source_BS, lengths_B)


class SelfAttentionStepper:
    """Incremental self-attention: keys and values of earlier tokens are cached."""

    def __init__(self, inputs: Linear, output: Linear, heads: int, sentences: int, packed: PackedWeights) -> None:
        self.heads = heads
        self.inputs, self.output = (packed.product_with(one.weight, one.bias) for one in (inputs, output))
        self.cache = KVCache(sentences, 2 * output.weight.shape[0], output.weight)  # An entry: key and value, E = 2D.

    def step(self, x_RD: Tensor, bias_B1KM: Tensor | None) -> Tensor:
        """Take each row's input at the next position; return the attention's output (R, D)."""
        R, D = x_RD.shape
        H = self.heads
        inputs_R3D = self.inputs(x_RD)
        cached_BME = self.cache.add(inputs_R3D[:, D:])
        B = len(cached_BME)
        query_BHKd = inputs_R3D[:, :D].view(B, R // B, H, D // H).transpose(1, 2)
        keys, values = cached_BME.view(B, -1, 2 * H, D // H).transpose(1, 2).chunk(2, dim=1)
        output_BHKd = F.scaled_dot_product_attention(query_BHKd, keys, values, bias_B1KM)
        output_RD: Tensor = self.output(output_BHKd.transpose(1, 2).reshape(R, D))
        return output_RD


class LayerStepper:
    """One decoder layer in incremental decoding, with cached keys and values of each row and each source."""

    def __init__(self, layer: DecoderLayer, memory_BSD: Tensor, packed: PackedWeights) -> None:
        self.layer, self.heads = layer, layer.attention.heads
        attention, cross, feed_forward = layer.attention, layer.cross_attention, layer.feed_forward
        self.attention = SelfAttentionStepper(attention.inputs, attention.output, self.heads, len(memory_BSD), packed)
        self.query, self.cross_output, self.inner, self.outer = (
            packed.product_with(one.weight, one.bias)
            for one in (cross.query, cross.output, feed_forward.inner, feed_forward.outer)
        )
        keys, values = (split_heads(part, self.heads) for part in cross.memory(memory_BSD).chunk(2, dim=2))
        self.keys_BHSd, self.values_BHSd = keys.contiguous(), values.contiguous()

    def step(self, x_RD: Tensor, bias_B1KM: Tensor | None, real_B11S: Tensor | None) -> Tensor:
        """Take each row's input at the next position; return the layer's output (R, D)."""
        R, D = x_RD.shape
        B, H = len(self.keys_BHSd), self.heads

        def cross_attention(x_RD: Tensor) -> Tensor:
            query_BHKd = self.query(x_RD).view(B, R // B, H, D // H).transpose(1, 2)
            output_BHKd = F.scaled_dot_product_attention(query_BHKd, self.keys_BHSd, self.values_BHSd, real_B11S)
            return self.cross_output(output_BHKd.transpose(1, 2).reshape(R, D))

        x_RD = self.layer.around_attention.add(x_RD, lambda x: self.attention.step(x, bias_B1KM))
        x_RD = self.layer.around_cross_attention.add(x_RD, cross_attention)
        return self.layer.around_feed_forward.add(x_RD, lambda x: self.outer(self.inner(x).relu_()))

    def select(self, sentences_B: Tensor) -> None:
        """Keep these sentences."""
        self.attention.cache.select(sentences_B)
        if len(sentences_B) < len(self.keys_BHSd):
            self.keys_BHSd, self.values_BHSd = self.keys_BHSd[sentences_B], self.values_BHSd[sentences_B]


class TransformerStepper(SubwordStepper):
    """Incremental decoding: keys and values of the source and of earlier tokens are cached."""

    def __init__(self, model: Transformer, source_BS: Tensor, lengths_B: Tensor) -> None:
        self.model, self.length = model, 0
        self.memory_BSD, self.real_B11S = model.encode(source_BS, lengths_B)
        layers = (layer for layer in model.decoder if isinstance(layer, DecoderLayer))
        self.layers = [LayerStepper(layer, self.memory_BSD, model.packed) for layer in layers]
        self.ancestry = AncestryMask(len(lengths_B), self.memory_BSD)
        self.softmax = model.packed.product_with(model.softmax)

    def step(self, ids_R: Tensor) -> Tensor:
        x_RD = self.inputs(ids_R)
        self.ancestry.add()
        bias_B1KM = self.ancestry.bias()
        for layer in self.layers:
            x_RD = layer.step(x_RD, bias_B1KM, self.real_B11S)
        self.length += 1
        return self.logs(self.model.decoder_norm(x_RD))

    def inputs(self, ids_R: Tensor) -> Tensor:
        """Return the first layer's input for each row's last token (R, D)."""
        return self.model.embed(ids_R[:, None], "target", self.length)[:, 0]

    def logs(self, features_RD: Tensor) -> Tensor:
        """Return the log probabilities of each row's next token (R, V)."""
        logits_RV = self.softmax(features_RD)
        return torch.log_softmax(logits_RV, dim=1, out=logits_RV)

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        self.ancestry.select(rows_R, len(sentences_B))
        for layer in self.layers:
            layer.select(sentences_B)
        if self.real_B11S is not None:
            self.real_B11S = self.real_B11S[sentences_B]
