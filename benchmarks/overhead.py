"""What the workflow costs apart from the work: Snakemake's own time a job, on this machine and through Slurm.

    .venv/bin/python benchmarks/overhead.py                      the tiny grid of the tests, about five minutes
    .venv/bin/python benchmarks/overhead.py --config scale=demo  another one
    NODES=3 tests/slurm/start_slurm.sh                           with a Slurm, that is measured too

Work is what the shell commands of the jobs took, wall seconds, from Snakemake's benchmark files: it contains the start
of each program. Overhead is all else. Here jobs run one at a time, so it is the wall time of the whole less the work.
On Slurm they run side by side, so it is counted within submissions: from a submission's start to its end, less the
work in it. Slurm's times are whole seconds.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from side_by_side import machine, occasion, versions, write_result

REPOSITORY = Path(__file__).parents[1]
TINY = ("--configfile", "tests/config.tiny.yaml")
SLURM = ("--profile", "slurm", "--slurm-init-seconds-before-status-checks", "5")
"""The profile's own interval of 20 s would only make the whole longer, nothing within a submission."""


@dataclass
class Measured:
    """One run of the grid from nothing; times in seconds."""

    where: str
    jobs: int
    submissions: int
    wall: float
    work: float
    busy: float
    """From start to end: of the whole, or of each submission, added up."""
    waited: float
    """From submission to start, added up."""

    def row(self) -> str:
        over, units = self.busy - self.work, self.submissions or self.jobs
        waited = f"{self.waited / self.submissions:.1f}" if self.submissions else "-"
        return (
            f"| {self.where} | {self.jobs} | {self.submissions or '-'} | {self.wall:.0f} | {self.work:.0f} "
            f"| {over:.0f} | {over / self.jobs:.2f} | {over / units:.2f} | {waited} |"
        )


HEADER = """\
| where | jobs | submissions | wall, s | work, s | overhead, s | a job, s | a submission, s | wait in the queue, s |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def work_seconds(folder: Path) -> tuple[int, float]:
    """Return the number of benchmark files and the wall seconds in them."""
    rows = []
    for path in folder.rglob("*.benchmark.tsv"):
        with path.open(encoding="utf-8") as file:
            rows += [float(row["s"]) for row in csv.DictReader(file, delimiter="\t")]
    return len(rows), sum(rows)


def submissions_of(folder: Path, seen: dict[str, tuple[str, str, str]]) -> None:
    """Note submit, start and end of each of the checkout's jobs that Slurm still remembers."""
    listed = subprocess.run(
        ["squeue", "--me", "--noheader", "--states", "all", "--format", "%i|%V|%S|%e|%T|%Z|%k"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for line in listed.splitlines():
        number, submitted, begin, end, state, place, comment = line.split("|", 6)
        if place == str(folder) and comment.startswith("rule_") and state == "COMPLETED":
            seen[number] = (submitted, begin, end)


def seconds(one: str, other: str) -> float:
    return (datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()


def measure(where: str, folder: Path, arguments: list[str], options: tuple[str, ...]) -> Measured:
    """Run the grid from nothing in a fresh copy of the repository."""
    checkout = folder / where
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(checkout)], check=True)
    seen: dict[str, tuple[str, str, str]] = {}
    log = (folder / f"{where}.log").open("wb")
    begin = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *arguments, *options], cwd=checkout, stdout=log, stderr=subprocess.STDOUT
    )
    while process.poll() is None:
        time.sleep(1 if options[0] == "--cores" else 5)
        if options[0] != "--cores":
            submissions_of(checkout, seen)
    wall = time.monotonic() - begin
    if process.returncode:
        raise SystemExit(f"the grid failed; see {log.name}")
    _, work = work_seconds(checkout / "results")
    done = (folder / f"{where}.log").read_text(encoding="utf-8")
    jobs = int(done.rsplit(" steps (100%) done", 1)[0].rsplit(" of ", 1)[1])
    busy = sum(seconds(begin_, end) for _, begin_, end in seen.values()) if seen else wall
    waited = sum(seconds(submitted, begin_) for submitted, begin_, _ in seen.values())
    shutil.rmtree(checkout)
    return Measured(where, jobs, len(seen), wall, work, busy, waited)


def planning(arguments: list[str]) -> float:
    """Return the seconds of a dry run."""
    begin = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "snakemake", "-n", "--quiet", "all", *arguments], cwd=REPOSITORY, check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.monotonic() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", nargs="+", help="what to run, as for Snakemake (default: the tests' tiny grid)")
    parser.add_argument("--folder", type=Path, help="where to work and leave logs (default: a temporary folder)")
    args = parser.parse_args()
    folder = args.folder or Path(tempfile.mkdtemp(prefix="seqpre-overhead-"))
    folder.mkdir(parents=True, exist_ok=True)
    arguments = ["--config", *args.config] if args.config else [*TINY]
    found = [measure("here", folder, arguments, ("--cores", "1"))]
    if shutil.which("sinfo") and subprocess.run(["sinfo"], capture_output=True, check=False).returncode == 0:
        found.append(measure("slurm", folder, arguments, SLURM))
    rows = "\n".join(one.row() for one in found)
    text = f"""# Overhead of the workflow

{HEADER}
{rows}

What ran: `{" ".join(arguments)}`. A dry run of it takes {planning(arguments):.1f} s.

- Machine: {machine()}.
- Versions: {versions("snakemake", "snakemake-executor-plugin-slurm")}.
- {occasion()}
"""
    write_result("overhead", text)
    if not args.folder:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
