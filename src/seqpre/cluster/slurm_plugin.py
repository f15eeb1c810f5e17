"""What Snakemake's plugin for Slurm, version 2.8.0, lacks where Slurm's controller is away for a while.

Left to itself it forgets its jobs then, and Snakemake waits for them for ever: at once where it reads how long Slurm
remembers jobs, which it does before each look at the queue, and there is no accounting to turn to; else after as many
looks as the profile says. A group that it could not submit it forgets too, and a job that Slurm has lost, as its
controller loses those of the seconds before a crash, it takes for one that waits. And where a job that is tried again
wants more than any node has, it asks for that.
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
"""Which Slurm answers without a word of a job, until the job counts as lost."""


CALL = "\n    sbatch call:"
"""Where the plugin's words on a refusal by Slurm go on to tell what it was asked."""


def mend() -> None:
    """Let the plugin wait for Slurm, and give up what Slurm has lost or refused; to be called while it answers."""
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
    """Yield the jobs that still wait or run: all where Slurm does not answer."""
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
    """Submit a job as soon as Slurm answers; runs in a thread of its own."""
    while known_jobs() is None and not self._job_submission_executor._shutdown:
        time.sleep(5)
    refused.discard(job.jobid)
    try:
        submit(self, job)
    except Exception as error:
        self._report_job_error_threadsafe(SubmittedJobInfo(job), str(error.__context__ or error))


def _refuse(self: Any, report: Callable[[Any, SubmittedJobInfo, str], None], info: SubmittedJobInfo, why: str) -> None:
    """Say why a job could not be submitted, before it counts as failed."""
    refused.add(info.job.jobid)
    self.logger.error(f"{info.job.name} could not be submitted: {' '.join(why.partition(CALL)[0].split())}")
    report(self, info, why)


def _submit_command(
    submit_command: Callable[..., str], job: JobExecutorInterface, about: dict[str, Any], **options: Any
) -> str:
    """Return the call of sbatch; where a job is tried again, with no more memory and time than can be had."""
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
