"""The jobs of a workflow: running, finished and failed ones, as lines to show.

Times are in seconds of a monotonic clock.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from snakemake_logger_plugin_seqpre.logs import (
    State,
    error,
    in_words,
    lines_of,
    outcome,
    reason,
    state_of,
    words_of_slurm,
)

FIRST_WORD, PAUSE = 30.0, 3600.0
"""Without a terminal, a running job is reported after 30 s, then at doubled times, but at least every hour."""
LEFT = " left"
"""Occurs in the last log line of trainings and other long jobs while they are running."""
SHOWN = 10
"""Most running jobs shown on a terminal."""
SHORT = 10.0
"""Remaining seconds below which the time left is not shown."""
REFRESHED = 60.0
"""Seconds after which the time left is estimated again, even if no job has ended."""
BY_INTERRUPTION = ("SIGINT", "exit status 130", "exit status 75")
"""How a command ends on Ctrl-C; the last is a training that has saved its state."""


TimeLeft = Callable[[Mapping[str, float], Mapping[str, float], Collection[str]], tuple[float, float]]
"""Takes the seconds of finished jobs and of running jobs, and the failed jobs, all by their first output; returns the
least and the most seconds until everything is done."""


@dataclass
class StartedJob:
    """A job that was started here, or submitted to a cluster."""

    what: str
    study: str
    log: str
    benchmark: str
    output: str
    """Its first output file."""
    local: bool
    started: float
    before: State
    """State of the log before the start; an earlier attempt may have left one."""
    next_word: float = FIRST_WORD

    def began(self) -> bool:
        """Return whether the job is known to be running; it may still be queued otherwise."""
        return self.local or state_of(self.log) != self.before

    def progress(self) -> str:
        """Return the last progress message of the job, '' if there is none yet."""
        return outcome(self.log, self.what) if state_of(self.log) != self.before else ""

    def is_silent(self) -> bool:
        """Return whether a job only writes settings: it is not measured and its log is empty."""
        return bool(self.log) and not self.benchmark and not lines_of(self.log)

    def seconds(self, now: float) -> float:
        """Return the runtime of the job; on a cluster, without the time in the queue."""
        if not self.local:
            try:
                with open(self.benchmark, encoding="utf-8", newline="") as file:
                    return float(next(csv.DictReader(file, delimiter="\t"))["s"])
            except (OSError, ValueError, KeyError, StopIteration):
                pass
        return now - self.started


@dataclass(frozen=True)
class Failure:
    """A failed job: which, why, where its logs are, and how its command ended, if known."""

    what: str
    why: str
    logs: str
    status: str
    output: str


@dataclass
class Jobs:
    """All jobs of one call of Snakemake."""

    studies: Sequence[str] = ()
    closing_words: Callable[[], str] = str
    changed_settings: Callable[[], Sequence[str]] = tuple
    time_left: TimeLeft | None = None
    total: int = 0
    done: int = 0
    running: dict[int, StartedJob] = field(default_factory=dict)
    failures: dict[int, Failure] = field(default_factory=dict)
    """Jobs that failed and were not retried."""
    ended: dict[str, float] = field(default_factory=dict)
    """Seconds of finished jobs, by their first output."""
    estimated: tuple[float, int, float, float] | None = None
    """Time of the last estimate of the time left, the number of ended jobs then, and the least and the most seconds."""
    next_word: float = FIRST_WORD
    """When a log next reports overall progress, in seconds after the first job started."""
    began: float = 0.0
    errors: list[str] = field(default_factory=list)
    """Errors reported by Snakemake that belong to no job."""
    nothing_to_do: bool = False
    interrupted: bool = False

    def planned(self, counts: Mapping[str, int]) -> str:
        """Take the number of jobs of each rule, and of all (`total`); return the line to show."""
        self.total = counts["total"]
        rules = sorted(((count, rule) for rule, count in counts.items() if rule != "total"), reverse=True)
        return (
            f"{self._of_one_study()}{self.total} jobs to run: {', '.join(f'{count} {rule}' for count, rule in rules)}"
        )

    def started(self, number: int, job: StartedJob) -> None:
        """Record the start of a job, which may have failed before."""
        self.began = self.began or job.started
        self.running[number] = job
        self.failures.pop(number, None)

    def finished(self, number: int, now: float) -> str:
        """Record the end of a job; return its line, '' for one that only writes settings."""
        job = self.running.pop(number)
        self.done += 1
        self.ended[job.output] = job.seconds(now)
        if job.is_silent():
            return ""
        found = outcome(job.log, job.what)
        count = f"{self.done:>{len(str(self.total))}}/{self.total}"
        return self._line(count, job, self.ended[job.output], found)

    def failed(self, numbers: Sequence[int], more_logs: Iterable[str], status: str, now: float) -> str:
        """Record the failure of a job, or of jobs that were submitted together; return its line."""
        jobs = {number: job for number in numbers if (job := self.running.pop(number, None))}
        if not jobs:
            return ""
        number, job = max(jobs.items(), key=lambda item: _suspicion(item[1]))
        if self.interrupted:
            return self._line("stopped", job, now - job.started, job.progress())
        ended = in_words(status)
        why = [reason(job.log, ended)] if state_of(job.log) != job.before else [ended or "no log was written"]
        slurm = [(words, log) for log in more_logs if (words := words_of_slurm(log))]
        logs = [job.log, *(log for _, log in slurm)]
        why += [words for words, _ in slurm]
        files = ", ".join(filter(None, logs)) or "no log"
        failure = Failure(self._name(job), "; ".join(why), files, status, job.output)
        self.failures[number] = failure
        return self._line("failed", job, now - job.started, f"{failure.why} ({failure.logs})")

    def at_work(self, now: float) -> list[str]:
        """Return a line that counts the running jobs, then a line for each, trainings first."""
        seen = [(job.progress(), job) for job in self.running.values() if job.began()]
        waiting = len(self.running) - len(seen)
        seen.sort(key=lambda item: (LEFT not in item[0], item[1].started))
        head = f"{self._of_one_study()}{self.done} of {self.total} jobs done, {len(seen)} at work"
        head += f", {waiting} submitted" if waiting else ""
        head += f", {words}" if (words := self.left(now)) else ""
        lines = [self._line("...", job, now - job.started, found) for found, job in seen[:SHOWN]]
        return [head, *lines, *([f"and {len(seen) - SHOWN} more"] if len(seen) > SHOWN else [])]

    def due(self, now: float) -> Iterator[str]:
        """Yield a line for each long running job that is due for a report, and one for the whole workflow."""
        elapsed = now - self.began
        if elapsed >= self.next_word and (words := self.left(now)):
            self.next_word = elapsed + min(elapsed, PAUSE)
            yield f"{self._of_one_study()}{self.done} of {self.total} jobs done, {words}"
        for job in self.running.values():
            elapsed = now - job.started
            if elapsed >= job.next_word and LEFT in (found := job.progress()):
                job.next_word = elapsed + min(elapsed, PAUSE)
                yield self._line("...", job, elapsed, found)

    def left(self, now: float) -> str:
        """Return the time left for all jobs, in words, '' if unknown."""
        if self.time_left is None:
            return ""
        ends = self.done + len(self.failures)
        if self.estimated is None or self.estimated[1] != ends or now - self.estimated[0] > REFRESHED:
            at_work = {job.output: now - job.started for job in self.running.values()}
            failed = {failure.output for failure in self.failures.values()}
            self.estimated = now, ends, *self.time_left(self.ended, at_work, failed)
        then, _, least, most = self.estimated
        least, most = (max(0.0, seconds - (now - then)) for seconds in (least, most))
        return f"{span(least, most)} left" if most >= SHORT else ""

    def would_change(self) -> Iterator[tuple[str, str]]:
        """Yield the lines of a dry run about models that would be trained with other settings, each with its style."""
        if self.total and (lines := self.changed_settings()):
            yield "Settings that have changed, so that what has them is trained again:", ""
            yield from ((f"  {line}", "") for line in lines)

    def end(self) -> Iterator[tuple[str, str]]:
        """Yield the final lines, each with its style."""
        if self.nothing_to_do or (self.total and self.done == self.total):
            yield self.closing_words(), ""
            return
        count = f"{self.done} of {self.total} jobs done"
        if self.interrupted:
            yield f"\nStopped; {count}. The same command goes on from here.", "bold"
        failures = [
            failure
            for failure in self.failures.values()
            if not (self.interrupted and failure.status in BY_INTERRUPTION)  # reported before it
        ]
        if not failures:
            return
        for said in self.errors:
            yield said, "red"
        many = f"{len(failures)} jobs" if len(failures) > 1 else "One job"
        left = self.total - self.done - len(failures)
        yield f"\n{many} failed; {count}, {left} not run:", "bold red"
        for why in dict.fromkeys(failure.why for failure in failures):
            yield f"  {why}", ""
            for failure in failures:
                if failure.why == why:
                    yield f"    {failure.what} ({failure.logs})", ""
        yield "The same command tries again; what is done stays done.", ""

    def _line(self, mark: str, job: StartedJob, seconds: float, words: str) -> str:
        text = f"{self._name(job)}: {words}" if words else self._name(job)
        return f"{mark:>{max(len('stopped'), 2 * len(str(self.total)) + 1)}}  {clock(seconds):>7}  {text}"

    def _name(self, job: StartedJob) -> str:
        return f"{job.study}: {job.what}" if job.study and len(self.studies) > 1 else job.what

    def _of_one_study(self) -> str:
        return f"{self.studies[0]}: " if len(self.studies) == 1 else ""


def _suspicion(job: StartedJob) -> tuple[bool, bool, State]:
    """Return a sort key: how likely it is this job, of several run in sequence, that failed."""
    state = state_of(job.log)
    if state == job.before:
        return False, False, (0, 0)
    return bool(error(job.log)), bool(lines_of(job.log)), state or (0, 0)


def clock(seconds: float) -> str:
    """Format a duration as m:ss, or h:mm:ss from an hour on."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}"


def span(least: float, most: float) -> str:
    """Format a range of seconds, rounded, in the largest unit of which there are at least two: `5 to 12 min`."""
    units = (("days", 86_400), ("hours", 3600), ("min", 60), ("s", 1))
    unit, length = next((one for one in units if most >= 2 * one[1]), units[-1])
    low, high = (f"{seconds / length:.0f}" for seconds in (least, most))
    return f"about {high} {unit}" if low == high else f"{low} to {high} {unit}"
