"""The results of a study's runs, with the numbers that its paper prints. A missing file is no error.

`Results.scores` has all scores of a study, one a row; tables, figures and sentences all read scores from it. Every
number keeps the file that it was read from.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from seqpre.common.errors import DataError
from seqpre.metrics.inference import Estimate
from seqpre.metrics.texts import way_of_scoring
from seqpre.report.corpus_titles import corpus_title
from seqpre.report.estimates import Measurement, SeedMean, Source, seed_mean
from seqpre.report.human_counts import HumanStudy, read_human_study
from seqpre.report.outcome import Outcome
from seqpre.report.published import PublishedNumber, load_published, of_study
from seqpre.report.verdicts import OTHER_LANGUAGES, OTHER_SCALE
from seqpre.study.displays import Display, figures_of, tables_of
from seqpre.study.fractions import ALL, by_size, count_of, is_count
from seqpre.study.paper import NOTHING, InPaper, in_paper
from seqpre.study.reported import FILE as STUDY_FILE
from seqpre.study.reported import ReportedStudy, read_reported
from seqpre.study.restored import FromRecords, from_records
from seqpre.study.run import SCORES
from seqpre.study.settings import AVERAGE, PERPLEXITY
from seqpre.study.study import lm_and_seed
from seqpre.study.tasks import TASKS, VALIDATION, Task, metric_labels

BY_VALIDATION = "length penalty by validation"
NO_CHECKPOINT = "none"
"""Selection of outputs that no checkpoint produced."""
COLUMNS = ["study", "corpus", "system", "label", "fraction", "seed", "split", "selection", "metric", "score", "low",
           "high", "p_value", "signature", "way", "run", "file", "settings_sha256"]  # fmt: skip
BY = ("split", "metric", "selection")
SystemAt = tuple[str, str]
"""A system and its fraction of the labelled data."""


@dataclass(frozen=True)
class Results:
    """All runs of a study at one scale, in declared order."""

    study: ReportedStudy
    folder: Path
    paper: InPaper = NOTHING
    """What the paper prints for the study."""
    published: tuple[PublishedNumber, ...] = ()
    """The paper's numbers for the study."""
    corpus: str = ""
    """The readable name of the corpus of its pairs."""

    @property
    def task(self) -> Task:
        """The task, which determines the metrics."""
        return TASKS[self.study.task]

    @property
    def tables(self) -> list[Display]:
        """The tables of the study, in order."""
        return tables_of(self.paper, self.study.tables)

    @property
    def figures(self) -> list[Display]:
        """The figures of the study, in order."""
        return figures_of(self.paper, self.task, self.study.figures)

    def printed(self, table: str) -> list[PublishedNumber]:
        """Return the numbers of one table or figure of the paper, in printed order."""
        return of_study(self.published, self.study.published_as, table)

    @cached_property
    def _packed(self) -> FromRecords:
        return from_records(self.folder)

    @property
    def left_out(self) -> dict[str, str]:
        """Recorded runs that are left out, and why."""
        return dict(self._packed.left_out)

    @cached_property
    def runs(self) -> list[Outcome]:
        """Results of the trained runs."""
        return [self._outcome(run.system, run.fraction, run.seed, run.folder) for run in self.study.runs]

    @cached_property
    def ensembles(self) -> list[Outcome]:
        """Results of the ensembles."""
        folders = self.study.others
        return [self._outcome(name, fraction, None, folders[name]) for name, fraction in self.study.ensembles.items()]

    @cached_property
    def trivial(self) -> list[Outcome]:
        """Results of the trivial baselines."""
        folders = self.study.others
        return [self._outcome(name, ALL, None, folders[name]) for name in self.study.trivial]

    def _outcome(self, system: str, fraction: str, seed: int | None, place: str) -> Outcome:
        name, packed = place.partition("/")[2], place in self._packed.folders
        return Outcome(self.folder / place, name, system, self.label(system), fraction, seed, packed)

    @cached_property
    def pretrained(self) -> list[Outcome]:
        """Results of the pretrained models, which studies may share; one for each seed if seeds have their own."""
        found = []
        for place in self.study.pretrained:
            name, seed = lm_and_seed(place.partition("/")[2])
            folder, packed = self.folder.parent / "lms" / place, f"lms/{place}" in self._packed.models
            found.append(Outcome(folder, f"lms/{name}", name, f"LM {name}", "", seed, packed))
        return found

    @property
    def texts(self) -> list[Path]:
        """The existing files of filter counts of training texts."""
        files = [self.folder.parent / "text" / place for place in self.study.texts]
        return [file for file in files if file.is_file()]

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """All results that may have scores."""
        return [*self.runs, *self.ensembles, *self.trivial]

    @cached_property
    def _of(self) -> dict[SystemAt, list[Outcome]]:
        found: dict[SystemAt, list[Outcome]] = {}
        for one in self.outcomes:
            found.setdefault((one.system, "" if one.seed is None else one.fraction), []).append(one)
        return found

    def of(self, system: str, fraction: str) -> list[Outcome]:
        """Return the runs of one cell of the grid, or the ensemble or trivial baseline of that name."""
        return self._of.get((system, "")) or self._of.get((system, fraction), [])

    def label(self, system: str) -> str:
        """Return a system's label in tables."""
        return self.study.labels.get(system, system)

    @property
    def reference_label(self) -> str:
        """The reference system's label in tables."""
        return self.label(self.study.reference)

    @property
    def baseline(self) -> str:
        """The baseline of pretraining gains."""
        return self.paper.baselines[0]

    @cached_property
    def systems(self) -> list[str]:
        """The trained systems."""
        return list(dict.fromkeys(run.system for run in self.runs))

    @cached_property
    def cells(self) -> list[SystemAt]:
        """Declared pairs of system and fraction, largest fraction first within a system."""
        pairs = dict.fromkeys((run.system, run.fraction) for run in self.runs)
        largest_first = sorted(pairs, key=lambda pair: by_size(pair[1]), reverse=True)
        return sorted(largest_first, key=lambda pair: self.systems.index(pair[0]))

    @cached_property
    def all_data(self) -> str:
        """The largest fraction of the labelled data that the reference is trained on."""
        fractions = [fraction for system, fraction in self.cells if system == self.study.reference]
        return max(fractions, key=by_size, default=ALL)

    def pairs(self, fraction: str) -> int | None:
        """Return the number of labelled pairs in a fraction: as written, or as counted by a run; None if unknown.

        Runs with back-translated pairs do not count: they count those, too.
        """
        if is_count(fraction):
            return count_of(fraction, sys.maxsize)
        counted = (
            run.summary.get("train_pairs")
            for run in self.runs
            if run.fraction == fraction and not run.settings.get("backtranslation", {}).get("system")
        )
        return next((pairs for pairs in counted if pairs), None)

    @cached_property
    def ablation_fractions(self) -> list[str]:
        """Fractions with ablations and the reference: the one with most systems first, then the largest first.

        Baselines alone are no ablation study, and very low-resource runs have no reference.
        """
        systems: dict[str, set[str]] = {}
        for system, fraction in self.cells:
            if system not in self.study.variant_of:
                systems.setdefault(fraction, set()).add(system)
        alone = {self.study.reference, *self.paper.baselines}
        compared = {f: names for f, names in systems.items() if self.study.reference in names and names - alone}
        largest_first = sorted(compared, key=by_size, reverse=True)
        return sorted(largest_first, key=lambda fraction: len(compared[fraction]) < max(map(len, compared.values())))

    @property
    def ablations_at(self) -> str:
        """The first of `ablation_fractions`; the largest fraction if there are none."""
        return next(iter(self.ablation_fractions), self.all_data)

    @property
    def selections(self) -> tuple[str, ...]:
        """The selections of the decoded checkpoints, and the average, if any."""
        scored, averaged = self.study.scored_validations, self.study.average_last
        return (PERPLEXITY, *([self.task.metric] if scored else []), *([AVERAGE] if averaged else []))

    @property
    def chosen_by(self) -> str:
        """The selection of the checkpoint that counts, in words."""
        return f"validation {PERPLEXITY if self.study.selection == PERPLEXITY else self.task.score}"

    @cached_property
    def penalty(self) -> str:
        """The length penalty of the searches, or what chose it, in words."""
        searches = [one["search"] for run in self.runs for one in run.searches.values() if "search" in one]
        tried = {value for search in searches for value in search["length_penalties"]}
        return f"length penalty {min(tried):g}" if len(tried) == 1 else BY_VALIDATION

    @property
    def other_languages(self) -> bool:
        """Whether the published numbers are for other languages than ours."""
        return self.paper.languages not in ((), self.study.languages)

    @property
    def elsewhere(self) -> str:
        """Why scores are not comparable with the published ones; empty if they are."""
        return OTHER_LANGUAGES if self.other_languages else OTHER_SCALE if self.study.scale != "paper" else ""

    @property
    def same_scale(self) -> bool:
        """Whether scores are comparable with the published ones."""
        return not self.elsewhere

    @property
    def ours_of(self) -> str:
        """Our corpus, as figures name it, with our languages if the published ones differ."""
        return ", ".join([self.corpus, *self.other_languages * ["-".join(self.study.languages)]])

    @property
    def published_of(self) -> str:
        """The paper's corpus, as figures name it, with its languages if ours differ."""
        return ", ".join([self.paper.corpus, *self.other_languages * ["-".join(self.paper.languages)]])

    @cached_property
    def human_study(self) -> HumanStudy | None:
        """Human judgements of the study's outputs."""
        return read_human_study(self.folder / "human_study" / "tables")

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One score a row: its cell, value, way of scoring, run and file.

        `way` is the part of the signature that comparable scores share.
        """
        rows = [
            {"study": self.study.name, "corpus": self.study.corpus, "system": one.system, "label": one.label,
             "fraction": one.fraction, "seed": one.seed, "run": one.name, "file": str(one.folder / SCORES),
             "settings_sha256": one.settings_sha256, "way": way_of_scoring(entry)} | entry
            for one in self.outcomes
            for entry in one.scores
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=COLUMNS)

    @cached_property
    def _measurements(self) -> dict[tuple[str, ...], list[Measurement]]:
        found: dict[tuple[str, ...], list[Measurement]] = {}
        for row in self.scores.to_dict("records"):
            seed = None if pd.isna(row["seed"]) else int(row["seed"])
            source = Source(row["file"], row["run"], "" if seed is None else str(seed), row["settings_sha256"])
            key = (row["system"], "" if seed is None else row["fraction"], *(row[name] for name in BY))
            found.setdefault(key, []).append(Measurement(row["score"], seed, (source,), row["low"], row["high"]))
        return found

    @cached_property
    def _by_seed(self) -> dict[Hashable, pd.DataFrame]:
        counted = self.scores[(self.scores["selection"] == self.study.selection) & self.scores["seed"].notna()]
        wide = counted.set_index(["split", "metric", "fraction", "system", "seed"])["score"].astype(float).unstack()
        tables = ((key, table.droplevel([0, 1])) for key, table in wide.groupby(level=["split", "metric"]))
        return defaultdict(lambda: wide.iloc[:0].droplevel([0, 1]), tables)

    def by_seed(self, split: str, metric: str) -> pd.DataFrame:
        """Return the selected scores of trained runs: a row for each fraction and system, a column for each seed."""
        return self._by_seed[split, metric]

    @cached_property
    def contrasts(self) -> dict[Hashable, Estimate | None]:
        """Cache of `seqpre.report.contrasts.contrast`, by its arguments: tables and figures ask for the same."""
        return {}

    @cached_property
    def _metrics(self) -> dict[str, list[str]]:
        """The metrics that each split was scored by."""
        by_split = self.scores.groupby("split", sort=False)["metric"]
        return {str(split): list(metrics.unique()) for split, metrics in by_split}

    @cached_property
    def tests(self) -> list[str]:
        """Tests with scores."""
        return [split for split in self.study.tests if split in self._metrics]

    @property
    def splits(self) -> list[str]:
        """Validation, and the tests with scores."""
        return [VALIDATION, *self.tests]

    @property
    def judged(self) -> list[str]:
        """The splits that verdicts are based on: tests, which selected nothing; validation if there are none."""
        return self.tests or [VALIDATION]

    @property
    def judged_name(self) -> str:
        """The name of these splits in column titles."""
        return "tests" if self.tests else VALIDATION

    def metric_of(self, split: str) -> str:
        """Return the metric that a split is reported in: for a test, the task's first one that it was scored by."""
        if split in (VALIDATION, *self.study.more_validation):
            return self.task.validation[0]
        found = self._metrics.get(split, [])
        return next((metric for metric in self.task.tests if metric in found), self.task.tests[0])

    def beside(self, split: str) -> list[str]:
        """Return the additional metrics that a split was scored by."""
        return [metric for metric in self.task.beside if metric in self._metrics.get(split, [])]

    def name_of(self, split: str) -> str:
        """Return the label of a split's metric."""
        return metric_labels()[self.metric_of(split)]

    def measurements(
        self, system: str, fraction: str, split: str, metric: str | None = None, selection: str = ""
    ) -> list[Measurement]:
        """Return the scores of all seeds; default: the split's metric and the study's selection."""
        name, chosen = metric or self.metric_of(split), (selection or self.study.selection, NO_CHECKPOINT)
        keys = ((system, at, split, name, by) for at in ("", fraction) for by in chosen)
        return next((self._measurements[key] for key in keys if key in self._measurements), [])

    def score(
        self, system: str, fraction: str, split: str, selection: str = "", metric: str | None = None
    ) -> SeedMean | None:
        """Return mean and spread over the seeds with scores."""
        return seed_mean(self.measurements(system, fraction, split, metric, selection))

    def difference(
        self, system: str, baseline: str, fraction: str, split: str, metric: str | None = None
    ) -> SeedMean | None:
        """Return system minus baseline: paired by seed if they have seeds in common, else between the means."""
        if system == baseline:
            return None
        ours = {one.seed: one for one in self.measurements(system, fraction, split, metric)}
        theirs = {one.seed: one for one in self.measurements(baseline, fraction, split, metric)}
        if baseline in self.task.all_trivial and theirs:  # the same for every seed
            theirs = dict.fromkeys(ours, theirs[None])
        paired = [
            Measurement(one.value - theirs[seed].value, seed, one.sources + theirs[seed].sources)
            for seed, one in ours.items()
            if seed in theirs
        ]
        one, other = seed_mean(ours.values()), seed_mean(theirs.values())
        if paired or one is None or other is None:
            return seed_mean(paired)
        return seed_mean([Measurement(one.mean - other.mean, None, (*one.sources, *other.sources))])

    def signatures(self, metric: str) -> list[str]:
        """Return the signatures of a metric. Raises DataError if scores of one text were computed in different ways."""
        of_metric = self.scores[self.scores["metric"] == metric]
        found = of_metric.drop_duplicates(["split", "way"])
        if found["split"].duplicated().any():
            found = found[found["split"].duplicated(keep=False)]
            listed = "; ".join(found["signature"] + " in " + found["file"])
            raise DataError(f"{metric} was computed in different ways, so runs cannot be compared: {listed}. "
                            "Delete the older scores and score again")  # fmt: skip
        return list(of_metric["signature"].unique())


def load_results(study_dir: Path, workflow: Path | None = None) -> Results:
    """Read `study.json` in a study's folder, and its paper's data in `papers/` and `published.tsv` of `workflow`."""
    study = read_reported(study_dir / STUDY_FILE)
    if workflow is None:
        return Results(study, study_dir)
    paper = in_paper(workflow / "papers" / f"{study.paper}.yaml", study.published_as)
    published = [one for one in load_published(workflow / "published.tsv") if one.study == study.published_as]
    ours = study.compared
    study = replace(study, reference=ours.get(study.reference, study.reference))
    corpus = corpus_title(study.corpus, workflow)
    return Results(study, study_dir, paper.said_of(ours), tuple(one.said_of(ours) for one in published), corpus)
