"""Help says how a command is started."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from seqpre.common.arguments import parser_of


def test_the_usage_line_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", SimpleNamespace(name="seqpre.plan"))
    assert parser_of("What it does.").format_help().startswith("usage: python -m seqpre.plan [-h]\n\nWhat it does.")
