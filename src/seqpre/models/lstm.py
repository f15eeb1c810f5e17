"""The models of Ramachandran et al. (2017): a language model, and a seq2seq model that contains two of them.

Sections are those of the preprint, arXiv:1611.02683, here and wherever this paper is cited; EMNLP's differ.

Ids are batch first; states are time first, as in `nn.LSTM`.

Shape suffixes: B batch, S source positions, T target positions, N scored positions, E embedding size,
P output size of a first layer, H cells of an upper layer, C = P + H context size, V vocabulary; in the search K
hypotheses a sentence, R = B K rows, G = 4H gates (output, input, forget, candidate).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from seqpre.models.batch import Batch
from seqpre.models.family import LSTMState, PretrainedMapping, Seq2SeqModel, Stepper, StreamModel, SubwordStepper
from seqpre.models.kernels.dropout import dropout
from seqpre.models.kernels.products import linear, product, product_with
from seqpre.models.kernels.recurrence import input_fed_lstm, lstm, lstm_of_lengths, lstm_step, reorder_gates
from seqpre.models.kernels.softmax import cross_entropy
from seqpre.study.models.lstm import FirstLayer, LSTMSettings

MAPPED_POSITIONS = 64
"""Up to this source length the attention values are mapped once (`LSTMStepper._map`); beyond it, each context is."""


class LSTMLanguageModel(StreamModel):
    """Embedding, one LSTM layer (with an optional projection; Sak et al., 2014) and a softmax.

    It is the first layer of the encoder and of the decoder. Initialising from a pretrained LM loads this module, and
    the LM objective is this module's loss.
    """

    autocasts = False

    def __init__(self, vocab_size: int, shape: FirstLayer, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout
        self.embedding = nn.Embedding(vocab_size, shape.embedding_dim)
        self.lstm = nn.LSTM(shape.embedding_dim, shape.hidden_dim, proj_size=shape.projection_dim)
        self.softmax = nn.Linear(shape.output_dim, vocab_size)
        # Unstated: the initial weights of the LSTM. Embeddings are within 0.1 of zero; the forget gate's bias is 1, as
        # in Jozefowicz et al. (2016).
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        forget = slice(shape.hidden_dim, 2 * shape.hidden_dim)
        biases = dict(self.lstm.named_parameters())
        with torch.no_grad():
            biases["bias_ih_l0"][forget] = 1.0
            biases["bias_hh_l0"][forget] = 0.0

    def features(self, ids_TB: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """Return the LSTM's outputs (T, B, P) and its last state. Only its input has dropout."""
        embedded_TBE = dropout(self.embedding(ids_TB), self.dropout, self.training)
        output_TBP, state = self.lstm(embedded_TBE, state)
        return output_TBP, state

    def apply_dropout(self, features_TBP: Tensor) -> Tensor:
        """Apply dropout to the softmax layer's input (T, B, P)."""
        return dropout(features_TBP, self.dropout, self.training)

    def cross_entropy(self, features_NP: Tensor, targets_N: Tensor, smoothing: float = 0.0) -> Tensor:
        """Return the summed cross-entropy (nats) of the targets, given the softmax layer's input."""
        return cross_entropy(features_NP, self.softmax.weight, self.softmax.bias, targets_N, smoothing)

    def stream_loss(self, ids_BT: Tensor, targets_BT: Tensor, state: LSTMState | None) -> tuple[Tensor, LSTMState]:
        features_TBP, (hidden, cell) = self.features(ids_BT.t(), state)
        loss = self.cross_entropy(self.apply_dropout(features_TBP).flatten(0, 1), targets_BT.t().flatten())
        return loss, (hidden.detach(), cell.detach())

    def loss(self, batch: Batch) -> Tensor:
        features_TBP, _ = self.features(batch.inputs_BT.t())
        return self.cross_entropy(
            self.apply_dropout(features_TBP)[batch.steps_N, batch.rows_N], batch.scored(batch.targets_BT)
        )


class UpperLayer(nn.Module):
    """The weights of an LSTM layer above the first; `kernels.recurrence` computes it."""

    def __init__(self, input_dim: int, dim: int) -> None:
        super().__init__()
        bound = dim**-0.5
        self.weight_input = nn.Parameter(torch.empty(4 * dim, input_dim).uniform_(-bound, bound))
        self.weight_hidden = nn.Parameter(torch.empty(4 * dim, dim).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.zeros(4 * dim))
        with torch.no_grad():
            self.bias[2 * dim : 3 * dim] = 1.0


def weights_of(layers: nn.ModuleList) -> list[tuple[Tensor, Tensor, Tensor]]:
    """Return (input weights, hidden weights, bias) of every layer."""
    return [(layer.weight_input, layer.weight_hidden, layer.bias) for layer in layers if isinstance(layer, UpperLayer)]


@dataclass
class Memory:
    """An encoded batch of sources, as the decoder reads it."""

    keys_BSH: Tensor
    values_BSC: Tensor
    pad_BS: Tensor
    final_states: list[LSTMState]
    """Each upper encoder layer's (hidden, cell) after the last real token, both (B, H)."""


