"""The room that all others use imports none of them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import seqpre.common

FILES = sorted(Path(seqpre.common.__file__).parent.glob("**/*.py"))


def imported(file: Path) -> Iterator[str]:
    """Yield the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_common_imports_nothing_of_the_other_rooms(file: Path) -> None:
    own = [name for name in imported(file) if name.partition(".")[0] == "seqpre"]
    assert [name for name in own if not name.startswith("seqpre.common.")] == []
