"""What becomes of the outputs of jobs that were submitted together when one of them fails.

Snakemake, version 9.27.1, deletes those of all: those of a training, say, whose decoding has failed.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from itertools import chain
from typing import Any

from snakemake.jobs import GroupJob, Job

refused = set[str]()
"""Of groups that could not be submitted, what Snakemake knows them by."""


def mend() -> None:
    """Let the jobs that had ended well keep their outputs; to be called in each Snakemake, those inside a job too."""
    if not isinstance(GroupJob.__dict__["postprocess"], functools.partialmethod):
        GroupJob.postprocess = functools.partialmethod(_postprocess, GroupJob.postprocess)


async def _postprocess(
    self: GroupJob, postprocess: Callable[..., Awaitable[None]], error: bool = False, **options: Any
) -> None:
    """End a group: where it has failed, delete only the outputs of jobs that had not ended well."""
    if not error:
        await postprocess(self, **options)
    elif self.jobid not in refused:  # Else its files are as they were.
        for job in chain.from_iterable(self.toposorted):
            await job.postprocess(error=not await _ended_well(job), check_output_mtime=False, **options)


async def _ended_well(job: Job) -> bool:
    """True for a job that has made its outputs, which are marked as incomplete from its submission until then."""
    if await job.dag.workflow.persistence.incomplete(job):
        return False
    return all([await file.exists() for file in job.output])
