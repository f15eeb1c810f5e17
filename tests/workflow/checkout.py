"""A copy of the project that a test may edit, and Snakemake to run in it."""

from __future__ import annotations

import csv
import gc
import gzip
import io
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import snakemake.cli
import yaml

REPOSITORY = Path(__file__).parents[2]
STUDY = "ramachandran-translation"
COPIED = (
    "Snakefile",
    "config.yaml",
    "workflow",
    "profiles",
    "slurm",
    "envs",
    "tests/config.tiny.yaml",
    "tests/studies",
)
DIRECTORY_RULES = ("generate", "encode", "decode", "write_baseline")
FORKS = multiprocessing.get_context("forkserver")
"""A process with all that Snakemake imports, which takes as long as planning a study; every command is a fork of it."""
FORKS.set_forkserver_preload(
    [
        "snakemake.cli",
        "snakemake.report.html_reporter",
        "snakemake.storage",
        "smart_open",
        "seqpre.cluster.scheduler",
        "seqpre.corpora.download",
        "seqpre.demo.example",
        "snakemake_logger_plugin_seqpre.screen",
    ]
)


def _snakemake(arguments: Sequence[str], folder: Path, environment: dict[str, str], out: str, err: str) -> None:
    """Be Snakemake in a process of its own, as `python -m snakemake` is."""
    gc.freeze()  # What is imported is never garbage.
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for stream, name in ((1, out), (2, err)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT), stream)
    sys.argv = ["snakemake", *arguments]
    sys.exit(snakemake.cli.main())


def run_snakemake(folder: Path, *arguments: str, apart: bool = False) -> subprocess.CompletedProcess[str]:
    """Run Snakemake in a folder; stdout and stderr come together, or `apart`."""
    with tempfile.TemporaryDirectory() as streams:
        out, err = (f"{streams}/{name}" for name in ("out", "err" if apart else "out"))
        process = FORKS.Process(target=_snakemake, args=(arguments, folder, dict(os.environ), out, err))
        process.start()
        process.join()
        assert process.exitcode is not None
        texts = (Path(one).read_text(encoding="utf-8") for one in (out, err))
        return subprocess.CompletedProcess(["snakemake", *arguments], process.exitcode, *texts)


@dataclass(frozen=True)
class Project:
    """A checkout in a folder of its own."""

    folder: Path

    @property
    def study(self) -> Path:
        """The study file of this checkout."""
        return self.folder / f"workflow/studies/{STUDY}.yaml"

    def copy(self, folder: Path) -> Project:
        """Copy all that is here, with the times of files, into a folder that is not there yet."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder)

    def snakemake(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake here; stdout and stderr come together."""
        return run_snakemake(self.folder, *arguments)

    def plan(self, *arguments: str) -> tuple[dict[str, int], str]:
        """Return how many jobs of each rule a dry run lists, {} where nothing is to be done, and all that it says."""
        done = self.snakemake("--dry-run", *arguments)
        assert done.returncode == 0, done.stdout
        stats = done.stdout.rpartition("Job stats:")[2].partition("\ntotal")[0]
        table = "" if "Nothing to be done" in done.stdout else stats
        jobs = {rule: int(count) for rule, count in re.findall(r"^(\S+) +(\d+)$", table, flags=re.MULTILINE)}
        return jobs, done.stdout

    def planned(self, *arguments: str) -> dict[str, int]:
        """Return the jobs of `plan` alone."""
        return self.plan(*arguments)[0]

    def outputs(self, *arguments: str) -> list[tuple[str, str]]:
        """Return (rule, file) of everything the workflow would write."""
        done = run_snakemake(self.folder, "--summary", *arguments, apart=True)
        done.check_returncode()
        return [(row["rule"], row["output_file"]) for row in csv.DictReader(io.StringIO(done.stdout), delimiter="\t")]

    def change(self, *keys: str, to: Any) -> None:
        """Set one entry of the study file, whose last key may be new."""
        study = yaml.safe_load(self.study.read_text(encoding="utf-8"))
        section = study
        for key in keys[:-1]:
            section = section[key]
        section[keys[-1]] = to
        self.study.write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")

    def runs(self, system: str = "*") -> int:
        """Return how many runs of a system are there."""
        return len(list(self.folder.glob(f"results/demo/{STUDY}/runs/{system}/*/seed*/run.json")))

    def edit(self, file: str | Path, old: str, new: str) -> None:
        """Replace the one place in `file` that reads `old`."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")


def copy_of_repository(folder: Path) -> Project:
    """Copy what the workflow is made of; the package itself is linked."""
    for name in COPIED:
        source, target = REPOSITORY / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.symlink_to(source.readlink())
        elif source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)
    (folder / "src").symlink_to(REPOSITORY / "src")
    return Project(folder)


def take_as_run(project: Project, *arguments: str) -> None:
    """Have Snakemake take everything that a command makes for made: every output is there, if empty."""
    for rule, output in project.outputs(*arguments):
        path = project.folder / output
        clean = rule == "filter" and path.suffix not in (".json", ".gz")
        if clean or rule in DIRECTORY_RULES or path.name in ("weights", "tables", "figures"):
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    touched = project.snakemake("--touch", "--forceall", "--cores", "2", *arguments)
    assert touched.returncode == 0, touched.stdout


OWN_LINES = tuple(f"line {number}" for number in range(40))
"""So many that 2.5 % are one."""


def own_text(folder: Path, lines: Sequence[str] = OWN_LINES) -> None:
    """Write the list of corpora and the study of docs/own-text.md into a folder, and text of its own beside them."""
    page = (REPOSITORY / "docs/own-text.md").read_text(encoding="utf-8")
    (catalog,) = re.findall(r"^```\n(name\tsplit\t.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    (study,) = re.findall(r"^```yaml\n(extends: .*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    folder.mkdir()
    (folder / "corpora.tsv").write_text(catalog, encoding="utf-8")
    (folder / "my-study.yaml").write_text(study, encoding="utf-8")
    for row in csv.DictReader(io.StringIO(catalog), delimiter="\t"):
        content = "".join(f"{row['name']} {row['split']} {row['language']} {line}\n" for line in lines).encode()
        (folder / row["url"]).write_bytes(gzip.compress(content) if row["url"].endswith(".gz") else content)
