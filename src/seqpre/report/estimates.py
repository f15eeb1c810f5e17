"""Numbers that know where they came from, and their mean and spread over seeds."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from seqpre.metrics.inference import Estimate


class Source(NamedTuple):
    """The file a number was read from, the run it belongs to, and the hash of that run's settings."""

    path: str
    run: str
    seed: str
    settings_sha256: str


class Measurement(NamedTuple):
    """One number of one run, with its bootstrap interval where that was computed."""

    value: float
    seed: int | None
    sources: tuple[Source, ...]
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class SeedMean:
    """Mean over seeds; sample standard deviation (None for one seed); bounds of an interval, where there are some."""

    mean: float
    sd: float | None
    low: float | None
    high: float | None
    measurements: tuple[Measurement, ...]

    @property
    def n(self) -> int:
        """Number of seeds."""
        return len(self.measurements)

    @property
    def sources(self) -> tuple[Source, ...]:
        """Every file that contributed."""
        return tuple(dict.fromkeys(source for one in self.measurements for source in one.sources))


class Comparison(NamedTuple):
    """A difference on the splits that verdicts are reached on, as one of several in a table."""

    difference: Estimate | None
    """None where it has not been run."""
    scores: tuple[Measurement, ...]
    """Those that it is made of."""
    p_value: float
    """Two-sided, corrected for the number of `rows` (Holm)."""
    rows: int


def seed_mean(measurements: Iterable[Measurement | None]) -> SeedMean | None:
    """Combine the seeds that have a number; None if no seed has."""
    present = tuple(one for one in measurements if one is not None)
    if not present:
        return None
    values = [one.value for one in present]
    alone = len(values) == 1
    return SeedMean(
        mean=statistics.fmean(values),
        sd=None if alone else statistics.stdev(values),
        # The interval of one run is none of a mean of several.
        low=present[0].low if alone else None,
        high=present[0].high if alone else None,
        measurements=present,
    )


def mean_of(estimates: Iterable[SeedMean | None]) -> SeedMean | None:
    """Return the mean over several texts, of the seeds that all have; None if one text has none, or they share none."""
    several = list(estimates)
    present = [one for one in several if one is not None]
    if len(present) < len(several):
        return None
    if len(present) == 1:
        return present[0]
    by_seed = [{one.seed: one for one in each.measurements} for each in present]
    return seed_mean(
        Measurement(
            statistics.fmean(of[seed].value for of in by_seed),
            seed,
            tuple(source for of in by_seed for source in of[seed].sources),
        )
        for seed in by_seed[0]
        if all(seed in of for of in by_seed)
    )
