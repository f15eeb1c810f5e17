"""The message for an unknown target: which study or scale to select, or the nearest name."""

from __future__ import annotations

import os
from collections.abc import Iterable

from seqpre.common.errors import ConfigError
from seqpre.study.typed import closest


def files_by_name(targets: Iterable[tuple[str, str, list[str]]]) -> dict[str, list[str]]:
    """Return the files of targets by name, given as (name, what it stands for, files).

    Raises ConfigError if a name stands for two targets.
    """
    meant: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for name, what, files in targets:
        if name in meant:
            raise ConfigError(f"the target {name!r} is both {meant[name]} and {what}; give one of them another name")
        meant[name], by_name[name] = what, files
    return by_name


def no_such_target(
    target: str, known: Iterable[str], empty: Iterable[str], unselected: Iterable[str], folder: str
) -> str:
    """Return a one-line message about a name or file that no rule makes.

    `known` are the names and files that can be made, `empty` the names without any file, `unselected` the studies that
    are not selected; `folder` has the results at the configured scale.
    """
    what = f"there is no target {target!r}"
    if target in empty:
        return f"{what}: no selected study has such a page, which compares systems with the same pairs and seed"
    unselected = sorted(unselected, key=len, reverse=True)
    results, scale = os.path.split(folder)
    first, *rest = target.split("/")
    if target.startswith(f"{results}/"):
        first, *rest = os.path.relpath(target, results).split("/")
        if rest and first not in (scale, "downloads"):
            return f"{what}; it is of the scale {first!r}, and the configured one is {scale!r}: --config scale={first}"
        first = rest[0] if rest else first
    for study in unselected:
        if first == study or first.startswith(f"{study}_"):
            return f"{what}; the study {study!r} is not selected: --config 'studies=[{study}]'"
    close = closest(target, [*known, *unselected])
    if close in unselected:
        return f"{what}; did you mean {close!r}? That study is not selected: --config 'studies=[{close}]'"
    return f"{what}; did you mean {close!r}?" if close else f"{what}; snakemake list_targets names all"
