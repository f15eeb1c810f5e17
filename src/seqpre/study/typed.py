"""Strict reading of user input as typed settings: no unknown key, no wrong type, nothing ignored.

Types are dataclasses, `dict`, `tuple`, `Literal`, `X | None`, bool, int, float and str, and any of these with a rule
for its values (`dropout: Share = 0.2`). Keys of dataclasses may be nested or dotted (`init.decoder: random`). In a
union of dataclasses, the field `kind` selects one.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
import math
import re
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Literal

from seqpre.common.errors import ConfigError

KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}


@dataclass(frozen=True)
class Rule:
    """Which values of a type are accepted."""

    read: Callable[[Any, str, Any], Any]
    """Takes value, place and type; returns the typed value or raises ConfigError."""
    accepted: str
    """Ends the sentence "it must be ..."."""


def typed(hint: Any, value: Any, where: str, *, whole: bool = True) -> Any:
    """Return `value` as the type `hint`, or raise ConfigError. An empty YAML value is an empty mapping.

    Unless `whole`, a dataclass stays a mapping of the given fields and may be incomplete.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return arguments[1].read(value, where, arguments[0])
    if kinds := kinds_of(hint):
        given = _given(hint, value, where)
        return _of_kind(kinds[0](), given, hint, where) if whole else given
    if origin is UnionType:
        return None if value is None else typed(arguments[0], value, where, whole=whole)
    if origin is Literal:
        among(arguments, value, f"{where} is")
        return value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ConfigError(f"{where} must be a list, got {value!r}")
        return tuple(typed(arguments[0], item, where) for item in value)
    if origin is dict:
        return {
            typed(arguments[0], key, f"{where}: a name"): typed(arguments[1], entry, at(where, key), whole=whole)
            for key, entry in mapping(value, where).items()
        }
    if dataclasses.is_dataclass(hint):
        return _made(hint, _given(hint, value, where), where) if whole else _given(hint, value, where)
    if hint is float:
        value = _number(value)
    if type(value) is not hint:
        raise ConfigError(f"{where} must be {KINDS[hint]}, got {value!r}")
    return value


def overridden(settings: Any, changes: Mapping[str, Any] | None, where: str) -> Any:
    """Return `settings` with `changes` applied. Raises ConfigError for unknown fields and wrong values."""
    return _replaced(settings, _given(type(settings), changes, where), where)


def kinds_of(hint: Any) -> tuple[Any, ...]:
    """Return the dataclasses of a union that `kind` selects from; empty for other types."""
    arguments = typing.get_args(hint) if typing.get_origin(hint) is UnionType else ()
    return arguments if all(map(dataclasses.is_dataclass, arguments)) else ()


def at(where: str, key: object) -> str:
    """Return the place of a key in messages: `file: key`, `file: key.key`."""
    return f"{where}.{key}" if ": " in where else f"{where}: {key}"


def _given(cls: Any, value: Any, where: str) -> dict[str, Any]:
    """Return the given fields of a dataclass, {field: typed value}; those of other dataclasses are nested."""
    hints = _hints(cls)
    given: dict[str, Any] = {}
    for key, entry in mapping(value, where).items():
        name, _, rest = str(key).partition(".")
        hint = hints.get(name)
        if hint is None or (rest and not (dataclasses.is_dataclass(hint) or kinds_of(hint))):
            raise ConfigError(f"{where} has no key {key if hint else name!r}{nearest(name, hints)}")
        read = typed(hint, {rest: entry} if rest else entry, at(where, name), whole=False)
        if name in given and (twice := sorted(_leaves(given[name], name) & _leaves(read, name))):
            raise ConfigError(f"{at(where, twice[0])} is given twice; keep one")
        given[name] = laid_over(given[name], read) if name in given else read
    return given


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    """Return the types of a dataclass's fields; for a union, of the fields of all its dataclasses."""
    if not (kinds := kinds_of(cls)):
        hints = typing.get_type_hints(cls, include_extras=True)
        return {field.name: hints[field.name] for field in dataclasses.fields(cls)}
    merged: dict[str, Any] = {}
    for name, hint in (item for one in kinds for item in _hints(one).items()):
        known = merged.setdefault(name, hint)
        if name == "kind":
            merged[name] = Literal[tuple(one.kind for one in kinds)]
        elif known != hint and dataclasses.is_dataclass(hint):
            merged[name] = known | hint
    return merged


