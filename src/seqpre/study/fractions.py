"""How much of a corpus is read: a share of it (`2.5pct`, `100pct`) or a count of its items (`2500`, `160k`).

Both take a prefix of the same order, so a larger fraction contains every smaller one, whichever way each is written.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import Annotated, Any

from seqpre.common.errors import ConfigError
from seqpre.study.typed import Rule

ALL = "100pct"
ACCEPTED = "a percentage above 0 and up to 100, like 2.5pct, or a count, like 2500 or 160k"


def fraction_of(value: Any, where: str = "fraction") -> str:
    """Return a fraction as file names write it, or raise ConfigError. YAML reads `2500` as a number."""
    text = str(value) if type(value) is int else value
    if not isinstance(text, str) or _parsed(text) is None:
        raise ConfigError(f"{where} is {value!r}; it must be {ACCEPTED}")
    return text


Amount = Annotated[str, Rule(lambda value, where, kind: fraction_of(value, where), ACCEPTED)]
"""A fraction in a study file."""


def count_of(fraction: str, of: int, where: str = "fraction") -> int:
    """Return how many of `of` items a fraction takes. Raises ConfigError for a count larger than `of`."""
    number, is_share = _parts(fraction, where)
    if not is_share and number > of:
        raise ConfigError(f"{where} is {fraction}, of {of:,} that there are; take fewer, or {ALL} for all of them")
    count = int(of * number) if is_share else int(number)
    if count < 1:
        raise ConfigError(f"{where} is {fraction}, which of {of:,} is none; take more")
    return count


def is_count(fraction: str) -> bool:
    """Return whether a fraction is a count, like `160k`, and not a share, like `20pct`."""
    return not _parts(fraction)[1]


def by_size(fraction: str) -> tuple[bool, Fraction]:
    """Return a sort key that orders fractions from small to large, counts before shares."""
    number, is_share = _parts(fraction)
    return is_share, number


def in_words(fraction: str) -> str:
    """Return a fraction as tables write it: `2.5 %`, `160k`."""
    return f"{float(_parts(fraction)[0]) * 100:g} %" if not is_count(fraction) else fraction


def of_labelled(fraction: str) -> str:
    """Return a fraction of the pairs as sentences write it."""
    return f"{fraction} labelled pairs" if is_count(fraction) else f"{in_words(fraction)} of the labelled data"


def labelled_in_words(fraction: str) -> str:
    """Return the same for a fraction that may be all pairs."""
    return "all labelled data" if fraction == ALL else of_labelled(fraction)


def _parts(fraction: str, where: str = "fraction") -> tuple[Fraction, bool]:
    """Return the number, and whether it is a share."""
    parsed = _parsed(fraction_of(fraction, where))
    assert parsed
    return parsed


@cache
def _parsed(text: str) -> tuple[Fraction, bool] | None:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(pct)|(\d+(?:\.\d+)?k|\d+)", text)
    if match is None:
        return None
    if match[2]:
        share = Fraction(match[1]) / 100
        return (share, True) if 0 < share <= 1 else None
    count = Fraction(match[3].removesuffix("k")) * (1000 if match[3].endswith("k") else 1)
    return (count, False) if count >= 1 and count.denominator == 1 else None
