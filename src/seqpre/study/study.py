"""The runs a study declares: one paper's grid on one task, resolved at one scale.

A study file declares its grid once; a scale swaps corpora and sizes under it. One that extends another (of its own
folder, of the project, or anywhere by its path) says only how it differs. Everything is checked while the workflow
loads: an unknown key, an impossible value, an LM nobody declared or a fraction out of range is a ConfigError that names
key, value and the nearest valid name.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

from seqpre.common.errors import ConfigError
from seqpre.study.fractions import Amount, fraction_of
from seqpre.study.overrides import check_keys, differences, laid_over, mapping, nearest, overridden, require, typed
from seqpre.study.settings import LMDeclaration, LMSettings, Run, RunSettings, needed_lms
from seqpre.study.strict_yaml import read_yaml


@dataclass(frozen=True)
class GridSection:
    """Systems crossed with fractions."""

    systems: tuple[str, ...]
    fractions: tuple[Amount, ...]


@dataclass(frozen=True)
class EnsembleDeclaration:
    """The `keep` runs of `members` that are best on validation at one fraction."""

    members: tuple[str, ...]
    keep: int = 5
    fraction: Amount = "100pct"


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
    # Unstated: whether the bitext was filtered by length and by the ratio of its sides. In words: 250, and 3 to 1.
    max_length: int = 250
    max_ratio: float = 3.0
    with_pairs: bool = False
    """Unlabelled text may hold sources of training pairs, without their targets."""


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
    left_out: dict[str, EnsembleDeclaration] = dataclasses.field(default_factory=dict)
    """Ensembles that the configured seeds are too few for."""

    @property
    def metric(self) -> str | None:
        """What scores greedy outputs while runs train and chooses a checkpoint beside that of perplexity; or None."""
        return None if self.base.train.metric == "none" else self.base.train.metric

    def remarks(self) -> list[str]:
        """Return a word about each ensemble that is left out."""
        return [
            f"{name} is left out: it is made of {ensemble.keep} runs, with these seeds there are "
            f"{_available(ensemble, self.seeds)}"
            for name, ensemble in self.left_out.items()
        ]

    def texts(self) -> list[tuple[str, str, str]]:
        """Return (corpus, split, language) of every text that the study reads."""
        labelled, sides = self.corpora["bitext"], (self.source, self.target)
        texts = [(labelled, split, side) for split in ("train", "valid", *self.tests) for side in sides]
        texts += [(self.corpora[lm.corpus], "train", lm.language) for lm in self.lms.values()]
        return list(dict.fromkeys(texts))


def lm_of(study: Study, name: str, seed: int) -> str:
    """Return which of the study's LMs a run with this seed starts from: `name`, or `name/seed3` if seeds have own."""
    return f"{name}/seed{seed}" if study.seeds_draw == "all" else name


def lm_to_json(study: Study, lm: str) -> dict[str, Any]:
    """Return what `lm.json` holds: which text the LM reads and how its settings differ from the defaults.

    LMs that are declared alike are those of different seeds.
    """
    name, _, seed = lm.partition("/seed")
    settings = dataclasses.replace(study.lm_settings, seed=int(seed)) if seed else study.lm_settings
    alike = [other for other, declaration in study.lms.items() if declaration == study.lms[name]]
    settings = dataclasses.replace(settings, seed=settings.seed + SEEDS_APART * alike.index(name))
    return {
        "name": name,
        **dataclasses.asdict(study.lms[name]),
        "settings": differences(settings, LMSettings()),
    }


SEEDS_APART = 1000
"""What the seeds of two LMs that are declared alike differ by."""
TASKS = {"translation": "bleu", "summarization": "rouge_1"}
"""Each task, and the metric of its runs' greedy outputs during training."""
REQUIRED = ("paper", "task", "source", "target", "systems", "scales")
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


