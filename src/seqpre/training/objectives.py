"""Training objectives: the labelled loss and the language-modelling losses.

Ramachandran et al. (2017), Section 2.2:  L = L_label + alpha L_src + beta L_tgt, in turn ("round-robin"). First the LM
losses update their language models, then the labelled loss updates all of theta.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, Literal

import torch
from torch import Tensor, nn

from seqpre.common.errors import ConfigError
from seqpre.models.batch import on_device
from seqpre.models.family import LSTMState, SequenceModel, StreamModel
from seqpre.models.kernels.dropout import rows_of_batch
from seqpre.models.kernels.products import bf16_operands
from seqpre.study.settings import Precision
from seqpre.training.batches import LMStreams, PairBatches, Sentences, lm_lines
from seqpre.training.processes import Processes, added_up

# Unstated: how the labelled loss and the two LM losses take turns. A cycle makes one clipped step for each loss, the
# source LM's first. Parameters of an LM take two Adam steps a cycle, for its own loss and for the labelled one; others
# take one. All losses share one Adam state, unless `optimizer.state` is `own`.
# Unstated: whether fine-tuning samples the softmax, as Jozefowicz et al. (2016) do for language models. It does not.


def in_precision(model: SequenceModel, precision: Precision, device: str) -> AbstractContextManager[Any]:
    """Return a block in which a loss is computed in a precision; float32 and tf32 are the device's."""
    if precision == "bf16" and not model.autocasts:
        return bf16_operands()
    return torch.autocast(device, torch.bfloat16, enabled=precision == "bf16")


def clip_gradients(parameters: list[nn.Parameter], most: float) -> float:
    """Limit the norm of all gradients together, as `clip_grad_norm_` does to the bit; return the norm before."""
    norm = nn.utils.get_total_norm([p.grad for p in parameters if p.grad is not None])
    found = float(norm)
    if not most > 1.001 * (found + 1e-6):  # Else PyTorch would multiply by exactly one.
        nn.utils.clip_grads_with_norm_(parameters, most, norm)
    return found


class Objective(ABC):
    """A loss and its data."""

    name: str
    model: nn.Module
    weight: float
    size: str
    """The setting that determines the batch size, and so the memory."""

    @property
    def parameters(self) -> list[nn.Parameter]:
        """The trainable parameters. One that this loss gives no gradient keeps its value."""
        return [p for p in self.model.parameters() if p.requires_grad]

    def limit_gradients(self, norm: float) -> float:
        """Scale the gradients if the objective asks for it, then clip their norm; return the norm before clipping."""
        return clip_gradients(self.parameters, norm)

    @abstractmethod
    def next_losses(self) -> Iterator[tuple[Tensor, int]]:
        """Yield (loss, tokens) of each batch of one update.

        The losses of all batches and all processes add up to the update's loss in nats per token.
        """

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return its position in the data, independent of the number of processes. All processes have to call this."""

    @abstractmethod
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Resume from a `state_dict`."""


class LanguageModelling(Objective):
    """Next-token loss over contiguous text. The LSTM state is carried from chunk to chunk and never reset.

    A new pass begins at another place of the text. So the state that its first chunk gets is that of other text.
    """

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
        precision: Precision = "float32",
    ) -> None:
        if data.streams < processes.count:
            raise ConfigError(f"{setting} is {data.streams}: too few streams for {processes.count} processes")
        self.name, self.model, self.data, self.weight = name, model, data, weight
        self.processes, self.rows = processes, processes.rows(data.streams)
        self.size = f"{setting} (now {data.streams})"
        self.precision: Precision = precision
        self.loss_per, self.clipped = loss_per, model.lstm if clipped == "lstm" else model
        self.loss = processes.parallel(model, model.stream_loss)
        self.carried: LSTMState | None = None

    def limit_gradients(self, norm: float) -> float:
        if self.loss_per == "stream":
            for parameter in self.parameters:
                assert parameter.grad is not None
                parameter.grad *= self.data.bptt
            if self.model.embedding.weight.grad is not None:
                self.model.embedding.weight.grad *= self.data.streams
        return clip_gradients([p for p in self.clipped.parameters() if p.requires_grad], norm)

    def next_losses(self) -> Iterator[tuple[Tensor, int]]:
        ids_BT, targets_BT = self.data.next()
        part_BT, part_targets_BT = (
            on_device(ids[self.rows.slice], self.processes.device) for ids in (ids_BT, targets_BT)
        )
        device = self.processes.device.type
        with rows_of_batch(self.rows), in_precision(self.model, self.precision, device):
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


