"""From a study file to a study at one scale. All of it is checked while the workflow loads.

The grid is declared once, and scales swap corpora and sizes under it. A study that extends another (in its own folder,
in the project, or anywhere by its path) states only the differences. An unknown key, a value of the wrong type or out
of range, an undeclared LM or a metric the task does not have is a ConfigError that names file, key, value and what is
accepted.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from seqpre.common.errors import ConfigError
from seqpre.study.consistency import check_study
from seqpre.study.declarations import FilterSettings, LMDeclaration, VocabularyDeclaration, found, from_folder
from seqpre.study.fractions import Amount
from seqpre.study.models.lstm import FirstLayer, LSTMSettings
from seqpre.study.paper import in_paper, paper_file
from seqpre.study.pretraining import Evaluated, Pretraining, load_pretraining
from seqpre.study.pretraining_settings import LMSettings
from seqpre.study.settings import OptimizerSettings, RunSettings, TrainSettings
from seqpre.study.strict_yaml import read_yaml
from seqpre.study.study import OF_SEED, EnsembleDeclaration, GridSection, SeedsDraw, Spelling, Study, TaskName, Tuning
from seqpre.study.tasks import TASKS, VALIDATION, published
from seqpre.study.typed import (
    Count,
    Name,
    Seeds,
    Side,
    Word,
    among,
    at,
    at_least,
    check_keys,
    closest,
    laid_over,
    nearest,
    only,
    overridden,
    require,
    typed,
)

REQUIRED = ("paper", "task", "source", "target", "systems", "scales")
AS_SAID = (
    "paper", "task", "source", "target", "corpora", "tests", "tuned_on", "spelling", "spellings", "vocab_size",
    "seeds_draw", "selection", "rated_documents", "reference", "variant_of", "compared", "tables", "figures",
)  # fmt: skip
"""Keys that a study takes unchanged from its file."""


Tests = Annotated[
    tuple[Word, ...],
    only(
        lambda tests: len({"train", VALIDATION, *tests}) == len(tests) + 2 > 2,
        "one split or more of the tests, each once",
    ),
]


NONE_IF_EMPTY = ("ensembles", "vocabularies", "tuned_on", "spellings")
"""Keys that a scale, or a study that extends another, can clear with `{}`."""

TAKEN_WHOLE = ("tuning",)
"""Keys that a study replaces as a whole: nothing is merged from the study that it extends."""

OF_ITSELF = ("title", "in_report")
"""Keys that are not inherited from the study that is extended."""


@dataclass(frozen=True)
class Grid:
    """What a study declares and a scale may change; of systems and LMs, their settings, not which there are."""

    lms: dict[Name, LMDeclaration]
    """Language models of the study's own."""
    base: RunSettings
    """Settings of all runs."""
    lm_settings: LMSettings
    """Settings of the study's own LSTM language models."""
    systems: dict[Name, RunSettings]
    """Systems, each by its difference from `base`."""
    grid: dict[Name, GridSection]
    """Which systems are trained with which fractions of the labelled data."""
    ensembles: dict[Name, EnsembleDeclaration]
    """Ensembles of runs."""
    vocabularies: dict[Name, VocabularyDeclaration]
    """Vocabularies besides the usual one: learned from the study's own pairs, or finished models."""


@dataclass(frozen=True)
class Schedule:
    """Settings that may depend on how many pairs a run has."""

    optimizer: OptimizerSettings
    """The optimiser of these runs, where it differs from `base`."""
    train: TrainSettings
    """The training of these runs, where it differs from `base`."""


@dataclass(frozen=True)
class ScaleText(Grid):
    """What a scale declares."""

    corpora: dict[Word, Word]
    """Which corpus has which role: `bitext`, the labelled pairs, and the roles that `lms` read."""
    tests: Tests
    """Splits of the bitext that are tests."""
    tuned_on: dict[Word, Word]
    """Tests whose decoding is tuned on another split than `valid`, each with that split."""
    spelling: Spelling
    """What corrects the spelling of validation and test sources before a correction model reads them."""
    spellings: dict[Word, tuple[Word, ...]]
    """Tests whose sources are also read in other spellings: `as_written`, or as another split has them."""
    vocab_size: Annotated[int, at_least(100)]
    """Size of the usual vocabulary, of subwords of both sides of the bitext."""
    vocab_model: str
    """Instead of `vocab_size`: a finished SentencePiece model, as a path relative to the folder of the study file."""
    filter: FilterSettings
    """What is dropped from training text."""
    seeds: Seeds
    """Seeds of the runs; default: 1."""
    seeds_draw: SeedsDraw
    """What a seed determines: initial weights and training order (`training`, the default), or also its LMs and its
    subset of the pairs."""
    selection: str
    """What selects the checkpoint that counts: `perplexity`, the default, or the task's validation score."""
    rated_documents: Count
    """Documents that human raters rate."""
    tuning: Tuning | None
    """Settings that every system tunes on validation text."""
    by_fraction: dict[Amount, Schedule] | None
    """A different schedule for runs with certain fractions of the labelled data."""