def load_study(
    path: Path | str, scale: str, seeds: Iterable[int] | None = None, project: Path | str | None = None
) -> Study:
    """Read a study file, resolve it at `scale` and check every run it declares.

    `project` is the folder of the studies that one of another folder may extend by name. An ensemble that needs more
    runs than `seeds` give is left out; without `seeds`, those of the study, it is a mistake.
    """
    path = Path(path)
    text, published_as = _read(path, Path(project) if project else path.parent)
    where = path.name
    for key in REQUIRED:
        if text.get(key) is None:
            raise ConfigError(f"{where} lacks {key!r}; a study has it, or extends one that does")
    if str(text["task"]) not in TASKS:
        raise ConfigError(f"{where}: task is {text['task']!r}{nearest(str(text['task']), TASKS)}")
    scales = mapping(text["scales"], f"{where}: scales")
    if scale not in scales:
        raise ConfigError(f"scale: {where} has no scale {scale!r}{nearest(scale, scales)}")
    small = scales[scale] or {}
    within = f"{where}: scales.{scale}"
    check_keys(small, SCALE_KEYS, within)
    for key in ("corpora", "tests", "vocab_size"):
        if key not in small:
            complete = ", ".join(name for name, content in scales.items() if content)
            raise ConfigError(f"{within} lacks {key!r}; the study has: {complete}")

    lms = _declarations(LMDeclaration, text, small, "lms", where)
    grid = _declarations(GridSection, text, small, "grid", where)
    ensembles = _declarations(EnsembleDeclaration, text, small, "ensembles", where)
    base = overridden(RunSettings(), text.get("base") or {}, f"{where}: base")
    base = overridden(base, small.get("base") or {}, f"{within}.base")
    seeds_draw = typed(Literal["training", "all"], small.get("seeds_draw", "training"), f"{within}.seeds_draw")
    if seeds_draw == "all":
        base = overridden(base, {"train.subset": "own"}, where)
    lm_settings = overridden(LMSettings(), text.get("lm_settings") or {}, f"{where}: lm_settings")
    lm_settings = overridden(lm_settings, small.get("lm_settings") or {}, f"{within}.lm_settings")
    lm_settings = overridden(lm_settings, {"train.subset": base.train.subset}, where)
    lm_settings = dataclasses.replace(lm_settings, first_layer=base.first_layer)

    systems = {}
    declared = mapping(text["systems"], f"{where}: systems")
    extra = small.get("systems") or {}
    check_keys(extra, declared, f"{within}.systems")
    for name, change in declared.items():
        settings = overridden(base, change or {}, f"{where}: systems.{name}")
        settings = overridden(settings, extra.get(name) or {}, f"{within}.systems.{name}")
        settings.check(f"{where}: systems.{name}", lms)
        systems[name] = settings
    labels = text.get("labels") or {}
    check_keys(labels, (*systems, *ensembles), f"{where}: labels")

    tuning = None if small.get("tuning") is None else _tuning(small["tuning"], f"{within}.tuning")
    corpora = {
        role: typed(str, name, f"{within}.corpora.{role}")
        for role, name in mapping(small["corpora"], f"{within}.corpora").items()
    }
    chosen = tuple(seeds or ()) or typed(tuple[Any, ...], small.get("seeds", [1]), f"{within}.seeds")
    for seed in chosen:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ConfigError(f"seeds: {seed!r} is not a whole number from 0")
    left_out = {name: e for name, e in ensembles.items() if seeds and _available(e, chosen) < e.keep}
    study = Study(
        name=path.stem,
        published_as=published_as,
        scale=scale,
        paper=typed(str, text["paper"], f"{where}: paper"),
        task=text["task"],
        source=typed(str, text["source"], f"{where}: source"),
        target=typed(str, text["target"], f"{where}: target"),
        corpora=corpora,
        tests=typed(tuple[str, ...], small["tests"], f"{within}.tests"),
        vocab_size=typed(int, small["vocab_size"], f"{within}.vocab_size"),
        filter=overridden(FilterSettings(), small.get("filter") or {}, f"{within}.filter"),
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
        tuned=_tuned(tuning, declared, grid) if tuning else {},
        left_out=left_out,
    )
    _check_study(study, where)
    return dataclasses.replace(
        study,
        labels={name: _label(labels, corpora, name, where) for name in (*systems, *ensembles)},
        ensembles={name: e for name, e in ensembles.items() if name not in left_out},
    )


def _label(labels: Mapping[str, Any], corpora: Mapping[str, str], name: str, where: str) -> str:
    """Return what tables and figures call a system; `{other_domain}` stands for the corpus of that role."""
    label = str(labels.get(name, name.replace("_", " ")))
    try:
        return label.format(**corpora)
    except (LookupError, ValueError, AttributeError) as error:
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
    fraction = fraction_of(declared["fraction"], f"{where}.fraction")
    grid = {key: [float(value) for value in values] for key, values in declared["grid"].items()}
    same_as = mapping(declared.get("same_as", {}), f"{where}.same_as")
    same_as = {name: typed(str, other, f"{where}.same_as.{name}") for name, other in same_as.items()}
    return Tuning(grid, fraction, typed(int, declared["seed"], f"{where}.seed"), same_as)


def _tuned(tuning: Tuning, systems: Mapping[str, Any], grid: Mapping[str, GridSection]) -> dict[str, str]:
    """Return the systems of the grid that are tuned, and whose choice each takes."""
    in_grid = dict.fromkeys(system for section in grid.values() for system in section.systems)
    free = [name for name in in_grid if name in systems and not set(tuning.grid) & set(systems[name] or {})]
    return {name: tuning.same_as.get(name, name) for name in free}


def _read(path: Path, project: Path, extended_by: tuple[Path, ...] = ()) -> tuple[dict[str, Any], str]:
    """Return a study file's content, laid over that of the study it extends, and the name of the first one extended."""
    if not path.is_file():
        by = f"{extended_by[-1].name} extends another: " if extended_by else "studies: "
        known = nearest(path.stem, _names_of_studies(path.parent, project))
        raise ConfigError(f"{by}there is no study {path.stem!r}{known} ({path} does not exist)")
    if any(path.samefile(other) for other in extended_by):
        raise ConfigError(f"{path.name}: extends itself, by way of {extended_by[-1].name}")
    text = read_yaml(path)
    check_keys(text, STUDY_KEYS, path.name)
    if "extends" not in text:
        return text, path.stem
    extended = _extended(path, str(text.pop("extends")), project)
    below, published_as = _read(extended, project, (*extended_by, path))
    return laid_over(below, text), published_as


