"""Studies that might have been run at a scale, and what of theirs lies outside their folders."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from seqpre.study.load import read_study_file


@dataclass(frozen=True)
class Declared:
    """A study that might have been run."""

    name: str
    published_as: str
    paper: Path
    owners: tuple[str, ...]
    """Whose language models its runs start from, and whose text those read: its own, and a pretraining's it shares."""


def declared(files: Iterable[Path], scale: str, project: Path) -> list[Declared]:
    """Return the studies of these files that have the scale; `project` is the folder of the project's own."""
    found = []
    for file in files:
        text, published_as = read_study_file(file, project)
        if text.get("scales", {}).get(scale):
            paper = project.parent / "papers" / f"{text['paper']}.yaml"
            owners = filter(None, (file.stem, text.get("pretraining")))
            found.append(Declared(file.stem, published_as, paper, tuple(owners)))
    return found


def lm_folders(scale_dir: Path, owners: Iterable[str]) -> list[Path]:
    """Return the folders of the language models that have left anything, one a seed where there are several."""
    trained = ("summary.json", "metrics.jsonl")
    return sorted({path.parent for owner in owners for name in trained
                   for path in (scale_dir / "lms" / owner).rglob(name)})  # fmt: skip


def corpus_stats(scale_dir: Path, owners: Iterable[str]) -> list[Path]:
    """Return what the filters left of their counts, `<corpus>/train.<languages>.stats.json`."""
    found = sorted(path for owner in owners for path in (scale_dir / "text" / owner).glob("*/*.stats.json"))
    return found or sorted((scale_dir / "corpora").glob("*/*.stats.json"))  # where older records have them
