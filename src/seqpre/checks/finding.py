"""What is checked, and what a check returns."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError
from seqpre.corpora.catalog import Row, select
from seqpre.corpora.download import mirror_of
from seqpre.plan import CORES, GPUS
from seqpre.planning.planner import Plan, make_plan
from seqpre.study.configuration import checked, configured_rows, configured_studies, read_configuration, training_gpus
from seqpre.study.strict_yaml import read_yaml
from seqpre.study.study import Study

FINE, DOUBTFUL, FAILED = "✓", "!", "✗"


@dataclass(frozen=True)
class Finding:
    """What a check found, how that is, and what to do about it."""

    mark: str
    found: str
    advice: str = ""
    table: tuple[str, ...] = ()
    """Lines below it."""


def fine(found: str, table: tuple[str, ...] = ()) -> Finding:
    """Return a finding that needs nothing done."""
    return Finding(FINE, found, table=table)


def doubtful(found: str, advice: str) -> Finding:
    """Return a finding to read before going on."""
    return Finding(DOUBTFUL, found, advice)


def failed(found: str, advice: str, table: tuple[str, ...] = ()) -> Finding:
    """Return a finding that would stop a job."""
    return Finding(FAILED, found, advice, table)


@dataclass(frozen=True)
class Site:
    """A configuration on a machine. `root` is the folder of the Snakefile; `profile` is empty without one."""

    config: dict[str, Any]
    profile: dict[str, Any]
    root: Path = Path()

    @cached_property
    def studies(self) -> dict[str, Study]:
        """The studies that are configured."""
        return configured_studies(self.config, self.root)

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the lists of corpora that these studies read."""
        rows = configured_rows(self.config, self.root, self.studies)
        texts = [text for study in self.studies.values() for text in study.texts()]
        return list({id(row): row for text in texts for row in select(rows, *text)}.values())

    @cached_property
    def plan(self) -> Plan:
        """What `seqpre.plan` says of it."""
        gpus, cores = (GPUS, CORES) if self.gpus else (0, os.cpu_count() or 1)
        return make_plan(self.config, self.root, gpus, cores)

    @property
    def project(self) -> dict[str, Any]:
        """What pyproject.toml asks for."""
        content: dict[str, Any] = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return content

    @property
    def results(self) -> Path:
        """Where everything goes; it need not be there yet."""
        return Path(self.config["results"])

    @property
    def mirror(self) -> str:
        """What downloads try first, as the workflow decides it; empty without one."""
        return mirror_of(self.config)

    @property
    def gpus(self) -> int:
        """GPUs that a training job asks for on each of its nodes."""
        return min(training_gpus(self.config), int(self.config["gpus_per_node"]))

    @property
    def on_slurm(self) -> bool:
        """True where Slurm runs the jobs."""
        return self.profile.get("executor") == "slurm"

    @property
    def deployment(self) -> list[str]:
        """What brings the jobs' packages (`conda`, `apptainer`); empty where the Python that runs Snakemake does."""
        value = self.profile.get("software-deployment-method") or []
        return [value] if isinstance(value, str) else list(value)


def site_of(config_file: Path, scale: str | None, profile: Path | None, studies: Sequence[str] | None = None) -> Site:
    """Read what is checked; ConfigError for what Snakemake would refuse too."""
    changes = {"scale": scale, "studies": studies}
    config = checked(read_configuration(config_file) | {name: value for name, value in changes.items() if value})
    return Site(config, _read_profile(profile) if profile else {})


def _read_profile(folder: Path) -> dict[str, Any]:
    """Return the settings of a profile, below those of profiles/default, which every run loads and prefers."""
    if not (folder / "config.yaml").is_file():
        raise ConfigError(f"--profile: {folder} is no folder with a config.yaml; the one for Slurm is profiles/slurm")
    settings: dict[str, Any] = {}
    for file in (folder / "config.yaml", Path("profiles/default/config.yaml")):
        if file.is_file():
            settings |= read_yaml(file) or {}
    return settings


def installed(name: str) -> str:
    """Return the version of an installed package, empty where it is missing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
