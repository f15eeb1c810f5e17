"""Start Snakemake, which looks for its jobs here every `--seconds-between-status-checks`.

Its plugin for Slurm waits ten seconds longer each time no job has ended, which is kind to a cluster, but not to tests.
So is ours, which looks every minute for what waits for ever.
"""

from __future__ import annotations

import sys
from typing import Any

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

from seqpre.cluster import queue


def _seconds(executor: Any) -> int:
    return executor.workflow.remote_execution_settings.seconds_between_status_checks  # type: ignore[no-any-return]


RemoteExecutor.next_seconds_between_status_checks = property(_seconds, lambda executor, seconds: None)
queue.SECONDS = 5
main(sys.argv[1:])
