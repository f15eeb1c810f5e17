"""The pointer-generator Transformer of PoDA (Wang et al., 2019): Sections 2.1 and 3.1, Appendix A.1.

Shape suffixes as in `transformer`; P scored positions of a sentence, padded; X output words, those of the vocabulary
and then the out-of-vocabulary words of the source. Such a word has the id V + its first position (`corpora.words`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seqpre.corpora.subwords import BOS, PAD, UNK
from seqpre.models.batch import Batch
from seqpre.models.family import PretrainedMapping
from seqpre.models.kernels.dropout import dropout_mask
from seqpre.models.kernels.mixture import mixture_loss
from seqpre.models.transformer import Linear, Transformer, TransformerStepper
from seqpre.study.models.pointer import PointerGeneratorSettings


class CopyAttention(nn.Module):
    """alpha = Attention(h_dec, h_enc); p_gen = sigmoid(W_1 AttPooling(h_enc, alpha)) (Equation 3)."""

    # Differs: the copy attention of PoDA has one head, whose output is AttPooling, as in the published code. The paper
    # writes MultiHeadAttention.
    # Differs: PoDA's attention dropout also falls on alpha, and so on the copy probabilities. This is given only in the
    # published code.

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (Linear(dim, dim) for _ in range(4))
        self.gate = Linear(dim, 1)

    def forward(
        self, h_BTD: Tensor, keys_BSD: Tensor, values_BSD: Tensor, real_BS: Tensor | None, mask_BTS: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return alpha (B, T, S), times its dropout mask if given, and the logits of p_gen (B, T)."""
        query_BTD, own = self.query(h_BTD) / math.sqrt(h_BTD.shape[2]), self.gate.weight.dtype
        with torch.autocast(h_BTD.device.type, enabled=False):  # Words are copied with probability alpha itself.
            scores_BTS = query_BTD.to(own) @ keys_BSD.to(own).transpose(1, 2)
        if real_BS is not None:
            scores_BTS = scores_BTS.masked_fill(~real_BS[:, None], float("-inf"))
        alpha_BTS = torch.softmax(scores_BTS, dim=2)
        if mask_BTS is not None:
            alpha_BTS = alpha_BTS * mask_BTS
        pooled_BTD = self.output(alpha_BTS.to(values_BSD.dtype) @ values_BSD)
        with torch.autocast(h_BTD.device.type, enabled=False):
            gate_BT: Tensor = self.gate(pooled_BTD.to(own))[:, :, 0]
        return alpha_BTS, gate_BT


class PointerGenerator(Transformer):
    """A Transformer that generates or copies words: p(w) = p_gen p_v(w) + (1 - p_gen) sum_{x'_i = w} alpha_i.

    This is Equation 3; x' is the source, which is noisy in pretraining.
    """

    # Differs: PoDA's decoder reads EOS first, like every decoder here. In the paper's Figure 1 it reads <bos>, a symbol
    # of its own.

    def __init__(self, source_vocab: int, target_vocab: int, settings: PointerGeneratorSettings) -> None:
        super().__init__(source_vocab, target_vocab, settings)
        dim, self.place = settings.dim, settings.input_linear
        # Differs: PoDA's model has three more linear layers, after the embeddings of each side and before the softmax.
        # They are given only in the published code.
        self.projections = nn.ModuleDict({side: Linear(dim, dim) for side in ("source", "target", "output")})
        self.copy = CopyAttention(dim)

    def scaled_embeddings(self, ids_BL: Tensor, side: str) -> Tensor:
        known_BL = torch.where(ids_BL < len(self.softmax), ids_BL, UNK)
        return self.input_linear("before_positions", super().scaled_embeddings(known_BL, side), side)

    def embed(self, ids_BL: Tensor, side: str, first: int = 0) -> Tensor:
        return self.input_linear("after_positions", super().embed(ids_BL, side, first), side)

    def input_linear(self, here: str, x_BLD: Tensor, side: str) -> Tensor:
        """Apply a side's input linear layer (B, L, D) if it belongs at this place."""
        y_BLD: Tensor = self.projections[side](x_BLD) if self.place == here else x_BLD
        return y_BLD

    def pretrained_mapping(self, side: str, parts: Sequence[str]) -> PretrainedMapping:
        mapping = super().pretrained_mapping(side, parts)
        return replace(mapping, shape={**mapping.shape, "input_linear": self.place})

    def loss(self, batch: Batch) -> Tensor:
        """Return L = -sum_i mask(i) log p(x_i | x', x_<i) (Equation 2); mask(i) is 1 at scored targets."""
        memory_BSD, real_B11S = self.encode(batch.source_BS, batch.lengths_B)
        features_BTD = self.decode(batch.inputs_BT, memory_BSD, real_B11S)
        B = len(features_BTD)
        # Attention is computed only at scored positions: a denoiser has few.
        order_N = torch.argsort(batch.rows_N, stable=True)
        rows_N, steps_N = batch.rows_N[order_N], batch.steps_N[order_N]
        targets_N, features_ND = batch.targets_BT[rows_N, steps_N], features_BTD[rows_N, steps_N]
        counts_B = torch.bincount(rows_N, minlength=B)
        P = max(1, int(counts_B.max()))
        # The place of each scored position in a tensor (B, P, ...) whose first two dimensions are flattened.
        flat_N = torch.arange(len(rows_N), device=rows_N.device) - (counts_B.cumsum(0) - counts_B)[rows_N]
        flat_N += rows_N * P

        def side_by_side(x_NX: Tensor) -> Tensor:
            return x_NX.new_zeros(B * P, x_NX.shape[1]).index_copy(0, flat_N, x_NX).view(B, P, -1)

        keys_BSD, values_BSD = self.copy.key(memory_BSD), self.copy.value(memory_BSD)
        real_BS = None if real_B11S is None else real_B11S[:, 0, 0]
        mask_BPS = None
        if self.training and (rate := self.settings.attention_dropout):
            # Drawn for all positions, so that all processes that share a batch draw equally many numbers.
            T, S = features_BTD.shape[1], memory_BSD.shape[1]
            mask_BTS = dropout_mask((B, T * S), rate, self.softmax).view(B, T, S)
            mask_BPS = side_by_side(mask_BTS[rows_N, steps_N])
        alpha_BPS, gate_BP = self.copy(side_by_side(features_ND), keys_BSD, values_BSD, real_BS, mask_BPS)
        same_NS = batch.source_BS[rows_N] == targets_N[:, None]
        copied_N = (alpha_BPS.flatten(0, 1)[flat_N] * same_NS).sum(dim=1)
        output_ND = self.projections["output"](features_ND)
        return mixture_loss(output_ND, self.softmax, gate_BP.flatten()[flat_N], copied_N, targets_N)

    def stepper(self, source_BS: Tensor, lengths_B: Tensor) -> PointerStepper:
        return PointerStepper(self, source_BS, lengths_B)


