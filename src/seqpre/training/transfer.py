"""Initialise a seq2seq model from pretrained ones, and account for every tensor.

Ramachandran et al. (2017), Section 2.1: embedding and first LSTM layer of the encoder come from the source LM;
embedding, first LSTM layer and softmax of the decoder come from the target LM. All others are random.

PoDA (Wang et al., 2019), Section 2.4: all tensors of the encoder, of the decoder or of both are pretrained.

Edunov et al. (2019), Section 2: the encoder or decoder reads a whole language model, frozen or fine-tuned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from seqpre.common.errors import ConfigError
from seqpre.models.family import PretrainedMapping, Seq2SeqModel
from seqpre.study.declarations import RANDOM
from seqpre.study.settings import InitSettings
from seqpre.training.checkpoint import load_weights


@dataclass(frozen=True)
class Account:
    """How one tensor was initialised."""

    tensor: str
    shape: tuple[int, ...]
    status: str
    """loaded, fresh or unused; `, frozen` is added if it is not trained."""
    origin: str

    @property
    def parameters(self) -> int:
        return int(torch.Size(self.shape).numel())


def initialise(
    model: Seq2SeqModel, init: InitSettings, weights: Mapping[str, Path], source_lm_objective: bool
) -> list[Account]:
    """Load and freeze tensors of `model`, and return an account of every one.

    `weights` are the files of the pretrained models by name. Only the LM objective uses the encoder's softmax; without
    that objective it is `unused`.
    """
    # Unstated: in "only embeddings" and "embeddings & LSTM", how the encoder LM's softmax starts, which only the LM
    # loss uses. Fresh, like the decoder's.
    # Unstated: if only one side is pretrained, how the embeddings start that both share. Pretrained.
    origins: dict[str, str] = {}
    for side in ("encoder", "decoder"):
        if (name := getattr(init, side)) != RANDOM:
            mapping = model.pretrained_mapping(side, getattr(init, f"{side}_parts") or init.parts)
            load(model, mapping, weights[name])
            origins |= dict.fromkeys(mapping.tensors, name)
    for side, lm in model.language_models().items():
        for part in init.freeze if getattr(init, side) != RANDOM else ():
            getattr(lm, part).requires_grad_(False)
    unused_module = model.unused_by_loss()
    unused = set[nn.Parameter]()
    if unused_module is not None and not source_lm_objective:
        unused.update(unused_module.requires_grad_(False).parameters())
    return [
        account(name, parameter, origins.get(name, ""), parameter in unused)
        for name, parameter in model.named_parameters()
    ]


def account(name: str, parameter: nn.Parameter, origin: str, unused: bool) -> Account:
    """Return the account of one tensor."""
    trained = ("loaded" if origin else "fresh") + ("" if parameter.requires_grad else ", frozen")
    status = "unused" if unused else trained
    return Account(name, tuple(parameter.shape), status, origin)


def load(model: nn.Module, mapping: PretrainedMapping, path: Path) -> None:
    """Copy a side's tensors from pretrained weights. Raises ConfigError if kind, settings or shapes do not match."""
    weights, about = load_weights(path)
    if about["kind"] != mapping.kind:
        raise ConfigError(f"{path}: holds a {about['kind']}; this model's family starts from {mapping.named}")
    said, tensors = about.get(mapping.section, {}), model.state_dict()
    for name, value in mapping.shape.items():
        if said.get(name, value) != value:
            raise ConfigError(
                f"{path}: {name} is {said[name]!r} there and {value!r} in the model; "
                f"both need the same {mapping.settings}"
            )
    for ours, name in mapping.tensors.items():
        if name not in weights:
            raise ConfigError(f"{path}: has no tensor {name}; was it trained as {mapping.named} of this shape?")
        if weights[name].shape != tensors[ours].shape:
            raise ConfigError(
                f"{path}: {name} is {'x'.join(map(str, weights[name].shape))} there and "
                f"{'x'.join(map(str, tensors[ours].shape))} in the model; both need the same {mapping.settings}"
            )
        with torch.no_grad():
            tensors[ours].copy_(weights[name])


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
