"""What a training update minimises: the labelled loss and the language-modelling losses, one class each.

Ramachandran et al. (2017), Section 2.2:  L = L_label + alpha L_src + beta L_tgt, taken in turn ("round-robin"): first
the LM losses update the parts of theta that are language models, then the labelled loss updates all of theta.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import Tensor, nn

from seqpre.batches import LMStreams, PairBatches
from seqpre.models.lstm import LSTMLanguageModel, LSTMState, Seq2Seq

# Unstated: the round-robin's details. One Adam state; a cycle makes one clipped update a loss, the source LM's first.


class Objective(Protocol):
    """One loss with its own data; `parameters` are those its update may move."""

    name: str
    weight: float

    @property
    def parameters(self) -> list[nn.Parameter]: ...

    def next_loss(self) -> tuple[Tensor, int]:
        """Return the loss of the next batch, in nats a token, and how many tokens it read."""
        ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict[str, Any]) -> None: ...


class LanguageModelling:
    """Next-token loss over contiguous text; the LSTM's state is carried from chunk to chunk and never reset."""

    def __init__(
        self, name: str, model: LSTMLanguageModel, data: LMStreams, weight: float, device: torch.device
    ) -> None:
        self.name, self.model, self.data, self.weight, self.device = name, model, data, weight, device
        self.carried: LSTMState | None = None

    @property
    def parameters(self) -> list[nn.Parameter]:
        return [p for p in self.model.parameters() if p.requires_grad]

    def next_loss(self) -> tuple[Tensor, int]:
        ids_TB, targets_TB = (ids.to(self.device) for ids in self.data.next())
        loss, self.carried = self.model.stream_loss(ids_TB, targets_TB, self.carried)
        return loss / targets_TB.numel(), targets_TB.numel()

    def state_dict(self) -> dict[str, Any]:
        return {"data": self.data.state_dict(), "carried": None if self.carried is None else list(self.carried)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.data.load_state_dict(state["data"])
        carried = state["carried"]
        self.carried = None if carried is None else (carried[0].to(self.device), carried[1].to(self.device))


class Labelled:
    """Cross-entropy of the target sentence given the source sentence."""

    def __init__(self, model: Seq2Seq, data: PairBatches, device: torch.device) -> None:
        self.name, self.weight = "label", 1.0
        self.model, self.data, self.device = model, data, device

    @property
    def parameters(self) -> list[nn.Parameter]:
        # The encoder's softmax layer is in L_src only; without its gradient it stays as it is here.
        return [p for p in self.model.parameters() if p.requires_grad]

    def next_loss(self) -> tuple[Tensor, int]:
        batch = self.data.next().to(self.device)
        loss = self.model.loss(batch.source_SB, batch.lengths_B, batch.inputs_TB, batch.targets_TB, batch.real_N)
        return loss / len(batch.real_N), len(batch.real_N)

    def state_dict(self) -> dict[str, Any]:
        return self.data.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.data.load_state_dict(state)
