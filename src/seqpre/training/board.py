"""TensorBoard scalars. Off unless a folder is given."""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError

VARIABLE = "SEQPRE_TENSORBOARD"


def add_board_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--tensorboard`."""
    parser.add_argument(
        "--tensorboard",
        type=Path,
        default=os.environ.get(VARIABLE) or None,
        metavar="FOLDER",
        help=f"write scalars for TensorBoard below this folder (default: ${VARIABLE}, else none)",
    )


def check_board(folder: Path | str | None) -> None:
    """Raise ConfigError if a folder is given and TensorBoard is not installed."""
    if folder is not None and find_spec("tensorboard") is None:
        raise ConfigError(
            f"tensorboard is {str(folder)!r}, and the package is not installed: pip install 'seqpre[tensorboard]', "
            "or leave it out"
        )


class Board:
    """Writes the lines of a run's `metrics.jsonl` as scalars."""

    def __init__(self, folder: Path | None, run: str) -> None:
        self.writer: Any = None
        if folder is not None:
            check_board(folder)
            from torch.utils.tensorboard import SummaryWriter

            self.writer = SummaryWriter(str(Path(folder) / run))

    def add(self, event: str, step: int, values: dict[str, float]) -> None:
        """Write one line of metrics."""
        if self.writer is not None:
            for name, value in values.items():
                self.writer.add_scalar(f"{event}/{name}", value, step)
            self.writer.flush()
