"""Kill a study on Slurm at random, again and again, until it is done; then compare all it made with an undisturbed one.

    NODES=3 tests/slurm/start_slurm.sh
    python tests/slurm/soak.py --kills 50 --output benchmarks/results/soak.md

A study that ends before there were enough kills is followed by another in a fresh checkout. Whenever Snakemake itself
is gone it is started again, as its user would. Ends with status 1 if anything is missing or differs.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "workflow")]
from checkout import Project  # noqa: E402
from cluster import (  # noqa: E402
    CONFIG,
    PROFILE,
    Snakemake,
    checkout,
    jobs_of,
    output_of,
    resume_nodes,
    start,
    weights_are_equal,
)  # fmt: skip

WHAT = {
    "process": "SIGKILL to the program at work in a job",
    "cancel": "scancel",
    "requeue": "scontrol requeue, as a preemption does",
    "time": "the job's time limit set to now",
    "node": "its node set down, and up again",
    "snakemake": "SIGKILL to Snakemake itself, then --unlock and the same command",
}
LONGER = ("max_updates: 400, validate_every: 100", "max_updates: 2_400, validate_every: 300")
SKIPPED = (".log", ".tsv", ".json")
COMPARED = ("*.safetensors", "*.txt", "train.*", "bpe.model", "tokens.bin", "ablations.csv")
"""Weights, text, tokens, outputs and tables: all that carries no time of day and no seconds."""


@dataclass
class Soak:
    """What has happened so far."""

    rng: random.Random
    kills: Counter[str] = field(default_factory=Counter)
    lost_seconds: list[float] = field(default_factory=list)
    """Age of the last state, one a killed training process."""
    starts: int = 0
    rounds: int = 0

    def study(self, project: Project, kills: int, end: float, name: str) -> None:
        """Run one study to its end, killing until there were `kills` in all or it is `end` on the monotonic clock."""
        logs = (f"{name}-{number}" for number in itertools.count())
        snakemake = self.begin(project, next(logs))
        pause = self.pause()
        while (status := snakemake.process.poll()) != 0:
            if status is not None:
                subprocess.run(
                    [sys.executable, "-m", "snakemake", "--unlock", "--configfile", CONFIG], cwd=project.folder
                )
                snakemake = self.begin(project, next(logs))
            time.sleep(0.5)
            resume_nodes()
            more = self.kills.total() < kills and time.monotonic() < end
            if more and time.monotonic() > pause and self.kill(project, snakemake):
                pause = self.pause()
        self.rounds += 1

    def begin(self, project: Project, name: str) -> Snakemake:
        """Start Snakemake, which takes up the study where it is."""
        self.starts += 1
        return start(project, "--configfile", CONFIG, *PROFILE, name=name)

    def pause(self) -> float:
        """Return when the next kill may come."""
        return time.monotonic() + self.rng.uniform(0, 6)

    def kill(self, project: Project, snakemake: Snakemake) -> bool:
        """Do one of the things that happen on clusters to one of the things at work; False where nothing is."""
        running, processes = list(jobs_of(project, "RUNNING")), list(at_work(project))
        if not running or not processes:
            return False
        (kind,) = self.rng.choices(list(WHAT), weights=[4, 1, 1, 1, 1, 1])
        if kind == "snakemake":
            snakemake.process.kill()
            snakemake.process.wait()
        elif kind == "process":
            pid, words = self.rng.choice(processes)
            self.note_loss(words)
            os.kill(pid, signal.SIGKILL)
        else:
            happen(kind, self.rng.choice(running))
        self.kills[kind] += 1
        print(f"kill {self.kills.total()}: {kind}", file=sys.stderr, flush=True)
        return True

    def note_loss(self, words: list[str]) -> None:
        """Note how long ago a training wrote its last state."""
        if "seqpre.finetune" in words:
            state = Path(words[words.index("--output-dir") + 1]) / "checkpoints/last.pt"
            if state.exists():
                self.lost_seconds.append(time.time() - state.stat().st_mtime)


def at_work(project: Project) -> Iterator[tuple[int, list[str]]]:
    """Yield the project's programs that run in a checkout: process and command line."""
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_text().split("\0") if entry.name.isdigit() else []
            if any(word.startswith("seqpre.") for word in words) and os.readlink(entry / "cwd") == str(project.folder):
                if "--output-dir" in words:
                    place = words.index("--output-dir") + 1
                    words[place] = str(project.folder / words[place])
                yield int(entry.name), words
        except OSError:  # It has just ended.
            continue


