"""Whether the parts of a study fit: the names that one uses of another, and what only together is impossible."""

from __future__ import annotations

from seqpre.common.errors import ConfigError
from seqpre.study.declarations import declared_as
from seqpre.study.models import (
    AugmentedTransformerSettings,
    LSTMSettings,
    ModelSettings,
    PointerGeneratorSettings,
)
from seqpre.study.pretraining_settings import AnyPretraining, DenoiserSettings, LMSettings, TransformerLMSettings
from seqpre.study.settings import RANDOM, RunSettings, needed_lms
from seqpre.study.study import SIDES, Study, VocabularySide
from seqpre.study.tasks import TASKS
from seqpre.study.typed import Name, nearest, overridden, require, typed

BESIDE = ("corpora", "lms", "subwords", "text", "tokens", "words")
"""Folders of a scale that are no study's."""


def check_study(study: Study, where: str) -> None:
    """Check the names that one part of a study uses of another."""
    typed(Name, study.name, f"{where}: its name")
    require(
        study.name not in BESIDE, where, "its name", study.name, f"none of {', '.join(BESIDE)}: those are folders too"
    )
    for name, lm in study.lms.items():
        if lm.corpus not in study.corpora:
            raise ConfigError(f"{where}: lms.{name}.corpus is {lm.corpus!r}{nearest(lm.corpus, study.corpora)}")
        if lm.language not in (study.source, study.target):
            sides = f"source {study.source!r} and target {study.target!r}"
            raise ConfigError(f"{where}: lms.{name}.language is {lm.language!r}; the study has {sides}")
        accepted = "left out: a Transformer LM, which is declared in workflow/pretraining, has one"
        require(not lm.objective, where, f"lms.{name}.objective", lm.objective, accepted)
    require("random" not in study.lms, where, "the name of an LM", "random", "another: that is what has no LM")
    for name, settings in study.systems.items():
        require(name not in study.ensembles, where, "the name of a system", name, "another than that of an ensemble")
        for needed in needed_lms(settings):
            owner = study.owner_of(needed)
            _check_shape(settings.model, owner.lm_settings, owner.name, f"{where}: systems.{name}")
        init, objectives = settings.init, settings.objectives
        for side, wanted in (("encoder", "cloze"), ("decoder", "causal")):
            lm_name = getattr(init, side)
            found = study.declaration_of(lm_name).objective if lm_name in study.starts else ""
            if found not in ("", wanted):
                raise ConfigError(
                    f"{where}: systems.{name}: init.{side} is {lm_name!r}, an LM whose objective is {found}; "
                    f"the {side} reads one whose objective is {wanted}"
                )
        for key, lm_name, language in (
            ("init.encoder", init.encoder, study.source),
            ("init.decoder", init.decoder, study.target),
            ("objectives.source_lm", objectives.source_lm, study.source),
            ("objectives.target_lm", objectives.target_lm, study.target),
        ):
            if study.task == "translation" and lm_name in study.starts:
                its = study.declaration_of(lm_name).language
                if its != language:
                    raise ConfigError(
                        f"{where}: systems.{name}: {key} is {lm_name!r}, an LM of {its!r} text; "
                        f"this side reads {language!r}"
                    )
    _check_vocabularies(study, where)
    for test, split in study.tuned_on.items():
        if test not in study.tests:
            raise ConfigError(f"{where}: tuned_on has {test!r}{nearest(test, study.tests)}")
        taken = ("train", "valid", *study.tests)
        require(split not in taken, where, f"tuned_on.{test}", split, f"none of {', '.join(taken)}: a split of its own")
    _check_spelling(study, where)
    trivial = TASKS[study.task].all_trivial
    for name in study.trivial:
        if name not in trivial:
            raise ConfigError(f"{where}: trivial has {name!r}{nearest(name, trivial)}")
    if study.reference not in study.systems:
        raise ConfigError(f"{where}: reference is {study.reference!r}{nearest(study.reference, study.systems)}")
    paper, metric = study.in_paper, TASKS[study.task].metric
    known = {"tables": (*paper.tables, "fractions"), "figures": (*paper.figures(metric), "fractions")}
    for kind in known:
        for name in getattr(study, kind):
            if name not in known[kind]:
                raise ConfigError(f"{where}: {kind} has {name!r}{nearest(name, dict.fromkeys(known[kind]))}")
    for name, ensemble in study.ensembles.items():
        if name in study.left_out:
            continue
        available = len(ensemble.candidates(study.seeds))
        require(
            1 <= ensemble.keep <= available,
            where,
            f"ensembles.{name}.keep",
            ensemble.keep,
            f"between 1 and {available} (members x seeds); `ensembles: {{}}` has none",
        )
    metrics = (TASKS[study.task].metric, "none")
    for name, settings in study.systems.items():
        _check_updates(study, settings, f"{where}: systems.{name}")
    for fraction, systems in study.by_fraction.items():
        for name, settings in systems.items():
            _check_updates(study, settings, f"{where}: by_fraction.{fraction}, systems.{name}")
    told = {"base": study.base, **{f"systems.{name}": settings for name, settings in study.systems.items()}}
    told |= {f"by_fraction.{fraction}": systems[study.reference] for fraction, systems in study.by_fraction.items()}
    for name, settings in told.items():
        metric = settings.train.metric
        require(metric in metrics, where, f"{name}.train.metric", metric, " or ".join(metrics))
        require(metric == study.base.train.metric, where, f"{name}.train.metric", metric, "that of base")
        last = settings.train.average_last
        require(last == study.average_last, where, f"{name}.train.average_last", last, "that of base")
    require(
        study.selection in ("perplexity", study.metric),
        where,
        "selection",
        study.selection,
        f"perplexity or {study.metric}" if study.metric else "perplexity, as base.train.metric is none",
    )
    fractions = dict.fromkeys(fraction for section in study.grid.values() for fraction in section.fractions)
    for fraction in study.by_fraction:
        if fraction not in fractions:
            raise ConfigError(
                f"{where}: by_fraction has {fraction!r}{nearest(fraction, fractions)}; a study that extends another "
                "has none of its schedules with by_fraction: null"
            )
    if study.tuning:
        more = {f"more.{system}": grid for system, grid in study.tuning.more.items()}
        for place, grid in {"grid": study.tuning.grid, **more}.items():
            for key, values in grid.items():
                for value in values:
                    overridden(study.base, {key: value}, f"{where}: tuning.{place}")
        for system in study.tuning.more:
            if study.tuned.get(system) != system:
                raise ConfigError(f"{where}: tuning.more has {system!r}{nearest(system, study.tuned.values())}")
        for name, other in study.tuning.same_as.items():
            for system in (name, other):
                if system not in study.systems:
                    raise ConfigError(f"{where}: tuning.same_as has {system!r}{nearest(system, study.systems)}")
        if study.tuning.seed in study.seeds:
            raise ConfigError(
                f"{where}: tuning.seed is {study.tuning.seed}, which is also among seeds: what was chosen with it "
                f"would be judged with it; take one that is not among {', '.join(map(str, study.seeds))}"
            )


