"""The ways to install the project agree with each other."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml

from checkout import REPOSITORY

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = {*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["slurm"]}


@pytest.mark.parametrize("path", sorted((REPOSITORY / "envs").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_conda_environment_pins_what_pyproject_pins(path: Path) -> None:
    *_, pip = yaml.safe_load(path.read_text(encoding="utf-8"))["dependencies"]
    assert set(pip["pip"]) <= PINS


def test_every_dependency_is_pinned_exactly() -> None:
    extras = [pin for pins in PROJECT["optional-dependencies"].values() for pin in pins]
    assert [pin for pin in (*PROJECT["dependencies"], *extras) if "==" not in pin] == []
