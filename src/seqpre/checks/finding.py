"""The configuration that is checked, and the result of a check."""

from __future__ import annotations

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
from seqpre.planning.planner import Plan, at_hand, make_plan
from seqpre.study.configuration import configured_rows, configured_studies, read_configuration, training_gpus
from seqpre.study.strict_yaml import read_yaml
from seqpre.study.study import Study

FINE, DOUBTFUL, FAILED = "✓", "!", "✗"


@dataclass(frozen=True)
class Finding:
    """What a check found, its severity, and what to do about it."""

    mark: str
    found: str
    advice: str = ""
    table: tuple[str, ...] = ()
    """Lines below it."""


def fine(found: str, table: tuple[str, ...] = ()) -> Finding:
    """Return a finding that needs no action."""
    return Finding(FINE, found, table=table)


def doubtful(found: str, advice: str) -> Finding:
    """Return a finding to read before continuing."""
    return Finding(DOUBTFUL, found, advice)


def failed(found: str, advice: str, table: tuple[str, ...] = ()) -> Finding:
    """Return a finding that would make a job fail."""
    return Finding(FAILED, found, advice, table)


@dataclass(frozen=True)
class Site:
    """A configuration on a machine. `root` is the folder of the Snakefile; `profile` is empty without one."""

    config: dict[str, Any]
    profile: dict[str, Any]
    root: Path = Path()

    @cached_property
    def studies(self) -> dict[str, Study]:
        """The configured studies."""
        return configured_studies(self.config, self.root)

    @cached_property
    def rows(self) -> list[Row]:
        """The rows of the corpus lists that these studies read."""
        rows = configured_rows(self.config, self.root, self.studies)
        texts = [text for study in self.studies.values() for text in study.texts()]
        return list({id(row): row for text in texts for row in select(rows, *text)}.values())

    @cached_property
    def plan(self) -> Plan:
        """The plan of `seqpre.plan` for it."""
        return make_plan(self.config, self.root, *at_hand(self.config))

    @property
    def project(self) -> dict[str, Any]:
        """The `project` table of pyproject.toml."""
        content: dict[str, Any] = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return content

    @property
    def results(self) -> Path:
        """The results folder, which may not exist yet."""
        return Path(self.config["results"])

    @property
    def mirror(self) -> str:
        """The mirror that downloads try first, as in the workflow; empty without one."""
        return mirror_of(self.config)

    @property
    def gpus(self) -> int:
        """GPUs that a training job requests on each of its nodes."""
        return min(training_gpus(self.config), int(self.config["gpus_per_node"]))

    @property
    def on_slurm(self) -> bool:
        """Whether Slurm runs the jobs."""
        return self.profile.get("executor") == "slurm"

    @property
    def deployment(self) -> list[str]:
        """How jobs get their packages (`conda`, `apptainer`); empty if they use the Python that runs Snakemake."""
        value = self.profile.get("software-deployment-method") or []
        return [value] if isinstance(value, str) else list(value)


def site_of(config_file: Path, scale: str | None, profile: Path | None, studies: Sequence[str] | None = None) -> Site:
    """Read what is checked. Raises ConfigError for whatever Snakemake would refuse, too."""
    config = read_configuration(config_file, scale=scale, studies=studies)
    return Site(config, _read_profile(profile) if profile else {})


def _read_profile(folder: Path) -> dict[str, Any]:
    """Return the settings of a profile, overridden by those of profiles/default, which every run loads."""
    if not (folder / "config.yaml").is_file():
        raise ConfigError(f"--profile: {folder} is no folder with a config.yaml; the one for Slurm is profiles/slurm")
    settings: dict[str, Any] = {}
    for file in (folder / "config.yaml", Path("profiles/default/config.yaml")):
        if file.is_file():
            settings |= read_yaml(file) or {}
    for key, form in (("default-resources", "name=value"), ("set-resources", "rule:name=value")):
        if isinstance(settings.get(key), list):
            settings[key] = _mapped(settings[key], f"--profile: {key}", form)
    return settings


def _mapped(entries: list[Any], where: str, form: str) -> dict[str, Any]:
    """Return the mapping that a list of resources stands for; Snakemake accepts either."""
    found: dict[str, Any] = {}
    for entry in entries:
        name, equals, value = str(entry).partition("=")
        *rule, resource = name.split(":", maxsplit=1)
        if not equals or len(rule) != form.count(":"):
            raise ConfigError(f"{where} has {entry!r}; write {form}")
        (found.setdefault(rule[0], {}) if rule else found)[resource] = value
    return found


def installed(name: str) -> str:
    """Return the version of an installed package, empty if it is missing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
