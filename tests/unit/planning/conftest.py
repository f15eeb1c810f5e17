"""Snakemake resolves each configuration once for all tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _resolved_once(resolved_once: None) -> None:
    """Use it in every test here."""
