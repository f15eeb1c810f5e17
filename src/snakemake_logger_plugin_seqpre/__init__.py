"""Snakemake's console output: one line a job, live lines for running jobs, and failures or results at the end.

profiles/default selects it. Dry runs, `--verbose`, `--debug-dag` and everything in .snakemake/log keep Snakemake's own
output; for a dry run this adds which settings have changed. Nothing is imported from seqpre, because the Snakefile
takes its modules from its own checkout.
"""

from __future__ import annotations

import re
import sys
import threading
import time
import traceback
from logging import ERROR, WARNING, LogRecord
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from snakemake_logger_plugin_seqpre.jobs import Jobs, StartedJob
from snakemake_logger_plugin_seqpre.logs import state_of
from snakemake_logger_plugin_seqpre.screen import Screen

SILENT = frozenset(
    {
        LogEvent.WORKFLOW_STARTED,
        LogEvent.GROUP_INFO,
        LogEvent.JOB_STARTED,
        LogEvent.PROGRESS,
        LogEvent.RESOURCES_INFO,
        LogEvent.RULEGRAPH,
    }
)
NOISE = re.compile(
    "None$|$|Using shell: |Select jobs to execute|Trying to restart job |Removing output files of failed job |"
    "Conda environments: ignored|Singularity containers: ignored|Group jobs: inactive|"
    "Assuming unrestricted shared filesystem|Complete log|Elapsed time: |Shutting down, this might take|"
    "Write-protecting output file|Touching output file|Removing temporary output|Job rate limit reached|"
    r"SLURM run ID|Job \S+ has been submitted with SLURM jobid|Cleaning up SLURM log files|"
    "Exiting because a job execution failed|WorkflowError:\nAt least one job did not complete"
)
"""Messages that no user needs, or that this plugin replaces."""
NOTHING_TO_DO = "Nothing to be done"
INTERRUPTED = re.compile("Terminating processes on user request|Will exit after finishing")
STATUS = re.compile(r"returned non-zero (exit status \d+)|died with <Signals\.(SIG\w+)|SLURM status is: '(\w+)'")

TICK = 0.05
"""Seconds by which a file's time may lag behind the clock."""


