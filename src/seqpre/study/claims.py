"""Claims: sentences of a paper as bounds on differences of scores.

Each claim is tested on the published numbers, which have no error, and on ours, which have one. On ours it holds, fails
or stays undecided.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Annotated, Any, Literal

from seqpre.common.errors import ConfigError
from seqpre.study.fractions import ACCEPTED, by_size, fraction_of
from seqpre.study.typed import Name, Rule, only

ABLATIONS = ""
"""Stands for the fraction at which a study has its ablations."""

# Printed numbers that are equal are not "more"; two decimal fractions that print alike may differ by less in binary.
MORE = 1e-6
EPSILON = 1e-9
MINUS = "\N{MINUS SIGN}"
BOUNDS = re.compile(r"(?P<sign>[<>≤≥]|within ±(?! ?-)) ?(?P<number>-?\d+(?:\.\d+)?)")


ENDS = ("smallest", "largest")
"""The smallest and the largest size that the paper, or a study, has."""


def _size(value: Any, where: str, kind: Any) -> str:
    if value in ENDS:
        return str(value)
    try:
        return fraction_of(value, where)
    except ConfigError as error:
        raise ConfigError(f"{error}; or {' or '.join(ENDS)}") from error


Size = Annotated[str, Rule(_size, f"{ACCEPTED}, or {' or '.join(ENDS)}")]


@dataclass(frozen=True)
class Contrast:
    """A difference of scores and the bounds that a claim gives it."""

    weights: Annotated[dict[Name, float], only(len, "one system or more, each with its weight")]
    """Weights of the systems' scores."""
    bounds: Annotated[str, only(BOUNDS.fullmatch, "like > 0, ≥ 2, < 0, ≤ -1 or within ±0.3")]
    name: str = ""
    """What tables call the difference, if the names of its systems do not say it."""
    fraction: Size = ABLATIONS
    other_fraction: Size = ""
    """Fraction at which the same difference is subtracted."""
    of: Literal["tests", "each test", "validation", "early", "early perplexity"] = "tests"
    """Which scores: the mean over tests (printed ablations may be on validation), every test by itself, validation as
    printed, validation early in training, or validation perplexity: after a sixth of the updates for systems that are
    added, the lowest for those that are subtracted."""
    tests: tuple[Name, ...] = ()
    """Tests that count; default: all, also in a study without these. The printed value is the mean over these."""
    against: Annotated[tuple[str, ...], only(lambda two: len(two) in (0, 2), "a system's label and its condition")] = ()
    """Another group's system and its condition, whose published score is subtracted."""

    @property
    def low(self) -> float:
        """The smallest number within the bounds."""
        sign, number = self._bounds()
        return {">": number + MORE, "≥": number, "within ±": -number}.get(sign, -inf)

    @property
    def high(self) -> float:
        """The largest number within the bounds."""
        sign, number = self._bounds()
        return {"<": number - MORE, "≤": number, "within ±": number}.get(sign, inf)

    @property
    def title(self) -> str:
        """The difference, in words."""
        signs = {1: [system for system, weight in self.weights.items() if weight > 0],
                 -1: [system for system, weight in self.weights.items() if weight < 0]}  # fmt: skip
        added = " + ".join(map(_words, signs[1]))
        return self.name or " ".join([added, *(f"{MINUS} {_words(system)}" for system in signs[-1])])

    @property
    def predicate(self) -> str:
        """The claim about the difference, in words."""
        sign, number = self._bounds()
        if sign == "within ±":
            return f"is within {number:g} of 0"
        words = {">": "more than", "≥": "at least", "<": "less than", "≤": "at most"}
        return f"is {words[sign]} {number:g}"

    def among(self, tests: Sequence[str]) -> list[str]:
        """Return those of the given tests that this part uses; all, if it names none of them."""
        return [test for test in tests if test in self.tests] or list(tests)

    def at_sizes(self, fractions: Sequence[str]) -> Contrast:
        """Return the same contrast with `smallest` and `largest` replaced by these sizes."""
        ordered = sorted(fractions, key=by_size)
        named = {end: ordered[-(end == "largest")] if ordered else ABLATIONS for end in ENDS}
        at, other = (named.get(size, size) for size in (self.fraction, self.other_fraction))
        return replace(self, fraction=at, other_fraction=other)

    def met(self, value: float) -> bool:
        """Return whether a number without error is within the bounds."""
        return self.low - EPSILON <= value <= self.high + EPSILON

    def told(self, value: float) -> str:
        """Return a number with the fewest decimals, 1 to 3, that do not move it onto or across a bound."""
        limits = [end for end in (self.low, self.high) if isfinite(end)]
        for decimals in (1, 2):
            rounded = round(value, decimals)
            moved = any(abs(rounded - end) < 2 * MORE <= abs(value - end) for end in limits)
            if not moved and self.met(rounded) == self.met(value):
                return f"{value:+.{decimals}f}"
        return f"{value:+.3f}"

    def terms(self, ablations: str) -> dict[tuple[str, str], float]:
        """Return the weights by system and fraction; `ablations` is the fraction of the study's ablations."""
        at = self.fraction or ablations
        weights = {(system, at): weight for system, weight in self.weights.items()}
        if self.other_fraction:
            weights |= {(system, self.other_fraction): -weight for system, weight in self.weights.items()}
        return weights

    def _bounds(self) -> tuple[str, float]:
        found = BOUNDS.fullmatch(self.bounds)
        assert found
        return found["sign"], float(found["number"])


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper. It holds if all its parts hold."""

    name: Name
    says: str
    parts: tuple[Contrast, ...] = ()
    by_people: bool = False
    """Whether it is about human ratings; it then has no parts."""


def _words(system: str) -> str:
    return system.replace("_", " ").replace("lstm", "LSTM").replace("lm", "LM")