@dataclass(frozen=True)
class StudyText(Grid):
    """What a study file declares."""

    title: str
    """Title in the report; default: the name of the file."""
    in_report: Literal["main", "apart", "superseded"]
    """Where the report shows it: with its paper (`main`, the default), with explorations (`apart`), or nowhere, because
    another study has superseded it."""
    extends: str
    """Another study, by name or by path; this file states only the differences."""
    pretraining: Name
    """File of `workflow/pretraining` whose models the runs start from."""
    paper: Name
    """File of `workflow/papers` that declares what the paper prints; `none`: nothing."""
    task: TaskName
    """Task, which determines how outputs are scored."""
    source: Side
    """Language of the sources, or the source side's name if both sides are in one language."""
    target: Side
    """Language of the outputs, or the target side's name if both sides are in one language."""
    labels: dict[Name, str]
    """Labels of the systems in tables and figures."""
    variant_of: dict[Name, Name]
    """Systems that are no ablation but a variant of another system, such as another budget: which one."""
    compared: dict[Name, Name]
    """Systems that tables and claims compare with the paper's: its system, ours, such as a variant that is better on
    validation text; default: the system of the same name."""
    reference: Name
    """The system that all others are tested against; default: `full`."""
    trivial: tuple[Name, ...]
    """Baselines that need no training, such as an article's first sentences."""
    tables: tuple[Word, ...]
    """Tables that are written; `[]`: none; default: the usual ones, and those of the paper."""
    figures: tuple[Word, ...]
    """Figures that are drawn; `[]`: none; default: the usual ones, and those of the paper."""
    scales: dict[Word, ScaleText | None]
    """Corpora and sizes by scale; they override those of the study."""


def load_study(
    path: Path | str, scale: str, seeds: Iterable[int] | None = None, project: Path | str | None = None
) -> Study:
    """Read a study file, resolve it at `scale` and check every run it declares.

    `project` is the folder of the studies that a study in another folder may extend by name; the folders `papers` and
    `pretraining` lie beside it. If `seeds` are given, an ensemble that needs more runs is left out; with the study's
    own seeds it is an error.
    """
    path = Path(path)
    where, project = path.name, Path(project) if project else path.parent
    text, published_as = read_study_file(path, project)
    if (project.parent / "pretraining" / path.name).is_file():  # Both would own text and vocabularies by that name.
        raise ConfigError(
            f"{where}: its name is {path.stem!r}, which a file of workflow/pretraining has; give the study another name"
        )
    said = _at_scale(text, scale, where)
    for one in (text, said):
        _check_systems(one, where)
    sections = (published_as, *names_of_studies(path.parent, project))
    paper = in_paper(paper_file(project.parent / "papers", said["paper"], where), published_as, sections)
    task, own_scales = TASKS[said["task"]], tuple(read_yaml(path).get("scales") or ())

    base = overridden(RunSettings(), said.get("base"), f"{where}: base")
    if said.get("seeds_draw") == "all":
        base = overridden(base, {"train.subset": "own"}, where)
    grid = typed(dict[str, GridSection], said.get("grid"), f"{where}: grid")
    ensembles = typed(dict[str, EnsembleDeclaration], said.get("ensembles"), f"{where}: ensembles")
    tuning = typed(Tuning, said["tuning"], f"{where}: tuning") if said.get("tuning") is not None else None
    chosen = typed(Seeds, list(seeds or said.get("seeds", [1])), "seeds")
    _check_seeds({"grid": grid, "ensembles": ensembles}, said.get("seeds", [1]), scale, where)
    study = Study(
        **{key: said[key] for key in AS_SAID if key in said},
        name=path.stem,
        published_as=published_as,
        scale=scale,
        trivial=tuple(said.get("trivial", task.trivial)),
        filter=overridden(FilterSettings(), said.get("filter"), f"{where}: filter"),
        lms=typed(dict[str, LMDeclaration], said.get("lms"), f"{where}: lms"),
        lm_settings=_lm_settings(said.get("lm_settings"), base, where),
        base=base,
        systems=_systems(base, said, where),
        labels={},
        grid=grid,
        ensembles=ensembles,
        seeds=chosen,
        in_paper=paper,
        tuning=tuning,
        tuned=_tuned(tuning, said["systems"], grid, said.get("variant_of", {})) if tuning else {},
        by_fraction={
            fraction: _systems(overridden(base, schedule, f"{where}: by_fraction.{fraction}"), said, where)
            for fraction, schedule in (said.get("by_fraction") or {}).items()
        },
        left_out={name: e for name, e in ensembles.items() if seeds and len(e.candidates(chosen)) < e.keep},
        more_vocabularies=_vocabularies(said, f"{where}: scales.{scale}"),
        pretraining=_pretraining(said.get("pretraining"), scale, path, project),
        other_scales=() if scale in own_scales else own_scales,
    )
    for name, settings in study.systems.items():
        settings.check(f"{where}: systems.{name}", study.pretrained_names)
    for fraction, at_fraction in study.by_fraction.items():
        for name, settings in at_fraction.items():
            settings.check(f"{where}: scales.{scale}.by_fraction.{fraction}, systems.{name}", study.pretrained_names)
    check_study(study, where)
    labels, systems = said.get("labels", {}), study.systems
    check_keys(labels, (*systems, *text.get("ensembles", {})), f"{where}: labels")  # A scale may have no ensembles.
    shown = {name: _label(labels, study.corpora, name, where) for name in (*systems, *ensembles)}
    _check_labels(shown, where)
    if study.name == published_as:  # Studies that extend it may have fewer ensembles.
        known = (*systems, *text.get("ensembles", {}), *task.all_trivial)
        for key, system in paper.named:
            among(known, system, f"{study.paper}.yaml: {study.name}.{key} has")
    return dataclasses.replace(
        study,
        labels=shown,
        ensembles={name: e for name, e in ensembles.items() if name not in study.left_out},
    )