def _leaves(value: Any, name: str) -> set[str]:
    """Return the dotted names of all values."""
    if not isinstance(value, Mapping):
        return {name}
    return {leaf for key, entry in value.items() for leaf in _leaves(entry, f"{name}.{key}")}


def _made(cls: Any, given: Mapping[str, Any], where: str) -> Any:
    """Return a dataclass with the given fields; the others have their defaults."""
    needed = [
        field.name
        for field in dataclasses.fields(cls)
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    for name in needed:
        if name not in given:
            raise ConfigError(f"{where} lacks {name!r}")
    return _replaced(cls(**{name: given[name] for name in needed}), given, where)


def _replaced(settings: Any, given: Mapping[str, Any], where: str) -> Any:
    hints: dict[str, Any] = _hints(type(settings))  # type: ignore[arg-type]
    changes = {}
    for name, value in given.items():
        if name not in hints:
            kind = f" of the kind {settings.kind!r}" if "kind" in hints else ""
            raise ConfigError(f"{where}{kind} has no key {name!r}{nearest(name, hints)}")
        old = getattr(settings, name)
        if kinds_of(hints[name]):
            value = _of_kind(old, value, hints[name], at(where, name))
        elif dataclasses.is_dataclass(old):
            value = _replaced(old, value, at(where, name))
        changes[name] = value
    return dataclasses.replace(settings, **changes)


def _of_kind(old: Any, given: Mapping[str, Any], union: Any, where: str) -> Any:
    """Return `old` with the given fields, which may be of another kind; fields that both kinds inherit are kept."""
    kind = given.get("kind", old.kind)
    settings = as_kind(old, next(one for one in kinds_of(union) if one.kind == kind))
    return _replaced(settings, {key: value for key, value in given.items() if key != "kind"}, where)


def as_kind(settings: Any, cls: Any) -> Any:
    """Return settings as another kind: fields that both inherit are kept, all others have their defaults."""
    shared = {
        field.name: getattr(settings, field.name)
        for base in type(settings).__mro__
        if issubclass(cls, base) and dataclasses.is_dataclass(base)
        for field in dataclasses.fields(base)
    }
    return cls(**{name: value for name, value in shared.items() if name != "kind"})


def default_of(field: dataclasses.Field[Any]) -> Any:
    """Return the default of a dataclass's field; `MISSING` if it has none."""
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def differences(settings: Any, default: Any) -> dict[str, Any]:
    """Return the settings that differ from `default`, nested, ready for JSON; with `kind` if that differs."""
    if type(settings) is not type(default):
        return {"kind": settings.kind, **differences(settings, as_kind(default, type(settings)))}
    result: dict[str, Any] = {}
    for item in dataclasses.fields(settings):
        new, old = getattr(settings, item.name), getattr(default, item.name)
        if dataclasses.is_dataclass(new):
            if changed := differences(new, old):
                result[item.name] = changed
        elif new != old:
            result[item.name] = list(new) if isinstance(new, tuple) else new
    return result


def changed(before: Mapping[str, Any], after: Mapping[str, Any], path: str = "") -> list[str]:
    """Return how two nested mappings of non-default settings differ, one line each: `model.dropout default -> 0.3`."""
    found = []
    for key in dict.fromkeys((*before, *after)):
        old, new = before.get(key, {}), after.get(key, {})
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += changed(old, new, f"{path}{key}.")
        elif old != new:
            found.append(f"{path}{key} {_shown(old)} -> {_shown(new)}")
    return found


def _shown(value: Any) -> str:
    return "default" if value == {} else value if isinstance(value, str) else json.dumps(value)


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return two nested mappings merged; where both have an entry that is no mapping, `above` wins."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[key] = laid_over(old, value) if both else value  # type: ignore[arg-type]
    return merged


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint for an unknown name: the closest known one, or all of them."""
    known = [str(k) for k in known]
    close = closest(name, known)
    return f"; did you mean {close!r}?" if close else f"; known are {', '.join(known) or 'none'}"


def among(known: Iterable[str], value: object, what: str, more: str = "") -> None:
    """Raise ConfigError, beginning with `what` and naming the closest known value, for an unknown value."""
    known = list(dict.fromkeys(known))
    if value not in known:
        raise ConfigError(f"{what} {value!r}{nearest(str(value), known)}{more}")


def closest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is closest to an unknown one; empty if none is close."""
    return next(iter(difflib.get_close_matches(str(name), list(known), n=1)), "")


def _number(value: Any) -> Any:
    """Return a finite float if `value` reads as one (YAML reads `5e-5` as a string)."""
    if isinstance(value, bool):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return value
    return number if math.isfinite(number) else str(value)


def mapping(value: Any, where: str) -> Mapping[str, Any]:
    """Return `value`, which must be a mapping or empty."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} must be a mapping, got {value!r}")
    return value


def check_keys(value: Any, known: Iterable[str], where: str) -> None:
    """Raise ConfigError for an unknown key."""
    known = list(known)
    for key in mapping(value, where):
        if key not in known:
            raise ConfigError(f"{where} has no key {key!r}{nearest(key, known)}")


def require_keys(declared: Any, keys: Sequence[str], where: str) -> None:
    """Raise ConfigError unless `declared`, read from `where`, has all of `keys`, none of them null."""
    found = declared if isinstance(declared, Mapping) else {}
    missing = next((key for key in keys if found.get(key) is None), None)
    if missing:
        raise ConfigError(f"{where} lacks {missing!r}; such a file, as the workflow writes it, has {', '.join(keys)}")


def require(condition: object, where: str, name: str, value: Any, accepted: str) -> None:
    """Raise ConfigError unless the condition holds."""
    if not condition:
        raise ConfigError(f"{where}: {name} is {value!r}; it must be {accepted}")


def only(possible: Callable[[Any], object], accepted: str) -> Rule:
    """Return the rule that `possible` must be true of a value."""

    def read(value: Any, where: str, kind: Any) -> Any:
        value = typed(kind, value, where)
        if not possible(value):
            raise ConfigError(f"{where} is {value!r}; it must be {accepted}")
        return value

    return Rule(read, accepted)


def at_least(least: float, zero: str = "") -> Rule:
    """Return the rule that a number must be at least `least`; `zero` says what 0 means, if it is special."""
    return only(lambda value: value >= least, f"0 ({zero}) or more" if zero else f"at least {least}")


def several(values: Any) -> bool:
    """Return whether there are values, and no duplicates."""
    return len(values) == len(set(values)) > 0


Count = Annotated[int, at_least(1)]
CountOrOff = Annotated[int, at_least(0, "off")]
Limit = Annotated[int, at_least(0, "all")]
Seed = Annotated[int, only(lambda value: 0 <= value < 2**31, "a whole number from 0 to 2147483647")]
Positive = Annotated[float, only(lambda value: value > 0, "above 0")]
Weight = Annotated[float, at_least(0, "off")]
Share = Annotated[float, only(lambda value: 0 <= value < 1, "in [0, 1)")]
Seeds = Annotated[tuple[Seed, ...], only(several, "one or more, each once")]
Name = Annotated[
    str,
    only(re.compile(r"\w[\w.+-]*").fullmatch, "of letters, digits, _, -, + and ., the first a letter, a digit or _"),
]
"""The name of a folder; `..` is not allowed."""
Word = Annotated[str, only(re.compile(r"\w+").fullmatch, "of letters, digits and _")]
Side = Annotated[str, only(re.compile(r"[a-z]+").fullmatch, "of a-z only")]
