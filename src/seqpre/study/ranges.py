"""Types of settings that say which values are possible, as `overrides.typed` reads them: `dropout: Share = 0.2`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from seqpre.common.errors import ConfigError
from seqpre.study.overrides import Rule, typed


def only(possible: Callable[[Any], object], accepted: str) -> Rule:
    """Return a rule for what must be `possible`; `accepted` says so after "it must be"."""

    def read(value: Any, where: str, kind: Any) -> Any:
        value = typed(kind, value, where)
        if not possible(value):
            raise ConfigError(f"{where} is {value!r}; it must be {accepted}")
        return value

    return read


def at_least(least: float, zero: str = "") -> Rule:
    """Return a rule for numbers from `least` on; `zero` is what 0 means, where that is something else than a number."""
    return only(lambda value: value >= least, f"0 ({zero}) or more" if zero else f"at least {least}")


def several(values: Any) -> bool:
    """Tell whether there are values, and none twice."""
    return len(values) == len(set(values)) > 0


Count = Annotated[int, at_least(1)]
CountOrOff = Annotated[int, at_least(0, "off")]
Limit = Annotated[int, at_least(0, "all")]
Seed = Annotated[int, only(lambda value: value >= 0, "a whole number from 0")]
Positive = Annotated[float, only(lambda value: value > 0, "above 0")]
Weight = Annotated[float, at_least(0, "off")]
Share = Annotated[float, only(lambda value: 0 <= value < 1, "in [0, 1)")]
Seeds = Annotated[tuple[Seed, ...], only(several, "one or more, each once")]
Name = Annotated[
    str,
    only(re.compile(r"\w[\w.+-]*").fullmatch, "of letters, digits, _, -, + and ., the first a letter, a digit or _"),
]
"""The name of a folder of its own, which `..` is not."""
Word = Annotated[str, only(re.compile(r"\w+").fullmatch, "of letters, digits and _")]
Side = Annotated[str, only(re.compile(r"[a-z]+").fullmatch, "of a-z only")]
