"""A study as its report reads it, `study.json`: its runs, their settings, and its tables and figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError, DataError
from seqpre.common.files import read_json
from seqpre.study.declarations import declared_as
from seqpre.study.fractions import Amount
from seqpre.study.pretraining import Pretraining
from seqpre.study.run import Run, folder_of
from seqpre.study.study import SeedsDraw, Study, TaskName, declared_runs, lm_of
from seqpre.study.typed import Name, Seed, Side, Word, default_of, typed

FILE = "study.json"
"""File in the folder of a study."""


@dataclass(frozen=True)
class GridRun:
    """One run of the grid."""

    system: Name
    fraction: Amount
    seed: Seed

    @property
    def folder(self) -> str:
        """Its folder, relative to the folder of its study."""
        return folder_of(self.system, self.fraction, self.seed)


@dataclass(frozen=True)
class ReportedStudy:
    """What the report knows about a study besides its scores; `load.StudyText` describes the study file."""

    name: Name
    scale: Name
    paper: Name
    published_as: Name
    """The study's name in the published numbers."""
    task: TaskName
    languages: tuple[Side, ...]
    """Source and target language."""
    corpus: Word
    """Corpus of the labelled pairs."""
    tests: tuple[Word, ...]
    runs: tuple[GridRun, ...]
    labels: dict[Name, str]
    """What tables call systems, ensembles and trivial baselines."""
    more_validation: tuple[Word, ...] = ()
    """Splits, besides validation, that tuned some decoding and are scored."""
    spellings: dict[Word, dict[Word, Word]] = field(default_factory=dict)
    """For each test and each spelling of its sources, the name of the split."""
    ensembles: dict[Name, Amount] = field(default_factory=dict)
    """Ensembles and the fraction that their members are trained on."""
    trivial: tuple[Name, ...] = ()
    """Baselines without training: the first sentences of documents, copied sources."""
    variant_of: dict[Name, Name] = field(default_factory=dict)
    compared: dict[Name, Name] = field(default_factory=dict)
    """Systems that are compared with the paper's, by the paper's names; default: those with the same names."""
    reference: Name = "full"
    selection: Word = "perplexity"
    scored_validations: bool = True
    """Whether validations have scores; without them, checkpoints are chosen by perplexity alone."""
    average_last: int = 0
    """Number of last validations whose weights are averaged into another checkpoint; 0: none."""
    seeds_draw: SeedsDraw = "training"
    tables: tuple[Word, ...] | None = None
    figures: tuple[Word, ...] | None = None
    """Names of tables and of figures, in order; None: the paper's default ones."""
    pretrained: tuple[str, ...] = ()
    """Folders of the pretrained models, below `lms/` of the scale."""
    texts: tuple[str, ...] = ()
    """Files of filter counts of the training texts, below `text/` of the scale."""

    @property
    def text(self) -> str:
        """The corpus of its pairs, and its languages or sides, in words."""
        return f"{self.corpus} ({', '.join(self.languages)})"

    @property
    def corpora(self) -> set[str]:
        """The corpora of its pairs and of all training texts."""
        return {self.corpus, *(text.split("/")[1] for text in self.texts)}

    @property
    def others(self) -> dict[str, str]:
        """Folders of ensembles and trivial baselines, relative to the study's, by name."""
        return {name: f"ensembles/{name}" for name in self.ensembles} | {n: f"trivial/{n}" for n in self.trivial}

    @property
    def folders(self) -> list[str]:
        """Folders of everything that has scores, relative to the study's."""
        return [*(run.folder for run in self.runs), *self.others.values()]

    def to_json(self) -> dict[str, Any]:
        """Return the content of `study.json`: all values that are not the default."""
        defaults = {one.name: default_of(one) for one in dataclasses.fields(self)}
        return {key: value for key, value in dataclasses.asdict(self).items() if value != defaults[key]}


