"""The two sources of numbers that claims are tested on: the papers and our runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from seqpre.metrics.inference import Estimate
from seqpre.report.contrasts import Terms, behind, contrast, contrast_of_validations
from seqpre.report.curves import update_marks, value_at
from seqpre.report.estimates import Measurement
from seqpre.report.human_counts import HumanStudy, published_human_study
from seqpre.report.outcome import Outcome
from seqpre.report.published import DIFFERENCE, PublishedNumber
from seqpre.report.results import Results, SystemAt
from seqpre.study.claims import ABLATIONS, Contrast
from seqpre.study.tasks import VALIDATION, Task

EARLY = 1 / 6
"""Share of all updates at which a perplexity is early: five of the 30 passes in PoDA's Figure 4."""


@dataclass(frozen=True)
class PublishedNumbers:
    """Published scores of one study."""

    rows: Sequence[PublishedNumber]
    task: Task
    reference: str

    def values(self, part: Contrast) -> dict[str, float | None]:
        """Return the printed difference, by test if every test counts; None if a score is not printed."""
        part = part.at_sizes([row.fraction for row in self.rows if row.fraction])
        if part.tests and part.of == "tests":
            found = [self._value(part, split) for split in part.tests]
            known = [value for value in found if value is not None]
            return {"": sum(known) / len(known) if len(known) == len(found) else None}
        if part.of in ("early", "early perplexity"):
            return {"": None}
        if part.of == "each test":
            return {split: self._value(part, split) for split in part.among(self.tests)}
        return {"": self._value(part, VALIDATION)}

    @property
    def tests(self) -> list[str]:
        """Test splits for which the reference system's score is printed."""
        rows = (row for row in self.rows if row.system == self.reference and row.metric in self.task.tests)
        return list(dict.fromkeys(row.split for row in rows))

    def other(self, group: Sequence[str], split: str) -> float | None:
        """Return the score of another group's system, as the paper cites it."""
        label, condition = group
        return self._first(label=label, condition=condition, split=split)

    def human_study(self) -> HumanStudy | None:
        """Return the printed counts of the paper's human study."""
        return published_human_study(self.rows) if any(row.metric == "count" for row in self.rows) else None

    def _value(self, part: Contrast, split: str) -> float | None:
        against = self.other(part.against, split) if part.against else 0.0
        terms = part.terms(ABLATIONS)
        found = [self._at(fraction, terms, split) for fraction in dict.fromkeys(at for _, at in terms)]
        known = [value for value in found if value is not None]
        return None if against is None or len(known) < len(found) else sum(known) - against

    def _at(self, fraction: str, terms: Terms, split: str) -> float | None:
        """Return the value of terms at one fraction: from printed scores, or from a printed difference."""
        weights = {system: weight for (system, at), weight in terms.items() if at == fraction}
        scores = {system: self._score(system, fraction, split) for system in weights}
        known = {system: value for system, value in scores.items() if value is not None}
        if len(known) == len(weights):
            return sum(weight * known[system] for system, weight in weights.items())
        for (system, one), (other, weight) in permutations(weights.items(), 2):
            metric = f"delta_{self._metric_of(split)}"
            stated = self._first(
                system=system, condition=f"{DIFFERENCE}{other}", fraction=fraction, split=split, metric=metric
            )
            if stated is not None and len(weights) == 2 and weight == -one:
                return one * stated
        return None

    def _score(self, system: str, fraction: str, split: str) -> float | None:
        """Return a printed score; for an ablation the printed difference to the reference, whose score cancels out."""
        if fraction != ABLATIONS:
            return self._first(system=system, fraction=fraction, split=split, metric=self._metric_of(split))
        if system == self.reference:
            return 0.0
        return self._first(system=system, metric=f"delta_{self.task.validation[0]}")

    def _metric_of(self, split: str) -> str:
        """Return the metric in which a split is printed: for a test, the task's first one that is."""
        if split == VALIDATION:
            return self.task.validation[0]
        printed = {row.metric for row in self.rows if row.split == split}
        return next((metric for metric in self.task.tests if metric in printed), self.task.tests[0])

    def _first(self, **wanted: str) -> float | None:
        """Return the first number whose row has these values."""
        rows = (row for row in self.rows if all(getattr(row, key) == value for key, value in wanted.items()))
        return next((row.value for row in rows), None)


