"""The decoder of `seqpre.models.lstm` a token at a time, for search. What no step changes is computed before the first.

Shape suffixes: B sentences, K hypotheses a sentence, R = B K rows, S source positions, P output size of the first
layer, H cells of a layer, G = 4H gates (output, input, forget, candidate), C context size, V vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor

from seqpre.models.kernels.products import product, product_with
from seqpre.models.kernels.recurrence import in_our_order, lstm_step
from seqpre.models.lstm import LSTMState, Memory, Seq2Seq, attend, weights_of

MAPPED_POSITIONS = 64
"""Values of sources of at most so many positions are mapped before the first step; of longer ones, contexts in each."""


class LSTMStepper:
    """Hypotheses of one batch of sentences, equally many of each, that grow by a token a step; at first one of each."""

    def __init__(self, model: Seq2Seq, source_SB: Tensor, lengths_B: Tensor) -> None:
        decoder = model.decoder
        self.decoder = decoder
        P, H = decoder.combine.out_features, decoder.settings.upper_dim
        lstm = decoder.lm.lstm
        # One product a layer, with [what comes from below; its own previous output]: for the first upper layer the
        # part from below is without the context.
        self.layers = [
            product_with(torch.cat([w_input[:, :P] if level == 1 else w_input, w_hidden], dim=1), bias)
            for level, (w_input, w_hidden, bias) in enumerate([in_our_order(lstm), *weights_of(decoder.upper)])
        ]
        self.project = product_with(lstm.get_parameter("weight_hr_l0")) if lstm.proj_size else None
        self.combine_top = product_with(decoder.combine.weight[:, :H])
        self.softmax = product_with(decoder.lm.softmax.weight, decoder.lm.softmax.bias)

        self.memory: Memory = model.encoder(source_SB, lengths_B)
        self.mapped = len(source_SB) <= MAPPED_POSITIONS
        if self.mapped:
            self.memory.values_BSC = self._map(self.memory.values_BSC)
        B, zeros = len(lengths_B), self.memory.keys_BSH.new_zeros
        self.states: list[LSTMState] = [(zeros(B, P), zeros(B, lstm.hidden_size)), *self.memory.final_states]
        self.fed_RG = zeros(B, 4 * H)  # What the previous context adds to the gates of the first upper layer.

    def _map(self, values_C: Tensor) -> Tensor:
        """Return what contexts add to the gates of the first upper layer, and to the residual sum (..., G + P).

        A context is an average, and averages commute with weights: W sum_i alpha_i v_i = sum_i alpha_i (W v_i). So the
        values can be multiplied once a source position, instead of the contexts once a hypothesis and step.
        """
        P, H = self.decoder.combine.out_features, self.decoder.settings.upper_dim
        fed = weights_of(self.decoder.upper)[0][0][:, P:]  # Without input feeding there are no such weights: zeros.
        fed_G = product(values_C, fed) if fed.shape[1] else values_C.new_zeros(*values_C.shape[:-1], 4 * H)
        return torch.cat([fed_G, product(values_C, self.decoder.combine.weight[:, H:])], dim=-1)

    def step(self, ids_R: Tensor) -> Tensor:
        """Take every row's last token; return its next-token log probabilities (R, V)."""
        logits_RV = self.softmax(self.features(ids_R))
        return torch.log_softmax(logits_RV, dim=1, out=logits_RV)

    def features(self, ids_R: Tensor) -> Tensor:
        """Take every row's last token; return the softmax layer's input (R, P)."""
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
        """Go on with these rows, `sentences` being the places of the batch that stay."""
        self.states = [(hidden[rows_R], cell[rows_R]) for hidden, cell in self.states]
        self.fed_RG = self.fed_RG[rows_R]
        memory = self.memory
        if len(sentences_B) < len(memory.pad_BS):
            self.memory = Memory(
                memory.keys_BSH[sentences_B], memory.values_BSC[sentences_B], memory.pad_BS[sentences_B], []
            )