def reported(study: Study) -> ReportedStudy:
    """Return a study as its report reads it."""
    runs = declared_runs(study)
    systems = dict.fromkeys(run.system for run in runs)
    return ReportedStudy(
        name=study.name,
        scale=study.scale,
        paper=study.paper,
        published_as=study.published_as,
        task=study.task,
        languages=study.sides,
        corpus=study.corpora["bitext"],
        tests=study.tests,
        runs=tuple(GridRun(run.system, run.fraction, run.seed) for run in runs),
        labels={name: study.labels[name] for name in (*systems, *study.ensembles)} | study.trivial_labels,
        more_validation=study.more_validation,
        spellings={test: {study.spelling: test} | ways for test, ways in study.spelled.items()},
        ensembles={name: ensemble.fraction for name, ensemble in study.ensembles.items()},
        trivial=study.trivial,
        variant_of=study.variant_of,
        compared=study.compared,
        reference=study.reference,
        selection=study.selection,
        scored_validations=study.metric is not None,
        average_last=study.average_last,
        seeds_draw=study.seeds_draw,
        tables=study.tables,
        figures=study.figures,
        pretrained=tuple(pretrained(study, runs)),
        texts=tuple(_texts(study)),
    )


def pretrained(study: Study, runs: Iterable[Run]) -> list[str]:
    """Return the folders of the pretrained models, in the order of their declaration."""
    used = dict.fromkeys((name, run.seed) for run in runs for name in run.settings.init.lms)
    folders = (
        f"{study.owner_of(name).name}/{lm_of(study, name, seed)}"
        for lm in (lm for owner in study.owners for lm in owner.lms)
        for name, seed in used
        if declared_as(name) == lm
    )
    return list(dict.fromkeys(folders))


def _texts(study: Study) -> list[str]:
    """Return the filter-count files of each training text of the study and of its pretraining."""
    read = [(study.corpora["bitext"], study.source), *study.read_alone]
    files = [_counts(study, *text) for text in read]
    if shared := study.pretraining:
        files += [_counts(shared, corpus, language) for corpus, _, language in shared.read()]
    return sorted(set(files))


def _counts(owner: Study | Pretraining, corpus: str, language: str) -> str:
    return f"{owner.name}/{corpus}/train.{'_'.join(owner.filtered_together(corpus, language))}.stats.json"


def languages_of(stats: Path) -> list[str]:
    """Return the languages of the training text that a counts file is about."""
    return stats.name.removeprefix("train.").removesuffix(".stats.json").split("_")


def read_reported(file: Path) -> ReportedStudy:
    """Read a `study.json`. Raises DataError if it is missing or invalid."""
    if not file.is_file():
        back = f"python -m seqpre.restore {file.parent} restores the runs in its records"
        raise DataError(f"{file} is not there: the study was not run here; {back}")
    return reported_from(read_json(file), str(file))


def reported_from(value: Any, where: str) -> ReportedStudy:
    """Return the content of a `study.json`. Raises DataError if it is invalid."""
    try:
        study: ReportedStudy = typed(ReportedStudy, value, where)
    except ConfigError as error:
        raise DataError(f"{error}; delete it, and the workflow writes it again") from error
    if not study.runs:
        raise DataError(f"{where}: no run")
    return study


def together(study: ReportedStudy, other: ReportedStudy) -> ReportedStudy:
    """Return a study merged with another one of its name: runs, ensembles, trivial baselines and models of both."""
    return dataclasses.replace(
        study,
        runs=tuple(dict.fromkeys((*study.runs, *other.runs))),
        labels=other.labels | study.labels,
        ensembles=study.ensembles | {k: v for k, v in other.ensembles.items() if k not in study.ensembles},
        trivial=tuple(dict.fromkeys((*study.trivial, *other.trivial))),
        variant_of=other.variant_of | study.variant_of,
        pretrained=tuple(dict.fromkeys((*study.pretrained, *other.pretrained))),
        texts=tuple(dict.fromkeys((*study.texts, *other.texts))),
    )
