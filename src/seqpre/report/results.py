"""What the runs of a study left behind: scores, validations, summaries. A missing file is a missing result, no error.

`RUNS.json` lists the declared runs, one dict each: {"study", "scale", "system", "label", "fraction", "seed", "dir"},
the last as it was where they ran: they are read below the folder of the study, wherever that is. Beside these it has
"task" (default: translation), "corpus", "published_as" where it extends another, "languages" where the published
numbers are of others, "selection" where perplexity is not what chooses the checkpoints that count, "average_last" where
weights are averaged, and "seeds_draw". An entry with seed null is an ensemble, or a system that was not trained at all:
`lead_3`, the first sentences of a document. Other ensembles are found in the folder `ensembles` of the study. Every
number keeps the file it was read from.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from seqpre.common.errors import DataError
from seqpre.common.files import read_json
from seqpre.metrics.inference import Estimated, Scores
from seqpre.metrics.sentences import FILE, read_sentences
from seqpre.metrics.significance import Scorer, Statistics, bootstrap_scores
from seqpre.metrics.texts import way_of_scoring
from seqpre.report.curves import Validation, read_validations
from seqpre.report.estimates import Estimate, Measurement, Source, estimate
from seqpre.report.human_counts import HumanStudy, read_human_study
from seqpre.report.splits import VALIDATION
from seqpre.report.verdicts import OTHER_LANGUAGES, OTHER_SCALE
from seqpre.study.fractions import by_size, count_of, fraction_of, is_count
from seqpre.study.paper import NOTHING, InPaper, in_paper
from seqpre.study.restored import from_records
from seqpre.study.settings import AVERAGE
from seqpre.study.tasks import TASKS, TRANSLATION, Task, metric_labels

PERPLEXITY = "perplexity"
NO_CHECKPOINT = "none"
"""The selection of outputs that no checkpoint wrote."""
SCORE_KEYS = ["system", "fraction", "seed", "file", "split", "selection", "metric", "score", "low", "high", "signature",
              "way"]  # fmt: skip
RUN_KEYS = ("study", "scale", "system", "label", "fraction", "seed", "dir")


@dataclass(frozen=True)
class Outcome:
    """One trained run, one ensemble, or one system that is not trained; `seed` is None for the last two."""

    system: str
    label: str
    fraction: str
    seed: int | None
    folder: Path
    packed: bool = False
    """Whether it is of records, not run here."""

    @property
    def name(self) -> str:
        """What the run is called in notes and in the provenance table."""
        return self.system if self.seed is None else f"{self.system}/{self.fraction}/seed{self.seed}"

    @cached_property
    def scores(self) -> list[dict[str, Any]]:
        """Entries of `scores.json`; empty where the run has not been scored."""
        path = self.folder / "scores.json"
        return list(read_json(path)) if path.exists() else []

    @cached_property
    def sentences(self) -> dict[str, Statistics]:
        """Statistics of every sentence, by `seqpre.metrics.sentences.key`; empty where they were not kept."""
        return read_sentences(self.folder / FILE)

    @cached_property
    def _resampled(self) -> dict[str, Scores]:
        return {}

    def resampled(self, name: str, scorer: Scorer) -> Scores:
        """Return the scores of bootstrap resamples of the sentences (resamples,), drawn once for all differences."""
        if name not in self._resampled:
            self._resampled[name] = bootstrap_scores(self.sentences[name], scorer)
        return self._resampled[name]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What training left as `summary.json`; empty where it has not ended."""
        path = self.folder / "summary.json"
        return dict(read_json(path)) if path.exists() else {}

    @cached_property
    def validations(self) -> list[Validation]:
        """Validations in the order of updates; empty where training has not begun."""
        path = self.folder / "metrics.jsonl"
        return read_validations(path) if path.exists() else []

    @cached_property
    def settings_sha256(self) -> str:
        """First 12 digits of the hash of the run's settings: canonical JSON of `run.json` (`ensemble.json`)."""
        path = self.folder / ("run.json" if self.seed is not None else "ensemble.json")
        return settings_hash(path) if path.exists() else ""

    def source(self, file: str) -> Source:
        """Where a number of this run came from."""
        seed = "" if self.seed is None else str(self.seed)
        return Source(str(self.folder / file), self.name, seed, self.settings_sha256)

    def score(self, split: str, metric: str, selection: str) -> Measurement | None:
        """Return one score with its interval and, if it was tested against another system, its p-value."""
        for entry in self.scores:
            chosen = entry["selection"] in (selection, NO_CHECKPOINT)
            if chosen and (entry["split"], entry["metric"]) == (split, metric):
                return Measurement(
                    entry["score"],
                    self.seed,
                    (self.source("scores.json"),),
                    low=entry["low"],
                    high=entry["high"],
                    p_value=entry.get("p_value"),
                    against=entry.get("against", ""),
                )
        return None


