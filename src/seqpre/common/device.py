"""Where a command computes."""

from __future__ import annotations

import argparse
import ctypes
import os

import torch

from seqpre.common.errors import ConfigError

NO_GPUS = "set `gpus: null` in config.yaml, or SEQPRE_DEVICE=cpu to have the processes share the processor"


def add_device_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--device`."""
    parser.add_argument(
        "--device",
        default=os.environ.get("SEQPRE_DEVICE", "auto"),
        choices=("auto", "cpu", "cuda"),
        help="auto takes a GPU if there is one; cuda refuses to run without (default: SEQPRE_DEVICE, or auto)",
    )


def device_of(name: str) -> torch.device:
    """Return the device, or raise ConfigError where a GPU is asked for and none is there."""
    if name not in ("auto", "cpu", "cuda"):
        raise ConfigError(f"SEQPRE_DEVICE is {name!r}; it may be auto, cpu or cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("--device cuda: torch sees no GPU here; ask the scheduler for one or use --device cpu")
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
        processes = int(os.environ.get("WORLD_SIZE", "1"))
        if name == "cpu" and processes > 1:
            raise ConfigError(f"{processes} processes and no GPU: {NO_GPUS}")
    if name == "cuda":
        return local_gpu()
    keep_freed_memory()
    flush_denormals()
    return torch.device("cpu")


def local_gpu() -> torch.device:
    """Return this process's own GPU, or raise ConfigError where there are fewer GPUs than processes."""
    rank, visible = int(os.environ.get("LOCAL_RANK", "0")), torch.cuda.device_count()
    if rank >= visible:
        raise ConfigError(
            f"process {rank + 1} of this machine has no GPU of its own, torch sees {visible}; "
            "lower `gpus` in config.yaml, or ask the scheduler for more"
        )
    torch.cuda.set_device(rank)
    return torch.device("cuda", rank)


def check_gpus(wanted: int) -> None:
    """Raise ConfigError where each training job asks for more GPUs than torch sees, before the first one starts."""
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if found < wanted:
        mend = NO_GPUS if not found else "lower `gpus` in config.yaml"
        raise ConfigError(f"a training job asks for {wanted} GPU{'s' * (wanted > 1)}, torch sees {found} here: {mend}")


def keep_freed_memory() -> None:
    """Have the C library keep what is freed for what comes next, instead of giving it back to the system.

    An update allocates and frees the same tensors as the one before; fresh pages for them would take up to a tenth of
    its time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:  # Only glibc has it.
        m_trim_threshold, m_mmap_max = -1, -4
        mallopt(m_trim_threshold, 2**31 - 1)
        mallopt(m_mmap_max, 0)


def flush_denormals() -> None:
    """Have the processor take numbers below 1e-38 for zero, in this thread and those it starts.

    They say nothing, and a product of them takes it up to two hundred times as long as of others: docs/speed.md.
    """
    torch.set_flush_denormal(True)