class LogHandler(LogHandlerBase):
    """Turns Snakemake's events into lines."""

    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        settings = self.common_settings
        self.quiet = {kind.name for kind in settings.quiet or ()}
        self.screen = Screen(sys.stdout if settings.stdout else sys.stderr, color=not settings.nocolor)
        self.jobs = Jobs()
        self.statuses: dict[int | None, str] = {}
        """Exit status of commands whose jobs are not reported as failed yet, by the thread that reports them."""
        self.turn = threading.RLock()
        self.ended = threading.Event()
        self.watch: threading.Thread | None = None

    @property
    def writes_to_stream(self) -> bool:
        """Whether this plugin writes to the console; if False, Snakemake writes its own messages."""
        settings = self.common_settings
        return not (settings.dryrun or settings.verbose or settings.debug_dag)

    def emit(self, record: LogRecord) -> None:
        """Handle an event."""
        try:
            with self.turn:
                self._take(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """Report the outcome; called after all events, and again at exit."""
        if self.ended.is_set():
            return
        self.ended.set()
        with self.turn:
            self.screen.hide()
        try:
            for text, style in self.jobs.would_change() if self.common_settings.dryrun else self.jobs.end():
                if "ALL" not in self.quiet or style:
                    self.screen.say(text, style)
        except Exception:  # Snakemake would suppress it.
            traceback.print_exc()
        super().close()

    def _take(self, record: LogRecord) -> None:
        event, about = getattr(record, "event", None), vars(record)
        now = time.monotonic()
        if "closing_words" in about:  # from the Snakefile, see workflow/rules/inputs/console.smk
            for name in ("studies", "closing_words", "changed_settings"):
                setattr(self.jobs, name, about.get(name, getattr(self.jobs, name)))
        elif "time_left" in about:
            self.jobs.time_left = about["time_left"]
            if words := self.jobs.left(now):
                self._say(f"{words}, by the plan", unless="PROGRESS")
        elif event == LogEvent.RUN_INFO:
            self._say(self.jobs.planned(about["stats"]), unless="PROGRESS")
        elif event == LogEvent.JOB_INFO:
            self._start(about, now)
        elif event == LogEvent.SHELLCMD:
            if self.common_settings.printshellcmds:
                self._say(about.get("shellcmd") or about.get("cmd") or "")
        elif event == LogEvent.JOB_FINISHED:
            self._say(self.jobs.finished(about["job_id"], now), unless="RULES")
        elif event == LogEvent.JOB_ERROR:
            if not about["indent"]:  # Otherwise it belongs to a group, which is reported as a whole.
                status = self.statuses.pop(record.thread, "") or status_in(str(about["rule_msg"]))
                self._fail([about["jobid"]], about["log"], status, now)
        elif event == LogEvent.GROUP_ERROR:
            self._fail([job["jobid"] for job in about["job_error_info"]], about["aux_logs"], "", now)
        elif event not in SILENT:
            self._pass_on(record)

    def _start(self, about: dict[str, Any], now: float) -> None:
        log = next(iter(about["log"]), "")
        before = state_of(log)
        if before and before[0] > 1e9 * (about["created"] - TICK):  # The job was faster than its announcement.
            before = None
        job = StartedJob(
            what=about["rule_msg"] or about["rule_name"],
            study=about["wildcards"].get("study", ""),
            log=log,
            benchmark=about["benchmark"] or "",
            output=next(iter(about["output"]), ""),
            local=about["local"],
            started=now,
            before=before,
        )
        self.jobs.started(about["jobid"], job)
        if self.watch is None and self.writes_to_stream and not self.quiet & {"ALL", "PROGRESS"}:
            self.watch = threading.Thread(target=self._watch, daemon=True)
            self.watch.start()

    def _fail(self, numbers: list[int], logs: list[str], status: str, now: float) -> None:
        own = {job.log for number in numbers if (job := self.jobs.running.get(number))}
        self._say(self.jobs.failed(numbers, [log for log in logs if log not in own], status, now), "red")

    def _pass_on(self, record: LogRecord) -> None:
        text = record.getMessage()
        self.jobs.nothing_to_do |= text.startswith(NOTHING_TO_DO)
        if INTERRUPTED.match(text):
            if self.jobs.interrupted:  # Snakemake repeats this at every scheduling.
                return
            self.jobs.interrupted = True
        if "CalledProcessError" in text and (status := status_in(text)):
            self.statuses[record.thread] = status
        elif not NOISE.match(text):
            if record.levelno >= ERROR and self.jobs.total:
                self.jobs.errors.append(text)
            self._say(text, "red" if record.levelno >= ERROR else "yellow" if record.levelno >= WARNING else "")

    def _say(self, text: str, style: str = "", unless: str = "") -> None:
        """Write a line, unless the user has silenced its kind; always write errors (in red)."""
        if self.writes_to_stream and text and not self.quiet & {unless, "ALL" if style != "red" else ""}:
            self.screen.say(text, style)

    def _watch(self) -> None:
        """Watch the logs of running jobs until the end of the workflow."""
        while not self.ended.wait(1.0):
            with self.turn:
                now = time.monotonic()
                if not self.jobs.running or self.ended.is_set():
                    self.screen.hide()
                elif self.screen.terminal:
                    self.screen.show(self.jobs.at_work(now))
                else:
                    for line in self.jobs.due(now):
                        self.screen.say(line)


def status_in(text: str) -> str:
    """Return the exit status of a command from Snakemake's message."""
    found = STATUS.search(text)
    return next(filter(None, found.groups()), "") if found else ""
