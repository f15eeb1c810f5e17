"""Text and a study of one's own, from a folder beside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from checkout import Project
from seqpre.configuration import read_configuration
from seqpre.planning.plan import make_plan

HEADER = "name\tsplit\tlanguage\treader\tmember\turl\tsha256\tbytes\tlicence\tnote\n"
STUDY = """
extends: ramachandran-translation
scales:
  demo:
    corpora: {bitext: mine}
    tests: [test]
"""
SPLITS, SIDES = ("train", "valid", "test"), ("en", "de")


@pytest.fixture
def own(tmp_path: Path) -> tuple[str, ...]:
    """Return the settings that take a folder's text and study."""
    folder = tmp_path / "my text"
    folder.mkdir()
    rows = [f"mine\t{split}\t{side}\tlines\t\t{split}.{side}\t\t\tmine\t\n" for split in SPLITS for side in SIDES]
    (folder / "corpora.tsv").write_text(HEADER + "".join(rows), encoding="utf-8")
    for split in SPLITS:
        for side in SIDES:
            (folder / f"{split}.{side}").write_text(f"{split} {side}\nanother line\n", encoding="utf-8")
    (folder / "my-study.yaml").write_text(STUDY, encoding="utf-8")
    return ("--config", f"studies=[{folder}/my-study.yaml]", f"corpora={folder}/corpora.tsv")


def test_own_text_is_read_where_it_is_and_read_again_when_it_changes(
    project: Project, own: tuple[str, ...], tmp_path: Path
) -> None:
    planned = project.planned(*own)
    assert planned["extract_en_de"] == 3
    assert "download" not in planned
    extracted = [f"results/demo/corpora/mine/raw/{split}.{side}" for split in SPLITS for side in SIDES]
    done = project.snakemake("--cores", "1", *extracted, *own)
    assert done.returncode == 0, done.stdout
    assert (project.folder / extracted[0]).read_text(encoding="utf-8") == "train en\nanother line\n"
    assert project.planned(*extracted, *own) == {}
    (tmp_path / "my text/train.de").write_text("train de\nno other line\n", encoding="utf-8")
    later = (project.folder / extracted[0]).stat().st_mtime + 1
    os.utime(tmp_path / "my text/train.de", (later, later))
    assert project.planned(*extracted, *own) == {"extract_en_de": 1}


def test_plan_and_doctor_know_own_text(project: Project, own: tuple[str, ...], tmp_path: Path) -> None:
    listed = project.planned(*own)
    del listed["all"]
    settings = {"studies": [f"{tmp_path}/my text/my-study.yaml"], "corpora": f"{tmp_path}/my text/corpora.tsv"}
    config = read_configuration(project.folder / "config.yaml") | settings
    assert Counter(job.rule for job in make_plan(config, project.folder, 0, 2).jobs) == listed

    lines = (project.folder / "config.yaml").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line.partition(":")[0] not in settings]
    mine = [f"{key}: {value}" for key, value in settings.items()]
    (project.folder / "config.yaml").write_text("\n".join([*kept, *mine]), encoding="utf-8")

    def examined() -> str:
        command = [sys.executable, "-m", "seqpre.doctor"]
        return subprocess.run(command, cwd=project.folder, text=True, capture_output=True, check=False).stdout

    assert "✓ own text: 6 files, all there" in examined()
    (tmp_path / "my text/valid.de").unlink()
    assert "✗ configuration: " in (found := examined())
    assert "corpora.tsv, line 5: url 'valid.de' names the file" in found
