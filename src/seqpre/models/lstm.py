"""The models of Ramachandran et al. (2017): a language model, and a seq2seq model that contains two of them.

Shape suffixes: B batch, S source positions, T target positions, N real (unpadded) positions, E embedding size,
P output size of a first layer, H cells of an upper layer, C = P + H context size, V vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from seqpre.models.kernels.dropout import dropout
from seqpre.models.kernels.products import linear
from seqpre.models.kernels.recurrence import input_fed_lstm, lstm, lstm_of_lengths
from seqpre.models.kernels.softmax import cross_entropy
from seqpre.study.settings import FirstLayer, ModelSettings

LSTMState = tuple[Tensor, Tensor]


class LSTMLanguageModel(nn.Module):
    """Embedding, one LSTM layer (with an optional projection; Sak et al., 2014) and a softmax.

    The encoder and the decoder of a seq2seq model each contain one as their first layer, so that initialising from a
    pretrained LM is loading this module, and the LM objective is this module's own loss.
    """

    def __init__(self, vocab_size: int, shape: FirstLayer, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout
        self.embedding = nn.Embedding(vocab_size, shape.embedding_dim)
        self.lstm = nn.LSTM(shape.embedding_dim, shape.hidden_dim, proj_size=shape.projection_dim)
        self.softmax = nn.Linear(shape.output_dim, vocab_size)
        # Unstated: initial weights. A small range for the embedding; the forget gate opens (Jozefowicz et al., 2016).
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        forget = slice(shape.hidden_dim, 2 * shape.hidden_dim)
        biases = dict(self.lstm.named_parameters())
        with torch.no_grad():
            biases["bias_ih_l0"][forget] = 1.0
            biases["bias_hh_l0"][forget] = 0.0

    def features(self, ids_TB: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """Return the LSTM's outputs (T, B, P), dropout applied to its input only, and its last state."""
        embedded_TBE = dropout(self.embedding(ids_TB), self.dropout, self.training)
        output_TBP, state = self.lstm(embedded_TBE, state)
        return output_TBP, state

    def loss(self, features_TBP: Tensor, targets_TB: Tensor, real_N: Tensor | None = None) -> Tensor:
        """Return the summed cross-entropy in nats of `targets` given the softmax layer's input.

        `real_N` are the flat positions that count, where not all do: only they reach the softmax.
        """
        features_NP = dropout(features_TBP, self.dropout, self.training).flatten(0, 1)
        targets_N = targets_TB.flatten()
        if real_N is not None:
            features_NP, targets_N = features_NP[real_N], targets_N[real_N]
        return cross_entropy(features_NP, self.softmax.weight, self.softmax.bias, targets_N)

    def stream_loss(self, ids_TB: Tensor, targets_TB: Tensor, state: LSTMState | None) -> tuple[Tensor, LSTMState]:
        """Return the summed loss of a stretch of text, and the state to carry on with, cut from the graph."""
        features_TBP, (hidden, cell) = self.features(ids_TB, state)
        loss = self.loss(features_TBP, targets_TB)
        return loss, (hidden.detach(), cell.detach())


class UpperLayer(nn.Module):
    """The weights of one LSTM layer above the first; `seqpre.models.kernels.recurrence` runs it."""

    def __init__(self, input_dim: int, dim: int) -> None:
        super().__init__()
        bound = dim**-0.5
        self.weight_input = nn.Parameter(torch.empty(4 * dim, input_dim).uniform_(-bound, bound))
        self.weight_hidden = nn.Parameter(torch.empty(4 * dim, dim).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(4 * dim))
        with torch.no_grad():
            self.bias[2 * dim : 3 * dim] = 1.0


def weights_of(layers: nn.ModuleList) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Return (input weights, hidden weights, bias) of every layer, as the recurrence takes them."""
    return [(layer.weight_input, layer.weight_hidden, layer.bias) for layer in layers if isinstance(layer, UpperLayer)]


@dataclass
class Memory:
    """What the decoder sees of a source batch."""

    keys_BSH: Tensor
    values_BSC: Tensor
    pad_BS: Tensor
    final_states: list[LSTMState]
    """Each upper encoder layer's (hidden, cell) after the last real token, both (B, H)."""


class Encoder(nn.Module):
    """A unidirectional LSTM whose first layer is a language model."""

    def __init__(self, vocab_size: int, shape: FirstLayer, settings: ModelSettings) -> None:
        super().__init__()
        self.settings = settings
        self.lm = LSTMLanguageModel(vocab_size, shape, settings.dropout)
        dims = [shape.output_dim] + [settings.upper_dim] * settings.upper_layers
        self.upper = nn.ModuleList(UpperLayer(below, dim) for below, dim in pairwise(dims))

    def forward(self, ids_SB: Tensor, lengths_B: Tensor) -> Memory:
        """Read source sentences, padded at their end; lengths count real tokens."""
        first_SBP, _ = self.lm.features(ids_SB)
        states_SBH = first_SBP
        final_states = []
        for weights in weights_of(self.upper):
            below = dropout(states_SBH, self.settings.dropout, self.training)
            states_SBH, final_state = lstm_of_lengths(below, lengths_B, *weights)
            final_states.append(final_state)
        values = [first_SBP, states_SBH] if self.settings.attention == "first_and_top" else [states_SBH]
        values_BSC = torch.cat(values, dim=2).transpose(0, 1).contiguous()
        keys_BSH = values_BSC[:, :, -self.settings.upper_dim :].contiguous()
        pad_BS = torch.arange(len(ids_SB), device=ids_SB.device) >= lengths_B[:, None]
        return Memory(keys_BSH, values_BSC, pad_BS, final_states)


