"""The runs a study declares: one paper's grid on one task, resolved at one scale.

A study file declares its grid once; a scale swaps corpora and sizes under it. One that extends another (of the same
folder) says only how it differs. Everything is checked while the workflow
loads: an unknown key, an impossible value, an LM nobody declared or a fraction out of range is a ConfigError that names
key, value and the nearest valid name.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from seqpre.errors import ConfigError
from seqpre.overrides import check_keys, differences, laid_over, nearest, overridden, require, typed
from seqpre.settings import LMDeclaration, LMSettings, Run, RunSettings, needed_lms, share_of


@dataclass(frozen=True)
class GridSection:
    """Systems crossed with fractions."""

    systems: tuple[str, ...]
    fractions: tuple[str, ...]


@dataclass(frozen=True)
class EnsembleDeclaration:
    """The `keep` runs of `members` that are best on validation at one fraction."""

    members: tuple[str, ...]
    keep: int = 5
    fraction: str = "100pct"


@dataclass(frozen=True)
class FilterSettings:
    """What is dropped from training text before anything is learned from it."""

    identifier: Literal["langdetect", "py3langid", "none"] = "langdetect"
    confusions: tuple[str, ...] = ()
    max_length: int = 250
    max_ratio: float = 3.0


@dataclass(frozen=True)
class Study:
    """One paper's grid on one task, resolved at one scale."""

    name: str
    published_as: str
    """The name its published numbers have: its own, or that of the study it extends."""
    scale: str
    paper: str
    task: Literal["translation", "summarization"]
    source: str
    target: str
    """The two languages, or the two sides of a pair in one language: document and summary."""
    corpora: dict[str, str]
    tests: tuple[str, ...]
    vocab_size: int
    filter: FilterSettings
    lms: dict[str, LMDeclaration]
    lm_settings: LMSettings
    base: RunSettings
    systems: dict[str, RunSettings]
    labels: dict[str, str]
    grid: dict[str, GridSection]
    ensembles: dict[str, EnsembleDeclaration]
    seeds: tuple[int, ...]


def lm_to_json(study: Study, name: str) -> dict[str, Any]:
    """Return what `lm.json` holds: which text the LM reads and how its settings differ from the defaults."""
    return {
        "name": name,
        **dataclasses.asdict(study.lms[name]),
        "settings": differences(study.lm_settings, LMSettings()),
    }


TASKS = {"translation": "bleu", "summarization": "rouge_1"}
"""Each task, and the metric of its runs' greedy outputs during training."""
STUDY_KEYS = (
    "extends",
    "paper",
    "task",
    "source",
    "target",
    "lms",
    "base",
    "lm_settings",
    "systems",
    "labels",
    "grid",
    "ensembles",
    "scales",
)
SCALE_KEYS = (
    "corpora",
    "tests",
    "vocab_size",
    "filter",
    "lms",
    "base",
    "lm_settings",
    "grid",
    "ensembles",
    "seeds",
    "systems",
)


def load_study(path: Path | str, scale: str, seeds: Iterable[int] | None = None) -> Study:
    """Read `workflow/studies/<study>.yaml`, resolve it at `scale` and check every run it declares."""
    path = Path(path)
    text, published_as = _read(path)
    where = path.name
    if text.get("task") not in TASKS:
        raise ConfigError(f"{where}: task is {text.get('task')!r}{nearest(str(text.get('task')), TASKS)}")
    scales = text.get("scales", {})
    if scale not in scales:
        raise ConfigError(f"scale: {where} has no scale {scale!r}{nearest(scale, scales)}")
    small = scales[scale] or {}
    check_keys(small, SCALE_KEYS, f"{where}: scales.{scale}")
    for key in ("corpora", "tests", "vocab_size"):
        if key not in small:
            complete = ", ".join(name for name, content in scales.items() if content)
            raise ConfigError(f"{where}: scales.{scale} lacks {key!r}; the study has: {complete}")

    lms = _declarations(LMDeclaration, text, small, "lms", where)
    grid = _declarations(GridSection, text, small, "grid", where)
    ensembles = _declarations(EnsembleDeclaration, text, small, "ensembles", where)
    base = overridden(RunSettings(), text.get("base", {}), f"{where}: base")
    base = overridden(base, small.get("base", {}), f"{where}: scales.{scale}.base")
    lm_settings = overridden(LMSettings(), text.get("lm_settings", {}), f"{where}: lm_settings")
    lm_settings = overridden(lm_settings, small.get("lm_settings", {}), f"{where}: scales.{scale}.lm_settings")
    lm_settings = dataclasses.replace(lm_settings, first_layer=base.first_layer)

    systems = {}
    extra = small.get("systems", {})
    check_keys(extra, text["systems"], f"{where}: scales.{scale}.systems")
    for name, change in text["systems"].items():
        settings = overridden(base, change or {}, f"{where}: systems.{name}")
        settings = overridden(settings, extra.get(name) or {}, f"{where}: scales.{scale}.systems.{name}")
        settings.check(f"{where}: systems.{name}", lms)
        systems[name] = settings
    check_keys(text.get("labels", {}), (*systems, *ensembles), f"{where}: labels")

    chosen = tuple(seeds) if seeds else tuple(small.get("seeds", (1,)))
    for seed in chosen:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ConfigError(f"seeds: {seed!r} is not a whole number from 0")
    study = Study(
        name=path.stem,
        published_as=published_as,
        scale=scale,
        paper=text["paper"],
        task=text["task"],
        source=text["source"],
        target=text["target"],
        corpora=dict(small["corpora"]),
        tests=tuple(small["tests"]),
        vocab_size=small["vocab_size"],
        filter=overridden(FilterSettings(), small.get("filter", {}), f"{where}: scales.{scale}.filter"),
        lms=lms,
        lm_settings=lm_settings,
        base=base,
        systems=systems,
        labels={name: text.get("labels", {}).get(name, name.replace("_", " ")) for name in (*systems, *ensembles)},
        grid=grid,
        ensembles=ensembles,
        seeds=chosen,
    )
    _check_study(study, where)
    return study


