"""What a run can be told: typed settings, strict overrides, and the runs a study declares.

A study file declares one grid; a scale swaps corpora and sizes under it. Everything is checked while the workflow
loads: an unknown key, an impossible value, an LM nobody declared or a fraction out of range is a ConfigError that names
key, value and the nearest valid name. `run.json` keeps only what differs from the defaults below, so a new setting
whose default means "off" re-runs nothing.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import yaml

from seqpre.errors import ConfigError

PARTS = ("embedding", "lstm", "softmax")
RANDOM = "random"


# ------------------------------------------------------------------------------------------------- settings of a run


@dataclass(frozen=True)
class FirstLayer:
    """The shape of a language model, which is also layer 1 of an encoder or decoder.

    projection_dim 0 means an LSTM without projection; dropout is on non-recurrent connections.
    """

    # Unstated: the embedding size. That of the projection, as in Jozefowicz et al. (2016).
    embedding_dim: int = 1024
    hidden_dim: int = 4096
    projection_dim: int = 1024

    @property
    def output_dim(self) -> int:
        """Size of the layer's output, the input of the softmax."""
        return self.projection_dim or self.hidden_dim


@dataclass(frozen=True)
class ModelSettings:
    """The seq2seq model above its two first layers (Ramachandran et al., 2017, Section 2)."""

    upper_layers: int = 2
    upper_dim: int = 1000
    # Differs: the paper's experiments gated the residual; it reports that a plain one works just as well.
    residual: Literal["plain", "gated", "none"] = "plain"
    attention: Literal["first_and_top", "top"] = "first_and_top"
    # Unstated: whether the published numbers used input feeding: only the arXiv version describes it, both print them.
    input_feeding: bool = True
    dropout: float = 0.2


@dataclass(frozen=True)
class InitSettings:
    """Which language model initialises which side, which of its parts are taken, and which parts stay fixed."""

    encoder: str = RANDOM
    decoder: str = RANDOM
    parts: tuple[str, ...] = PARTS
    freeze: tuple[str, ...] = ()


@dataclass(frozen=True)
class ObjectiveSettings:
    """The LM losses beside the labelled loss: alpha and beta of Section 2.2, and whose text they read."""

    source_lm_weight: float = 0.0
    target_lm_weight: float = 0.0
    source_lm: str = ""
    target_lm: str = ""
    # Unstated: the LM losses' batch. About as many tokens as the labelled batch has on the target side.
    lm_streams: int = 64
    bptt: int = 20


@dataclass(frozen=True)
class OptimizerSettings:
    """Optimiser and schedule: `lr`, multiplied by `decay` every `decay_every` updates after the first `decay_after`."""

    name: Literal["adam", "adagrad"] = "adam"
    lr: float = 5e-5
    decay: float = 1.0
    decay_after: int = 0
    decay_every: int = 1
    clip_norm: float = 5.0


@dataclass(frozen=True)
class TrainSettings:
    """How a seq2seq model is trained and when it stops. Lengths are in subwords, intervals in updates."""

    # Unstated: the batch size and the length limit of training pairs.
    batch_sentences: int = 128
    max_length: int = 100
    max_updates: int = 10_000_000
    # Unstated: how often the validation perplexity is measured, and how long early stopping waits.
    validate_every: int = 5_000
    patience: int = 20
    checkpoint_minutes: float = 10.0


@dataclass(frozen=True)
class DecodeSettings:
    """Beam search. Of `length_penalties`, the one best on validation is used for the tests."""

    beam: int = 10
    length_penalties: tuple[float, ...] = (0.0, 0.6, 1.0)
    batch_sentences: int = 64