def _vocabularies(said: Mapping[str, Any], where: str) -> dict[str, VocabularyDeclaration]:
    """Return the vocabularies by name; a finished model for the usual vocabulary has the empty name."""
    declared = typed(dict[str, VocabularyDeclaration], said.get("vocabularies"), f"{where}.vocabularies")
    vocabularies = {name: found(one, f"{where}.vocabularies.{name}") for name, one in declared.items()}
    if said.get("vocab_model"):
        vocabularies[""] = found(VocabularyDeclaration(model=said["vocab_model"]), f"{where}.vocab_model")
    return vocabularies


def _check_seeds(
    said: Mapping[str, Mapping[str, GridSection | EnsembleDeclaration]], declared: Sequence[int], scale: str, where: str
) -> None:
    """Check that sections and ensembles use seeds that exist."""
    for name, seeds in ((f"{key}.{name}", one.seeds) for key, ones in said.items() for name, one in ones.items()):
        if unknown := set(seeds) - set(declared):
            raise ConfigError(
                f"{where}: {name}.seeds has {', '.join(map(str, sorted(unknown)))}; it takes some of the scale's "
                f"seeds, {', '.join(map(str, declared))}: say which under scales.{scale}.{name}.seeds"
            )


def _systems(base: RunSettings, said: Mapping[str, Any], where: str) -> dict[str, RunSettings]:
    """Return the systems of a study, each from its difference to `base`."""
    return {name: overridden(base, change, f"{where}: systems.{name}") for name, change in said["systems"].items()}


def _at_scale(text: Mapping[str, Any], scale: str, where: str) -> dict[str, Any]:
    """Return a study's content with one of its scales merged over it."""
    for key in REQUIRED:
        if not text.get(key):
            raise ConfigError(f"{where} lacks {key!r}; a study has it, or extends one that does")
    scales = text["scales"]
    among(scales, scale, f"scale: {where} has no scale")
    small, within = scales[scale] or {}, f"{where}: scales.{scale}"
    for key in ("corpora", "tests"):
        if key not in small:
            complete = ", ".join(name for name, content in scales.items() if content)
            raise ConfigError(f"{within} lacks {key!r}; the study has: {complete}")
    if "bitext" not in small["corpora"]:
        raise ConfigError(f"{within}.corpora lacks 'bitext', the labelled pairs")
    for key in ("lms", "systems", "grid", "ensembles"):
        check_keys(small.get(key), text.get(key, {}), at(within, key))
    return laid_over(without_emptied({key: value for key, value in text.items() if key != "scales"}, small), small)


