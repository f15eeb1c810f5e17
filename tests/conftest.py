"""What all tests share. One thread: results do not depend on the machine, and tests can run beside other work.

With `-n auto`, as in `make test`, as many processes as there are cores take the tests file by file, and one more those
on Slurm, which mostly wait.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
from collections.abc import Callable, Generator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.scheduler import LoadScopeScheduling

    from seqpre.planning.dag import Node

for _variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_variable] = "1"
# What a test interrupts takes notice, though the tests themselves were started in the background, where nobody does.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = Path(__file__).parent
SLOW_FIRST = ("slurm", "workflow", "browser", "integration", "unit")
"""So that what comes last is short, and no process waits long for another in the end."""
TOGETHER = {
    "tests/slurm": ("tests/slurm/",),  # Some stop its controller or take a node away.
    "committed": ("tests/browser/test_report_page.py", "tests/integration/test_report_of_records.py"),
    "finished": tuple(f"tests/workflow/test_{file}.py" for file in ("console", "plan", "refusals", "reruns")),
}
"""Files whose tests one process takes: they would be in each other's way, or both make what takes long."""


@pytest.fixture(scope="session")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with nothing but the committed records of all studies, and the report that was made there."""
    from seqpre.report.pages import report

    root = TESTS.parent
    folder = tmp_path_factory.mktemp("committed") / "results/small"
    for path in sorted((root / "results/small").glob("*/records.zip")):
        (folder / path.parent.name).mkdir(parents=True)
        shutil.copy(path, folder / path.parent.name)
    output = folder / "report.html"
    report.main(["--scale", "small", "--results", str(folder), "--checkout", str(root), "--output", str(output)])
    return folder


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that gives a command words that it must refuse, and returns what it says."""

    def what_it_says(main: Callable[[list[str]], None], words: list[str]) -> str:
        with pytest.raises(SystemExit) as stopped:
            main(words)
        assert stopped.value.code == 2
        return capsys.readouterr().err

    return what_it_says


@cache
def _resolved(config: str, root: Path) -> list[Node]:
    from seqpre.planning.dag import resolved

    return resolved(json.loads(config), root)


@pytest.fixture
def resolved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let plans of one configuration share their jobs: Snakemake takes seconds to resolve them."""

    def resolved(config: Mapping[str, Any], root: Path) -> list[Node]:
        return _resolved(json.dumps(dict(config)), root.resolve())

    monkeypatch.setattr("seqpre.planning.planner.resolved", resolved)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes test where `-n auto` is given."""
    return min(len(os.sched_getaffinity(0)), 8) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Deal out whole files, and those of `TOGETHER` to one process."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return next((one for one, files in TOGETHER.items() if file.startswith(files)), file)

    config.option.loadscopereorder = False
    return ByFile(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among what is imported and collected, neither now nor later: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the slow folders first where several processes test."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: SLOW_FIRST.index(item.path.relative_to(TESTS).parts[0]))
