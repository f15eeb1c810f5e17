"""What trains, searches and decodes knows no family of models."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[3] / "src/seqpre"
ANY = [PACKAGE / f"{command}.py" for command in ("search", "decode", "finetune", "complete")]


@pytest.mark.parametrize(
    "path",
    [*ANY, *(path for path in sorted(PACKAGE.glob("training/*.py")) if path.stem != "pretraining")],
    ids=lambda path: path.stem,
)
def test_what_serves_every_family_imports_none(path: Path) -> None:
    imported = re.findall(r"seqpre\.models\.(\w+)", path.read_text(encoding="utf-8"))
    assert {*imported} <= {"batch", "family", "build", "kernels"}