@dataclass(frozen=True)
class Results:
    """All runs of a study at one scale, in the order in which the study declares them."""

    study: str
    scale: str
    runs: tuple[Outcome, ...]
    ensembles: tuple[Outcome, ...]
    trivial: tuple[Outcome, ...] = ()
    task: Task = TRANSLATION
    corpus: str = ""
    human_study: HumanStudy | None = None
    published_as: str = ""
    """The name of the study among published numbers."""
    selection: str = PERPLEXITY
    """What chose the checkpoints that count: validation perplexity, as in the paper, or a validation score."""
    seeds_draw: str = "training"
    """What a seed draws: fresh weights and the order of training; or (`all`) its LMs and its subset of pairs, too."""
    reference: str = "full"
    """The system that the others are compared with."""
    declared_tables: tuple[str, ...] = ()
    declared_figures: tuple[str, ...] = ()
    paper: InPaper = NOTHING
    """What a paper prints of the study."""
    no_tests: tuple[str, ...] = ()
    """Scored splits that settled searches, as validation did, or are tests once more, in another spelling."""
    spellings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Splits that are a test in one spelling each, by test."""
    average_last: int = 0
    """Of how many last validations the weights are averaged, into a checkpoint beside the chosen ones; 0: none."""
    languages: tuple[str, ...] = ()
    """Source and target, where the published numbers are of others."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Runs of the records that are not among these, and why."""

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables of the study, in order."""
        return self.declared_tables or self.paper.tables

    @property
    def figures(self) -> tuple[str, ...]:
        """The figures of the study, in order."""
        return self.declared_figures or self.paper.figures(self.task.metric)

    @property
    def baseline(self) -> str:
        """The system that pretraining gains over."""
        return self.paper.baselines[0]

    @cached_property
    def all_data(self) -> str:
        """The largest fraction of the labelled data that the reference is trained on."""
        fractions = [fraction for system, fraction in self.cells if system == self.reference]
        return max(fractions, key=by_size, default="100pct")

    @property
    def chosen_by(self) -> str:
        """What chose the checkpoints that count, as tables put it."""
        return f"validation {PERPLEXITY if self.selection == PERPLEXITY else self.task.score}"

    @property
    def selections(self) -> tuple[str, ...]:
        """What chose the checkpoints that are decoded, and the average, if any."""
        return (*self.task.selections, *([AVERAGE] if self.average_last else []))

    @property
    def scored(self) -> tuple[Outcome, ...]:
        """Everything that may have scores."""
        return (*self.runs, *self.ensembles, *self.trivial)

    @property
    def mixed(self) -> bool:
        """Tell whether some scores are from records and some of runs here."""
        return len({one.packed for one in self.scored if one.scores}) > 1

    @property
    def origin(self) -> str:
        """Which scores are from records, as a sentence; empty where none is."""
        scored = [one for one in self.scored if one.scores]
        here = [one.name for one in scored if not one.packed]
        if len(here) == len(scored):
            return ""
        if not here:
            return "All scores are from records.zip."
        named = f"{', '.join(here[:8])}{' and others' if len(here) > 8 else ''}"
        return f"From records.zip: {len(scored) - len(here)} of {len(scored)} runs with scores. Run here: {named}."

    @property
    def same_scale(self) -> bool:
        """Tell whether scores may be set against the published ones."""
        return not self.elsewhere

    @property
    def elsewhere(self) -> str:
        """Why scores may not be set against the published ones; empty where they may."""
        return OTHER_LANGUAGES if self.languages else OTHER_SCALE if self.scale != "paper" else ""

    @property
    def ours_of(self) -> str:
        """What our numbers are of, as figures say it, with the languages where the published numbers have others."""
        return f"{self.corpus or self.scale}{in_brief(self.languages)}"

    @property
    def published_of(self) -> str:
        """What the published numbers are of, likewise."""
        return f"{self.paper.corpus}{in_brief(self.paper.languages) if self.languages else ''}"

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One line a score: an entry of `scores.json`, that file, and the run's system, fraction and seed.

        `way` is how it was computed, as far as scores that can be compared have it in common.
        """
        lines = [
            {"system": one.system, "fraction": one.fraction, "seed": one.seed, "file": str(one.folder / "scores.json")}
            | entry
            | {"way": way_of_scoring(entry)}
            for one in self.scored
            for entry in one.scores
        ]
        return pd.DataFrame(lines or [], columns=None if lines else SCORE_KEYS)

    @cached_property
    def labels(self) -> dict[str, str]:
        """Display label of every declared system."""
        return {run.system: run.label for run in self.runs}

    @cached_property
    def tests(self) -> list[str]:
        """Test splits that were scored, in the order of `scores.json`."""
        return [split for split in self.scores["split"].unique() if split not in (VALIDATION, *self.no_tests)]

    @cached_property
    def _scored_by(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for split, metric in zip(self.scores["split"], self.scores["metric"], strict=True):
            found.setdefault(split, set()).add(metric)
        return found

    @cached_property
    def contrasts(self) -> dict[Hashable, Estimated | None]:
        """What `seqpre.report.contrasts.contrast` has found, by what it was asked: tables and figures ask the same."""
        return {}

    @cached_property
    def _by_seed(self) -> dict[tuple[str, str], pd.DataFrame]:
        return {}

    def by_seed(self, split: str, metric: str) -> pd.DataFrame:
        """Return the scores that count: a row a fraction and system, a column a seed."""
        if (split, metric) not in self._by_seed:
            scores = self.scores
            wanted = scores[(scores["split"] == split) & (scores["metric"] == metric)
                            & (scores["selection"] == self.selection) & scores["seed"].notna()]  # fmt: skip
            table = wanted.set_index(["fraction", "system", "seed"])["score"].astype(float).unstack()
            self._by_seed[split, metric] = table
        return self._by_seed[split, metric]

    def metric_of(self, split: str) -> str:
        """Return the metric that a split is reported in: of a test the first one that it was scored by."""
        if split in (VALIDATION, *self.no_tests):
            return self.task.validation[0]
        found = self._scored_by.get(split, set())
        return next((metric for metric in self.task.tests if metric in found), self.task.tests[0])

    @property
    def judged(self) -> list[str]:
        """The splits that verdicts are reached on: tests, which chose nothing; validation where there are none."""
        return self.tests or [VALIDATION]

    @property
    def judged_name(self) -> str:
        """What those splits are called over a column of their means."""
        return "tests" if self.tests else VALIDATION

    def beside(self, split: str) -> list[str]:
        """Return the metrics that stand beside a split's own, of those that it was scored by."""
        return [metric for metric in self.task.beside if metric in self._scored_by.get(split, set())]

    def name_of(self, split: str) -> str:
        """Return what readers call the metric of a split."""
        return metric_labels()[self.metric_of(split)]

    @cached_property
    def cells(self) -> list[tuple[str, str]]:
        """Declared pairs of system and fraction, largest fraction first within a system."""
        pairs = dict.fromkeys((run.system, run.fraction) for run in self.runs)
        order = {system: place for place, system in enumerate(self.labels)}
        largest_first = sorted(pairs, key=lambda pair: by_size(pair[1]), reverse=True)
        return sorted(largest_first, key=lambda pair: order[pair[0]])

    def pairs(self, fraction: str) -> int | None:
        """Return how many labelled pairs a fraction is: as written, or as a run has counted; None where none has."""
        if is_count(fraction):
            return count_of(fraction, sys.maxsize)
        counted = (run.summary.get("train_pairs") for run in self.runs if run.fraction == fraction)
        return next((pairs for pairs in counted if pairs), None)

    def of(self, system: str, fraction: str) -> list[Outcome]:
        """Return the runs of one cell of the grid, or the ensemble or trivial baseline of that name."""
        others = [outcome for outcome in (*self.ensembles, *self.trivial) if outcome.system == system]
        return others or [run for run in self.runs if (run.system, run.fraction) == (system, fraction)]

    def score(
        self, system: str, fraction: str, split: str, selection: str = "", metric: str | None = None
    ) -> Estimate | None:
        """Return mean and spread over the seeds that have been scored.

        By the split's metric and by the study's selection if none is named.
        """
        metric = metric or self.metric_of(split)
        return estimate(run.score(split, metric, selection or self.selection) for run in self.of(system, fraction))

    def difference(
        self, system: str, baseline: str, fraction: str, split: str, metric: str | None = None
    ) -> Estimate | None:
        """Return system minus baseline: seed by seed where both have seeds in common, else between the means."""
        metric = metric or self.metric_of(split)
        ours = {run.seed: run.score(split, metric, self.selection) for run in self.of(system, fraction)}
        theirs = {run.seed: run.score(split, metric, self.selection) for run in self.of(baseline, fraction)}
        if system == baseline:
            return None
        if baseline in self.task.all_trivial:  # The same for every seed.
            theirs = dict.fromkeys(ours, theirs.get(None))
        paired = [
            Measurement(
                one.value - other.value,
                seed,
                one.sources + other.sources,
            )
            for seed, one in ours.items()
            if one is not None and (other := theirs.get(seed)) is not None
        ]
        if paired:
            return estimate(paired)
        one_mean, other_mean = estimate(ours.values()), estimate(theirs.values())
        if one_mean is None or other_mean is None:
            return None
        sources = (*one_mean.sources, *other_mean.sources)
        return estimate([Measurement(one_mean.mean - other_mean.mean, None, sources)])

    @cached_property
    def ablation_fractions(self) -> list[str]:
        """Fractions at which ablations are declared beside the reference: the one with most systems, then the largest.

        Baselines alone make no ablation study, and very low resource runs have no reference beside them.
        """
        systems: dict[str, set[str]] = {}
        for system, fraction in self.cells:
            if not self.is_variant(system):
                systems.setdefault(fraction, set()).add(system)
        alone = {self.reference, *self.paper.baselines}
        compared = {f: names for f, names in systems.items() if self.reference in names and names - alone}
        largest_first = sorted(compared, key=by_size, reverse=True)
        return sorted(largest_first, key=lambda fraction: len(compared[fraction]) < max(map(len, compared.values())))

    def is_variant(self, system: str) -> bool:
        """Tell `full_dropout_30`, `no_pretraining_half_budget` and their like, which ablate no more, from ablations.

        So is what tables call by another system's label and a comma: `shared, three times the updates`.
        """
        of = (f"{self.reference}_", f"{self.baseline}_")
        called = tuple(f"{label}, " for label in self.labels.values())
        named = system.startswith(of) or self.labels[system].startswith(called)
        return named and system not in self.paper.baselines

    def signatures(self, metric: str) -> list[str]:
        """Return the signatures of a metric. Raises DataError if two of one text were computed in different ways."""
        of_metric = self.scores[self.scores["metric"] == metric]
        found = of_metric.drop_duplicates(["split", "way"])
        if found["split"].duplicated().any():
            found = found[found["split"].duplicated(keep=False)]
            listed = "; ".join(found["signature"] + " in " + found["file"])
            raise DataError(f"{metric} was computed in different ways, so runs cannot be compared: {listed}. "
                            "Delete the older scores and score again")  # fmt: skip
        return list(of_metric["signature"].unique())


def load_results(runs_json: Path, study_dir: Path, study: str, scale: str, paper: Path | None = None) -> Results:
    """Read the list of runs, what the file `paper` says of the study, and the ensembles below `study_dir`."""
    listed = _listed(runs_json, study, scale)
    first = listed[0]
    task = first.get("task", TRANSLATION.name)
    if task not in TASKS:
        raise DataError(f"{runs_json}: task is {task!r}; it must be one of {', '.join(TASKS)}")
    known = TASKS[task].all_trivial
    packed = from_records(study_dir)
    outcomes = []
    for entry in listed:
        system, fraction, seed = entry["system"], entry["fraction"], entry["seed"]
        place = folder_of(system, fraction, seed, known)
        outcomes.append(Outcome(system, entry["label"], fraction, seed, study_dir / place, place in packed.folders))
    runs = tuple(outcome for outcome in outcomes if outcome.seed is not None)
    if not runs:
        raise DataError(f"{runs_json}: no run of study {study!r} at scale {scale!r}")
    trivial = tuple(outcome for outcome in outcomes if outcome.seed is None and outcome.system in known)
    ensembles = [outcome for outcome in outcomes if outcome.seed is None and outcome not in trivial]
    declared = {ensemble.system for ensemble in ensembles}
    for folder in sorted((study_dir / "ensembles").glob("*/")):
        if (name := folder.name) not in declared:
            of_records = f"ensembles/{name}" in packed.folders
            ensembles.append(Outcome(name, name.replace("_", " "), "100pct", None, folder, of_records))
    published_as = first.get("published_as", study)
    human_study = read_human_study(study_dir / "human_study" / "tables")
    return Results(
        study, scale, runs, tuple(ensembles), trivial, TASKS[task], first.get("corpus", ""), human_study,
        published_as, first.get("selection", PERPLEXITY), first.get("seeds_draw", "training"),
        first.get("reference", "full"), tuple(first.get("tables", ())), tuple(first.get("figures", ())),
        in_paper(paper, published_as), tuple(first.get("no_tests", ())),
        first.get("spellings", {}), first.get("average_last", 0), tuple(first.get("languages", ())), packed.left_out,
    )  # fmt: skip


def in_brief(languages: Sequence[str]) -> str:
    """Return a pair of languages as it follows the name of a corpus; nothing for none."""
    return f", {'-'.join(languages)}" if languages else ""


def folder_of(system: str, fraction: str, seed: int | None, trivial: Container[str]) -> str:
    """Return where a run, an ensemble or what nobody trains lies below its study's folder."""
    if seed is not None:
        return f"runs/{system}/{fraction}/seed{seed}"
    return f"trivial/{system}" if system in trivial else f"ensembles/{system}"


def _listed(runs_json: Path, study: str, scale: str) -> list[dict[str, Any]]:
    """Return the entries of a list of runs that are of a study at a scale.

    Raises:
        DataError: there is none, or one lacks a key.
    """
    listed = []
    for place, entry in enumerate(read_json(runs_json)):
        missing = [key for key in RUN_KEYS if key not in entry]
        if missing:
            raise DataError(f"{runs_json}: run number {place + 1} lacks {missing[0]!r}; it has {', '.join(entry)}")
        if (entry["study"], entry["scale"]) == (study, scale):
            fraction_of(entry["fraction"], f"{runs_json}: fraction")
            listed.append(entry)
    if not listed:
        raise DataError(f"{runs_json}: no run of study {study!r} at scale {scale!r}")
    return listed


def settings_hash(path: Path) -> str:
    """Return the first 12 digits of the SHA-256 of a file's canonical JSON."""
    return hashlib.sha256(json.dumps(read_json(path), sort_keys=True).encode()).hexdigest()[:12]


def folders(outcomes: Iterable[Outcome]) -> list[str]:
    """Return the folders that numbers were read from, written short: `runs/{full,encoder_only}/20pct/seed{1,2}`."""
    seeds: dict[tuple[Path, str, str], list[str]] = {}
    paths: list[str] = []
    for outcome in outcomes:
        if not (outcome.scores or outcome.validations or outcome.summary):
            continue
        folder = outcome.folder
        if outcome.seed is None or folder.name != f"seed{outcome.seed}":
            paths.append(str(folder))
        else:
            cell = folder.parent
            seeds.setdefault((cell.parent.parent, cell.parent.name, cell.name), []).append(str(outcome.seed))
    systems: dict[tuple[Path, str, str], list[str]] = {}
    for (root, system, fraction), found in seeds.items():
        systems.setdefault((root, fraction, _braces(sorted(set(found)))), []).append(system)
    short = [f"{root}/{_braces(names)}/{fraction}/seed{found}" for (root, fraction, found), names in systems.items()]
    return short + list(dict.fromkeys(paths))


def _braces(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else "{" + ",".join(names) + "}"
