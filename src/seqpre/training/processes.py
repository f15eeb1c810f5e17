"""The processes of one training job. torchrun starts several; each takes its rows of every batch.

Every process reads the same batches with the same random numbers and computes on its own rows (sentences, or streams of
text); DistributedDataParallel adds the gradients up. So the number of processes changes a result by rounding only, and
a state saved by any number is resumed by any other.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from seqpre.models.batch import Rows

Result = TypeVar("Result")
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Processes:
    """This process's number, how many work together, and its device; outside torchrun it is the only one."""

    rank: int = 0
    count: int = 1
    device: torch.device = CPU

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and talks."""
        return self.rank == 0

    def rows(self, total: int) -> Rows:
        """Return this process's rows of a batch: as many as the others have, or one less."""
        start, stop = total * self.rank // self.count, total * (self.rank + 1) // self.count
        return Rows(start, stop, total) if stop > start else Rows(0, 1, total, weight=0.0)

    def parallel(
        self, module: nn.Module, loss: Callable[..., Any], unused: nn.Module | None = None
    ) -> Callable[..., Any]:
        """Return `loss`, a method of `module`, such that its backward pass adds gradients up over all processes.

        `unused` names the part of the module that has no gradient from this loss.
        """
        if self.count == 1:
            return loss
        calls = _Calls(module, loss)
        ignored = set() if unused is None else {id(parameter) for parameter in unused.parameters()}
        # Not find_unused_parameters, which takes a parameter that another loss has used for one that this loss uses.
        names = [name for name, parameter in calls.named_parameters() if id(parameter) in ignored]
        DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(calls, names)  # type: ignore[no-untyped-call]
        return DistributedDataParallel(calls)

    def sum(self, *values: float) -> list[float]:
        """Return each value's sum over all processes, the same everywhere."""
        if self.count == 1:
            return list(values)
        sums = torch.tensor(values, dtype=torch.float64, device=self.device)
        dist.all_reduce(sums)
        return [float(value) for value in sums]

    def gather(self, value: Result) -> list[Result]:
        """Return every process's value, in order of rank."""
        if self.count == 1:
            return [value]
        values: list[Any] = [None] * self.count
        dist.all_gather_object(values, value)
        return values

    def from_first(self, make: Callable[[], Result]) -> Result:
        """Return what the first process makes, to all."""
        made: list[Any] = [make() if self.first else None]
        if self.count > 1:
            dist.broadcast_object_list(made)
        result: Result = made[0]
        return result

    def leave(self) -> None:
        """Part from the others, when all have come here and nothing holds a module of `parallel` any more.

        Threads of gloo that outlive the interpreter abort the process now and then, and a finished run would count as
        failed; they end with the last reference to the group.
        """
        if self.count > 1:
            dist.barrier()  # torchrun ends the others as soon as one has ended with an error.
            gc.collect()
            dist.destroy_process_group()


class _Calls(nn.Module):
    """A module whose forward pass is a method of another."""

    def __init__(self, module: nn.Module, method: Callable[..., Any]) -> None:
        super().__init__()
        self.module, self.method = module, method

    def forward(self, *arguments: Any) -> Any:
        return self.method(*arguments)


def join(device: torch.device) -> Processes:
    """Join the other processes that torchrun started, or be the only one; `device` is this process's own."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        return Processes(device=device)
    if device.type == "cpu":
        torch.set_num_threads(max(1, torch.get_num_threads() // int(os.environ["LOCAL_WORLD_SIZE"])))
    # DistributedDataParallel imports it, and where there is a group by then, its functions keep that as their default.
    import_module("torch.distributed.nn.functional")
    if not dist.is_initialized():
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return Processes(dist.get_rank(), count, device)
