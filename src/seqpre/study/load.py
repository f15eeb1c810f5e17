"""From a study file to a study at one scale. Everything about it is checked here, while the workflow loads.

An unknown key, a value of the wrong type or out of its range, an LM nobody declared or a metric the task does not have
is a ConfigError that names file, key, value and what is accepted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError
from seqpre.study.consistency import check_study
from seqpre.study.overrides import at, check_keys, laid_over, nearest, overridden, require, typed
from seqpre.study.ranges import Seeds
from seqpre.study.settings import FirstLayer, LMDeclaration, LMSettings, RunSettings
from seqpre.study.study import EnsembleDeclaration, FilterSettings, GridSection, Study, Tuning
from seqpre.study.study_file import read_study_file
from seqpre.study.tasks import TASKS

REQUIRED = ("paper", "task", "source", "target", "systems", "scales")


def load_study(
    path: Path | str, scale: str, seeds: Iterable[int] | None = None, project: Path | str | None = None
) -> Study:
    """Read a study file, resolve it at `scale` and check every run it declares.

    `project` is the folder of the studies that one of another folder may extend by name. An ensemble that needs more
    runs than `seeds` give is left out; without `seeds`, those of the study, it is a mistake.
    """
    path = Path(path)
    where = path.name
    text, published_as = read_study_file(path, Path(project) if project else path.parent)
    said = _at_scale(text, scale, where)

    base = overridden(RunSettings(), said.get("base"), f"{where}: base")
    if said.get("seeds_draw") == "all":
        base = overridden(base, {"train.subset": "own"}, where)
    lms = typed(dict[str, LMDeclaration], said.get("lms"), f"{where}: lms")
    systems = {}
    for name, change in said["systems"].items():
        systems[name] = overridden(base, change, f"{where}: systems.{name}")
        systems[name].check(f"{where}: systems.{name}", lms)
    grid = typed(dict[str, GridSection], said.get("grid"), f"{where}: grid")
    ensembles = typed(dict[str, EnsembleDeclaration], said.get("ensembles"), f"{where}: ensembles")
    tuning = typed(Tuning, said["tuning"], f"{where}: tuning") if said.get("tuning") is not None else None
    chosen = typed(Seeds, list(seeds or said.get("seeds", [1])), "seeds")
    study = Study(
        name=path.stem,
        published_as=published_as,
        scale=scale,
        paper=said["paper"],
        task=said["task"],
        source=said["source"],
        target=said["target"],
        corpora=said["corpora"],
        tests=said["tests"],
        vocab_size=said["vocab_size"],
        filter=overridden(FilterSettings(), said.get("filter"), f"{where}: filter"),
        lms=lms,
        lm_settings=_lm_settings(said.get("lm_settings"), base, where),
        base=base,
        systems=systems,
        labels={},
        grid=grid,
        ensembles=ensembles,
        seeds=chosen,
        seeds_draw=said.get("seeds_draw", "training"),
        selection=said.get("selection", "perplexity"),
        reference=said.get("reference", "full"),
        tables=tuple(said.get("tables", TASKS[said["task"]].tables)),
        figures=tuple(said.get("figures", TASKS[said["task"]].figures)),
        tuning=tuning,
        tuned=_tuned(tuning, said["systems"], grid) if tuning else {},
        left_out={name: e for name, e in ensembles.items() if seeds and e.available(chosen) < e.keep},
    )
    check_study(study, where)
    labels = said.get("labels", {})
    check_keys(labels, (*systems, *ensembles), f"{where}: labels")
    return dataclasses.replace(
        study,
        labels={name: _label(labels, study.corpora, name, where) for name in (*systems, *ensembles)},
        ensembles={name: e for name, e in ensembles.items() if name not in study.left_out},
    )


def _at_scale(text: Mapping[str, Any], scale: str, where: str) -> dict[str, Any]:
    """Return what a study says, with what one of its scales says laid over it."""
    for key in REQUIRED:
        if not text.get(key):
            raise ConfigError(f"{where} lacks {key!r}; a study has it, or extends one that does")
    scales = text["scales"]
    if scale not in scales:
        raise ConfigError(f"scale: {where} has no scale {scale!r}{nearest(scale, scales)}")
    small, within = scales[scale] or {}, f"{where}: scales.{scale}"
    for key in ("corpora", "tests", "vocab_size"):
        if key not in small:
            complete = ", ".join(name for name, content in scales.items() if content)
            raise ConfigError(f"{within} lacks {key!r}; the study has: {complete}")
    for key in ("lms", "systems", "grid", "ensembles"):
        check_keys(small.get(key), text.get(key, {}), at(within, key))
    return laid_over({key: value for key, value in text.items() if key != "scales"}, small)


def _lm_settings(said: Mapping[str, Any] | None, base: RunSettings, where: str) -> LMSettings:
    """Return the settings of all LMs; what they share with the runs that start from them, `base` says."""
    settings: LMSettings = overridden(LMSettings(), said, f"{where}: lm_settings")
    settings.optimizer.check(f"{where}: lm_settings")
    shape, subset = settings.first_layer, settings.train.subset
    require(shape in (FirstLayer(), base.first_layer), where, "lm_settings.first_layer", shape, "that of base")
    require(subset in ("shared", base.train.subset), where, "lm_settings.train.subset", subset, "that of base")
    train = dataclasses.replace(settings.train, subset=base.train.subset)
    return dataclasses.replace(settings, first_layer=base.first_layer, train=train)


def _tuned(tuning: Tuning, systems: Mapping[str, Any], grid: Mapping[str, GridSection]) -> dict[str, str]:
    """Return the systems of the grid that are tuned, and whose choice each takes: not those whose line chooses."""
    chosen = [key.split(".") for key in tuning.grid]
    in_grid = dict.fromkeys(system for section in grid.values() for system in section.systems)
    free = [name for name in in_grid if name in systems and not any(_has(systems[name], keys) for keys in chosen)]
    return {name: tuning.same_as.get(name, name) for name in free}


def _has(settings: Any, keys: list[str]) -> bool:
    """Tell whether nested settings say anything of a key."""
    for key in keys:
        if not isinstance(settings, Mapping) or key not in settings:
            return False
        settings = settings[key]
    return True


def _label(labels: Mapping[str, Any], corpora: Mapping[str, str], name: str, where: str) -> str:
    """Return what tables and figures call a system; `{other_domain}` stands for the corpus of that role."""
    label = str(labels.get(name, name.replace("_", " ")))
    try:
        return label.format(**corpora)
    except (LookupError, ValueError, AttributeError) as error:
        roles = ", ".join(f"{{{role}}}" for role in corpora)
        raise ConfigError(f"{where}: labels.{name} is {label!r}; in braces it can have {roles}") from error
