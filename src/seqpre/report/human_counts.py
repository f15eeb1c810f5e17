"""Human judgements of two systems' outputs, printed and ours: which was rated higher, and which repeats.

`seqpre.human_study` collects ours and writes the tables that are read here.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from seqpre.common.errors import ConfigError
from seqpre.common.files import read_lines
from seqpre.metrics.paired_counts import mcnemar_chi2, sign_test
from seqpre.report.published import PublishedNumber

PUBLISHED = "published: without and with pretraining"
EVERYBODY = "all raters"
AUTOMATIC = ("automatic, documents of the page", "automatic, all documents")
"""Rows of the tables: the paper's counts, all raters together, and the automatic measure of repetition."""


class Preference(NamedTuple):
    """Number of documents by whose output was rated higher: the cells of Table 4."""

    baseline_higher: int
    equal: int
    system_higher: int

    @property
    def documents(self) -> int:
        """Number of documents."""
        return sum(self)

    @property
    def sign_p(self) -> float:
        """Sign test; ties are left out."""
        # Unstated: what the sign test does with equal scores. Left out; halved, the paper's p would be above 0.0001.
        return sign_test(self.baseline_higher, self.system_higher)


class Repetition(NamedTuple):
    """Number of documents by whose output repeats: the cells of Table 5."""

    neither: int
    baseline_only: int
    system_only: int
    both: int

    @property
    def documents(self) -> int:
        """Number of documents."""
        return sum(self)

    @property
    def system(self) -> int:
        """Documents in which the system's output repeats."""
        return self.system_only + self.both

    @property
    def baseline(self) -> int:
        """Documents in which the baseline's output repeats."""
        return self.baseline_only + self.both

    @property
    def exact_p(self) -> float:
        """McNemar's test, exact."""
        return sign_test(self.baseline_only, self.system_only)

    @property
    def chi2_p(self) -> float:
        """McNemar's test, chi-squared with continuity correction."""
        return mcnemar_chi2(self.baseline_only, self.system_only)


class HumanStudy(NamedTuple):
    """Human judgements of two systems' outputs."""

    scores: Preference
    repetition: Repetition


def count_preference(scores: Iterable[tuple[float, float]]) -> Preference:
    """Count pairs of scores (system, baseline)."""
    signs = Counter((system > baseline) - (system < baseline) for system, baseline in scores)
    return Preference(baseline_higher=signs[-1], equal=signs[0], system_higher=signs[1])


def count_repetition(marks: Iterable[tuple[bool, bool]]) -> Repetition:
    """Count pairs of marks (the system's output repeats, the baseline's does)."""
    pairs = Counter(marks)
    return Repetition(pairs[False, False], pairs[False, True], pairs[True, False], pairs[True, True])


def published_human_study(published: Sequence[PublishedNumber], study: str = "") -> HumanStudy:
    """Return a paper's counts of preference and repetition, those of `study` if several have some.

    Raises ConfigError if `study` has none, or if it is empty and not exactly one study has some.
    """
    rows = [row for row in published if row.metric == "count"]
    studies = list(dict.fromkeys(row.study for row in rows))
    if study not in studies and (study or len(studies) != 1):
        known = ", ".join(studies) or "none"
        raise ConfigError(f"--study is {study!r}; name one of those whose counts of people are published: {known}")
    counts = {row.label: int(row.value) for row in rows if row.study == (study or studies[0])}
    return HumanStudy(
        Preference(baseline_higher=counts["NP>P"], equal=counts["NP=P"], system_higher=counts["NP<P"]),
        Repetition(
            neither=counts["P no-rep & NP no-rep"], baseline_only=counts["P no-rep & NP rep"],
            system_only=counts["P rep & NP no-rep"], both=counts["P rep & NP rep"],
        ),
    )  # fmt: skip


def read_human_study(folder: Path) -> HumanStudy | None:
    """Read the joint judgement of all raters (or of the only one) from tables in `folder`; None without ratings."""
    scores, repetition = (_row_of_people(folder / f"table_{number}.csv") for number in (4, 5))
    if not scores or not repetition:
        return None
    return HumanStudy(
        Preference(*(int(scores[cell]) for cell in Preference._fields)),
        Repetition(*(int(repetition[cell]) for cell in Repetition._fields)),
    )


def _row_of_people(file: Path) -> Mapping[str, str]:
    rows = csv.DictReader(read_lines(file)) if file.exists() else []
    people = {row["raters"]: row for row in rows if row["raters"] not in (PUBLISHED, *AUTOMATIC)}
    return people.get(EVERYBODY) or next(iter(people.values()), {})