@dataclass(frozen=True)
class RunSettings:
    """Everything that may change a run's numbers."""

    first_layer: FirstLayer = FirstLayer()
    model: ModelSettings = ModelSettings()
    init: InitSettings = InitSettings()
    objectives: ObjectiveSettings = ObjectiveSettings()
    optimizer: OptimizerSettings = OptimizerSettings()
    train: TrainSettings = TrainSettings()
    decode: DecodeSettings = DecodeSettings()

    def check(self, where: str, lms: Iterable[str] = ()) -> None:
        """Raise ConfigError for a value that no run can have."""
        model, init, train = self.model, self.init, self.train
        for name, value in (
            ("first_layer.embedding_dim", self.first_layer.embedding_dim),
            ("first_layer.hidden_dim", self.first_layer.hidden_dim),
            ("model.upper_layers", model.upper_layers),
            ("model.upper_dim", model.upper_dim),
            ("objectives.lm_streams", self.objectives.lm_streams),
            ("objectives.bptt", self.objectives.bptt),
            ("train.batch_sentences", train.batch_sentences),
            ("train.max_length", train.max_length),
            ("train.max_updates", train.max_updates),
            ("train.validate_every", train.validate_every),
            ("train.patience", train.patience),
            ("optimizer.decay_every", self.optimizer.decay_every),
            ("decode.beam", self.decode.beam),
            ("decode.batch_sentences", self.decode.batch_sentences),
        ):
            _require(value >= 1, where, name, value, "at least 1")
        for name, share in (("model.dropout", model.dropout),):
            _require(0 <= share < 1, where, name, share, "in [0, 1)")
        for name, positive in (
            ("optimizer.lr", self.optimizer.lr),
            ("optimizer.clip_norm", self.optimizer.clip_norm),
            ("optimizer.decay", self.optimizer.decay),
            ("train.checkpoint_minutes", train.checkpoint_minutes),
        ):
            _require(positive > 0, where, name, positive, "above 0")
        for name, weight in (
            ("objectives.source_lm_weight", self.objectives.source_lm_weight),
            ("objectives.target_lm_weight", self.objectives.target_lm_weight),
        ):
            _require(weight >= 0, where, name, weight, "0 (off) or more")
        _require(len(self.decode.length_penalties) > 0, where, "decode.length_penalties", "()", "one value or more")
        for key in ("parts", "freeze"):
            for part in getattr(init, key):
                if part not in PARTS:
                    raise ConfigError(f"{where}: init.{key} has no part {part!r}{nearest(part, PARTS)}")
        known = (RANDOM, *lms)
        for key, name in (("init.encoder", init.encoder), ("init.decoder", init.decoder)):
            if name not in known:
                raise ConfigError(
                    f"{where}: {key} asks for the LM {name!r}, which the study does not declare{nearest(name, known)}"
                )
        for key, weight, name in (
            ("source_lm", self.objectives.source_lm_weight, self.objectives.source_lm),
            ("target_lm", self.objectives.target_lm_weight, self.objectives.target_lm),
        ):
            if weight > 0 and name not in lms:
                raise ConfigError(
                    f"{where}: objectives.{key}_weight is {weight}, but objectives.{key} is {name!r}, "
                    f"not an LM of the study{nearest(name, lms)}"
                )


@dataclass(frozen=True)
class LMTrainSettings:
    """How a language model is trained. `held_out` sentences at the end of its corpus are its validation text."""

    streams: int = 128
    bptt: int = 20
    dropout: float = 0.1
    # Unstated: how long an LM trains ("one week on 32 Tesla K40"). Five epochs of a billion tokens at most.
    max_tokens: int = 5_000_000_000
    validate_every: int = 5_000
    patience: int = 5
    held_out: int = 2_000
    checkpoint_minutes: float = 10.0


@dataclass(frozen=True)
class LMSettings:
    """One language model: its shape, optimiser and budget."""

    first_layer: FirstLayer = FirstLayer()
    optimizer: OptimizerSettings = OptimizerSettings(name="adagrad", lr=0.2, clip_norm=1.0)
    train: LMTrainSettings = LMTrainSettings()
    seed: int = 1


# ------------------------------------------------------------------------------------------------------- a study


@dataclass(frozen=True)
class LMDeclaration:
    """One LM of a study: the language and corpus role it reads (for bitext: which fraction of it)."""

    language: str
    corpus: str
    fraction: str = "100pct"


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
    scale: str
    paper: str
    task: str
    source: str
    target: str
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


@dataclass(frozen=True)
class Run:
    """One cell of the grid."""

    study: str
    scale: str
    system: str
    fraction: str
    seed: int
    settings: RunSettings = field(compare=False)
    lms: dict[str, LMDeclaration] = field(compare=False)
    """The LMs whose weights or text the run needs."""

    @property
    def path(self) -> str:
        """Where the run lives below its study's folder."""
        return f"runs/{self.system}/{self.fraction}/seed{self.seed}"

    def to_json(self) -> dict[str, Any]:
        """Return what `run.json` holds: who the run is and how it differs from the defaults."""
        return {
            "study": self.study,
            "scale": self.scale,
            "system": self.system,
            "fraction": self.fraction,
            "seed": self.seed,
            "lms": {name: dataclasses.asdict(lm) for name, lm in self.lms.items()},
            "settings": differences(self.settings, RunSettings()),
        }


def run_from_json(value: Mapping[str, Any]) -> Run:
    """Rebuild a run from `run.json`."""
    settings = overridden(RunSettings(), value["settings"], "run.json")
    lms = {name: LMDeclaration(**lm) for name, lm in value["lms"].items()}
    return Run(value["study"], value["scale"], value["system"], value["fraction"], value["seed"], settings, lms)


def lm_to_json(study: Study, name: str) -> dict[str, Any]:
    """Return what `lm.json` holds: which text the LM reads and how its settings differ from the defaults."""
    return {
        "name": name,
        **dataclasses.asdict(study.lms[name]),
        "settings": differences(study.lm_settings, LMSettings()),
    }