class Encoder(nn.Module):
    """A unidirectional LSTM whose first layer is a language model."""

    def __init__(self, vocab_size: int, settings: LSTMSettings) -> None:
        super().__init__()
        self.settings, shape = settings, settings.first_layer
        self.lm = LSTMLanguageModel(vocab_size, shape, settings.dropout)
        dims = [shape.output_dim] + [settings.upper_dim] * settings.upper_layers
        self.upper = nn.ModuleList(UpperLayer(below, dim) for below, dim in pairwise(dims))

    def forward(self, ids_BS: Tensor, lengths_B: Tensor) -> Memory:
        """Encode sources that are padded at the end; lengths do not count padding."""
        first_SBP, _ = self.lm.features(ids_BS.t())
        states_SBH = first_SBP
        final_states = []
        for weights in weights_of(self.upper):
            below = dropout(states_SBH, self.settings.dropout, self.training)
            states_SBH, final_state = lstm_of_lengths(below, lengths_B, *weights)
            final_states.append(final_state)
        values = [first_SBP, states_SBH] if self.settings.attention == "first_and_top" else [states_SBH]
        values_BSC = torch.cat(values, dim=2).transpose(0, 1).contiguous()
        keys_BSH = values_BSC[:, :, -self.settings.upper_dim :].contiguous()
        pad_BS = torch.arange(ids_BS.shape[1], device=ids_BS.device) >= lengths_B[:, None]
        return Memory(keys_BSH, values_BSC, pad_BS, final_states)


class Decoder(nn.Module):
    """A language model, then LSTM layers with attention, and a residual connection around these."""

    def __init__(self, vocab_size: int, settings: LSTMSettings) -> None:
        super().__init__()
        self.settings, shape = settings, settings.first_layer
        self.lm = LSTMLanguageModel(vocab_size, shape, settings.dropout)
        P, H = shape.output_dim, settings.upper_dim
        context_dim = P + H if settings.attention == "first_and_top" else H
        fed_dim = context_dim if settings.input_feeding else 0
        dims = [P + fed_dim] + [H] * settings.upper_layers
        self.upper = nn.ModuleList(UpperLayer(below, dim) for below, dim in pairwise(dims))
        # Unstated: where the context enters the softmax. It is joined to the top layer's output, as in Figure 2(c). A
        # linear map without bias takes both to the first layer's size, 1024 in place of 1000, which the sum needs.
        self.combine = nn.Linear(H + context_dim, P, bias=False)
        if settings.residual == "gated":
            self.gate = nn.Linear(P, P)
            # Unstated: the bias of the gated residual, "a large positive" value. 3: the gate opens to 0.95.
            nn.init.constant_(self.gate.bias, 3.0)

    def residual(self, first_P: Tensor, upper_P: Tensor) -> Tensor:
        """Return the softmax layer's input: h_1 + LSTM_N(...LSTM_2(h_1)...) (Section 2.2, residual connections)."""
        if self.settings.residual == "none":
            return upper_P
        if self.settings.residual == "gated":
            return torch.sigmoid(linear(first_P, self.gate.weight, self.gate.bias)) * first_P + upper_P
        return first_P + upper_P

    def forward(self, ids_BT: Tensor, memory: Memory) -> Tensor:
        """Return the softmax layer's input at every step (T, B, P), given the previous target tokens."""
        rate = self.settings.dropout if self.training else 0.0
        # The decoder's first layer starts from zeros, not from the encoder's state (Section 2.1).
        first_TBP, _ = self.lm.features(ids_BT.t())
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


class Seq2Seq(Seq2SeqModel):
    """The whole model, M of Section 2.1, with the parameters theta_M."""

    autocasts = False

    def __init__(self, source_vocab: int, target_vocab: int, settings: LSTMSettings) -> None:
        super().__init__(source_vocab, target_vocab, settings)
        self.encoder = Encoder(source_vocab, settings)
        self.decoder = Decoder(target_vocab, settings)
        self.max_source = settings.max_source

    def loss(self, batch: Batch) -> Tensor:
        # Unstated: whether targets are reversed, as the order y_n, ..., y_1 in the EMNLP version's equation suggests.
        # They are not: its factors condition each word on those before it.
        memory = self.encoder(batch.source_BS, batch.lengths_B)
        lm = self.decoder.lm
        features_TBP = lm.apply_dropout(self.decoder(batch.inputs_BT, memory))
        smoothing = self.label_smoothing if self.training else 0.0
        return lm.cross_entropy(features_TBP[batch.steps_N, batch.rows_N], batch.scored(batch.targets_BT), smoothing)

    def stepper(self, source_BS: Tensor, lengths_B: Tensor) -> Stepper:
        return LSTMStepper(self, source_BS, lengths_B)

    def pretrained_mapping(self, side: str, parts: Sequence[str]) -> PretrainedMapping:
        lm = self.language_models()[side]
        tensors = {f"{side}.lm.{name}": name for name in lm.state_dict() if name.split(".")[0] in parts}
        return PretrainedMapping(tensors, "lm", "a language model", "subwords and model.first_layer")

    def language_models(self) -> dict[str, LSTMLanguageModel]:
        return {"encoder": self.encoder.lm, "decoder": self.decoder.lm}

    def unused_by_loss(self) -> nn.Module:
        return self.encoder.lm.softmax


