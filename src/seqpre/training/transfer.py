"""Pretrained models into a seq2seq model, with an account of every tensor.

Ramachandran et al. (2017), Section 2.1: embedding and first LSTM layer of the encoder come from the source LM;
embedding, first LSTM layer and softmax of the decoder from the target LM. All else is random.

PoDA (Wang et al., 2019), Section 2.4: the pretrained model has every tensor, of either side or both.

Edunov et al. (2019), Section 2: a whole language model lies below a side, frozen or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from seqpre.common.errors import ConfigError
from seqpre.models.family import Seq2SeqModel
from seqpre.models.transformer import Transformer
from seqpre.models.two_tower import TransformerLM
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
    model: Seq2SeqModel, init: InitSettings, weights: Mapping[str, Path], source_lm_objective: bool
) -> list[Account]:
    """Load, freeze and account for every tensor of `model`.

    `weights` are those of the pretrained models by name. The encoder's softmax is no part of the seq2seq model; it is
    there for the LM objective, and unused without one.
    """
    # Unstated: in "only embeddings" and "embeddings & LSTM", what becomes of the encoder LM's softmax, which only the
    # LM loss uses. It starts fresh, like the decoder's.
    # Unstated: where one side alone is pretrained, what becomes of the embeddings that both share. They are pretrained.
    origins: dict[str, str] = {}
    if not model.language_models():
        for side in ("encoder", "decoder"):
            if (name := getattr(init, side)) != RANDOM:
                origins |= dict.fromkeys(load_side(model, side, weights[name]), name)
    place = {id(module): at for at, module in model.named_modules()}
    for side, lm in model.language_models().items():
        name = getattr(init, side)
        if name != RANDOM:
            whole = isinstance(lm, TransformerLM)
            for tensor in load_lm(lm, weights[name]) if whole else load_parts(lm, weights[name], init.parts):
                origins[f"{place[id(lm)]}.{tensor}"] = name
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
    wanted = {name: tensor for name, tensor in lm.state_dict().items() if name.split(".")[0] in parts}
    return _copied(wanted, path, "lm", "a language model", "subwords and first_layer")


def load_lm(lm: TransformerLM, path: Path) -> list[str]:
    """Copy a pretrained Transformer LM into `lm`; return the names of the tensors."""
    side = "an encoder" if lm.kind == "cloze_lm" else "a decoder"
    what = f"a {lm.kind}, which {side} reads"
    shape = {"heads": lm.shape.heads, "layers": lm.shape.layers}
    return _copied(lm.state_dict(), path, lm.kind, what, "vocabulary and representations.lm", "shape", shape)


def load_side(model: Seq2SeqModel, side: str, path: Path) -> list[str]:
    """Copy one side of a pretrained whole model into `model`; return the names of the tensors."""
    wanted = {name: tensor for name, tensor in model.state_dict().items() if side in model.sides_of(name)}
    shape = {}
    if isinstance(model, Transformer):
        shape = {name: getattr(model.settings, name) for name in ("heads", "norm", f"{side}_layers")}
    return _copied(wanted, path, "seq2seq", "a whole model", "vocabulary and transformer", "transformer", shape)


def _copied(
    wanted: Mapping[str, Tensor],
    path: Path,
    kind: str,
    what: str,
    settings: str,
    section: str = "",
    shape: Mapping[str, Any] | None = None,
) -> list[str]:
    """Copy tensors; `shape` is what they do not show of the model, and `section` where the file says it."""
    tensors, about = load_weights(path)
    if about["kind"] != kind:
        raise ConfigError(f"{path}: holds a {about['kind']}; this model's family starts from {what}")
    said = about.get(section, {})
    for name, value in (shape or {}).items():
        if said.get(name, value) != value:
            raise ConfigError(
                f"{path}: {name} is {said[name]!r} there and {value!r} in the model; both need the same {settings}"
            )
    for name, tensor in wanted.items():
        if name not in tensors:
            raise ConfigError(f"{path}: has no tensor {name}; was it trained as {what} of this shape?")
        if tensors[name].shape != tensor.shape:
            raise ConfigError(
                f"{path}: {name} is {'x'.join(map(str, tensors[name].shape))} there and "
                f"{'x'.join(map(str, tensor.shape))} in the model; both need the same {settings}"
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
