"""The interface of every model family. Training, search and decoding use only this interface.

Shape suffixes: B sentences of a batch, S source positions, T target positions, R rows (hypotheses),
V vocabulary. Ids are batch first and padded at the end.

Masks of all models: `real` is True at tokens, `pad` is True at padding, `seen` is True at keys that a query attends to.
A `bias` is added to attention scores: 0 at keys that a query attends to, else -inf. Each model has the form that its
kernels take.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from torch import Tensor, nn

from seqpre.corpora.subwords import BOS, EOS, PAD, UNK
from seqpre.models.batch import Batch

LSTMState = tuple[Tensor, Tensor]
"""Hidden states (B, H) or, if projected, (B, P), and cell states (B, H)."""


class Stepper(Protocol):
    """Incremental decoding of one batch: every step adds a token to every hypothesis.

    Each sentence has equally many hypotheses, at first one.
    """

    start_id: int
    """The decoder's first input."""
    suppressed_ids: tuple[int, ...]
    """Ids that are never generated."""

    def step(self, ids_R: Tensor) -> Tensor:
        """Take each row's last token; return the log probabilities of its next one (R, V)."""
        ...

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        """Keep these rows; `sentences` are the positions of the batch that remain."""
        ...


class SubwordStepper:
    """The first input, and the ids that are never generated, of models that generate subwords."""

    start_id: int = EOS
    """As in Ramachandran et al. (2017, Figure 1), and in fairseq, which Edunov et al. (2019) use."""
    # Unstated: whether an output of subwords may contain <unk>. It may not: outputs consist of known subwords.
    suppressed_ids: tuple[int, ...] = (PAD, BOS, UNK)


class SequenceModel(nn.Module, ABC):
    """A model of targets given sources, or a language model, for which a sentence is both source and target."""

    autocasts: ClassVar[bool] = True
    """Whether bf16 means PyTorch's autocast, which would take float16 for an LSTM; else `products.bf16_operands`."""

    @abstractmethod
    def loss(self, batch: Batch) -> Tensor:
        """Return the summed cross-entropy (nats) of the scored targets."""

    def unused_by_loss(self) -> nn.Module | None:
        """Return the module that `loss` does not reach, so that it gets no gradient; None if `loss` uses all."""
        return None


class StreamModel(SequenceModel):
    """A language model of single lines, or of contiguous text in parallel streams."""

    embedding: nn.Embedding
    lstm: nn.LSTM

    @abstractmethod
    def stream_loss(self, ids_BT: Tensor, targets_BT: Tensor, state: LSTMState | None) -> tuple[Tensor, LSTMState]:
        """Return the summed loss (nats) of one chunk of each stream, and the detached state for the next chunk."""


@dataclass(frozen=True)
class PretrainedMapping:
    """The tensors that an encoder or a decoder loads from a pretrained model, and what both models must share."""

    tensors: Mapping[str, str]
    """Names of the loaded tensors: {in this model: in the pretrained weights}."""
    kind: str
    """The `kind` in the metadata of these weights."""
    named: str
    """The kind's name in messages."""
    settings: str
    """The settings that both must share, as messages name them."""
    section: str = ""
    shape: Mapping[str, Any] = field(default_factory=dict)
    """Those of the shared settings that no tensor shape shows; `section` of the metadata has them."""


class Seq2SeqModel(SequenceModel):
    """A model of targets given sources."""

    max_source: int
    """Sources are cut after this many tokens; 0: never."""
    label_smoothing: float = 0.0
    """Share of each label that training spreads over the vocabulary."""

    @abstractmethod
    def __init__(self, source_vocab: int, target_vocab: int, settings: Any) -> None:
        """Build the model from settings of its kind, for vocabularies of these sizes."""
        super().__init__()

    @abstractmethod
    def stepper(self, source_BS: Tensor, lengths_B: Tensor) -> Stepper:
        """Encode a batch of sources and return the start of incremental decoding."""

    @abstractmethod
    def pretrained_mapping(self, side: str, parts: Sequence[str]) -> PretrainedMapping:
        """Return the tensors that a side, `encoder` or `decoder`, loads. Only models that load in parts use `parts`."""

    def language_models(self) -> Mapping[str, StreamModel]:
        """Return its language models by side. LM losses train them, and their parts can be frozen."""
        return {}