def _extended(path: Path, name: str, project: Path) -> Path:
    """Return the file of the study that `path` extends; a name is looked up beside it, then among the project's."""
    if name.endswith(".yaml"):
        return path.parent / Path(name).expanduser()
    places = [folder / f"{name}.yaml" for folder in (path.parent, project)]
    return next((place for place in places if place.is_file() and not place.samefile(path)), places[0])


def _names_of_studies(*folders: Path) -> list[str]:
    """Return the names of the study files in folders that may hold other YAML too."""
    files = [file for folder in folders for file in folder.glob("*.yaml")]
    text = {file.stem: file.read_text(encoding="utf-8", errors="replace") for file in files}
    return sorted(name for name in text if re.search("^(paper|extends):", text[name], flags=re.MULTILINE))


def _check_study(study: Study, where: str) -> None:
    """Check the names that one part of a study uses of another."""
    for kind, names in (
        ("study", [study.name]),
        ("system", study.systems),
        ("LM", study.lms),
        ("ensemble", study.ensembles),
    ):
        for name in names:
            if not re.fullmatch(r"[\w.+-]+", str(name)):
                raise ConfigError(
                    f"{where}: the name of a {kind} is {name!r}; it may have letters, digits, _, -, + and ."
                )
    for side in (study.source, study.target):
        if not re.fullmatch("[a-z]+", side):
            raise ConfigError(f"{where}: source and target are {study.source!r} and {study.target!r}; use a-z only")
    if "bitext" not in study.corpora:
        raise ConfigError(f"{where}: scales.{study.scale}.corpora lacks 'bitext', the labelled pairs")
    if not study.tests or {"train", "valid"} & {*study.tests}:
        raise ConfigError(
            f"{where}: scales.{study.scale}.tests is {list(study.tests)}; name one split or more of the tests"
        )
    for name, lm in study.lms.items():
        if lm.corpus not in study.corpora:
            raise ConfigError(f"{where}: lms.{name}.corpus is {lm.corpus!r}{nearest(lm.corpus, study.corpora)}")
        if lm.language not in (study.source, study.target):
            raise ConfigError(
                f"{where}: lms.{name}.language is {lm.language!r}; the study has {study.source} and {study.target}"
            )
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
    for name, ensemble in study.ensembles.items():
        for system in ensemble.members:
            if system not in study.systems:
                raise ConfigError(f"{where}: ensembles.{name}.members has {system!r}{nearest(system, study.systems)}")
        if name in study.left_out:
            continue
        available = _available(ensemble, study.seeds)
        require(
            1 <= ensemble.keep <= available,
            where,
            f"ensembles.{name}.keep",
            ensemble.keep,
            f"between 1 and {available} (members x seeds)",
        )
    require(
        study.selection in ("perplexity", study.metric),
        where,
        "selection",
        study.selection,
        f"perplexity or {study.metric}" if study.metric else "perplexity, as base.train.metric is none",
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
    metrics = (TASKS[study.task], "none")
    for name, settings in {"base": study.base, **{f"systems.{n}": s for n, s in study.systems.items()}}.items():
        metric = settings.train.metric
        require(metric in metrics, where, f"{name}.train.metric", metric, " or ".join(metrics))
        require(metric == study.base.train.metric, where, f"{name}.train.metric", metric, "that of base")
    require(study.vocab_size >= 100, where, "vocab_size", study.vocab_size, "at least 100")


def _available(ensemble: EnsembleDeclaration, seeds: Sequence[int]) -> int:
    """Return how many runs an ensemble chooses from."""
    return len(ensemble.members) * len(set(seeds))


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
    entries = mapping(text.get(key) or {}, f"{where}: {key}").items()
    merged = {name: dict(mapping(entry, f"{where}: {key}.{name}")) for name, entry in entries}
    for name, entry in mapping(small.get(key) or {}, f"{where}: scales.*.{key}").items():
        if name not in merged:
            raise ConfigError(f"{where}: scales.*.{key} has {name!r}{nearest(name, merged)}")
        merged[name].update(mapping(entry, f"{where}: scales.*.{key}.{name}"))
    hints = typing.get_type_hints(cls, include_extras=True)
    result = {}
    for name, entry in merged.items():
        check_keys(entry, hints, f"{where}: {key}.{name}")
        missing = [f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING and f.name not in entry]
        if missing:
            raise ConfigError(f"{where}: {key}.{name} lacks {missing[0]!r}")
        result[name] = cls(**{k: typed(hints[k], v, f"{where}: {key}.{name}.{k}") for k, v in entry.items()})
    return result
