"""What every family of models offers. Training, search and decoding use nothing else of a model.

Shape suffixes: B sentences of a batch, S source positions, T target positions, R rows (hypotheses),
V vocabulary. Ids are batch first and padded at their end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from torch import Tensor, nn

from seqpre.corpora.subwords import BOS, EOS, PAD, UNK
from seqpre.models.batch import Batch

LSTMState = tuple[Tensor, Tensor]
"""Hidden and cell states, rows of the batch second."""


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
    def loss(self, batch: Batch) -> Tensor:
        """Return the summed cross-entropy (nats) of the targets that are scored."""

    def unlabelled(self) -> nn.Module | None:
        """Return the part that `loss` does not use, if there is one."""
        return None


class StreamModel(LabelledModel):
    """A language model of lines, and of contiguous text that is read in streams, a stretch of each at a time."""

    embedding: nn.Embedding
    lstm: nn.LSTM

    @abstractmethod
    def stream_loss(self, ids_BT: Tensor, targets_BT: Tensor, state: LSTMState | None) -> tuple[Tensor, LSTMState]:
        """Return the summed loss of a stretch of text, and the state to carry on with, cut from the graph."""


@dataclass(frozen=True)
class Start:
    """What a side of a model takes from the weights of a pretrained one, and what the two must have in common."""

    tensors: Mapping[str, str]
    """What each tensor that it takes is called there, by its name in the model."""
    kind: str
    """What the file of these weights says that it holds."""
    named: str
    """What messages call that."""
    settings: str
    """The settings that make the two alike."""
    section: str = ""
    shape: Mapping[str, Any] = field(default_factory=dict)
    """What of these settings no tensor shows, as a section of the file says it."""


class Seq2SeqModel(LabelledModel):
    """A model of targets given sources."""

    max_source: int
    """It reads at most so many tokens of a source; 0: all of them."""
    label_smoothing: float = 0.0
    """Share of each label that is spread over the vocabulary in training, where a model can do that."""

    @abstractmethod
    def __init__(self, source_vocab: int, target_vocab: int, settings: Any) -> None:
        """Make the model that settings of its kind describe, for vocabularies of these sizes."""
        super().__init__()

    @abstractmethod
    def stepper(self, source_BS: Tensor, lengths_B: Tensor) -> Stepper:
        """Return the beginning of a search over the outputs for a batch of sources."""

    @abstractmethod
    def start(self, side: str, parts: Sequence[str]) -> Start:
        """Return what a side, encoder or decoder, starts from: these parts of a pretrained model, if it has parts."""

    def language_models(self) -> Mapping[str, StreamModel]:
        """Return the language models it contains by side: what LM losses train, and whose parts can be frozen."""
        return {}
