"""The optimiser, its learning-rate schedule, and averaged weights.

All of its memory is in its state, so a resumed training ends with the same weights.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from seqpre.study.settings import OptimizerSettings


def exponential(settings: OptimizerSettings, update: int, of: int) -> float:
    """Return lr x decay^n; n grows by one every `decay_every` updates after the first `decay_after`.

    With `anneal_to` the rate is constant for the first `hold` of all updates, then falls exponentially to that share.
    """
    # Differs: the decay of the learning rate counts synchronous updates; the paper (Ramachandran et al., 2017) counts
    # steps of asynchronous SGD on 16 GPUs.
    lr = settings.lr * settings.decay ** (max(0, update - settings.decay_after) // settings.decay_every)
    if settings.anneal_to:
        held = settings.hold * of
        lr *= settings.anneal_to ** (max(0.0, update - held) / (of - held))
    return lr


def inverse_square_root(settings: OptimizerSettings, update: int, of: int) -> float:
    """Return lr x sqrt(warmup / update) (Vaswani et al., 2017, Section 5.3, which writes lr as 1 / sqrt(D warmup))."""
    return settings.lr * math.sqrt(max(1, settings.warmup) / max(1, settings.warmup, update + 1))


def cosine(settings: OptimizerSettings, update: int, of: int) -> float:
    """Return a half cosine from lr, after the warm-up, to `lr_end` after the end (Loshchilov and Hutter, 2017)."""
    gone = (update - settings.warmup) / max(1, of - settings.warmup)
    return settings.lr_end + (settings.lr - settings.lr_end) * (1 + math.cos(math.pi * min(1.0, max(0.0, gone)))) / 2


def constant(settings: OptimizerSettings, update: int, of: int) -> float:
    """Return lr. `Optimisation.validated` lowers it on a plateau."""
    return settings.lr


SCHEDULES: Mapping[str, Callable[[OptimizerSettings, int, int], float]] = {
    "exponential": exponential,
    "inverse_sqrt": inverse_square_root,
    "cosine": cosine,
    "plateau": constant,
}


def learning_rate(settings: OptimizerSettings, update: int, of: int) -> float:
    """Return the learning rate after `update` of at most `of` updates, before any fall on a plateau."""
    if update < settings.warmup:
        return settings.warmup_from + (settings.lr - settings.warmup_from) * (update + 1) / settings.warmup
    return SCHEDULES[settings.schedule](settings, update, of)


class Optimisation:
    """Updates a model's weights, for `losses` losses in turn and at most `of` updates."""

    def __init__(self, model: nn.Module, settings: OptimizerSettings, of: int, losses: int = 1) -> None:
        self.settings, self.of = settings, of
        self.parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}
        memories = losses if settings.state == "own" else 1
        self.optimizers = [make_optimizer(list(self.parameters.values()), settings) for _ in range(memories)]
        self.averages: dict[str, Tensor] = {}
        if settings.average:
            self.averages = {name: p.detach().clone() for name, p in self.parameters.items()}
        self.update = 0
        self.drops = 0
        """How often the rate has fallen on a plateau."""
        self.lowest = math.inf
        """The lowest validation loss."""

    @property
    def rate(self) -> float:
        """The learning rate of the next update."""
        return learning_rate(self.settings, self.update, self.of) * self._fallen

    @property
    def _fallen(self) -> float:
        return self.settings.decay**self.drops if self.settings.schedule == "plateau" else 1.0

    def step(self, loss: int = 0) -> None:
        """Take a step for one of the losses, then clear the gradients."""
        optimizer = self.optimizers[loss % len(self.optimizers)]
        for group in optimizer.param_groups:
            group["lr"] = self.rate
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    @torch.no_grad()
    def updated(self) -> None:
        """End an update, after the steps of all losses: count it and average the weights."""
        self.update += 1
        if self.averages:
            # Differs: averaged weights decay fast at first, so that they soon forget the random initial ones. This is
            # given only in the published code of PoDA.
            memory = min(self.settings.average, (1 + self.update) / (10 + self.update))
            torch._foreach_lerp_(list(self.averages.values()), list(self.parameters.values()), 1 - memory)

    def validated(self, loss: float) -> bool:
        """Record a validation loss; return whether the rate has fallen below `lr_end`, which ends training."""
        improved = loss < self.lowest  # False for NaN
        if self.settings.schedule == "plateau" and self.update >= self.settings.warmup and not improved:
            self.drops += 1
        self.lowest = loss if improved else self.lowest
        return self.settings.schedule == "plateau" and self.settings.lr * self._fallen < self.settings.lr_end

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Use the averaged weights, if kept, within the block: for validation and saving."""
        with torch.no_grad():
            own = {name: self.parameters[name].clone() for name in self.averages}
            for name, average in self.averages.items():
                self.parameters[name].copy_(average)
            try:
                yield
            finally:
                for name, weights in own.items():
                    self.parameters[name].copy_(weights)

    def state_dict(self) -> dict[str, Any]:
        return {
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "averages": self.averages,
            "plateau": {"drops": self.drops, "lowest": self.lowest},
        }

    def load_state_dict(self, state: Mapping[str, Any], update: int) -> None:
        """Resume from a state that was saved after `update` updates."""
        self.update = update
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        for name, average in self.averages.items():
            average.copy_(state["averages"][name])
        self.drops, self.lowest = state["plateau"]["drops"], state["plateau"]["lowest"]


def make_optimizer(parameters: list[nn.Parameter], settings: OptimizerSettings) -> torch.optim.Optimizer:
    """Return the optimiser over these parameters.

    Adagrad's accumulator starts at 1, as in Jozefowicz et al. (2016), not at PyTorch's 0.
    """
    # Unstated: Adam's two betas and its epsilon. The usual 0.9, 0.999 and 1e-8.
    if settings.name == "adagrad":
        return without_compiler(torch.optim.Adagrad)(parameters, lr=settings.lr, initial_accumulator_value=1.0)
    if settings.name == "nag":
        return without_compiler(torch.optim.SGD)(parameters, lr=settings.lr, momentum=settings.momentum, nesterov=True)
    return without_compiler(torch.optim.Adam)(parameters, lr=settings.lr, betas=(0.9, settings.beta2), fused=True)


@cache
def without_compiler(optimizer: type[torch.optim.Optimizer]) -> Callable[..., torch.optim.Optimizer]:
    """Return PyTorch's optimiser with unwrapped methods.

    The wrappers import PyTorch's compiler, `torch._dynamo`: 1.1 CPU seconds at every start.
    """
    methods = {name: getattr(optimizer, name) for name in dir(optimizer) if not name.startswith("__")}
    written = {name: inspect.unwrap(method) for name, method in methods.items() if hasattr(method, "__wrapped__")}
    written["step"] = torch.no_grad()(inspect.unwrap(optimizer.step))  # One wrapper turns gradients off, too.
    return type(optimizer.__name__, (optimizer,), written)