@dataclass(frozen=True)
class Ours:
    """A difference of ours: the estimate that is judged, the one on validation, and the scores of both."""

    judged: Estimate
    validation: Estimate | None
    measurements: tuple[Measurement, ...]
    on_validation: tuple[Measurement, ...] = ()

    @property
    def seeds(self) -> int:
        """The number of seeds that it is a mean over."""
        return len({one.seed for one in self.measurements} - {None})


@dataclass(frozen=True)
class OurNumbers:
    """Our runs. Scores of other groups are comparable only at the paper's scale."""

    results: Results

    @property
    def published(self) -> PublishedNumbers:
        """The published numbers of the same study."""
        return PublishedNumbers(self.results.published, self.results.task, self.results.study.reference)

    def values(self, part: Contrast) -> dict[str, Ours | None]:
        """Return our difference, by test if every test counts; None if a run is missing, or two sizes are the same."""
        part, terms = self._of(part)
        if part.other_fraction and part.other_fraction == part.fraction:
            return {"": None}
        if part.of == "early":
            early = early_mark(self.results, terms)
            if early is None:
                return {"": None}
            return {f"after {early:,} updates": self._on_validations(terms, lambda _, run: score_after(run, early))}
        if part.of == "early perplexity":
            return {"perplexity": self._on_validations(terms, lambda cell, run: perplexity_beside(cell, run, terms))}
        tests = part.among(self.results.judged)
        if part.of == "each test":
            return {split: self._difference(part, terms, [split]) for split in tests}
        return {self.results.judged_name: self._difference(part, terms, tests)}

    def _of(self, part: Contrast) -> tuple[Contrast, Terms]:
        """Return a part at the study's sizes, and its terms."""
        part = part.at_sizes(list(dict.fromkeys(fraction for _, fraction in self.results.cells)))
        return part, part.terms(next(iter(self.results.ablation_fractions), ABLATIONS))

    def _difference(self, part: Contrast, terms: Terms, splits: Sequence[str]) -> Ours | None:
        judged = contrast(self.results, terms, splits, ensembles=True)
        if judged is None:
            return None
        if part.against:
            theirs = self.published.other(part.against, splits[0]) if self.results.same_scale else None
            if theirs is None:
                return None
            return Ours(replace(judged, value=judged.value - theirs), None, behind(self.results, terms, splits))
        validation = contrast(self.results, terms, [VALIDATION], ensembles=True)
        on_validation = behind(self.results, terms, [VALIDATION]) if validation else ()
        return Ours(judged, validation, behind(self.results, terms, splits), on_validation)

    def _on_validations(self, terms: Terms, value: Callable[[SystemAt, Outcome], float | None]) -> Ours | None:
        judged, measurements = contrast_of_validations(self.results, terms, value)
        return Ours(judged, None, measurements) if judged else None


def early_mark(results: Results, terms: Terms) -> int | None:
    """Return an update early in the trainings of some cells: the middle one of `update_marks`."""
    marks = update_marks([run.validations for run in results.runs if (run.system, run.fraction) in terms])
    return marks[len(marks) // 2] if len(marks) > 1 else None


def score_after(run: Outcome, updates: int) -> float | None:
    """Return a run's greedy validation score after `updates` updates."""
    return value_at(run.validations, updates, "score")


def perplexity_beside(cell: SystemAt, run: Outcome, terms: Terms) -> float | None:
    """Return an early validation perplexity for a cell added in `terms`, the lowest for one subtracted."""
    if cell not in terms or not run.validations:
        return None
    if terms[cell] < 0:
        return min(one.perplexity for one in run.validations)
    return value_at(run.validations, round(EARLY * run.validations[-1].step), "perplexity")
