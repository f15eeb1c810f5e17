"""`make` sets up an environment that works, or says in one line why it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from checkout import REPOSITORY

Setup = Callable[..., "subprocess.CompletedProcess[str]"]
PYTHON = """#!/bin/sh
case "$*" in
    --version) echo "Python {version}" ;;
    "-c import sys"*) {new_enough} ;;
    "-m pip "*) {has_pip} ;;
    "-m venv --clear .venv") rm -rf .venv; mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
    *) echo "unexpected: $*" >&2; exit 3 ;;
esac
"""


def write_python(path: Path, version: str, *, has_pip: bool = True) -> Path:
    """Write a program that answers as a Python of this version would, with or without pip."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new_enough = tuple(map(int, version.split("."))) >= (3, 11)
    said = {"new_enough": str(new_enough).lower(), "has_pip": str(has_pip).lower()}
    path.write_text(PYTHON.format(version=version, **said), encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """Return a function that makes `setup` in a folder of its own with a program as its Python."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(REPOSITORY / name, tmp_path)

    def make(python: Path | str) -> subprocess.CompletedProcess[str]:
        command = ["make", "--silent", "setup", f"PYTHON={python}"]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
        return subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, check=False)

    return make


def test_an_old_python_is_refused_in_one_line_before_anything_is_made(setup: Setup, tmp_path: Path) -> None:
    done = setup(write_python(tmp_path / "old", "3.9.2"))
    said, makes_own = done.stderr.splitlines()
    assert said.startswith("seqpre needs Python 3.11 or newer; Python 3.9.2: name a newer one, make setup PYTHON=")
    assert makes_own.startswith("make: ***")
    assert done.returncode != 0
    assert not (tmp_path / ".venv").exists()


def test_a_python_that_is_not_there_is_refused_too(setup: Setup, tmp_path: Path) -> None:
    done = setup("no-such-python")
    assert "seqpre needs Python 3.11 or newer; " in done.stderr
    assert "no-such-python: " in done.stderr
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("version", ["3.11.0", "3.12.4"])
def test_a_python_that_is_new_enough_is_installed_into(setup: Setup, tmp_path: Path, version: str) -> None:
    done = setup(write_python(tmp_path / "new", version))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".venv/.installed").exists()


@pytest.mark.parametrize("kind", ["too old", "without pip", "its Python is gone"])
def test_a_broken_environment_is_made_again(setup: Setup, tmp_path: Path, kind: str) -> None:
    broken = tmp_path / ".venv/bin/python"
    write_python(broken, "3.9.2" if kind == "too old" else "3.11.2", has_pip=False)
    if kind == "its Python is gone":
        broken.unlink()
        broken.symlink_to(tmp_path / "removed")
    done = setup(write_python(tmp_path / "new", "3.12.0"))
    assert done.returncode == 0, done.stderr
    assert broken.read_text(encoding="utf-8") == (tmp_path / "new").read_text(encoding="utf-8")


def test_an_environment_whose_python_is_gone_is_made_again_though_its_stamp_is_new(
    setup: Setup, tmp_path: Path
) -> None:
    python = write_python(tmp_path / "new", "3.12.0")
    assert setup(python).returncode == 0
    (tmp_path / ".venv/bin/python").unlink()
    done = setup(python)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".venv/bin/python").exists()


def test_an_environment_that_works_is_kept_with_what_was_installed_into_it(setup: Setup, tmp_path: Path) -> None:
    write_python(tmp_path / ".venv/bin/python", "3.11.5")
    (tmp_path / ".venv/torch-cpu").touch()
    done = setup(write_python(tmp_path / "old", "3.9.2"))  # the `python3` of the machine is of no interest
    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".venv/torch-cpu").exists()
