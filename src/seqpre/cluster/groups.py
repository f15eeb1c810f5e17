"""Keep the outputs of finished jobs when another job of their group fails.

Snakemake 9.27.1 deletes the outputs of the whole group: a training's, for example, if its decoding fails.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from itertools import chain
from typing import Any

from snakemake.jobs import GroupJob, Job

refused = set[str]()
"""Job ids of groups that could not be submitted."""


def mend() -> None:
    """Patch Snakemake to keep the outputs of finished jobs. Call it in each Snakemake process, also inside jobs."""
    if not isinstance(GroupJob.__dict__["postprocess"], functools.partialmethod):
        GroupJob.postprocess = functools.partialmethod(_postprocess, GroupJob.postprocess)


async def _postprocess(
    self: GroupJob, postprocess: Callable[..., Awaitable[None]], error: bool = False, **options: Any
) -> None:
    """Finish a group; if it failed, delete only the outputs of unfinished jobs."""
    if not error:
        await postprocess(self, **options)
    elif self.jobid not in refused:  # Otherwise its files are unchanged.
        for job in chain.from_iterable(self.toposorted):
            await job.postprocess(error=not await _ended_well(job), check_output_mtime=False, **options)


async def _ended_well(job: Job) -> bool:
    """Return whether a job has made its outputs. From submission until then they are marked as incomplete."""
    if await job.dag.workflow.persistence.incomplete(job):
        return False
    return all([await file.exists() for file in job.output])
