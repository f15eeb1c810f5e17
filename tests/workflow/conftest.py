"""Checkouts for tests: a fresh one, and one that has been run."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkout import Project, copy_of_repository, take_as_run


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh checkout, nothing run yet."""
    return copy_of_repository(tmp_path / "project")


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout that Snakemake takes for completely run at the demo scale: every output is there, if empty."""
    project = copy_of_repository(tmp_path_factory.mktemp("finished") / "project")
    take_as_run(project)
    return project


@pytest.fixture
def finished(finished_once: Project, tmp_path: Path) -> Project:
    """A completely run checkout to edit."""
    return finished_once.copy(tmp_path / "project")
