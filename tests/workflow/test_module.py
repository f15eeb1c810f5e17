"""The workflow where others look for it: workflow/Snakefile, and as a module from another folder."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import yaml

from checkout import REPOSITORY, Project, run_snakemake

PAGE = (REPOSITORY / "config/README.md").read_text(encoding="utf-8")


def test_every_key_of_the_configuration_is_described() -> None:
    described = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", PAGE, flags=re.MULTILINE)))
    assert sorted(described) == sorted(yaml.safe_load((REPOSITORY / "config.yaml").read_text(encoding="utf-8")))


def test_the_documented_module_makes_files_in_a_folder_of_its_own(project: Project, tmp_path: Path) -> None:
    (snakefile,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    place = os.path.relpath(project.folder / "workflow/Snakefile", folder)
    (folder / "Snakefile").write_text(snakefile.replace("path/to/seqpre/workflow/Snakefile", place))
    shutil.copy(project.folder / "config.yaml", folder)
    text = "results/demo/corpora/demo_ende/raw/valid.de"
    done = run_snakemake(folder, "--cores", "1", text)
    assert done.returncode == 0, done.stdout
    assert (folder / text).stat().st_size > 0
    assert not (project.folder / "results").exists()


def test_the_catalog_finds_the_workflow(project: Project) -> None:
    assert project.planned("--snakefile", "workflow/Snakefile", "ramachandran-translation_full")["finetune"] == 2
