"""The processes of one training job, which torchrun starts.

All processes read the same batches with the same random numbers. Each computes its own rows (sentences, or streams of
text), and DistributedDataParallel sums the gradients. So the number of processes changes results only by rounding, and
a state can be resumed by any number of processes.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
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
    """This process's rank, the number of processes, and its device. Without torchrun there is one process."""

    rank: int = 0
    count: int = 1
    device: torch.device = CPU

    @property
    def first(self) -> bool:
        """Whether this process writes files and messages."""
        return self.rank == 0

    def rows(self, total: int) -> Rows:
        """Return this process's rows of a batch; shares differ by at most one row."""
        start, stop = total * self.rank // self.count, total * (self.rank + 1) // self.count
        return Rows(start, stop, total) if stop > start else Rows(0, 1, total, weight=0.0)

    def parallel(
        self, module: nn.Module, loss: Callable[..., Any], unused: nn.Module | None = None
    ) -> Callable[..., Any]:
        """Return `loss`, a method of `module`, with gradients averaged over all processes in its backward pass.

        `unused` is the part of the module that gets no gradient from this loss.
        """
        if self.count == 1:
            return loss
        calls = _Calls(module, loss)
        ignored = set() if unused is None else {id(parameter) for parameter in unused.parameters()}
        # find_unused_parameters would take a parameter that another loss has used for one that this loss uses.
        names = [name for name, parameter in calls.named_parameters() if id(parameter) in ignored]
        DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(calls, names)  # type: ignore[no-untyped-call]
        return DistributedDataParallel(calls)

    def sum(self, *values: float) -> list[float]:
        """Return each value's sum over all processes."""
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
        """Call `make` in the first process; return its result in all."""
        made: list[Any] = [make() if self.first else None]
        if self.count > 1:
            dist.broadcast_object_list(made)
        result: Result = made[0]
        return result

    def leave(self) -> None:
        """Wait for the other processes and leave the group. No module of `parallel` may be referenced any more.

        Threads of gloo that outlive the interpreter sometimes abort the process, and a finished run would count as
        failed. They end with the last reference to the group.
        """
        if self.count > 1:
            dist.barrier()  # As soon as one process fails, torchrun stops the others.
            gc.collect()
            dist.destroy_process_group()


def added_up(loss: Callable[..., Any], *, now: bool) -> AbstractContextManager[None]:
    """Return a block whose backward passes of a loss of `parallel` add gradients up over all processes only if `now`.

    Otherwise they stay with their process, where a later pass adds them up with its own: of several batches of an
    update only the last one has to.
    """
    return loss.no_sync() if isinstance(loss, DistributedDataParallel) and not now else nullcontext()


class _Calls(nn.Module):
    """A module whose forward pass is a method of another module."""

    def __init__(self, module: nn.Module, method: Callable[..., Any]) -> None:
        super().__init__()
        self.module, self.method = module, method

    def forward(self, *arguments: Any) -> Any:
        return self.method(*arguments)


def join(device: torch.device) -> Processes:
    """Join the processes that torchrun started; without torchrun there is one. `device` is this process's."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        return Processes(device=device)
    if device.type == "cpu":
        torch.set_num_threads(max(1, torch.get_num_threads() // int(os.environ["LOCAL_WORLD_SIZE"])))
    # Import this before there is a group: its functions would keep that group as their default argument.
    import_module("torch.distributed.nn.functional")
    if not dist.is_initialized():
        dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    return Processes(dist.get_rank(), count, device)
