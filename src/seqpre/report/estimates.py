"""Numbers that know where they came from, and their mean and spread over seeds."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Source(NamedTuple):
    """The file a number was read from, the run it belongs to, and the hash of that run's settings."""

    path: str
    run: str
    seed: str
    settings_sha256: str


@dataclass(frozen=True)
class Measurement:
    """One number of one run: bootstrap interval, and p-value against the system `against`, where they were computed."""

    value: float
    seed: int | None
    sources: tuple[Source, ...]
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    against: str = ""


@dataclass(frozen=True)
class Estimate:
    """Mean over seeds; sample standard deviation (None for one seed); interval bounds averaged over seeds."""

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

    @property
    def p_values(self) -> list[float]:
        """P-values of the seeds that were tested."""
        return [one.p_value for one in self.measurements if one.p_value is not None]


def estimate(measurements: Iterable[Measurement | None]) -> Estimate | None:
    """Combine the seeds that have a number; None if no seed has."""
    present = tuple(one for one in measurements if one is not None)
    if not present:
        return None
    values = [one.value for one in present]
    lows = [one.low for one in present if one.low is not None]
    highs = [one.high for one in present if one.high is not None]
    return Estimate(
        mean=statistics.fmean(values),
        sd=statistics.stdev(values) if len(values) > 1 else None,
        low=statistics.fmean(lows) if lows else None,
        high=statistics.fmean(highs) if highs else None,
        measurements=present,
    )
