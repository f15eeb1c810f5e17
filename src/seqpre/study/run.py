"""A run: one cell of a study's grid, as `run.json` holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seqpre.study.declarations import LMDeclaration
from seqpre.study.fractions import Amount
from seqpre.study.settings import RunSettings
from seqpre.study.typed import Seed, differences, overridden, require_keys, typed

CELL = ("system", "fraction", "seed")
IDENTITY = ("study", "scale", *CELL)
"""The keys that identify a run."""
KINDS = {"fraction": Amount, "seed": Seed}
"""Types of those that are not just text."""
SCORES = "scores.json"
"""Scores of a run, an ensemble or a trivial baseline."""


def folder_of(system: str, fraction: str, seed: int | str) -> str:
    """Return a run's folder, relative to its study's."""
    return f"runs/{system}/{fraction}/seed{seed}"


@dataclass(frozen=True)
class Run:
    """One cell of the grid."""

    study: str
    scale: str
    system: str
    fraction: str
    seed: int
    settings: RunSettings = field(compare=False)
    lms: dict[str, LMDeclaration] = field(compare=False)
    """The LMs whose weights or text the run needs."""
    vocabulary_sha256: dict[str, str] = field(compare=False, default_factory=dict)
    """Checksums of finished vocabularies, by side."""

    @property
    def path(self) -> str:
        """The run's folder, relative to its study's."""
        return folder_of(self.system, self.fraction, self.seed)

    def to_json(self) -> dict[str, Any]:
        """Return the content of `run.json`: the run's identity and its non-default settings."""
        return {
            **{key: getattr(self, key) for key in IDENTITY},
            "lms": {name: lm.to_json() for name, lm in self.lms.items()},
            **({"vocabulary_sha256": self.vocabulary_sha256} if self.vocabulary_sha256 else {}),
            "settings": differences(self.settings, RunSettings()),
        }


REVERSE = "@reverse"
"""Suffix of a system's name with source and target exchanged, for backtranslation."""


def is_candidate(system: str) -> bool:
    """Return whether a system is a tuning candidate: another system with one combination, as `full@lr=0.004`."""
    return "@" in system and not system.endswith(REVERSE)


def run_from_json(value: Mapping[str, Any]) -> Run:
    """Rebuild a run from `run.json`."""
    require_keys(value, (*IDENTITY, "settings", "lms"), "run.json")
    settings = overridden(RunSettings(), value["settings"], "run.json")
    lms = typed(dict[str, LMDeclaration], value["lms"], "run.json: lms")
    return Run(
        **{key: typed(KINDS.get(key, str), value[key], f"run.json: {key}") for key in IDENTITY},
        settings=settings,
        lms=lms,
        vocabulary_sha256=typed(dict[str, str], value.get("vocabulary_sha256"), "run.json: vocabulary_sha256"),
    )