def happen(kind: str, job: str) -> None:
    """Do to a job what `kind` says; Slurm may refuse where the job has just ended."""
    if kind == "node":
        node = output_of("squeue", "-h", "-j", job, "-o", "%N") or "node0"
        subprocess.run(["scontrol", "update", f"nodename={node}", "state=down", "reason=soak"], check=False)
        time.sleep(3)
        return
    commands = {
        "cancel": ["scancel", job],
        "requeue": ["scontrol", "requeue", job],
        "time": ["scontrol", "update", f"jobid={job}", "endtime=now+1"],
    }
    subprocess.run(commands[kind], check=False, capture_output=True)


def longer(project: Project) -> Project:
    """Let each run of a checkout train for longer than in the tests, so that most of the time training is at work."""
    project.edit("tests/studies/fates-translation.yaml", *LONGER)
    return project


def compared(project: Project) -> dict[Path, Path]:
    """Return the files of a study that must not depend on what has happened, by their place in it."""
    root = project.folder / "results/tiny"
    found = (path for pattern in COMPARED for path in root.rglob(pattern))
    return {path.relative_to(root): path for path in found if path.is_file() and path.suffix not in SKIPPED}


def differences(one: Project, two: Project) -> tuple[int, list[str]]:
    """Return how many files were compared, and what differs."""
    expected, found = compared(one), compared(two)
    wrong = [f"missing: {name}" for name in expected if name not in found]
    for name in sorted(expected.keys() & found.keys()):
        same = weights_are_equal if name.suffix == ".safetensors" else bytes_are_equal
        if not same(expected[name], found[name]):
            wrong.append(f"differs: {name}")
    return len(expected), wrong


def bytes_are_equal(one: Path, two: Path) -> bool:
    return one.read_bytes() == two.read_bytes()


def report(soak: Soak, files: int, wrong: list[str], minutes: float) -> str:
    """Return what has happened, in Markdown."""
    lost = soak.lost_seconds or [0.0]
    rows = "\n".join(f"| {WHAT[kind]} | {soak.kills[kind]} |" for kind in WHAT)
    return (
        f"| what | times |\n| --- | ---: |\n{rows}\n| together | {soak.kills.total()} |\n\n"
        f"{soak.rounds} studies, Snakemake started {soak.starts} times, {minutes:.0f} minutes. When a training process "
        f"was killed, its last state was {statistics.median(lost):.1f} s old in the median, {max(lost):.1f} s at most; "
        "that counts the time in the queue of one that had just been started again.\n"
        f"Compared: {files} files, {len(wrong)} missing or different.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="how many (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=45, help="no kill after this (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of what happens when (default: %(default)s)")
    parser.add_argument("--folder", type=Path, help="where to work, kept (default: a temporary one)")
    parser.add_argument("--output", type=Path, help="also write the summary here")
    args = parser.parse_args()
    folder = args.folder or Path(tempfile.mkdtemp(prefix="seqpre-soak-"))
    begin = time.monotonic()
    end = begin + 60 * args.minutes
    undisturbed = longer(checkout(folder / "undisturbed"))
    subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", "--quiet", "all", "--configfile", CONFIG],
        cwd=undisturbed.folder,
        check=True,
    )
    soak, files, wrong = Soak(random.Random(args.seed)), 0, list[str]()
    while soak.kills.total() < args.kills and time.monotonic() < end:
        project = longer(checkout(folder / f"study{soak.rounds}"))
        soak.study(project, args.kills, end, f"round{soak.rounds}")
        count, different = differences(undisturbed, project)
        files += count
        wrong += different
    text = report(soak, files, wrong, (time.monotonic() - begin) / 60)
    print(text, *wrong, sep="\n")
    if args.output:
        args.output.write_text(f"# Soak on Slurm\n\n{text}", encoding="utf-8")
    if not args.folder:
        shutil.rmtree(folder)
    raise SystemExit(bool(wrong) or soak.kills.total() < args.kills)


if __name__ == "__main__":
    main()