def _check_updates(study: Study, settings: RunSettings, where: str) -> None:
    """Check that a run without updates is meant to have none, and starts from a whole model."""
    train, init = settings.train, settings.init
    if train.max_updates:
        return
    accepted = f"at least 1: train.passes is {train.passes} and counts instead; for no training at all it is 0, too"
    require(not train.passes, where, "train.max_updates", 0, accepted)
    for key, name in (("init.encoder", init.encoder), ("init.decoder", init.decoder)):
        whole = name != RANDOM and isinstance(study.owner_of(name).lm_settings, DenoiserSettings)
        accepted = f"at least 1: {key} is {name!r}, and only what starts from a denoiser is of use without training"
        require(whole, where, "train.max_updates", 0, accepted)


def _check_spelling(study: Study, where: str) -> None:
    """Check that spelling is corrected where corrections are the task, by words, and of tests that there are."""
    for key, value, off in (("spelling", study.spelling, "none"), ("spellings", study.spellings, {})):
        accepted = "left out: only sources of corrections are read in several spellings"
        require(study.task == "correction" or value == off, where, key, value, accepted)
    if study.spelling != "none":
        words = study.vocabularies.get(study.base.vocabulary.source)
        accepted = "none: the vocabulary of base has subwords, and words are what spelling is corrected by"
        require(words is None or words.words, where, "spelling", study.spelling, accepted)
    for test in study.spellings:
        if test not in study.tests:
            raise ConfigError(f"{where}: spellings has {test!r}{nearest(test, study.tests)}")
    for split in study.respelled:
        require(split not in study.published, where, "spellings", split, "another name: it is a split already")


