"""Folders that Snakemake could not work in are refused by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from seqpre.checks import machine
from seqpre.checks.checkout import check_folders
from seqpre.checks.finding import FINE, Site
from seqpre.common.errors import ConfigError

Sites = Callable[..., Site]


@pytest.mark.parametrize(
    ("root", "here", "results", "words"),
    [
        ("c{x}", "here", "here/results", "the folder '.*c{x}' has a brace"),
        ("here", "h{x}", "here/results", "the folder '.*h{x}' has a brace"),
        ("here", "here", "here/file/results", "here/file is no folder; name a folder that can be made"),
        ("here", "here", "here/file", "here/file is no folder"),
    ],
)
def test_a_folder_that_snakemake_cannot_work_in_is_named(
    tmp_path: Path, root: str, here: str, results: str, words: str
) -> None:
    for folder in (root, here):
        (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "here/file").touch()
    with pytest.raises(ConfigError, match=words):
        check_folders(tmp_path / root, tmp_path / here, tmp_path / results)


@pytest.mark.parametrize("begun", [True, False])
def test_a_checkout_that_cannot_be_written_to_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    state = tmp_path / ".snakemake"
    if begun:
        state.mkdir()
    check_folders(tmp_path, tmp_path, tmp_path / "results/not/yet")
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)  # root may write everywhere
    with pytest.raises(ConfigError, match=f"^{state if begun else tmp_path} cannot be written to, and Snakemake"):
        check_folders(tmp_path, tmp_path, tmp_path / "results")


def test_results_that_may_not_be_looked_into_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: bool(mode & os.W_OK))
    with pytest.raises(ConfigError, match=r"results is '.*', and .* cannot be read"):
        check_folders(tmp_path, tmp_path, tmp_path / "results")


def test_the_doctor_looks_at_the_checkout(site: Sites) -> None:
    assert machine.checkout(site()).mark == FINE
