"""A study file with one change."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

STUDY = Path(__file__).parents[3] / "workflow/studies/ramachandran-translation.yaml"


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], None]], Path]:
    def edit(change: Callable[[dict[str, Any]], None]) -> Path:
        text = yaml.safe_load(STUDY.read_text())
        change(text)
        path = tmp_path / STUDY.name
        path.write_text(yaml.safe_dump(text))
        return path

    return edit