def _check_shape(model: ModelSettings, of: AnyPretraining, owner: str, where: str) -> None:
    """Check that what a system starts from is of its kind and of its shape."""
    starts: dict[type, tuple[type, str]] = {
        LMSettings: (LSTMSettings, "language models"),
        DenoiserSettings: (PointerGeneratorSettings, "a whole model"),
        TransformerLMSettings: (AugmentedTransformerSettings, "Transformer LMs"),
    }
    wanted, has = starts[type(of)]
    require(isinstance(model, wanted), where, "model.kind", model.kind, f"{wanted().kind!r}: {owner!r} has {has}")
    if isinstance(model, LSTMSettings) and isinstance(of, LMSettings):
        ours, theirs = model.first_layer, of.first_layer
        require(ours == theirs, where, "model.first_layer", ours, f"that of the LMs of {owner!r}: {theirs}")
    if isinstance(model, AugmentedTransformerSettings) and isinstance(of, TransformerLMSettings):
        shape = model.representations.lm
        accepted = f"that of the pretraining {owner!r}: {of.shape}"
        require(shape == of.shape, where, "model.representations.lm", shape, accepted)
    if isinstance(model, PointerGeneratorSettings) and isinstance(of, DenoiserSettings):
        for key in ("dim", "ff_dim", "heads", "encoder_layers", "decoder_layers", "norm", "tied", "input_linear"):
            ours, theirs = getattr(model, key), getattr(of.model, key)
            require(ours == theirs, where, f"model.{key}", ours, f"{theirs!r}, as of the pretraining {owner!r}")


def _check_vocabularies(study: Study, where: str) -> None:
    """Check that there is each vocabulary that a system has, and that what the system starts from has it too."""
    if study.pretraining:
        for name in (*study.lms, *study.more_vocabularies):
            taken = name in study.pretraining.lms or name == study.pretraining.name
            require(not taken, where, "a name", name, f"none that the pretraining {study.pretraining.name!r} has")
    known = study.vocabularies
    for system, settings in study.systems.items():
        at = f"{where}: systems.{system}"
        for side in SIDES:
            chosen = getattr(settings.vocabulary, side)
            if chosen not in known:
                if not chosen:
                    raise ConfigError(
                        f"{where}: scales.{study.scale} lacks 'vocab_size'; the system {system} names no other "
                        "vocabulary"
                    )
                raise ConfigError(f"{at}: vocabulary.{side} is {chosen!r}{nearest(chosen, known)}")
            copies = isinstance(settings.model, PointerGeneratorSettings)
            if copies != study.vocabulary(settings, side).words:
                wanted = "words, as it copies them" if copies else "subwords: only a pointer-generator copies words"
                raise ConfigError(f"{at}: vocabulary.{side} is {chosen!r}; it must be one of {wanted}")
        begun: dict[str, VocabularySide] = {settings.init.decoder: "target", settings.init.encoder: "source"}
        for needed in needed_lms(settings):
            owner = study.owner_of(needed)
            side = begun.get(needed, SIDES[0])
            its, chosen = "" if owner is study else owner.name, getattr(settings.vocabulary, side)
            which = repr(its) if its else "left out"
            accepted = f"{which}: the LM {declared_as(needed)!r}, which it needs, has the vocabulary of {owner.name}"
            require(chosen == its, at, f"vocabulary.{side}", chosen, accepted)
    for name, ensemble in study.ensembles.items():
        chosen_by = {study.systems[system].vocabulary for system in ensemble.systems}
        if len(chosen_by) > 1:
            raise ConfigError(f"{where}: ensembles.{name}.members have several vocabularies; they need the same one")
