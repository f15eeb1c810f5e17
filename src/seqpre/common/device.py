"""The device that a command computes on."""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import os
import tempfile
from pathlib import Path
from typing import Any

import torch

from seqpre.common.arguments import DEVICES, check_device
from seqpre.common.errors import ConfigError

NO_GPUS = "set `gpus: null` in config.yaml, or SEQPRE_DEVICE=cpu to have the processes share the processor"


def add_device_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--device`."""
    parser.add_argument(
        "--device",
        default=os.environ.get("SEQPRE_DEVICE", "auto"),
        choices=DEVICES,
        help="auto takes a GPU if there is one; cuda fails without one (default: SEQPRE_DEVICE, or auto)",
    )


def device_of(name: str) -> torch.device:
    """Return the device. Raises ConfigError if a GPU is requested and there is none."""
    check_device(name)
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("--device cuda: torch sees no GPU here; ask the scheduler for one or use --device cpu")
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
        processes = int(os.environ.get("WORLD_SIZE", "1"))
        if name == "cpu" and processes > 1:
            raise ConfigError(f"{processes} processes and no GPU: {NO_GPUS}")
    compute_in("float32")
    if name == "cuda":
        return local_gpu()
    keep_freed_memory()
    flush_denormals()
    return torch.device("cpu")


def compute_in(precision: str) -> None:
    """Set the precision of float32 matrix products on a GPU: float32, or TF32 (10 mantissa bits) for `tf32`.

    By default cuDNN would run an LSTM in TF32 and all other products in float32. In bf16, training casts the operands;
    cuDNN's LSTM, which is not cast, then runs in TF32, and the rest in float32.
    """
    matmul: Any = torch.backends.cuda.matmul
    rnn: Any = torch.backends.cudnn.rnn
    matmul.fp32_precision = "tf32" if precision == "tf32" else "ieee"
    rnn.fp32_precision = "ieee" if precision == "float32" else "tf32"


PLACES = 16
"""Processes that are counted on a GPU."""
_held: list[Any] = []
"""The open lock file of this process's place on a GPU: closed with the process."""


def local_gpu() -> torch.device:
    """Return the GPU with the fewest processes of this project; in a job with several processes, that of its rank.

    Raises ConfigError if there are fewer GPUs than processes of the job on this machine. Processes lock files, which
    are named for the GPU's UUID, because schedulers number GPUs anew for every job.
    """
    rank, visible = int(os.environ.get("LOCAL_RANK", "0")), torch.cuda.device_count()
    if rank >= visible:
        raise ConfigError(
            f"process {rank + 1} of this machine has no GPU of its own, torch sees {visible}; "
            "lower `gpus` in config.yaml, or ask the scheduler for more"
        )
    wanted = range(visible) if os.environ.get("WORLD_SIZE", "1") == "1" else [rank]
    gpu = next((number for place in range(PLACES) for number in wanted if _take(number, place)), rank)
    torch.cuda.set_device(gpu)
    return torch.device("cuda", gpu)


def _take(gpu: int, place: int) -> bool:
    """Lock one place on a GPU until this process ends; return False if another process has it."""
    name = f"seqpre-gpu-{os.getuid()}-{torch.cuda.get_device_properties(gpu).uuid}-{place}"
    file = (Path(tempfile.gettempdir()) / name).open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return False
    _held.append(file)
    return True


def check_gpus(wanted: int, without: str = NO_GPUS) -> None:
    """Raise ConfigError, before the first job starts, if training jobs request more GPUs than torch sees.

    `without` says what to do if there is no GPU at all.
    """
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if found < wanted:
        mend = without if not found else "lower `gpus` in config.yaml"
        raise ConfigError(f"a training job asks for {wanted} GPU{'s' * (wanted > 1)}, torch sees {found} here: {mend}")


def keep_freed_memory() -> None:
    """Make the C library keep freed memory for reuse, instead of returning it to the system.

    An update allocates and frees the same tensors as the one before; fresh pages for them would take up to a tenth of
    its time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:  # glibc only
        m_trim_threshold, m_mmap_max = -1, -4
        mallopt(m_trim_threshold, 2**31 - 1)
        mallopt(m_mmap_max, 0)


def flush_denormals() -> None:
    """Make the processor treat numbers below 1e-38 as zero, in this thread and those it starts.

    They carry no information, and products with them take up to two hundred times as long: docs/speed.md.
    """
    torch.set_flush_denormal(True)