class PointerStepper(TransformerStepper):
    """Incremental decoding over the vocabulary and the words of each source."""

    suppressed_ids: tuple[int, ...] = (PAD, BOS)  # <unk> may be generated, as in the paper's outputs.

    def __init__(self, model: PointerGenerator, source_BS: Tensor, lengths_B: Tensor) -> None:
        super().__init__(model, source_BS, lengths_B)
        copy, output = model.copy, model.projections["output"]
        self.query, self.pooled, self.projection = (
            model.packed.product_with(layer.get_parameter("weight"), layer.get_parameter("bias"))
            for layer in (copy.query, copy.output, output)
        )
        self.gate = copy.gate
        self.keys_BDS, self.values_BSD = copy.key(self.memory_BSD).transpose(1, 2), copy.value(self.memory_BSD)
        self.source_BS = source_BS
        same_BSS = self.source_BS[:, :, None] == self.source_BS[:, None]
        self.first_BS = same_BSS.byte().argmax(dim=2)
        """The first position of each position's word."""
        self.unknown = max(0, int(source_BS.max()) + 1 - len(model.softmax))
        """How many ids lie above the vocabulary."""

    def logs(self, features_RD: Tensor) -> Tensor:
        """Return log p of every output word (R, X): the vocabulary, then out-of-vocabulary words of the source."""
        B, S = self.source_BS.shape
        R, D = features_RD.shape
        scores_BKS = (self.query(features_RD) / math.sqrt(D)).view(B, R // B, D) @ self.keys_BDS
        if self.real_B11S is not None:
            scores_BKS = scores_BKS.masked_fill(~self.real_B11S[:, 0], float("-inf"))
        alpha_BKS = torch.softmax(scores_BKS, dim=2)
        gate_R1 = self.gate(self.pooled((alpha_BKS @ self.values_BSD).view(R, D)))
        logs_RX = super().logs(self.projection(features_RD)).add_(F.logsigmoid(gate_R1))
        if self.unknown:
            logs_RX = F.pad(logs_RX, (0, self.unknown), value=float("-inf"))
        # The copy probability of a source word is the sum of alpha over its positions.
        first_RS, words_RS = (ids_BS.repeat_interleave(R // B, dim=0) for ids_BS in (self.first_BS, self.source_BS))
        alpha_RS = torch.zeros_like(alpha_BKS.view(R, S)).scatter_add_(1, first_RS, alpha_BKS.view(R, S))
        copied_RS = alpha_RS.gather(1, first_RS).log_().add_(F.logsigmoid(-gate_R1))
        return logs_RX.scatter_(1, words_RS, torch.logaddexp(logs_RX.gather(1, words_RS), copied_RS))

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        super().select(rows_R, sentences_B)
        if len(sentences_B) < len(self.source_BS):
            self.source_BS, self.first_BS = self.source_BS[sentences_B], self.first_BS[sentences_B]
            self.keys_BDS, self.values_BSD = self.keys_BDS[sentences_B], self.values_BSD[sentences_B]