def attend(query_BTH: Tensor, memory: Memory) -> Tensor:
    """Return the contexts (B, T, C). Weights come from the top encoder states; values are of the first and top layers.

    alpha_i = softmax_i(q_t . h_i^N),  c_t = [sum_i alpha_i h_i^1 ; sum_i alpha_i h_i^N]   (Section 2.2)
    """
    # Unstated: which decoder state is the query q_t of attention. The top layer's at step t: no other has the size of
    # the keys.
    scores_BTS = query_BTH @ memory.keys_BSH.transpose(1, 2)
    weights_BTS = scores_BTS.masked_fill(memory.pad_BS[:, None, :], float("-inf")).softmax(dim=2)
    return weights_BTS @ memory.values_BSC


class LSTMStepper(SubwordStepper):
    """Incremental decoding. What stays the same in every step is computed once, before the first."""

    def __init__(self, model: Seq2Seq, source_BS: Tensor, lengths_B: Tensor) -> None:
        decoder = model.decoder
        self.decoder = decoder
        P, H = decoder.combine.out_features, decoder.settings.upper_dim
        lstm = decoder.lm.lstm
        # One product a layer, with [its input; its previous output]. The context of the first upper layer comes apart.
        self.layers = [
            product_with(torch.cat([w_input[:, :P] if level == 1 else w_input, w_hidden], dim=1), bias)
            for level, (w_input, w_hidden, bias) in enumerate([reorder_gates(lstm), *weights_of(decoder.upper)])
        ]
        self.project = product_with(lstm.get_parameter("weight_hr_l0")) if lstm.proj_size else None
        self.combine_top = product_with(decoder.combine.weight[:, :H])
        self.softmax = product_with(decoder.lm.softmax.weight, decoder.lm.softmax.bias)

        self.memory: Memory = model.encoder(source_BS, lengths_B)
        self.mapped = source_BS.shape[1] <= MAPPED_POSITIONS
        if self.mapped:
            self.memory.values_BSC = self._map(self.memory.values_BSC)
        B, zeros = len(lengths_B), self.memory.keys_BSH.new_zeros
        self.states: list[LSTMState] = [(zeros(B, P), zeros(B, lstm.hidden_size)), *self.memory.final_states]
        self.fed_RG = zeros(B, 4 * H)  # The previous context's part in the gates of the first upper layer.

    def _map(self, values_C: Tensor) -> Tensor:
        """Return what values add to the gates of the first upper layer and to the residual sum (..., G + P).

        A context is a weighted average, so W sum_i alpha_i v_i = sum_i alpha_i (W v_i). The values of short sources are
        multiplied once, which saves a product for every hypothesis and step.
        """
        P, H = self.decoder.combine.out_features, self.decoder.settings.upper_dim
        fed = weights_of(self.decoder.upper)[0][0][:, P:]  # Empty without input feeding.
        fed_G = product(values_C, fed) if fed.shape[1] else values_C.new_zeros(*values_C.shape[:-1], 4 * H)
        return torch.cat([fed_G, product(values_C, self.decoder.combine.weight[:, H:])], dim=-1)

    def step(self, ids_R: Tensor) -> Tensor:
        """Take each row's last token; return the log probabilities of its next one (R, V)."""
        logits_RV = self.softmax(self.features(ids_R))
        return torch.log_softmax(logits_RV, dim=1, out=logits_RV)

    def features(self, ids_R: Tensor) -> Tensor:
        """Take each row's last token; return the softmax layer's input (R, P)."""
        below = self.decoder.lm.embedding(ids_R)
        states = []
        for level, (layer, (hidden, cell)) in enumerate(zip(self.layers, self.states, strict=True)):
            gates_RG = layer(torch.cat([below, hidden], dim=1))
            if level == 1:
                gates_RG += self.fed_RG
            below, cell = lstm_step(gates_RG, cell)
            if level == 0 and self.project is not None:
                below = self.project(below)
            states.append((below, cell))
        self.states = states
        first_RP, top_RH = states[0][0], below
        context_RC = attend(top_RH.view(len(self.memory.pad_BS), -1, top_RH.shape[1]), self.memory).flatten(0, 1)
        mapped_RM = context_RC if self.mapped else self._map(context_RC)
        gates = self.fed_RG.shape[1]
        self.fed_RG, context_RP = mapped_RM[:, :gates], mapped_RM[:, gates:]
        features_RP: Tensor = self.decoder.residual(first_RP, self.combine_top(top_RH) + context_RP)
        return features_RP

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        """Keep these rows; `sentences` are the positions of the batch that remain."""
        self.states = [(hidden[rows_R], cell[rows_R]) for hidden, cell in self.states]
        self.fed_RG = self.fed_RG[rows_R]
        memory = self.memory
        if len(sentences_B) < len(memory.pad_BS):
            self.memory = Memory(
                memory.keys_BSH[sentences_B], memory.values_BSC[sentences_B], memory.pad_BS[sentences_B], []
            )
