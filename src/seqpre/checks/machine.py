"""Checks of any machine: Python, packages, GPUs, disk."""

from __future__ import annotations

import fcntl
import os
import platform
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from seqpre.checks.checkout import check_folders, existing
from seqpre.checks.finding import Finding, Site, doubtful, failed, fine, installed
from seqpre.planning.planner import largest_training
from seqpre.planning.sheet import size
from seqpre.study.strict_yaml import read_yaml

GIB = 2**30


def python_version(site: Site) -> Finding:
    """Check that the Python that runs Snakemake is new enough."""
    wanted = site.project["requires-python"].removeprefix(">=")
    found = f"{platform.python_version()}, {sys.executable}"
    if sys.version_info >= tuple(map(int, wanted.split("."))):
        return fine(found)
    return failed(found, f"make an environment with Python {wanted} or newer")


def packages(site: Site) -> Finding:
    """Check that imported packages are installed, in the versions of pyproject.toml."""
    board = site.project["optional-dependencies"]["tensorboard"] if site.config["tensorboard"] else []
    pins = [*site.project["dependencies"], *board]
    if site.deployment:  # jobs bring their own packages; Snakemake needs these
        environment = read_yaml(site.root / "envs/snakemake.yaml")
        pins = environment["dependencies"][-1]["pip"]
    versions = {name: (installed(name), wanted) for name, _, wanted in (pin.partition("==") for pin in pins)}
    missing = [name for name, (found, _) in versions.items() if not found]
    other = [
        f"{name} {found} instead of {wanted}"
        for name, (found, wanted) in versions.items()
        if found and found.partition("+")[0] != wanted  # torch 2.13.0+cpu is a 2.13.0
    ]
    install = f"{sys.executable} -m pip install -e {shlex.quote('.[tensorboard]') if board else '.'}"
    if missing:
        return failed(f"missing: {', '.join(missing)}", install)
    if other:
        return doubtful(", ".join(other), f"numbers may differ; {install}")
    return fine(f"all {len(versions)} as pinned")


def software_of_jobs(site: Site) -> Finding:
    """Check that the tool that provides the jobs' packages is installed."""
    if "apptainer" in site.deployment and not (site.root / "envs/seqpre.sif").exists():
        return failed("envs/seqpre.sif is not there", "apptainer build envs/seqpre.sif envs/seqpre.def")
    for program in site.deployment:
        if not shutil.which(program):
            return failed(f"there is no {program} on the PATH", f"load the module that has it, or install {program}")
    return fine(f"comes with {' and '.join(site.deployment)}" if site.deployment else "that of this Python")


def gpu(site: Site) -> Finding:
    """Check that torch sees the GPUs that a training job requests, and that the largest model fits."""
    wanted, scale = site.gpus, site.config["scale"]
    if not wanted:
        return fine(f"not needed at the {scale} scale")
    if site.on_slurm or site.deployment:
        look = f"look in a job: srun --gpus={wanted} python -m seqpre.doctor --scale {scale}"
        return doubtful(f"not looked for here; a training job asks for {wanted} a node", look)
    import torch  # slow to import, and not needed by earlier checks

    from seqpre.common.device import NO_GPUS

    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if os.environ.get("SEQPRE_DEVICE") == "cpu":
        return doubtful(
            f"not used, as SEQPRE_DEVICE is cpu: {wanted} processes share the processor", "a first look only"
        )
    if count < wanted:
        advice = "`gpus` in config.yaml says how many; nvidia-smi says what is wrong with the others"
        if not count and scale != "paper":
            advice = NO_GPUS
        return failed(f"torch sees {count} of the {wanted} that a training job asks for", advice)
    cards = [torch.cuda.get_device_properties(index) for index in range(count)]
    memory = min(card.total_memory for card in cards)
    found = f"{count} x {cards[0].name}, {memory / GIB:.0f} GiB; a training job asks for {wanted}"
    largest, runs = largest_training(site.plan), site.config["runs_per_gpu"]
    if largest and memory < runs * largest[1]:
        job, needs = largest
        each = f" for each of the {runs} runs that share a GPU (runs_per_gpu)" if runs > 1 else ""
        return failed(found, f"take a larger GPU: {job.name} is planned to take {size(needs)}{each}")
    return fine(found)


def checkout(site: Site) -> Finding:
    """Check that Snakemake can keep its state in the checkout, and read the results."""
    check_folders(site.root, Path.cwd(), site.results)
    return fine(f"{Path.cwd()}: writable")


def results_folder(site: Site) -> Finding:
    """Check that files in the results folder can be written, renamed over each other and locked."""
    folder = existing(site.results)
    try:
        with tempfile.TemporaryDirectory(prefix=".doctor-", dir=folder) as scratch:
            old, new = Path(scratch, "old"), Path(scratch, "new")
            old.write_text("old", encoding="utf-8")
            with new.open("w", encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                file.write("new")
                file.flush()
                os.fsync(file.fileno())
            new.replace(old)
            renamed = old.read_text(encoding="utf-8") == "new"
    except OSError as error:
        advice = "`results` in config.yaml: a folder you may write to, on a file system with locks"
        return failed(f"{folder}: {error.strerror or error}", advice)
    if not renamed:
        return failed(
            f"{folder}: a renamed file keeps its old content", "`results` in config.yaml: another file system"
        )
    return fine(f"{folder}: writable, with atomic renames and locks")


def disk_space(site: Site) -> Finding:
    """Check that the free space covers the peak usage of the plan's jobs that are left, training states included."""
    needed, missing = (plan.disk() for plan in (site.plan, site.plan.left()))
    free = shutil.disk_usage(existing(site.results)).free
    found = f"{size(free)} free, {size(missing) or '0 MB'} to be written of {size(needed)} planned"
    if free < missing:
        return failed(found, "free some, or `results` in config.yaml: a larger disk")
    return fine(f"{found}; a quota may allow less")
