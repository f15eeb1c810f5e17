"""The results in the folder of one run, ensemble, trivial baseline or pretrained model."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from seqpre.common.files import read_json
from seqpre.metrics.inference import Scores
from seqpre.metrics.sentences import FILE, read_sentences
from seqpre.metrics.significance import Scorer, Statistics, bootstrap_scores
from seqpre.report.curves import Validation, read_validations
from seqpre.report.estimates import Measurement, Source
from seqpre.study.run import SCORES

SETTINGS = ("run.json", "ensemble.json", "lm.json")
"""Settings files; a folder has one of them."""


@dataclass(frozen=True)
class Outcome:
    """Results of one run. A missing file is no error; its values are empty."""

    folder: Path
    name: str = ""
    """Used in notes and in the provenance table."""
    system: str = ""
    label: str = ""
    fraction: str = ""
    seed: int | None = None
    """Seed of a run, or of a pretrained model if each seed has its own."""
    packed: bool = False
    """Whether it comes from records and was not run here."""

    @cached_property
    def scores(self) -> list[dict[str, Any]]:
        """Entries of `scores.json`."""
        return list(self._read(SCORES) or [])

    @cached_property
    def summary(self) -> dict[str, Any]:
        """Content of `summary.json`, written at the end of training."""
        return dict(self._read("summary.json") or {})

    @property
    def made_by(self) -> dict[str, Any]:
        """Commit, versions and machine of a finished training."""
        return dict(self.summary.get("provenance", {}))

    @cached_property
    def searches(self) -> dict[str, Any]:
        """Search settings stored with the outputs, by file."""
        files = sorted((self.folder / "hypotheses").rglob("*.json"))
        return {str(file.relative_to(self.folder)): read_json(file) for file in files}

    @cached_property
    def said(self) -> dict[str, Any]:
        """Content of its settings file: its identity, and `settings` that differ from the defaults."""
        return dict(next(filter(None, map(self._read, SETTINGS)), {}))

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that differ from the defaults."""
        return dict(self.said.get("settings", {}))

    @cached_property
    def settings_sha256(self) -> str:
        """First 12 hex digits of the SHA-256 of its settings file, as canonical JSON."""
        text = json.dumps(self.said, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12] if self.said else ""

    @cached_property
    def validations(self) -> list[Validation]:
        """Validations in the order of updates."""
        path = self.folder / "metrics.jsonl"
        return read_validations(path) if path.is_file() else []

    @cached_property
    def sentences(self) -> dict[str, Statistics]:
        """Statistics of every sentence, by `seqpre.metrics.sentences.key`."""
        return read_sentences(self.folder / FILE)

    @cached_property
    def _resampled(self) -> dict[str, Scores]:
        return {}

    def resampled(self, name: str, scorer: Scorer) -> Scores:
        """Return the scores of bootstrap resamples of the sentences (resamples,), computed once and cached."""
        if name not in self._resampled:
            self._resampled[name] = bootstrap_scores(self.sentences[name], scorer)
        return self._resampled[name]

    def measured(self, value: float, file: str) -> Measurement:
        """Return a number read from one of its files as a Measurement."""
        seed = "" if self.seed is None else str(self.seed)
        return Measurement(value, self.seed, (Source(str(self.folder / file), self.name, seed, self.settings_sha256),))

    def _read(self, file: str) -> Any:
        path = self.folder / file
        return read_json(path) if path.is_file() else None
