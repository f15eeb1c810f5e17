"""A Transformer whose encoder or decoder reads a language model's states in place of embeddings (Edunov et al., 2019).

Section 2.1, `src_elmo` and `tgt_elmo`: a scalar mix of all hidden states of a frozen LM.
Section 2.2, `src_ft` and `tgt_ft`: the final hidden states of an LM that is fine-tuned.

Shape suffixes as in `transformer`; K hidden states of an LM, W their size.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from seqpre.models.family import PretrainedMapping
from seqpre.models.kernels.products import linear
from seqpre.models.transformer import Transformer, TransformerStepper, apply_dropout
from seqpre.models.two_tower import CausalLM, ClozeLM, TransformerLM
from seqpre.study.models.augmented import AugmentedTransformerSettings


class ScalarMix(nn.Module):
    """ELMo = gamma sum_i softmax(lambda)_i LayerNorm(h_i) (Section 2.1)."""

    # Unstated: whether each state h_i of ELMo has a LayerNorm of its own. All share one, whose scale and bias are then
    # applied to the weighted sum.
    # Unstated: the initial gamma and lambda of ELMo, and which dropout was tuned. As in the published code: both start
    # at 1, and dropout falls on the normalised weights.

    def __init__(self, levels: int, width: int, dropout: float) -> None:
        super().__init__()
        self.rate = dropout
        self.scale, self.weights = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(levels))
        self.norm = nn.LayerNorm(width)

    def forward(self, states: Sequence[Tensor]) -> Tensor:
        """Return the scalar mix of K states (..., W). The states get no gradient."""
        with torch.no_grad():
            normal = torch.stack([F.layer_norm(state, state.shape[-1:], eps=self.norm.eps) for state in states])
        weights_K = F.dropout(torch.softmax(self.weights, dim=0), self.rate, self.training)
        mixed = (weights_K.to(normal.dtype) @ normal.flatten(1)).view(states[0].shape)
        # All states share the scale and bias of the LayerNorm, so that both can be applied to the sum.
        return self.scale * (self.norm.weight * mixed + self.norm.bias * weights_K.sum())


class Output(nn.Module):
    """The fine-tuned LM's final hidden states, normalised, with dropout (Section 2.2)."""

    # Unstated: whether the final hidden states of a fine-tuned LM are normalised. They are, as ELMo's are: their scale
    # suits a softmax.

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.rate, self.norm = dropout, nn.LayerNorm(width)

    def forward(self, features_BLD: Tensor) -> Tensor:
        return apply_dropout(self.norm(features_BLD), self.rate, self.training)


class Representation(nn.Module):
    """The inputs of an encoder or a decoder, from an LM's hidden states."""

    def __init__(self, lm: TransformerLM, which: str, dim: int, dropout: float) -> None:
        super().__init__()
        self.lm, self.frozen = lm, which == "elmo"
        lm.requires_grad_(not self.frozen)
        width = lm.width if self.frozen else lm.shape.dim
        self.read = ScalarMix(lm.levels, width, dropout) if self.frozen else Output(width, dropout)
        self.projection = nn.Parameter(nn.init.xavier_uniform_(torch.empty(dim, width))) if dim != width else None

    def train(self, mode: bool = True) -> Representation:
        super().train(mode)
        self.lm.train(mode and not self.frozen)
        return self

    def forward(self, ids_BL: Tensor, lengths_B: Tensor) -> Tensor:
        """Return the inputs for whole sentences (B, L, D)."""
        if not self.frozen:
            return self.project(self.read(self.lm.features(ids_BL, lengths_B)))
        with torch.no_grad():
            states = self.lm.states(ids_BL, lengths_B)
        return self.project(self.read(states))

    def project(self, x_BLW: Tensor) -> Tensor:
        """Project from the LM's size to the model's (B, L, D)."""
        return x_BLW if self.projection is None else linear(x_BLW, self.projection)


