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
from itertools import product
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
class Tuning:
    """Settings that every system chooses for itself on validation text, all from the same few values.

    A system is trained once with each combination, with one fraction and one seed that no final run has, and takes the
    one that scores best by the study's selection. A system whose line sets one of these settings keeps it.
    """

    grid: dict[str, list[Any]]
    fraction: str
    seed: int
    same_as: dict[str, str] = dataclasses.field(default_factory=dict)
    """Systems that take what another one has chosen: variants of its budget."""

    def candidates(self, system: str) -> dict[str, dict[str, Any]]:
        """Return the combinations by the name of the run that tries each, like `full@lr=0.004,dropout=0.2`."""
        combinations = [dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())]
        return {f"{system}@{_named(values)}": values for values in combinations}


def _named(values: Mapping[str, Any]) -> str:
    return ",".join(f"{key.rpartition('.')[2]}={value:g}" for key, value in values.items())


@dataclass(frozen=True)
class FilterSettings:
    """What is dropped from training text before anything is learned from it."""

    identifier: Literal["langdetect", "py3langid", "none"] = "langdetect"
    confusions: tuple[str, ...] = ()
    # Unstated: whether the bitext was filtered by length and by the ratio of its sides. In words: 250, and 3 to 1.
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
    # Unstated: how many LMs of a kind there were. One for all seeds unless a study asks, so that a deviation over seeds
    # is that of fine-tuning alone.
    seeds_draw: Literal["training", "all"] = "training"
    """What a seed draws: fresh weights and the order of training; or its LMs and its subset of the pairs, too."""
    selection: str = "perplexity"
    """What chooses the checkpoints that tables show first: perplexity, or the task's validation score."""
    tuning: Tuning | None = None
    tuned: dict[str, str] = dataclasses.field(default_factory=dict)
    """Whose choice each system that is tuned takes: its own, or that of another system."""


def lm_of(study: Study, name: str, seed: int) -> str:
    """Return which of the study's LMs a run with this seed starts from: `name`, or `name/seed3` if seeds have own."""
    return f"{name}/seed{seed}" if study.seeds_draw == "all" else name


def lm_to_json(study: Study, lm: str) -> dict[str, Any]:
    """Return what `lm.json` holds: which text the LM reads and how its settings differ from the defaults."""
    name, _, seed = lm.partition("/seed")
    settings = dataclasses.replace(study.lm_settings, seed=int(seed)) if seed else study.lm_settings
    return {
        "name": name,
        **dataclasses.asdict(study.lms[name]),
        "settings": differences(settings, LMSettings()),
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
    "seeds_draw",
    "selection",
    "tuning",
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
    seeds_draw = typed(Literal["training", "all"], small.get("seeds_draw", "training"), f"{where}: seeds_draw")
    if seeds_draw == "all":
        base = overridden(base, {"train.subset": "own"}, where)
    lm_settings = overridden(LMSettings(), text.get("lm_settings", {}), f"{where}: lm_settings")
    lm_settings = overridden(lm_settings, small.get("lm_settings", {}), f"{where}: scales.{scale}.lm_settings")
    lm_settings = overridden(lm_settings, {"train.subset": base.train.subset}, where)
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

    tuning = _tuning(small["tuning"], f"{where}: scales.{scale}.tuning") if "tuning" in small else None
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
        labels={},
        grid=grid,
        ensembles=ensembles,
        seeds=chosen,
        seeds_draw=seeds_draw,
        selection=small.get("selection", "perplexity"),
        tuning=tuning,
        tuned=_tuned(tuning, text["systems"], grid) if tuning else {},
    )
    _check_study(study, where)
    labels = {name: _label(text, study.corpora, name, where) for name in (*systems, *ensembles)}
    return dataclasses.replace(study, labels=labels)


def _label(text: Mapping[str, Any], corpora: Mapping[str, str], name: str, where: str) -> str:
    """Return what tables and figures call a system; `{other_domain}` stands for the corpus of that role."""
    label = str(text.get("labels", {}).get(name, name.replace("_", " ")))
    try:
        return label.format(**corpora)
    except (LookupError, ValueError) as error:
        roles = ", ".join(f"{{{role}}}" for role in corpora)
        raise ConfigError(f"{where}: labels.{name} is {label!r}; in braces it can have {roles}") from error


def _tuning(declared: Any, where: str) -> Tuning:
    """Return the tuning that a scale declares, checked."""
    hints = typing.get_type_hints(Tuning)
    check_keys(declared, hints, where)
    for key in ("grid", "fraction", "seed"):
        if key not in declared:
            raise ConfigError(f"{where} lacks {key!r}")
    if not isinstance(declared["grid"], Mapping) or not declared["grid"]:
        raise ConfigError(f"{where}.grid must map settings to lists of values, got {declared['grid']!r}")
    for key, values in declared["grid"].items():
        if not isinstance(values, list) or not values:
            raise ConfigError(f"{where}.grid.{key} must be a list of values, got {values!r}")
        for value in values:  # Numbers, of which the names of candidates are made.
            overridden(RunSettings(), {key: typed(float, value, f"{where}.grid.{key}")}, f"{where}.grid")
    share_of(declared["fraction"], f"{where}.fraction")
    grid = {key: [float(value) for value in values] for key, values in declared["grid"].items()}
    return Tuning(
        grid, declared["fraction"], typed(int, declared["seed"], f"{where}.seed"), declared.get("same_as", {})
    )


def _tuned(tuning: Tuning, systems: Mapping[str, Any], grid: Mapping[str, GridSection]) -> dict[str, str]:
    """Return the systems of the grid that are tuned, and whose choice each takes."""
    in_grid = dict.fromkeys(system for section in grid.values() for system in section.systems)
    free = [name for name in in_grid if name in systems and not set(tuning.grid) & set(systems[name] or {})]
    return {name: tuning.same_as.get(name, name) for name in free}


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
    require(
        study.selection in ("perplexity", TASKS[study.task]),
        where,
        "selection",
        study.selection,
        f"perplexity or {TASKS[study.task]}",
    )
    if study.tuning:
        for name, other in study.tuning.same_as.items():
            for system in (name, other):
                if system not in study.systems:
                    raise ConfigError(f"{where}: tuning.same_as has {system!r}{nearest(system, study.systems)}")
        if study.tuning.seed in study.seeds:
            raise ConfigError(
                f"{where}: tuning.seed is {study.tuning.seed}, which is also among seeds: what was chosen with it "
                f"would be judged with it; take one that is not among {', '.join(map(str, study.seeds))}"
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


def tuning_runs(study: Study, system: str | None = None) -> list[Run]:
    """Return the runs that choose settings: of one system, or of all that choose for themselves."""
    tuning = study.tuning
    if tuning is None:
        return []
    runs = []
    for name in [system] if system else dict.fromkeys(study.tuned.values()):
        for candidate, values in tuning.candidates(name).items():
            settings = overridden(study.systems[name], values, candidate)
            lms = {lm: study.lms[lm] for lm in needed_lms(settings)}
            runs.append(Run(study.name, study.scale, candidate, tuning.fraction, tuning.seed, settings, lms))
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
