"""What every training command is told and finds out about its job: device, processes, time, and the code it runs."""

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
    """One training job, as one of its processes sees it."""

    processes: Processes
    interruption: Interruption
    tensorboard: Path | None
    provenance: dict[str, Any]
    """Of the code that is running, whatever becomes of the checkout meanwhile."""

    def board(self, name: str) -> Board:
        """Return where this process's scalars go under `name`: nowhere, unless it is the first."""
        return Board(self.tensorboard if self.processes.first else None, name)

    def go_on(self) -> None:
        """Raise Interrupted where one of the processes has to stop; all of them come here as often."""
        if any(self.processes.sum(bool(self.interruption))):
            raise Interrupted

    def end(self, finished: bool) -> None:
        """Part from the other processes; the exit status of a job that is not finished is INTERRUPTED."""
        self.processes.leave()
        if not finished:
            raise SystemExit(INTERRUPTED)


def add_job_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every training command takes."""
    add_device_argument(parser)
    add_board_argument(parser)
    add_stop_argument(parser)


def start_job(args: argparse.Namespace) -> TrainingJob:
    """Start the clock, find the device, and join the other processes."""
    interruption = Interruption(args.stop_after)
    device = device_of(args.device)
    return TrainingJob(join(device), interruption, args.tensorboard, provenance(device))
