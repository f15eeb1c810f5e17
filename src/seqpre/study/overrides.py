"""Changing typed settings by name, strictly: nothing unknown, nothing of the wrong type, nothing silent."""

from __future__ import annotations

import dataclasses
import difflib
import typing
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from seqpre.common.errors import ConfigError


def overridden(settings: Any, changes: Mapping[str, Any], where: str) -> Any:
    """Return `settings` with `changes` applied; keys may be nested or dotted (`init.decoder: random`).

    Raises ConfigError for an unknown key (with the nearest valid one) or a value of the wrong type.
    """
    if not isinstance(changes, Mapping):
        raise ConfigError(f"{where} must be a mapping of settings, got {changes!r}")
    hints = typing.get_type_hints(type(settings), include_extras=True)
    for key, value in changes.items():
        name, _, rest = str(key).partition(".")
        if name not in hints:
            raise ConfigError(f"{where}: {type(settings).__name__} has no setting {name!r}{nearest(name, hints)}")
        old = getattr(settings, name)
        if dataclasses.is_dataclass(old):
            new = overridden(old, {rest: value} if rest else value, f"{where}.{name}")
        elif rest:
            raise ConfigError(f"{where}: {name} has no settings below it, got {key!r}")
        else:
            new = typed(hints[name], value, f"{where}.{name}")
        settings = dataclasses.replace(settings, **{name: new})
    return settings


def differences(settings: Any, default: Any) -> dict[str, Any]:
    """Return the nested settings that differ from `default`, ready for JSON."""
    result: dict[str, Any] = {}
    for item in dataclasses.fields(settings):
        new, old = getattr(settings, item.name), getattr(default, item.name)
        if dataclasses.is_dataclass(new):
            if changed := differences(new, old):
                result[item.name] = changed
        elif new != old:
            result[item.name] = list(new) if isinstance(new, tuple) else new
    return result


def laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested mappings merged; where both have an entry that is no mapping, `above` counts."""
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[key] = laid_over(old, value) if both else value  # type: ignore[arg-type]
    return merged


def nearest(name: str, known: Iterable[str]) -> str:
    """Return how to go on after an unknown name: the closest known one, or all of them."""
    known = [str(k) for k in known]
    close = difflib.get_close_matches(str(name), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known) or 'none'}"


def typed(hint: Any, value: Any, where: str) -> Any:
    """Return `value` as the type `hint`, or raise ConfigError; an annotated type is read by its function."""
    origin = typing.get_origin(hint)
    if origin is Annotated:
        return typing.get_args(hint)[1](value, where)
    if origin is Literal:
        options = typing.get_args(hint)
        if value not in options:
            raise ConfigError(f"{where} is {value!r}{nearest(value, options)}")
        return value
    if origin is tuple:
        if isinstance(value, str) or not isinstance(value, (list, tuple)):
            raise ConfigError(f"{where} must be a list, got {value!r}")
        return tuple(typed(typing.get_args(hint)[0], item, where) for item in value)
    if hint is Any:
        return value
    if hint is bool or isinstance(value, bool):
        valid = hint is bool and isinstance(value, bool)
    elif hint is float:
        value = _number(value)
        valid = isinstance(value, float)
    else:
        assert isinstance(hint, type)
        valid = isinstance(value, hint)
    if not valid:
        raise ConfigError(f"{where} must be {hint.__name__}, got {value!r}")
    return value


def _number(value: Any) -> Any:
    """Return a float where `value` reads as one (YAML takes `5e-5` for a string)."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


def mapping(value: Any, where: str) -> Mapping[str, Any]:
    """Return `value`, which must be a mapping."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} must be a mapping, got {value!r}")
    return value


def check_keys(value: Any, known: Iterable[str], where: str) -> None:
    """Raise ConfigError for a key that is not among the known ones."""
    known = list(known)
    for key in mapping(value, where):
        if key not in known:
            raise ConfigError(f"{where} has no key {key!r}{nearest(key, known)}")


def require(condition: bool, where: str, name: str, value: Any, accepted: str) -> None:
    """Raise ConfigError unless the condition holds."""
    if not condition:
        raise ConfigError(f"{where}: {name} is {value!r}; it must be {accepted}")
