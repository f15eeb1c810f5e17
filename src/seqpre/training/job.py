"""What all training commands share: arguments, device, processes, time limit, and the version of the code."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqpre.common.device import add_device_argument, device_of
from seqpre.common.provenance import provenance
from seqpre.training.board import Board, add_board_argument
from seqpre.training.interruption import INTERRUPTED, Interrupted, Interruption, add_stop_argument
from seqpre.training.processes import Processes, join


@dataclass(frozen=True)
class TrainingJob:
    """A training job, seen by one of its processes."""

    processes: Processes
    interruption: Interruption
    tensorboard: Path | None
    provenance: dict[str, Any]
    """The code that is running, as it was at the start."""

    def board(self, name: str) -> Board:
        """Return the TensorBoard writer of run `name`. Only the first process writes."""
        return Board(self.tensorboard if self.processes.first else None, name)

    def go_on(self) -> None:
        """Raise Interrupted if any process has to stop. All processes have to call this equally often."""
        if any(self.processes.sum(bool(self.interruption))):
            raise Interrupted

    def end(self, finished: bool) -> None:
        """Leave the other processes. If not finished, exit with status INTERRUPTED."""
        self.processes.leave()
        if not finished:
            raise SystemExit(INTERRUPTED)


def add_job_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of all training commands."""
    add_device_argument(parser)
    add_board_argument(parser)
    add_stop_argument(parser)


def start_job(args: argparse.Namespace) -> TrainingJob:
    """Start the time limit, choose the device and join the other processes."""
    interruption = Interruption(args.stop_after)
    device = device_of(args.device)
    return TrainingJob(join(device), interruption, args.tensorboard, provenance(device))
