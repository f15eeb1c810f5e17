"""Where a command computes."""

from __future__ import annotations

import argparse
import os

import torch

from seqpre.errors import ConfigError
from seqpre.processes import local_gpu


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
    return local_gpu() if name == "cuda" else torch.device("cpu")