class AugmentedTransformer(Transformer):
    """The Transformer with an LM below its encoder, its decoder, or both."""

    def __init__(self, source_vocab: int, target_vocab: int, settings: AugmentedTransformerSettings) -> None:
        super().__init__(source_vocab, target_vocab, settings)
        self.representations, representations = nn.ModuleDict(), settings.representations
        for side, which in representations.sides.values():
            self.embeddings.pop(side)
            shape = representations.lm
            lm = ClozeLM(source_vocab, shape) if side == "source" else CausalLM(target_vocab, shape)
            self.representations[side] = Representation(lm, which, settings.dim, representations.dropout)

    def inputs_of(self, side: str) -> Representation | None:
        """Return the representation that a side reads; None if it reads embeddings."""
        if side not in self.representations:
            return None
        found = self.representations[side]
        assert isinstance(found, Representation)
        return found

    def source_inputs(self, ids_BS: Tensor, lengths_B: Tensor) -> Tensor:
        source = self.inputs_of("source")
        if source is None:
            return super().source_inputs(ids_BS, lengths_B)
        # Differs: an encoder that reads a language model's states adds no positions. This is given only in the
        # published code.
        return apply_dropout(source(ids_BS, lengths_B), self.settings.dropout, self.training)

    def target_inputs(self, ids_BT: Tensor) -> Tensor:
        target = self.inputs_of("target")
        if target is None:
            return super().target_inputs(ids_BT)
        lengths_B = torch.full((len(ids_BT),), ids_BT.shape[1], device=ids_BT.device)
        return self.with_positions(target(ids_BT, lengths_B), 0)

    def with_positions(self, x_BLD: Tensor, first: int) -> Tensor:
        """Return the decoder's inputs, representations plus positions from `first` on (B, L, D)."""
        # Unstated: whether a decoder that reads a language model's states adds positions. It does; in the published
        # code only the encoder does not.
        sum_BLD = x_BLD + self.positions(first, first + x_BLD.shape[1], x_BLD.device)
        return apply_dropout(sum_BLD, self.settings.dropout, self.training)

    def pretrained_mapping(self, side: str, parts: Sequence[str]) -> PretrainedMapping:
        which = {"encoder": "source", "decoder": "target"}[side]
        inputs = self.inputs_of(which)
        assert inputs is not None
        lm, shape = inputs.lm, {name: getattr(inputs.lm.shape, name) for name in ("heads", "layers")}
        tensors = {f"representations.{which}.lm.{name}": name for name in lm.state_dict()}
        named = f"a {lm.kind}, which {'an encoder' if which == 'source' else 'a decoder'} reads"
        return PretrainedMapping(tensors, lm.kind, named, "vocabulary and model.representations.lm", "shape", shape)

    def unused_by_loss(self) -> nn.Module | None:
        target = self.inputs_of("target")
        # The mix reads the layers' states; only the LM's own softmax uses the LayerNorm above them.
        return target.lm.norm if target is not None and target.frozen and isinstance(target.lm, CausalLM) else None

    def stepper(self, source_BS: Tensor, lengths_B: Tensor) -> TransformerStepper:
        if self.inputs_of("target") is None:
            return super().stepper(source_BS, lengths_B)
        return AugmentedStepper(self, source_BS, lengths_B)


class AugmentedStepper(TransformerStepper):
    """Incremental decoding of a decoder that reads an LM; the LM is incremental too."""

    def __init__(self, model: AugmentedTransformer, source_BS: Tensor, lengths_B: Tensor) -> None:
        super().__init__(model, source_BS, lengths_B)
        target = model.inputs_of("target")
        assert target is not None
        assert isinstance(target.lm, CausalLM)
        self.augmented, self.target, self.norm = model, target, target.lm.norm
        self.lm = target.lm.stepper(len(lengths_B), model.packed)

    def inputs(self, ids_R: Tensor) -> Tensor:
        states = self.lm.step(ids_R)
        read = self.target.read
        x_RW = read([*states]) if isinstance(read, ScalarMix) else read(self.norm(states[-1]))
        return self.augmented.with_positions(self.target.project(x_RW)[:, None], self.length)[:, 0]

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        super().select(rows_R, sentences_B)
        self.lm.select(rows_R, sentences_B)