STUDY_KEYS = (
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
    if not path.exists():
        names = sorted(p.stem for p in path.parent.glob("*.yaml"))
        raise ConfigError(f"studies: there is no study {path.stem!r}{nearest(path.stem, names)}")
    text = yaml.safe_load(path.read_text(encoding="utf-8"))
    where = path.name
    _check_keys(text, STUDY_KEYS, where)
    scales = text.get("scales", {})
    if scale not in scales:
        raise ConfigError(f"scale: {where} has no scale {scale!r}{nearest(scale, scales)}")
    small = scales[scale] or {}
    _check_keys(small, SCALE_KEYS, f"{where}: scales.{scale}")
    for key in ("corpora", "tests", "vocab_size"):
        if key not in small:
            raise ConfigError(f"{where}: scales.{scale} lacks {key!r}")

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
    _check_keys(extra, text["systems"], f"{where}: scales.{scale}.systems")
    for name, change in text["systems"].items():
        settings = overridden(base, change or {}, f"{where}: systems.{name}")
        settings = overridden(settings, extra.get(name) or {}, f"{where}: scales.{scale}.systems.{name}")
        settings.check(f"{where}: systems.{name}", lms)
        systems[name] = settings
    _check_keys(text.get("labels", {}), (*systems, *ensembles), f"{where}: labels")

    chosen = tuple(seeds) if seeds else tuple(small.get("seeds", (1,)))
    for seed in chosen:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise ConfigError(f"seeds: {seed!r} is not a whole number from 0")
    study = Study(
        name=path.stem,
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
            if lm_name in study.lms and study.lms[lm_name].language != language:
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
        _require(
            1 <= ensemble.keep <= available,
            where,
            f"ensembles.{name}.keep",
            ensemble.keep,
            f"between 1 and {available} (members x seeds)",
        )
    _require(study.vocab_size >= 100, where, "vocab_size", study.vocab_size, "at least 100")


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


def needed_lms(settings: RunSettings) -> list[str]:
    """Return the LMs whose weights or training text a run needs, source side first."""
    init, objectives = settings.init, settings.objectives
    names = [
        init.encoder,
        init.decoder,
        objectives.source_lm if objectives.source_lm_weight else RANDOM,
        objectives.target_lm if objectives.target_lm_weight else RANDOM,
    ]
    return [name for name in dict.fromkeys(names) if name != RANDOM]


def share_of(fraction: str, where: str = "fraction") -> Fraction:
    """Turn `20pct` or `2.5pct` into an exact share of a corpus, above 0 and at most 1."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)pct", str(fraction))
    share = Fraction(match[1]) / 100 if match else Fraction(0)
    if not 0 < share <= 1:
        raise ConfigError(
            f"{where} is {fraction!r}; write it as a percentage above 0 and up to 100, like 2.5pct or 100pct"
        )
    return share


# -------------------------------------------------------------------------------------------- overrides and differences


def overridden(settings: Any, changes: Mapping[str, Any], where: str) -> Any:
    """Return `settings` with `changes` applied; keys may be nested or dotted (`init.decoder: random`).

    Raises ConfigError for an unknown key (with the nearest valid one) or a value of the wrong type.
    """
    if not isinstance(changes, Mapping):
        raise ConfigError(f"{where} must be a mapping of settings, got {changes!r}")
    hints = typing.get_type_hints(type(settings))
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
            new = _typed(hints[name], value, f"{where}.{name}")
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


def nearest(name: str, known: Iterable[str]) -> str:
    """Return how to go on after an unknown name: the closest known one, or all of them."""
    known = [str(k) for k in known]
    close = difflib.get_close_matches(str(name), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(known) or 'none'}"


def _typed(hint: Any, value: Any, where: str) -> Any:
    """Return `value` as the type `hint`, or raise ConfigError."""
    origin = typing.get_origin(hint)
    if origin is Literal:
        options = typing.get_args(hint)
        if value not in options:
            raise ConfigError(f"{where} is {value!r}{nearest(value, options)}")
        return value
    if origin is tuple:
        if isinstance(value, str) or not isinstance(value, (list, tuple)):
            raise ConfigError(f"{where} must be a list, got {value!r}")
        return tuple(_typed(typing.get_args(hint)[0], item, where) for item in value)
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
        _check_keys(entry, hints, f"{where}: {key}.{name}")
        missing = [f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING and f.name not in entry]
        if missing:
            raise ConfigError(f"{where}: {key}.{name} lacks {missing[0]!r}")
        result[name] = cls(**{k: _typed(hints[k], v, f"{where}: {key}.{name}.{k}") for k, v in entry.items()})
    return result


def _check_keys(mapping: Any, known: Iterable[str], where: str) -> None:
    if not isinstance(mapping, Mapping):
        raise ConfigError(f"{where} must be a mapping, got {mapping!r}")
    known = list(known)
    for key in mapping:
        if key not in known:
            raise ConfigError(f"{where} has no key {key!r}{nearest(key, known)}")


def _require(condition: bool, where: str, name: str, value: Any, accepted: str) -> None:
    if not condition:
        raise ConfigError(f"{where}: {name} is {value!r}; it must be {accepted}")