class CrossEntropy(Objective):
    """Cross-entropy of targets given sources, or of single sentences.

    `setting` names what determines the batch size; by default a setting of `train`.
    """

    model: SequenceModel

    def __init__(
        self,
        model: SequenceModel,
        data: PairBatches,
        processes: Processes,
        tokens_per_update: int = 0,
        precision: Precision = "float32",
        *,
        name: str = "label",
        weight: float = 1.0,
        setting: str = "",
    ) -> None:
        self.tokens_per_update = tokens_per_update
        self.precision: Precision = precision
        self.name, self.weight, self.size = name, weight, setting
        if not setting:
            budget = f"batch_tokens (now {data.budget})" if data.budget else f"batch_sentences (now {data.size})"
            self.size = f"train.{budget}"
        self.model, self.data, self.processes = model, data, processes
        self.loss = processes.parallel(model, model.loss, unused=model.unused_by_loss())

    def next_losses(self) -> Iterator[tuple[Tensor, int]]:
        batches = [self.data.next()]
        tokens = batches[0].tokens
        while tokens < self.tokens_per_update:
            batches.append(self.data.next())
            tokens += batches[-1].tokens
        for number, batch in enumerate(batches, start=1):
            rows = self.processes.rows(len(batch.lengths_B))
            part, device = batch.part(rows).to(self.processes.device), self.processes.device.type
            # On a processor after each batch, as sums in another order would move Adam's curve by more than rounding.
            with added_up(self.loss, now=device == "cpu" or number == len(batches)):
                with rows_of_batch(rows), in_precision(self.model, self.precision, device):
                    loss = self.loss(part)
                yield loss * (rows.weight / tokens), batch.tokens
        self.data.gather()  # Of the next update, while a GPU still computes this one.

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
    precision: Precision = "float32",
    **gradients: Any,
) -> CrossEntropy | LanguageModelling:
    """Return the loss of a language model over contiguous text or, with `reset` `line`, over single lines.

    `size` is (streams, steps of each, seed); `setting` names the setting of the streams. `gradients` says how gradients
    of contiguous text are scaled and clipped.
    """
    if reset == "line":
        of = f"{setting} (now {size[0]})"
        return CrossEntropy(model, lm_lines(text, *size), processes, 0, precision, name=name, weight=weight, setting=of)
    data = LMStreams(text.tokens, *size)
    return LanguageModelling(name, model, data, weight, processes, setting, precision=precision, **gradients)


def mean_token_loss(model: SequenceModel, data: PairBatches, processes: Processes) -> float:
    """Return the mean loss, in nats per token, over one pass of `data`. The processes share its batches."""
    total, tokens = 0.0, 0
    with torch.no_grad():
        for indices in islice(data.all_batches(), processes.rank, None, processes.count):
            batch = data.collate(indices).to(processes.device)
            total += float(model.loss(batch))
            tokens += batch.tokens
    loss_of_all, tokens_of_all = processes.sum(total, tokens)
    return loss_of_all / max(1, tokens_of_all)


def perplexity(loss: float) -> float:
    """Return the perplexity of a loss in nats per token; e^700 if the loss is larger or not a number."""
    return math.exp(loss if loss < 700 else 700)


def validated(loss: float) -> dict[str, float]:
    """Return the validation metrics of a loss in nats per token."""
    return {"valid_loss": loss, "valid_perplexity": perplexity(loss)}