def _check_systems(said: Mapping[str, Any], where: str) -> None:
    """Check that the grid and ensembles of a study name declared systems, even those that a scale replaces."""
    for key, of in (("grid", "systems"), ("ensembles", "members")):
        for name, section in said.get(key, {}).items():
            for member in section.get(of, ()):
                among(said["systems"], member.partition(OF_SEED)[0], f"{where}: {key}.{name}.{of} has")


def _pretraining(name: str | None, scale: str, study: Path, studies: Path) -> Pretraining | None:
    """Return the pretraining that a study names; its text excludes what all studies that name it are evaluated on."""
    if name is None:
        return None
    if not studies.samefile(study.parent):
        raise ConfigError(
            f"{study.name}: pretraining is {name!r}, whose text leaves out what the studies in {studies} are evaluated "
            "on; put this one there too"
        )
    if (studies / f"{name}.yaml").exists():
        raise ConfigError(f"{study.name}: pretraining is {name!r}, the name of a study; they need different ones")
    return load_pretraining(studies.parent / "pretraining" / f"{name}.yaml", scale, list(_users(name, scale, studies)))


def _users(pretraining: str, scale: str, studies: Path) -> Iterator[Evaluated]:
    """Yield the evaluation text of each study in a folder that names the pretraining and has the scale."""
    for path in sorted(studies.glob("*.yaml")):
        if not re.search(
            "^(pretraining|extends):", path.read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE
        ):
            continue  # Parsing all of them is slow.
        text, _ = read_study_file(path, studies)
        if text.get("pretraining") == pretraining and text.get("scales", {}).get(scale):
            said = _at_scale(text, scale, path.name)
            sides = (said["source"], said["target"])
            splits = published(said["tests"], said.get("tuned_on", {}))
            yield Evaluated(path.stem, said["corpora"]["bitext"], sides, splits)


def _lm_settings(said: Mapping[str, Any] | None, base: RunSettings, where: str) -> LMSettings:
    """Return the settings of all LMs; those that they share with the runs that start from them come from `base`."""
    settings: LMSettings = overridden(LMSettings(), said, f"{where}: lm_settings")
    settings.check(f"{where}: lm_settings")
    subset = settings.train.subset
    shape = base.model.first_layer if isinstance(base.model, LSTMSettings) else FirstLayer()
    own = settings.first_layer
    require(own in (FirstLayer(), shape), where, "lm_settings.first_layer", own, "that of base.model")
    require(subset in ("shared", base.train.subset), where, "lm_settings.train.subset", subset, "that of base")
    train = dataclasses.replace(settings.train, subset=base.train.subset)
    return dataclasses.replace(settings, first_layer=shape, train=train)


def _tuned(
    tuning: Tuning, systems: Mapping[str, Any], grid: Mapping[str, GridSection], variant_of: Mapping[str, str]
) -> dict[str, str]:
    """Return the tuned systems of the grid, and whose choice each takes; not those that set a tuned key themselves."""
    same_as = {**variant_of, **tuning.same_as}

    def decided(system: str) -> bool:
        chosen = tuning.tried(same_as.get(system, system))
        return any(_has(systems[system], key.split(".")) for key in chosen)

    in_grid = dict.fromkeys(system for section in grid.values() for system in section.systems)
    free = [name for name in in_grid if name in systems and not decided(name)]
    return {name: same_as.get(name, name) for name in free}


def _has(settings: Any, keys: list[str]) -> bool:
    """Return whether nested settings contain a key."""
    for key in keys:
        if not isinstance(settings, Mapping) or key not in settings:
            return False
        settings = settings[key]
    return True


def _check_labels(labels: Mapping[str, str], where: str) -> None:
    """Raise ConfigError if two systems or ensembles have one label."""
    first: dict[str, str] = {}
    for name, label in labels.items():
        if (other := first.setdefault(label, name)) != name:
            raise ConfigError(
                f"{where}: labels of {other} and {name} are both {label!r}; tables and pages tell systems apart by them"
            )


def _label(labels: Mapping[str, Any], corpora: Mapping[str, str], name: str, where: str) -> str:
    """Return a system's label; `{other_domain}` stands for the corpus with that role."""
    label = str(labels.get(name, name.replace("_", " ")))
    try:
        return label.format(**corpora)
    except (LookupError, ValueError, AttributeError) as error:
        roles = ", ".join(f"{{{role}}}" for role in corpora)
        raise ConfigError(f"{where}: labels.{name} is {label!r}; in braces it can have {roles}") from error