def _read(path: Path, extended_by: tuple[Path, ...] = ()) -> tuple[dict[str, Any], str]:
    """Return a study file's content, laid over that of the study it extends, and the name of the first one extended."""
    if not path.exists():
        names = sorted(p.stem for p in path.parent.glob("*.yaml"))
        raise ConfigError(f"studies: there is no study {path.stem!r}{nearest(path.stem, names)}")
    if path in extended_by:
        raise ConfigError(f"{path.name}: extends itself, by way of {extended_by[-1].name}")
    text = yaml.safe_load(path.read_text(encoding="utf-8"))
    check_keys(text, STUDY_KEYS, path.name)
    if "extends" not in text:
        return text, path.stem
    below, published_as = _read(path.with_name(f"{text.pop('extends')}.yaml"), (*extended_by, path))
    return laid_over(below, text), published_as


def _check_study(study: Study, where: str) -> None:
    """Check the names that one part of a study uses of another."""
    for name, lm in study.lms.items():
        if lm.corpus not in study.corpora:
            raise ConfigError(f"{where}: lms.{name}.corpus is {lm.corpus!r}{nearest(lm.corpus, study.corpora)}")
        if lm.language not in (study.source, study.target):
            raise ConfigError(
                f"{where}: lms.{name}.language is {lm.language!r}; the study has {study.source} and {study.target}"
            )
        share_of(lm.fraction, f"{where}: lms.{name}.fraction")
    for name, settings in study.systems.items():
        init, objectives = settings.init, settings.objectives
        for key, lm_name, language in (
            ("init.encoder", init.encoder, study.source),
            ("init.decoder", init.decoder, study.target),
            ("objectives.source_lm", objectives.source_lm, study.source),
            ("objectives.target_lm", objectives.target_lm, study.target),
        ):
            if study.task == "translation" and lm_name in study.lms and study.lms[lm_name].language != language:
                raise ConfigError(
                    f"{where}: systems.{name}: {key} is {lm_name!r}, an LM of "
                    f"{study.lms[lm_name].language!r} text; this side reads {language!r}"
                )
    for section, cells in study.grid.items():
        for system in cells.systems:
            if system not in study.systems:
                raise ConfigError(f"{where}: grid.{section}.systems has {system!r}{nearest(system, study.systems)}")
        for fraction in cells.fractions:
            share_of(fraction, f"{where}: grid.{section}.fractions")
    for name, ensemble in study.ensembles.items():
        share_of(ensemble.fraction, f"{where}: ensembles.{name}.fraction")
        for system in ensemble.members:
            if system not in study.systems:
                raise ConfigError(f"{where}: ensembles.{name}.members has {system!r}{nearest(system, study.systems)}")
        available = len(ensemble.members) * len(study.seeds)
        require(
            1 <= ensemble.keep <= available,
            where,
            f"ensembles.{name}.keep",
            ensemble.keep,
            f"between 1 and {available} (members x seeds)",
        )
    for name, settings in study.systems.items():
        metric = TASKS[study.task]
        require(settings.train.metric == metric, where, f"systems.{name}: train.metric", settings.train.metric, metric)
    require(study.vocab_size >= 100, where, "vocab_size", study.vocab_size, "at least 100")


def declared_runs(study: Study) -> list[Run]:
    """Return the study's runs, each once, in the order of its grid; ensemble members included."""
    cells = [
        (system, fraction)
        for section in study.grid.values()
        for system in section.systems
        for fraction in section.fractions
    ]
    cells += [(system, ensemble.fraction) for ensemble in study.ensembles.values() for system in ensemble.members]
    runs = []
    for system, fraction in dict.fromkeys(cells):
        settings = study.systems[system]
        lms = {name: study.lms[name] for name in needed_lms(settings)}
        runs += [Run(study.name, study.scale, system, fraction, seed, settings, lms) for seed in study.seeds]
    return runs


def _declarations(cls: Any, text: Mapping[str, Any], small: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    """Return the study's `key` section as dataclasses, each entry updated by the scale's."""
    merged = {name: dict(entry) for name, entry in (text.get(key) or {}).items()}
    for name, entry in (small.get(key) or {}).items():
        if name not in merged:
            raise ConfigError(f"{where}: scales.*.{key} has {name!r}{nearest(name, merged)}")
        merged[name].update(entry)
    hints = typing.get_type_hints(cls)
    result = {}
    for name, entry in merged.items():
        check_keys(entry, hints, f"{where}: {key}.{name}")
        missing = [f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING and f.name not in entry]
        if missing:
            raise ConfigError(f"{where}: {key}.{name} lacks {missing[0]!r}")
        result[name] = cls(**{k: typed(hints[k], v, f"{where}: {key}.{name}.{k}") for k, v in entry.items()})
    return result
