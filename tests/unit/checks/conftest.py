"""A site to check, and programs that say what a test wants them to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seqpre.checks.finding import Site
from seqpre.study.configuration import read_configuration

REPOSITORY = Path(__file__).parents[3]
Programs = Callable[..., None]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Site]:
    """Return a function that makes a site whose results are in a temporary folder."""
    monkeypatch.delenv("SEQPRE_MIRROR", raising=False)

    def make(profile: dict[str, Any] | None = None, **config: Any) -> Site:
        standard = read_configuration(REPOSITORY / "config.yaml") | {"results": str(tmp_path / "results")}
        return Site(standard | config, profile or {}, REPOSITORY)

    return make


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """Return a function that puts shell scripts on an otherwise empty PATH, {name: body}."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def put(**bodies: str) -> None:
        for name, body in bodies.items():
            (folder / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
            (folder / name).chmod(0o755)

    return put
