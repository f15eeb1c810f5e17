"""The ways to install the project agree with each other, and each brings what is imported under it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

from checkout import REPOSITORY, STUDY, Project

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = {*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["slurm"]}
ENVIRONMENTS = sorted((REPOSITORY / "envs").glob("*.yaml"))
IMAGE = (REPOSITORY / "envs/seqpre.def").read_text(encoding="utf-8")


def pins_of(environment: str) -> set[str]:
    """Return what pip installs in a conda environment."""
    *_, pip = yaml.safe_load((REPOSITORY / f"envs/{environment}.yaml").read_text(encoding="utf-8"))["dependencies"]
    return set(pip["pip"])


def section(name: str) -> str:
    """Return one section of the image's definition."""
    return dict(re.findall(r"^%(\w+)\n((?:(?!%).*\n)*)", IMAGE, flags=re.MULTILINE))[name]


def imported(module: str, seen: set[str]) -> Iterator[str]:
    """Yield the packages that importing a module of ours imports, those of the modules it imports too."""
    file = REPOSITORY / "src" / f"{module.replace('.', '/')}.py"
    if module in seen or not file.exists():
        return
    seen.add(module)
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{name}" for name in names)]
        for name in names:
            if name.startswith("seqpre"):
                yield from imported(name, seen)
            else:
                yield name.partition(".")[0]


def commands() -> Iterator[tuple[str, str]]:
    """Yield the environment and module of every command that a rule calls."""
    for file in sorted((REPOSITORY / "workflow/rules").glob("*.smk")):
        environment = ""
        for line in file.read_text(encoding="utf-8").splitlines():
            if found := re.search(r"envs/(\w+)\.yaml", line):
                environment = found[1]
            for module in re.findall(r"\bseqpre\.[\w.]+", line if "import" not in line else ""):
                yield environment, module


def missing(pins: set[str], modules: set[str]) -> set[str]:
    """Return the pinned packages that `modules` import and `pins` lack."""
    distributions = packages_distributions()
    packages = {package for module in modules for package in imported(module, set())}
    names = {name.lower() for package in packages for name in distributions.get(package, [])}
    return {pin for pin in PROJECT["dependencies"] if pin.partition("==")[0].lower() in names} - pins


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=lambda path: path.stem)
def test_a_conda_environment_pins_what_pyproject_pins(path: Path) -> None:
    assert pins_of(path.stem) <= PINS


@pytest.mark.parametrize("environment", ["text", "torch", "report"])
def test_a_conda_environment_brings_what_its_commands_import(environment: str) -> None:
    modules = {module for name, module in commands() if name == environment}
    assert modules
    assert missing(pins_of(environment), modules) == set()


def test_the_environment_of_snakemake_brings_what_the_rules_import() -> None:
    rules = [path.read_text(encoding="utf-8") for path in (REPOSITORY / "workflow/rules").glob("*.smk")]
    modules = {module for text in rules for module in re.findall(r"^from (seqpre[\w.]*) import", text, re.MULTILINE)}
    assert {*PROJECT["optional-dependencies"]["slurm"]} <= pins_of("snakemake")
    modules |= {"seqpre.doctor", "seqpre.checks.own_text", "seqpre.plan", "snakemake_logger_plugin_seqpre.screen"}
    assert missing(pins_of("snakemake"), modules) == set()


def test_every_dependency_is_pinned_exactly() -> None:
    extras = [pin for pins in PROJECT["optional-dependencies"].values() for pin in pins]
    assert [pin for pin in (*PROJECT["dependencies"], *extras) if "==" not in pin] == ["seqpre[crate,export,slurm]"]


def test_the_image_has_the_python_of_the_conda_environments_and_the_pins_of_pyproject() -> None:
    base = re.match(r"Bootstrap: docker\nFrom: python:(\d+\.\d+)\.\d+-slim-\w+\n", IMAGE)
    assert base, "a Python image with its patch version"
    for path in ENVIRONMENTS:
        assert f"python={base[1]}" in yaml.safe_load(path.read_text(encoding="utf-8"))["dependencies"]
    assert re.search(r"pip install .*/opt/seqpre\[[^\]]*slurm[^\]]*\]", section("post"))
    assert "==" not in IMAGE


def test_what_is_copied_into_the_image_is_all_that_its_installation_needs() -> None:
    pairs = [line.split() for line in section("files").splitlines() if line.strip()]
    assert all((REPOSITORY / source).exists() and target == f"/opt/seqpre/{source}" for source, target in pairs)
    assert {"pyproject.toml", "src", PROJECT["readme"], *PROJECT["license-files"]} == {source for source, _ in pairs}


@pytest.mark.parametrize("name", ["post", "environment", "test", "runscript"])
def test_the_scripts_of_the_image_are_well_formed(name: str) -> None:
    assert subprocess.run(["sh", "-n"], input=section(name), text=True, check=False).returncode == 0


def test_the_test_of_the_image_holds_for_this_environment() -> None:
    environment = os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    subprocess.run(["sh"], input=section("test"), text=True, check=True, env=environment, cwd=REPOSITORY / "src")


def test_with_apptainer_a_job_runs_in_the_image(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, calls = tmp_path / "bin/apptainer", tmp_path / "calls"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/bash\n[ "$1" = --version ] && echo apptainer version 1.4.1 && exit\n'
        f'echo "$@" >> {calls}\nwhile [ "$1" != -c ]; do shift; done\nexec bash -c "$2"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    target = f"results/demo/{STUDY}/runs/full/20pct/seed1/run.json"
    done = project.snakemake("--cores", "1", target, "--sdm", "apptainer", "--apptainer-args=--nv")
    assert done.returncode == 0, done.stdout
    assert (project.folder / target).exists()
    assert re.search(r"exec .*--nv .*envs/seqpre\.sif bash -c", calls.read_text(encoding="utf-8"))
