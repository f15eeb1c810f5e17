"""What a training update minimises: the labelled loss and the language-modelling losses, one class each.

Ramachandran et al. (2017), Section 2.2:  L = L_label + alpha L_src + beta L_tgt, taken in turn ("round-robin"): first
the LM losses update the parts of theta that are language models, then the labelled loss updates all of theta.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

import torch
from torch import Tensor, nn

from seqpre.common.errors import ConfigError
from seqpre.models.family import LabelledModel, LSTMState, StreamModel
from seqpre.models.kernels.dropout import rows_of_batch
from seqpre.study.settings import Precision
from seqpre.training.batches import LMStreams, PairBatches, Sentences, lm_lines
from seqpre.training.processes import Processes

# Unstated: how the labelled loss and the two LM losses take turns. A cycle makes one clipped update a loss, the source
# LM's first. So parameters of an LM take two of Adam's steps a cycle, for its own loss and for the labelled one; others
# take one. One Adam state serves all losses, unless `optimizer.state` is `own`.


class Objective(ABC):
    """One loss with its own data."""

    name: str
    model: nn.Module
    weight: float
    size: str
    """The setting that its batches' size, and with it the memory, depends on."""

    @property
    def parameters(self) -> list[nn.Parameter]:
        """Those that its update may move; one without a gradient from it stays as it is."""
        return [p for p in self.model.parameters() if p.requires_grad]

    def limit_gradients(self, norm: float) -> Tensor:
        """Limit the norm of the gradients that the loss left, scaled first where it says so; return what it was."""
        return nn.utils.clip_grad_norm_(self.parameters, norm)

    @abstractmethod
    def next_losses(self) -> Iterator[tuple[Tensor, int]]:
        """Yield an update's batches, one or several: the part each has in the loss in nats a token, and its tokens.

        The parts add up to the update's loss; with several processes, those of all of them do.
        """

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return where it stands, the same for any number of processes; all of them must ask."""

    @abstractmethod
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from there."""


class LanguageModelling(Objective):
    """Next-token loss over contiguous text; the LSTM's state is carried from chunk to chunk and never reset."""

    model: StreamModel

    def __init__(
        self,
        name: str,
        model: StreamModel,
        data: LMStreams,
        weight: float,
        processes: Processes,
        setting: str,
        loss_per: Literal["token", "stream"] = "token",
        clipped: Literal["all", "lstm"] = "all",
    ) -> None:
        if data.streams < processes.count:
            raise ConfigError(f"{setting} is {data.streams}: too few streams for {processes.count} processes")
        self.name, self.model, self.data, self.weight = name, model, data, weight
        self.processes, self.rows = processes, processes.rows(data.streams)
        self.size = f"{setting} (now {data.streams})"
        self.loss_per, self.clipped = loss_per, model.lstm if clipped == "lstm" else model
        self.loss = processes.parallel(model, model.stream_loss)
        self.carried: LSTMState | None = None

    def limit_gradients(self, norm: float) -> Tensor:
        if self.loss_per == "stream":
            for parameter in self.parameters:
                assert parameter.grad is not None
                parameter.grad *= self.data.bptt
            if self.model.embedding.weight.grad is not None:
                self.model.embedding.weight.grad *= self.data.streams
        return nn.utils.clip_grad_norm_([p for p in self.clipped.parameters() if p.requires_grad], norm)

    def next_losses(self) -> Iterator[tuple[Tensor, int]]:
        ids_BT, targets_BT = self.data.next()
        part_BT, part_targets_BT = (ids[self.rows.slice].to(self.processes.device) for ids in (ids_BT, targets_BT))
        with rows_of_batch(self.rows):
            loss, self.carried = self.loss(part_BT, part_targets_BT, self.carried)
        yield loss / targets_BT.numel(), targets_BT.numel()

    def state_dict(self) -> dict[str, Any]:
        carried = None
        if self.carried is not None:
            parts = self.processes.gather([tensor.cpu() for tensor in self.carried])
            carried = [torch.cat(tensors, dim=1) for tensors in zip(*parts, strict=True)]
        return {"data": self.data.state_dict(), "carried": carried}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.data.load_state_dict(state["data"])
        self.carried = None
        if state["carried"] is not None:
            hidden, cell = (tensor[:, self.rows.slice].to(self.processes.device) for tensor in state["carried"])
            self.carried = (hidden, cell)


class Labelled(Objective):
    """Cross-entropy of the target sentence given the source sentence, or of sentences alone.

    `setting` is what the size of a batch depends on, where that is no setting of `train`.
    """

    def __init__(
        self,
        model: LabelledModel,
        data: PairBatches,
        processes: Processes,
        tokens_per_update: int = 0,
        precision: Precision = "float32",
        *,
        name: str = "label",
        weight: float = 1.0,
        setting: str = "",
    ) -> None:
        self.tokens_per_update, self.bf16 = tokens_per_update, precision == "bf16"
        self.name, self.weight, self.size = name, weight, setting
        if not setting:
            budget = f"batch_tokens (now {data.budget})" if data.budget else f"batch_sentences (now {data.size})"
            self.size = f"train.{budget}"
        self.model, self.data, self.processes = model, data, processes
        self.loss = processes.parallel(model, model.loss, unused=model.unlabelled())

    def next_losses(self) -> Iterator[tuple[Tensor, int]]:
        batches = [self.data.next()]
        tokens = batches[0].tokens
        while tokens < self.tokens_per_update:
            batches.append(self.data.next())
            tokens += batches[-1].tokens
        for batch in batches:
            rows = self.processes.rows(len(batch.lengths_B))
            part, device = batch.part(rows).to(self.processes.device), self.processes.device.type
            with rows_of_batch(rows), torch.autocast(device, torch.bfloat16, enabled=self.bf16):
                loss = self.loss(part)
            yield loss * (rows.weight / tokens), batch.tokens

    def state_dict(self) -> dict[str, Any]:
        return self.data.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.data.load_state_dict(state)


def lm_objective(
    model: StreamModel,
    text: Sentences,
    size: tuple[int, int, int],
    reset: Literal["never", "line"],
    processes: Processes,
    setting: str,
    *,
    name: str = "lm",
    weight: float = 1.0,
    **gradients: Any,
) -> Labelled | LanguageModelling:
    """Return the loss of a language model over contiguous text or, where its state begins anew at each, over lines.

    `size` are streams, steps of each, and seed; `setting` is what the streams are set by. `gradients` says how those of
    contiguous text are scaled and limited.
    """
    if reset == "line":
        of = f"{setting} (now {size[0]})"
        return Labelled(model, lm_lines(text, *size), processes, name=name, weight=weight, setting=of)
    return LanguageModelling(name, model, LMStreams(text.tokens, *size), weight, processes, setting, **gradients)


def nats_a_token(model: LabelledModel, data: PairBatches, processes: Processes) -> float:
    """Return the mean loss of what `data` scores, over one pass of it; the processes take batches in turn."""
    total, tokens = 0.0, 0
    with torch.no_grad():
        for indices in islice(data.all_batches(), processes.rank, None, processes.count):
            batch = data.collate(indices).to(processes.device)
            total += float(model.loss(batch))
            tokens += batch.tokens
    loss_of_all, tokens_of_all = processes.sum(total, tokens)
    return loss_of_all / max(1, tokens_of_all)


def perplexity(loss: float) -> float:
    """Return the perplexity of a loss in nats a token, at most e^700: more is no float; so of a loss that is none."""
    return math.exp(loss if loss < 700 else 700)
