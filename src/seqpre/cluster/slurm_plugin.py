"""Fixes for Snakemake's Slurm plugin, version 2.8.0, when Slurm's controller is away for a while.

Without them the plugin forgets its jobs, and Snakemake waits for them forever: at once if it asks how long Slurm
remembers jobs (before each look at the queue) and there is no accounting to fall back on; otherwise after as many looks
as the profile allows. It also forgets a group that it could not submit. And a job that Slurm has lost, such as one from
the seconds before a controller crash, it takes for a waiting one. Finally, when a retried job wants more than any node
has, the plugin requests that.
"""

from __future__ import annotations

import functools
import re
import shlex
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import snakemake_executor_plugin_slurm as plugin
from snakemake.logging import logger
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface

from seqpre.cluster.groups import refused
from seqpre.cluster.queue import affordable, known_jobs

LOOKS = 2
"""Looks at which Slurm answers without listing a job, until the job counts as lost."""


CALL = "\n    sbatch call:"
"""Where the plugin's error message goes on to quote the sbatch call."""


def mend() -> None:
    """Patch the plugin to wait for Slurm, and to give up lost or refused jobs. Call it while Slurm answers."""
    executor = plugin.Executor
    plugin.get_min_job_age = functools.cache(plugin.get_min_job_age)
    plugin.get_min_job_age()
    executor.check_active_jobs = functools.partialmethod(_check_active_jobs, executor.check_active_jobs, Counter())
    executor.run_job = functools.partialmethod(_run_job, executor.run_job)
    executor._report_job_error_threadsafe = functools.partialmethod(_refuse, executor._report_job_error_threadsafe)
    plugin.get_submit_command = functools.partial(_submit_command, plugin.get_submit_command)


async def _check_active_jobs(
    self: Any,
    check: Callable[[Any, Iterable[SubmittedJobInfo]], AsyncIterator[SubmittedJobInfo]],
    unseen: Counter[str],
    active_jobs: Iterable[SubmittedJobInfo],
) -> AsyncIterator[SubmittedJobInfo]:
    """Yield the jobs that still wait or run; all of them if Slurm does not answer."""
    known = known_jobs()
    if known is None:
        for job in active_jobs:
            yield job
        return
    async for job in check(self, active_jobs):
        unseen[job.external_jobid] += job.external_jobid not in known
        if unseen[job.external_jobid] < LOOKS:
            yield job
        else:
            self.logger.warning(f"Slurm has lost job {job.external_jobid}; it counts as failed")
            self.report_job_error(job)


def _run_job(self: Any, submit: Callable[[Any, JobExecutorInterface], None], job: JobExecutorInterface) -> None:
    """Submit a job as soon as Slurm answers; runs in its own thread."""
    while known_jobs() is None and not self._job_submission_executor._shutdown:
        time.sleep(5)
    refused.discard(job.jobid)
    try:
        submit(self, job)
    except Exception as error:
        self._report_job_error_threadsafe(SubmittedJobInfo(job), str(error.__context__ or error))


def _refuse(self: Any, report: Callable[[Any, SubmittedJobInfo, str], None], info: SubmittedJobInfo, why: str) -> None:
    """Report why a job could not be submitted, before it counts as failed."""
    refused.add(info.job.jobid)
    self.logger.error(f"{info.job.name} could not be submitted: {' '.join(why.partition(CALL)[0].split())}")
    report(self, info, why)


def _submit_command(
    submit_command: Callable[..., str], job: JobExecutorInterface, about: dict[str, Any], **options: Any
) -> str:
    """Return the sbatch call; a retried job requests no more memory and time than available."""
    call = submit_command(job, about, **options)
    if job.attempt == 1:
        return call
    words = shlex.split(call + plugin.set_gres_string(job))
    memory, minutes = affordable(shlex.join(words[words.index("--comment") + 2 :]))
    for option, most, unit in ((" --mem ", memory, "MB"), (" -t ", minutes, "minutes")):
        capped = re.sub(rf"{option}(\d+)", f"{option}{most}", call, count=1)
        if capped != call:
            logger.warning(f"{job.name} is tried again with {most:,} {unit}: Slurm has no more")
        call = capped
    return call
