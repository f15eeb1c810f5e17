"""The commit that a run's summary names."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src/seqpre/common/provenance.py"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_results_do_not_make_the_code_dirty_and_code_does(tmp_path):
    package = tmp_path / "src" / "seqpre"
    (package / "common").mkdir(parents=True)
    shutil.copy(SOURCE, package / "common")
    (package / "__init__.py").touch()
    (tmp_path / "results").mkdir()
    table = tmp_path / "results" / "table.csv"
    table.write_text("1\n")

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip()

    def named() -> str:
        code = "from seqpre.common.provenance import commit; print(commit())"
        return subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path / "src", check=True, capture_output=True, text=True
        ).stdout.strip()

    assert named() == "unknown"
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    head = git("rev-parse", "--short=12", "HEAD")
    assert named() == head
    table.write_text("2\n")
    assert named() == head
    (package / "__init__.py").write_text("# changed\n")
    assert named() == f"{head}-dirty"
