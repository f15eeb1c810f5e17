"""A running Slurm, and a checkout whose text and undisturbed run are there."""

from __future__ import annotations

import subprocess
import warnings
from collections.abc import Callable, Iterator

import pytest

from checkout import Project
from cluster import CONFIG, checkout, configured, controller_answers, end_all, model, resume_nodes, within

HOW = "start one with `NODES=3 tests/slurm/start_slurm.sh`, as root, on Debian"


@pytest.fixture(scope="session", autouse=True)
def slurm() -> Iterator[None]:
    """Skip where no Slurm answers; warn if its controller had to be started again."""
    try:
        nodes = subprocess.run(
            ["sinfo", "--noheader", "--Node", "--partition", "preempt"], capture_output=True, timeout=20
        )
    except FileNotFoundError:
        pytest.skip(f"no Slurm on this machine; {HOW}")
    if len(nodes.stdout.splitlines()) < 3:
        pytest.skip(f"no Slurm with three nodes and a partition `preempt` answers; {HOW}")
    yield
    log = configured("SlurmctldLogFile").with_name("restarts.log")
    if log.exists() and (ends := log.read_text(encoding="utf-8").strip()):
        warnings.warn(f"{ends} (137: by a test)", stacklevel=1)


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    """Fail where Slurm has answered and answers no longer, before anything waits for it; leave nothing at work."""
    within("an answer of Slurm's controller", controller_answers)
    yield
    end_all()
    resume_nodes()  # Of a controller that has lost a job's start, the node is drained when it says that the job runs.


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout whose text was made and whose run `full` was trained on this machine, without Slurm."""
    project = checkout(tmp_path_factory.mktemp("undisturbed") / "project")
    done = project.snakemake("--cores", "2", model("full"), "--configfile", CONFIG)
    assert done.returncode == 0, done.stdout
    return project


@pytest.fixture(scope="module")
def prepared(undisturbed: Project, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Project]:
    """Return a function that copies the checkout under a name."""

    def copy(name: str) -> Project:
        return undisturbed.copy(tmp_path_factory.mktemp(name) / "project")

    return copy
