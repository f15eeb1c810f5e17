"""The commit that a run's summary names."""

import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src/seqpre/common/provenance.py"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_results_do_not_make_the_code_dirty_and_code_does(tmp_path):
    package = tmp_path / "src" / "seqpre"
    (package / "common").mkdir(parents=True)
    copy = shutil.copy(SOURCE, package / "common")
    (package / "__init__.py").touch()
    (tmp_path / "results").mkdir()
    table = tmp_path / "results" / "table.csv"
    table.write_text("1\n")

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip()

    found = importlib.util.spec_from_file_location("copy_of_provenance", copy)
    provenance = importlib.util.module_from_spec(found)
    found.loader.exec_module(provenance)
    named = provenance.commit

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