class Decoder(nn.Module):
    """A language model as first layer; LSTM layers with attention above it; a residual connection around them."""

    def __init__(self, vocab_size: int, shape: FirstLayer, settings: ModelSettings) -> None:
        super().__init__()
        self.settings = settings
        self.lm = LSTMLanguageModel(vocab_size, shape, settings.dropout)
        P, H = shape.output_dim, settings.upper_dim
        context_dim = P + H if settings.attention == "first_and_top" else H
        fed_dim = context_dim if settings.input_feeding else 0
        dims = [P + fed_dim] + [H] * settings.upper_layers
        self.upper = nn.ModuleList(UpperLayer(below, dim) for below, dim in pairwise(dims))
        # Unstated: where the context enters the softmax. Figure 2(b) joins it to the top layer's output; one bias-free
        # linear map of both also brings the upper layers' 1000 units to the first layer's 1024, which the sum needs.
        self.combine = nn.Linear(H + context_dim, P, bias=False)
        if settings.residual == "gated":
            self.gate = nn.Linear(P, P)
            # Unstated: the gate's bias, "a large positive" value. 3 opens it to 0.95.
            nn.init.constant_(self.gate.bias, 3.0)

    def residual(self, first_P: Tensor, upper_P: Tensor) -> Tensor:
        """Return the softmax layer's input: h_1 + LSTM_N(...LSTM_2(h_1)...) (Section 2.2, residual connections)."""
        if self.settings.residual == "none":
            return upper_P
        if self.settings.residual == "gated":
            return torch.sigmoid(linear(first_P, self.gate.weight, self.gate.bias)) * first_P + upper_P
        return first_P + upper_P

    def forward(self, ids_TB: Tensor, memory: Memory) -> Tensor:
        """Return the softmax layer's input at every step (T, B, P), given the previous target tokens."""
        rate = self.settings.dropout if self.training else 0.0
        # From the zero state: no link between the two first layers (Section 2.1).
        first_TBP, _ = self.lm.features(ids_TB)
        if self.settings.input_feeding:
            top_TBH, context_TBC = input_fed_lstm(
                dropout(first_TBP, rate, self.training),
                weights_of(self.upper),
                memory.final_states,
                memory.keys_BSH,
                memory.values_BSC,
                memory.pad_BS,
                rate,
            )
        else:
            top_TBH = first_TBP
            for weights, state in zip(weights_of(self.upper), memory.final_states, strict=True):
                top_TBH, _ = lstm(dropout(top_TBH, rate, self.training), *weights, *state)
            context_TBC = attend(top_TBH.transpose(0, 1), memory).transpose(0, 1)
        return self.residual(first_TBP, linear(torch.cat([top_TBH, context_TBC], dim=2), self.combine.weight))


class Seq2Seq(nn.Module):
    """The whole model: theta_M of Section 2.2."""

    def __init__(self, source_vocab: int, target_vocab: int, shape: FirstLayer, settings: ModelSettings) -> None:
        super().__init__()
        self.encoder = Encoder(source_vocab, shape, settings)
        self.decoder = Decoder(target_vocab, shape, settings)

    def loss(
        self, source_SB: Tensor, lengths_B: Tensor, inputs_TB: Tensor, targets_TB: Tensor, real_N: Tensor
    ) -> Tensor:
        """Return the summed cross-entropy (nats) of the target tokens; `real_N` are their flat positions."""
        memory = self.encoder(source_SB, lengths_B)
        features_TBP = self.decoder(inputs_TB, memory)
        return self.decoder.lm.loss(features_TBP, targets_TB, real_N)


def attend(query_BTH: Tensor, memory: Memory) -> Tensor:
    """Return the contexts (B, T, C): one softmax over the top encoder states weighs the first and the top states.

    alpha_i = softmax_i(q_t . h_i^N),  c_t = [sum_i alpha_i h_i^1 ; sum_i alpha_i h_i^N]   (Section 2.2)
    """
    # Unstated: which decoder state is the query q_t. The top layer's at step t, the only one of the keys' size.
    scores_BTS = query_BTH @ memory.keys_BSH.transpose(1, 2)
    weights_BTS = scores_BTS.masked_fill(memory.pad_BS[:, None, :], float("-inf")).softmax(dim=2)
    return weights_BTS @ memory.values_BSC
