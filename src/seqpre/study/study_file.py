"""What a study file may say, and reading it: a grid declared once, and scales that swap corpora and sizes under it.

A study that extends another (of its own folder, of the project, or anywhere by its path) says only how it differs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from seqpre.common.errors import ConfigError
from seqpre.study.declarations import FilterSettings, LMDeclaration, VocabularyDeclaration
from seqpre.study.fractions import Amount
from seqpre.study.overrides import closest, laid_over, nearest, typed
from seqpre.study.pretraining_settings import LMSettings
from seqpre.study.ranges import Count, Name, Seeds, Side, Word, at_least, only
from seqpre.study.settings import OptimizerSettings, RunSettings, TrainSettings
from seqpre.study.strict_yaml import read_yaml
from seqpre.study.study import EnsembleDeclaration, GridSection, SeedsDraw, Spelling, TaskName, Tuning

Tests = Annotated[
    tuple[Word, ...],
    only(
        lambda tests: len({"train", "valid", *tests}) == len(tests) + 2 > 2, "one split or more of the tests, each once"
    ),
]


NONE_IF_EMPTY = ("ensembles", "vocabularies", "tuned_on", "spellings")
"""Keys of which a scale, or a study that extends another, has none if it says `{}`."""


@dataclass(frozen=True)
class Grid:
    """What a study says and a scale may change. Of systems and LMs, settings alone: which there are, the study says."""

    lms: dict[Name, LMDeclaration]
    base: RunSettings
    lm_settings: LMSettings
    systems: dict[Name, RunSettings]
    grid: dict[Name, GridSection]
    ensembles: dict[Name, EnsembleDeclaration]
    vocabularies: dict[Name, VocabularyDeclaration]


@dataclass(frozen=True)
class Schedule:
    """What may go by how many pairs a run has."""

    optimizer: OptimizerSettings
    train: TrainSettings


@dataclass(frozen=True)
class ScaleText(Grid):
    """What a scale says."""

    corpora: dict[Word, Word]
    tests: Tests
    tuned_on: dict[Word, Word]
    spelling: Spelling
    spellings: dict[Word, tuple[Word, ...]]
    vocab_size: Annotated[int, at_least(100)]
    filter: FilterSettings
    seeds: Seeds
    seeds_draw: SeedsDraw
    selection: str
    rated_documents: Count
    tuning: Tuning | None
    by_fraction: dict[Amount, Schedule] | None


@dataclass(frozen=True)
class StudyText(Grid):
    """What a study file says."""

    extends: str
    pretraining: Name
    paper: Name
    task: TaskName
    source: Side
    target: Side
    labels: dict[Name, str]
    reference: Name
    trivial: tuple[Name, ...]
    tables: tuple[Word, ...]
    figures: tuple[Word, ...]
    scales: dict[Word, ScaleText | None]


def read_study_file(path: Path, project: Path, extended_by: tuple[Path, ...] = ()) -> tuple[dict[str, Any], str]:
    """Return a study file's content, laid over that of the study it extends, and the name of the first one extended.

    Each file is checked by itself and at every scale, so that a mistake is named where it stands.
    """
    if not path.is_file():
        by = f"{extended_by[-1].name} extends another: " if extended_by else "studies: "
        known = nearest(path.stem, names_of_studies(path.parent, project))
        raise ConfigError(f"{by}there is no study {path.stem!r}{known} ({path} does not exist)")
    if any(path.samefile(other) for other in extended_by):
        raise ConfigError(f"{path.name}: extends itself, by way of {extended_by[-1].name}")
    text = typed(StudyText, read_yaml(path), path.name, whole=False)
    if "extends" not in text:
        return text, path.stem
    extended = _extended(path, text.pop("extends"), project)
    below, published_as = read_study_file(extended, project, (*extended_by, path))
    _check_scales(text, below, path.name)
    return laid_over(_below(below, text), text), published_as


def scales_of(path: Path) -> tuple[str, ...]:
    """Return the scales that a study file itself has, whatever the one that it extends has."""
    return tuple(read_yaml(path).get("scales") or ())


def without_emptied(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said below but for what `above` says there is none of; merged, an empty mapping adds nothing."""
    return {key: value for key, value in below.items() if key not in NONE_IF_EMPTY or above.get(key) != {}}


def _below(study: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return a study as one that extends it takes it: without what that one empties, and of its seeds alone."""
    kept = without_emptied(study, above)
    gone = () if "ensembles" in kept else study.get("ensembles", ())
    kept["labels"] = {name: label for name, label in study.get("labels", {}).items() if name not in gone}
    scales = kept.pop("scales", {})
    for name, scale in scales.items():
        own = above.get("scales", {}).get(name) or {}
        left = without_emptied(without_emptied(scale or {}, above), own)
        if "seeds" in own:
            left = laid_over(left, _narrowed(laid_over(kept, left), own["seeds"]))
        scales[name] = scale and left
    return {**kept, "scales": scales}


def _narrowed(said: Mapping[str, Any], seeds: Sequence[int]) -> dict[str, Any]:
    """Return the sections and ensembles that name seeds of which some are left, with those."""
    narrowed: dict[str, Any] = {}
    for key in ("grid", "ensembles"):
        for name, section in said.get(key, {}).items():
            if left := tuple(seed for seed in section.get("seeds", ()) if seed in seeds):
                narrowed.setdefault(key, {})[name] = {"seeds": left}
    return narrowed


def _check_scales(text: Mapping[str, Any], below: Mapping[str, Any], where: str) -> None:
    """Raise ConfigError for a new scale that is called nearly as one of the study that is extended.

    Misspelt, it would leave that study's corpora in place, and they would be trained on under this one's name.
    """
    known = below.get("scales", {})
    for scale in text.get("scales", {}):
        if scale not in known and (close := closest(scale, known)):
            raise ConfigError(
                f"{where}: scales has {scale!r}; did you mean {close!r}? A new scale needs a name less like that"
            )


def _extended(path: Path, name: str, project: Path) -> Path:
    """Return the file of the study that `path` extends; a name is looked up beside it, then among the project's."""
    if name.endswith(".yaml"):
        return path.parent / Path(name).expanduser()
    places = [folder / f"{name}.yaml" for folder in (path.parent, project)]
    return next((place for place in places if place.is_file() and not place.samefile(path)), places[0])


def names_of_studies(*folders: Path) -> list[str]:
    """Return the names of the study files in folders that may hold other YAML too."""
    files = [file for folder in folders for file in folder.glob("*.yaml")]
    text = {file.stem: file.read_text(encoding="utf-8", errors="replace") for file in files}
    return sorted(name for name in text if re.search("^(paper|extends):", text[name], flags=re.MULTILINE))