def read_study_file(path: Path, project: Path, extended_by: tuple[Path, ...] = ()) -> tuple[dict[str, Any], str]:
    """Return a study file's content, merged over the study it extends, and the name of the first study extended.

    Each file is also checked by itself and at every scale, so that an error names the file it is in.
    """
    if not path.is_file():
        by = f"{extended_by[-1].name} extends another: " if extended_by else "studies: "
        names = names_of_studies(path.parent, project)
        known = f"; write {path.stem!r} for the project's" if path.stem in names else nearest(path.stem, names)
        raise ConfigError(f"{by}there is no study {path.stem!r}{known} ({path} does not exist)")
    if any(path.samefile(other) for other in extended_by):
        raise ConfigError(f"{path.name}: extends itself, by way of {extended_by[-1].name}")
    text = typed(StudyText, read_yaml(path), path.name, whole=False)
    _place_models(text, path.parent)
    if "extends" not in text:
        return text, path.stem
    extended = _extended(path, text.pop("extends"), project)
    below, published_as = read_study_file(extended, project, (*extended_by, path))
    _check_scales(text, below, path.name)
    return laid_over(_below(below, text), text), published_as


def _place_models(text: dict[str, Any], folder: Path) -> None:
    """Make paths of finished vocabularies relative to the working directory: another folder may extend the study."""
    for said in filter(None, (text, *text.get("scales", {}).values())):
        named = ((one, "model") for one in said.get("vocabularies", {}).values())
        for one, key in ((said, "vocab_model"), *named):
            if one.get(key):
                one[key] = from_folder(one[key], folder)


def without_emptied(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return `below` without what `above` clears (merging `{}` adds nothing) or replaces as a whole."""
    gone = {key for key, value in above.items() if key in TAKEN_WHOLE or (key in NONE_IF_EMPTY and value == {})}
    return {key: value for key, value in below.items() if key not in gone}


def _below(study: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an extending study inherits: without the keys that it clears, and narrowed to its seeds."""
    kept = {key: value for key, value in without_emptied(study, above).items() if key not in OF_ITSELF}
    gone = () if "ensembles" in kept else study.get("ensembles", ())
    kept["labels"] = {name: label for name, label in study.get("labels", {}).items() if name not in gone}
    scales = kept.pop("scales", {})
    for name, scale in scales.items():
        own = above.get("scales", {}).get(name) or {}
        left = without_emptied(without_emptied(scale or {}, above), own)
        if "seeds" in own:
            left = laid_over(left, _narrowed(laid_over(kept, left), own["seeds"], above))
        scales[name] = scale and left
    return {**kept, "scales": scales}


def _narrowed(said: Mapping[str, Any], seeds: Sequence[int], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return the seeds of sections and ensembles that are also in `seeds`, if they name some and `above` names none."""
    narrowed: dict[str, Any] = {}
    for key in ("grid", "ensembles"):
        for name, section in said.get(key, {}).items():
            anew = "seeds" in above.get(key, {}).get(name, {})
            if not anew and (left := tuple(seed for seed in section.get("seeds", ()) if seed in seeds)):
                narrowed.setdefault(key, {})[name] = {"seeds": left}
    return narrowed


def _check_scales(text: Mapping[str, Any], below: Mapping[str, Any], where: str) -> None:
    """Raise ConfigError for a new scale whose name is close to one of the extended study.

    A misspelt scale would keep that study's corpora, and train on them under this study's name.
    """
    known = below.get("scales", {})
    for scale in text.get("scales", {}):
        if scale not in known and (close := closest(scale, known)):
            raise ConfigError(
                f"{where}: scales has {scale!r}; did you mean {close!r}? A new scale needs a name less like that"
            )


def _extended(path: Path, name: str, project: Path) -> Path:
    """Return the file of the study that `path` extends: next to it, else among the project's."""
    if name.endswith(".yaml"):
        return path.parent / os.path.expanduser(name)
    places = [folder / f"{name}.yaml" for folder in (path.parent, project)]
    return next((place for place in places if place.is_file() and not place.samefile(path)), places[0])


def names_of_studies(*folders: Path) -> list[str]:
    """Return the names of the study files in folders that may also hold other YAML."""
    files = [file for folder in folders for file in folder.glob("*.yaml")]
    text = {file.stem: file.read_text(encoding="utf-8", errors="replace") for file in files}
    return sorted(name for name in text if re.search("^(paper|extends):", text[name], flags=re.MULTILINE))
