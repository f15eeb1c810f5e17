"""What PyTorch is asked for."""

from __future__ import annotations

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode


class Calls(TorchDispatchMode):
    """The names of the operations within a block, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.names = list[str]()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(func.name().partition(".")[0])
        return func(*args, **(kwargs or {}))
