"""Checkouts for tests: a fresh one, and one that has been run."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkout import DIRECTORY_RULES, Project, copy_of_repository


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A fresh checkout, nothing run yet."""
    return copy_of_repository(tmp_path / "project")


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout that Snakemake takes for completely run at the demo scale: every output is there, if empty."""
    project = copy_of_repository(tmp_path_factory.mktemp("finished") / "project")
    for rule, output in project.outputs():
        path = project.folder / output
        clean = rule == "filter" and path.suffix not in (".json", ".gz")
        if clean or rule in DIRECTORY_RULES or path.name in ("weights", "tables", "figures"):
            path.mkdir(parents=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    touched = project.snakemake("--touch", "--forceall", "--cores", "2")
    assert touched.returncode == 0, touched.stdout
    return project


@pytest.fixture
def finished(finished_once: Project, tmp_path: Path) -> Project:
    """A completely run checkout to edit."""
    return finished_once.copy(tmp_path / "project")
