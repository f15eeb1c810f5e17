"""Snakemake resolves each configuration once for all tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from seqpre.planning import dag, planner


@cache
def _resolved(config: str, root: Path) -> list[dag.Node]:
    return dag.resolved(json.loads(config), root)


@pytest.fixture(scope="session", autouse=True)
def resolve_once() -> Iterator[None]:
    """Let plans of one configuration share their jobs."""

    def resolved(config: Mapping[str, Any], root: Path) -> list[dag.Node]:
        return _resolved(json.dumps(dict(config)), root)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner, "resolved", resolved)
        yield
