"""The two places where a claim looks for its numbers: the papers and our runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from seqpre.human_study.counts import HumanStudy
from seqpre.human_study.tables import published_preference, published_repetition
from seqpre.report.published import PublishedNumber
from seqpre.report.results import FULL, Results
from seqpre.report.tasks import TRANSLATION, VALIDATION, Task


@dataclass(frozen=True)
class PublishedNumbers:
    """Published scores of one study."""

    rows: Sequence[PublishedNumber]
    task: Task = TRANSLATION

    @property
    def tests(self) -> list[str]:
        """Test splits for which the full system's score is printed."""
        rows = (row for row in self.rows if row.system == FULL and row.metric in self.task.tests)
        return list(dict.fromkeys(row.split for row in rows))

    def score(self, system: str, fraction: str, split: str) -> float | None:
        """Return the printed score of one of the paper's own systems."""
        wanted = (system, fraction, split, self.task.metric_of(split))
        return self._first(lambda row: (row.system, row.fraction, row.split, row.metric) == wanted)

    def other(self, label: str, condition: str, split: str) -> float | None:
        """Return the score of another group's system, as the paper cites it."""
        return self._first(lambda row: (row.label, row.condition, row.split) == (label, condition, split))

    def gain(self, system: str, baseline: str, fraction: str, split: str) -> float | None:
        """Return the difference of two printed scores."""
        one, other = self.score(system, fraction, split), self.score(baseline, fraction, split)
        return None if one is None or other is None else one - other

    def delta(self, system: str) -> float | None:
        """Return an ablation's printed difference to the full system."""
        return self._first(lambda row: row.system == system and row.metric == f"delta_{self.task.validation[0]}")

    def human_study(self) -> HumanStudy | None:
        """Return the printed counts of the paper's human study."""
        if not any(row.metric == "count" for row in self.rows):
            return None
        return HumanStudy(published_preference(self.rows), published_repetition(self.rows))

    def _first(self, matches: Callable[[PublishedNumber], bool]) -> float | None:
        return next((row.value for row in self.rows if matches(row)), None)


@dataclass(frozen=True)
class OurNumbers:
    """Means over our seeds. Scores of other groups are within reach only at the paper's scale."""

    results: Results
    published: PublishedNumbers

    def of_seed(self, seed: int) -> OurNumbers:
        """Return the same numbers from one seed alone; people were asked once."""
        runs = tuple(run for run in self.results.runs if run.seed == seed)
        return OurNumbers(replace(self.results, runs=runs, human_study=None), self.published)

    @property
    def tests(self) -> list[str]:
        """Test splits of our study."""
        return self.results.tests

    def score(self, system: str, fraction: str, split: str) -> float | None:
        """Return the mean score over seeds."""
        ours = self.results.score(system, fraction, split)
        return None if ours is None else ours.mean

    def other(self, label: str, condition: str, split: str) -> float | None:
        """Return a published score to compare with, at the paper's scale only."""
        return self.published.other(label, condition, split) if self.results.same_scale else None

    def gain(self, system: str, baseline: str, fraction: str, split: str) -> float | None:
        """Return the mean difference over seeds."""
        ours = self.results.difference(system, baseline, fraction, split)
        return None if ours is None else ours.mean

    def delta(self, system: str) -> float | None:
        """Return the mean validation difference to the full system at the fraction of the ablations."""
        fractions = self.results.ablation_fractions
        return self.gain(system, FULL, fractions[0], VALIDATION) if fractions else None

    def human_study(self) -> HumanStudy | None:
        """Return what our raters said."""
        return self.results.human_study


def our_numbers(results: Results, published: Sequence[PublishedNumber]) -> OurNumbers:
    """Return our numbers, with those published of the same study beside them."""
    rows = [number for number in published if number.study == results.published_as]
    return OurNumbers(results, PublishedNumbers(rows, results.task))
