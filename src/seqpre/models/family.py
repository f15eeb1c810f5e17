"""What every family of models offers. Training, search and decoding use nothing else of a model.

Shape suffixes: B sentences of a batch, S source positions, T target positions, N scored positions, R rows (hypotheses),
V vocabulary. Ids are time-major and padded at their end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from torch import Tensor, nn

from seqpre.corpora.subwords import BOS, EOS, PAD, UNK


class Stepper(Protocol):
    """A model in the middle of decoding one batch: hypotheses, equally many a sentence, that grow by a token a step.

    At first there is one of each sentence.
    """

    first: int
    """The token that every output begins after."""
    never: tuple[int, ...]
    """Ids that no output may contain."""

    def step(self, ids_R: Tensor) -> Tensor:
        """Take every row's last token; return its next-token log probabilities (R, V)."""
        ...

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        """Go on with these rows, `sentences` being the places of the batch that stay."""
        ...


class SubwordStepper:
    """What is the same for every model that writes subwords."""

    first: int = EOS
    """As in Figure 1 of Ramachandran et al. (2017), and in fairseq, by which Edunov et al. (2019) train."""
    # Unstated: whether an output may hold <unk>. It may not; a character that the subwords lack is never written.
    never: tuple[int, ...] = (PAD, BOS, UNK)


class LabelledModel(nn.Module, ABC):
    """A model of targets given sources, or of sentences, which are both then."""

    @abstractmethod
    def loss(
        self, source_SB: Tensor, lengths_B: Tensor, inputs_TB: Tensor, targets_TB: Tensor, scored_N: Tensor
    ) -> Tensor:
        """Return the summed cross-entropy (nats) of the target tokens at the flat positions `scored`."""

    def unlabelled(self) -> nn.Module | None:
        """Return the part that `loss` does not use, if there is one."""
        return None


class Seq2SeqModel(LabelledModel):
    """A model of targets given sources."""

    max_source: int
    """It reads at most so many tokens of a source; 0: all of them."""

    @abstractmethod
    def stepper(self, source_SB: Tensor, lengths_B: Tensor) -> Stepper:
        """Return the beginning of a search over the outputs for a batch of sources."""

    def language_models(self) -> Mapping[str, Any]:
        """Return the language models it contains by side, encoder or decoder: what can start as a pretrained one."""
        return {}

    def sides_of(self, tensor: str) -> tuple[str, ...]:
        """Return the sides, "encoder" or "decoder" or both, that start with this tensor of a pretrained whole model."""
        return ()
