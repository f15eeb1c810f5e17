"""A project that has some study files of the repository's, to be changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

WORKFLOW = Path(__file__).parents[3] / "workflow"


def copy_of(folder: Path, *names: str) -> Path:
    """Write the files of these names below `workflow/` into a folder, and return it."""
    for name in names:
        path = folder / f"workflow/{name}.yaml"
        path.parent.mkdir(parents=True)
        path.write_text((WORKFLOW / f"{name}.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def change(project: Path, name: str, place: str, value: Any) -> None:
    """Say something else at `place`, keys between spaces."""
    path = project / f"workflow/{name}.yaml"
    text = yaml.safe_load(path.read_text(encoding="utf-8"))
    *keys, last = place.split()
    part = text
    for key in keys:
        part = part[key]
    part[last] = value
    path.write_text(yaml.safe_dump(text), encoding="utf-8")
