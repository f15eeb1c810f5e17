"""Pretrained language models into a seq2seq model, with an account of every tensor.

Ramachandran et al. (2017), Section 2.1: embedding and first LSTM layer of the encoder come from the source LM;
embedding, first LSTM layer and softmax of the decoder from the target LM. All else is random.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from seqpre.common.errors import ConfigError
from seqpre.models.family import Seq2SeqModel
from seqpre.study.settings import RANDOM, InitSettings
from seqpre.training.checkpoint import load_weights


@dataclass(frozen=True)
class Account:
    """What became of one tensor."""

    tensor: str
    shape: tuple[int, ...]
    status: str
    """loaded, fresh or unused; with `, frozen` where training leaves it as it is."""
    origin: str

    @property
    def parameters(self) -> int:
        return int(torch.Size(self.shape).numel())


def initialise(
    model: Seq2SeqModel, init: InitSettings, lms: Mapping[str, Path], source_lm_objective: bool
) -> list[Account]:
    """Load, freeze and account for every tensor of `model`.

    `lms` maps the LMs' names to their weights. The encoder's softmax is no part of the seq2seq model; it is there for
    the LM objective, and unused without one.
    """
    # Unstated: in "only embeddings" and "embeddings & LSTM", what becomes of the encoder LM's softmax, which only the
    # LM loss uses. It starts fresh, like the decoder's.
    origins: dict[str, str] = {}
    for side, lm in model.language_models().items():
        name = getattr(init, side)
        if name != RANDOM:
            for tensor in load_parts(lm, lms[name], init.parts):
                origins[f"{side}.lm.{tensor}"] = name
        for part in init.freeze:
            getattr(lm, part).requires_grad_(False)
    unlabelled = model.unlabelled()
    unused = set[nn.Parameter]()
    if unlabelled is not None and not source_lm_objective:
        unused.update(unlabelled.requires_grad_(False).parameters())
    return [
        account(name, parameter, origins.get(name, ""), parameter in unused)
        for name, parameter in model.named_parameters()
    ]


def account(name: str, parameter: nn.Parameter, origin: str, unused: bool) -> Account:
    """Say what became of one tensor."""
    trained = ("loaded" if origin else "fresh") + ("" if parameter.requires_grad else ", frozen")
    status = "unused" if unused else trained
    return Account(name, tuple(parameter.shape), status, origin)


def load_parts(lm: nn.Module, path: Path, parts: tuple[str, ...]) -> list[str]:
    """Copy the named parts of a pretrained LM into `lm`; return the names of the tensors."""
    tensors, _ = load_weights(path)
    wanted = {name: tensor for name, tensor in lm.state_dict().items() if name.split(".")[0] in parts}
    for name, tensor in wanted.items():
        if name not in tensors:
            raise ConfigError(f"{path}: has no tensor {name}; was it trained as a language model of this shape?")
        if tensors[name].shape != tensor.shape:
            raise ConfigError(
                f"{path}: {name} is {'x'.join(map(str, tensors[name].shape))} in the LM and "
                f"{'x'.join(map(str, tensor.shape))} in the model; both need the same subwords and first_layer"
            )
        with torch.no_grad():
            tensor.copy_(tensors[name])
    return list(wanted)


def report(accounts: list[Account]) -> str:
    """Return the accounts as a Markdown table with totals."""
    lines = ["| tensor | shape | parameters | status | from |", "| --- | --- | ---: | --- | --- |"]
    lines += [
        f"| {a.tensor} | {' x '.join(map(str, a.shape))} | {a.parameters:,} | {a.status} | {a.origin} |"
        for a in accounts
    ]
    totals: dict[str, int] = {}
    for a in accounts:
        totals[a.status] = totals.get(a.status, 0) + a.parameters
    lines += ["", "Parameters: " + "; ".join(f"{status} {count:,}" for status, count in sorted(totals.items())) + "."]
    return "\n".join(lines) + "\n"
