"""Pretrainings: models that several studies start from, declared once in `workflow/pretraining/<name>.yaml`.

Their text excludes the validation and test sets of every study that names the pretraining, selected or not. So
selecting another study re-trains nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError
from seqpre.study.declarations import (
    RANDOM,
    FilterSettings,
    LMDeclaration,
    NamedVocabulary,
    VocabularyDeclaration,
    found,
    from_folder,
)
from seqpre.study.fractions import ALL
from seqpre.study.pretraining_settings import AnyPretraining, TransformerLMSettings
from seqpre.study.strict_yaml import read_yaml
from seqpre.study.typed import Name, Word, among, at, check_keys, laid_over, nearest, overridden, require, typed

TextName = tuple[str, str, str]
"""Corpus, split, language."""


@dataclass(frozen=True)
class PretrainingScale:
    """What a pretraining declares and a scale may change, except which models there are."""

    vocabulary: VocabularyDeclaration
    filter: FilterSettings
    models: dict[Name, LMDeclaration]
    settings: AnyPretraining
    corpora: dict[Word, Word]


@dataclass(frozen=True)
class PretrainingText(PretrainingScale):
    """What a pretraining file declares."""

    extends: Name
    """Another pretraining; this file states only the differences, and which of its scales there are."""
    scales: dict[Word, PretrainingScale]


@dataclass(frozen=True)
class Evaluated:
    """The text that one study is evaluated on."""

    study: str
    bitext: str
    sides: tuple[str, str]
    splits: tuple[str, ...]


@dataclass(frozen=True)
class Pretraining:
    """Models that several studies start from, at one scale."""

    name: str
    scale: str
    corpora: dict[str, str]
    filter: FilterSettings
    lms: dict[str, LMDeclaration]
    lm_settings: AnyPretraining
    vocabulary: VocabularyDeclaration
    users: tuple[Evaluated, ...]
    """All studies that name it."""

    @property
    def vocabularies(self) -> dict[str, NamedVocabulary]:
        """The vocabulary that all its models share, learned from all of their text."""
        return {"": NamedVocabulary(self.name, "", self.vocabulary)}

    def read(self) -> list[TextName]:
        """Return the texts that its models and its vocabulary are trained on."""
        return list(dict.fromkeys((self.corpora[lm.corpus], "train", lm.language) for lm in self.lms.values()))

    def filtered_together(self, corpus: str, language: str) -> tuple[str, ...]:
        """Return the languages in which a training text is filtered: both of pairs of its studies, otherwise one."""
        pairs = {user.bitext: user.sides for user in self.users}.get(corpus, ())
        return pairs if language in pairs else (language,)

    def left_out(self) -> list[TextName]:
        """Return the texts that must not occur in these: the evaluation sets of the studies that use it."""
        texts = [(user.bitext, split, side) for user in self.users for split in user.splits for side in user.sides]
        return sorted(set(texts))

    def texts(self) -> list[TextName]:
        """Return every text that it needs."""
        return [*self.read(), *self.left_out()]


def load_pretraining(path: Path, scale: str, users: Sequence[Evaluated]) -> Pretraining:
    """Read and check a pretraining file; return the pretraining at one scale."""
    where, text = path.name, _read(path)
    typed(Name, path.stem, f"{where}: its name")
    for key in ("models", "scales"):
        if not text.get(key):
            raise ConfigError(f"{where} lacks {key!r}")
    among(text["scales"], scale, f"{where} has no scale")
    said, within = text["scales"][scale], f"{where}: scales.{scale}"
    check_keys(said.get("models"), text["models"], at(within, "models"))
    said = laid_over({key: value for key, value in text.items() if key != "scales"}, said)
    lms = typed(dict[str, LMDeclaration], said["models"], f"{where}: models")
    settings: AnyPretraining = typed(AnyPretraining, said.get("settings"), f"{where}: settings")
    settings.check(f"{where}: settings")
    vocabulary = typed(VocabularyDeclaration, said.get("vocabulary"), f"{within}.vocabulary")
    if vocabulary.model:
        vocabulary = dataclasses.replace(vocabulary, model=from_folder(vocabulary.model, path.parent))
    vocabulary = found(vocabulary, f"{within}.vocabulary")
    wanted = settings.vocabulary
    accepted = f"{wanted!r}, which a model of the kind {settings.kind!r} has"
    require(vocabulary.kind == wanted, within, "vocabulary.kind", vocabulary.kind, accepted)
    learned_from = vocabulary.learned_from
    require(learned_from == "both", within, "vocabulary.learned_from", learned_from, "left out: its text has no sides")
    corpora = said.get("corpora", {})
    for name, lm in lms.items():
        require(name != RANDOM, where, "the name of a model", name, "another name: in `init`, random means no model")
        directed = isinstance(settings, TransformerLMSettings)
        accepted = "'causal' or 'cloze'" if directed else "left out: a Transformer LM has one"
        require(bool(lm.objective) == directed, where, f"models.{name}.objective", lm.objective, accepted)
        whole = lm.fraction == ALL or settings.kind != "denoiser"
        require(whole, where, f"models.{name}.fraction", lm.fraction, "left out: a denoiser reads all of its text")
        among(corpora, lm.corpus, f"{where}: models.{name}.corpus is")
    return Pretraining(
        name=path.stem,
        scale=scale,
        corpora=corpora,
        filter=overridden(FilterSettings(), said.get("filter"), f"{where}: filter"),
        lms=lms,
        lm_settings=settings,
        vocabulary=vocabulary,
        users=tuple(users),
    )


def _read(path: Path, extended_by: tuple[Path, ...] = ()) -> dict[str, Any]:
    """Return the content of a pretraining file, merged over the pretraining that it extends."""
    by = f"{extended_by[-1].name}: extends" if extended_by else "pretraining"
    if not path.is_file():
        known = nearest(path.stem, sorted(file.stem for file in path.parent.glob("*.yaml")))
        raise ConfigError(f"{by}: there is no {path.stem!r}{known} ({path} does not exist)")
    if path in extended_by:
        raise ConfigError(f"{path.name}: extends itself, by way of {extended_by[-1].name}")
    text: dict[str, Any] = typed(PretrainingText, read_yaml(path), path.name, whole=False)
    if "extends" not in text:
        return text
    merged = laid_over(_read(path.with_name(f"{text.pop('extends')}.yaml"), (*extended_by, path)), text)
    return merged | {"scales": {name: merged["scales"][name] for name in text.get("scales", ())}}
