"""Numbers with their sources, and their mean and spread over seeds."""

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
    """One number of one run, with its bootstrap interval if one was computed."""

    value: float
    seed: int | None
    sources: tuple[Source, ...]
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class SeedMean:
    """Mean over seeds, sample standard deviation (None for one seed), and bounds of an interval, if known."""

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
        """Every file that the numbers come from."""
        return tuple(dict.fromkeys(source for one in self.measurements for source in one.sources))


class Comparison(NamedTuple):
    """A difference on the splits that verdicts are based on, tested with others of the same table."""

    difference: Estimate | None
    """None if it has not been run."""
    scores: tuple[Measurement, ...]
    """The scores it is computed from."""
    p_value: float
    """Two-sided, corrected for the number of `rows` (Holm)."""
    rows: int


def seed_mean(measurements: Iterable[Measurement | None]) -> SeedMean | None:
    """Return the mean over the seeds that have a number; None if no seed has one."""
    present = tuple(one for one in measurements if one is not None)
    if not present:
        return None
    values = [one.value for one in present]
    alone = len(values) == 1
    return SeedMean(
        mean=statistics.fmean(values),
        sd=None if alone else statistics.stdev(values),
        # A mean over seeds has no interval of a single run.
        low=present[0].low if alone else None,
        high=present[0].high if alone else None,
        measurements=present,
    )


def mean_of(estimates: Iterable[SeedMean | None]) -> SeedMean | None:
    """Return the mean over texts, on the seeds that all texts have; None if a text has no score or none are shared."""
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
