"""Checks across the parts of a study: names that one part uses of another, and combinations that are impossible."""

from __future__ import annotations

from seqpre.common.errors import ConfigError
from seqpre.study.declarations import RANDOM, declared_as
from seqpre.study.displays import every_figure, every_table
from seqpre.study.models import ModelSettings
from seqpre.study.pretraining_settings import AnyPretraining, DenoiserSettings
from seqpre.study.settings import RunSettings
from seqpre.study.study import SIDES, Study, Tuning, VocabularySide, declared_runs, tuning_runs
from seqpre.study.tasks import NO_METRIC, TASKS, VALIDATION
from seqpre.study.typed import Name, among, kinds_of, overridden, require, typed

BESIDE = ("corpora", "lms", "subwords", "text", "tokens", "words")
"""Folders of a scale that belong to no study."""


def check_study(study: Study, where: str) -> None:
    """Raise ConfigError for names that are used but not declared, and for parts that do not fit together."""
    typed(Name, study.name, f"{where}: its name")
    require(
        study.name not in BESIDE, where, "its name", study.name, f"none of {', '.join(BESIDE)}: those are folders too"
    )
    _check_lms(study, where)
    for name, settings in study.systems.items():
        require(name not in study.ensembles, where, "the name of a system", name, "another than that of an ensemble")
        _check_pretrained(study, settings, f"{where}: systems.{name}")
        _check_backtranslation(study, settings, f"{where}: systems.{name}")
    _check_vocabularies(study, where)
    for test, split in study.tuned_on.items():
        among(study.tests, test, f"{where}: tuned_on has")
        taken = ("train", VALIDATION, *study.tests)
        require(split not in taken, where, f"tuned_on.{test}", split, f"none of {', '.join(taken)}: a split of its own")
    _check_spelling(study, where)
    _check_shown(study, where)
    for name, ensemble in study.ensembles.items():
        available = len(ensemble.candidates(study.seeds))
        accepted = f"between 1 and {available} (members x seeds); `ensembles: {{}}` has none"
        fits = name in study.left_out or 1 <= ensemble.keep <= available
        require(fits, where, f"ensembles.{name}.keep", ensemble.keep, accepted)
    if not declared_runs(study):
        raise ConfigError(f"{where}: grid has no run with the seeds {', '.join(map(str, study.seeds))}; "
                          "a section needs systems and fractions")  # fmt: skip
    _check_trainings(study, where)
    if study.tuning:
        _check_tuning(study, study.tuning, f"{where}: tuning")


def _check_lms(study: Study, where: str) -> None:
    for name, lm in study.lms.items():
        among(study.corpora, lm.corpus, f"{where}: lms.{name}.corpus is")
        if lm.language not in study.sides:
            sides = f"source {study.source!r} and target {study.target!r}"
            raise ConfigError(f"{where}: lms.{name}.language is {lm.language!r}; the study has {sides}")
        accepted = "left out: a Transformer LM, which is declared in workflow/pretraining, has one"
        require(not lm.objective, where, f"lms.{name}.objective", lm.objective, accepted)
    require(RANDOM not in study.lms, where, "the name of an LM", RANDOM, "another name: in `init`, random means no LM")


def _check_pretrained(study: Study, settings: RunSettings, where: str) -> None:
    """Check that the pretrained models and LM texts of a system fit it and its sides."""
    for needed in settings.needed_lms:
        owner = study.owner_of(needed)
        _check_shape(settings.model, owner.lm_settings, owner.name, where)
    init, objectives = settings.init, settings.objectives
    for key, name, language, wanted in (
        ("init.encoder", init.encoder, study.source, "cloze"),
        ("init.decoder", init.decoder, study.target, "causal"),
        ("objectives.source_lm", objectives.source_lm, study.source, ""),
        ("objectives.target_lm", objectives.target_lm, study.target, ""),
    ):
        if name not in study.pretrained_names:
            continue
        lm = study.declaration_of(name)
        if wanted and lm.objective not in ("", wanted):
            raise ConfigError(
                f"{where}: {key} is {name!r}, an LM whose objective is {lm.objective}; "
                f"the {key.removeprefix('init.')} reads one whose objective is {wanted}"
            )
        if study.task == "translation" and lm.language != language:
            raise ConfigError(
                f"{where}: {key} is {name!r}, an LM of {lm.language!r} text; this side reads {language!r}"
            )


def _check_backtranslation(study: Study, settings: RunSettings, where: str) -> None:
    """Check that there is a text to translate, and a system that can be trained in the other direction."""
    added = settings.backtranslation
    if added.corpus or added.system:
        among(study.corpora, added.corpus, f"{where}: backtranslation.corpus is")
    if not added.system:
        return
    among(study.systems, added.system, f"{where}: backtranslation.system is")
    translator = study.systems[added.system]
    plain = not translator.needed_lms and not translator.backtranslation.system
    accepted = "a system that starts at random and reads pairs alone: its sides are exchanged"
    require(plain, where, "backtranslation.system", added.system, accepted)
    copies = settings.model.copies or translator.model.copies
    require(not copies, where, "backtranslation.system", added.system, "left out: a pointer-generator copies words")
    same = translator.vocabulary == settings.vocabulary
    require(same, where, "backtranslation.system", added.system, "one that has the vocabularies of this system")


def _check_shown(study: Study, where: str) -> None:
    """Check that everything exists that a study compares and shows."""
    task = TASKS[study.task]
    for name in study.trivial:
        among(task.all_trivial, name, f"{where}: trivial has")
    among(study.systems, study.reference, f"{where}: reference is")
    for system in (name for both in study.variant_of.items() for name in both):
        among(study.systems, system, f"{where}: variant_of has")
    for system in (name for both in study.compared.items() for name in both):
        among(study.systems, system, f"{where}: compared has")
    for name in study.tables or ():
        among([one.name for one in every_table(study.in_paper)], name, f"{where}: tables has")
    for name in study.figures or ():
        among([one.name for one in every_figure(study.in_paper, task)], name, f"{where}: figures has")


def _check_trainings(study: Study, where: str) -> None:
    """Check how runs are trained and how their checkpoints are chosen; all runs share the metric and the averaging."""
    told = {"base": study.base, **{f"systems.{name}": settings for name, settings in study.systems.items()}}
    for fraction, systems in study.by_fraction.items():
        told |= {f"by_fraction.{fraction}, systems.{name}": settings for name, settings in systems.items()}
    metrics, base = (TASKS[study.task].metric, NO_METRIC), study.base.train
    for name, settings in told.items():
        train = settings.train
        if name != "base":
            _check_updates(study, settings, f"{where}: {name}")
        require(train.metric in metrics, where, f"{name}.train.metric", train.metric, " or ".join(metrics))
        require(train.metric == base.metric, where, f"{name}.train.metric", train.metric, "that of base")
        last = train.average_last
        require(last == base.average_last, where, f"{name}.train.average_last", last, "that of base")
    accepted = f"perplexity or {study.metric}" if study.metric else "perplexity, as base.train.metric is none"
    require(study.selection in ("perplexity", study.metric), where, "selection", study.selection, accepted)
    none = "; a study that extends another has none of its schedules with by_fraction: null"
    for fraction in study.by_fraction:
        among([one for section in study.grid.values() for one in section.fractions], fraction,
              f"{where}: by_fraction has", none)  # fmt: skip


def _check_tuning(study: Study, tuning: Tuning, where: str) -> None:
    """Check that tuned settings exist, that their systems tune for themselves, and that no final run has the seed."""
    for place, grid in {"grid": tuning.grid, **{f"more.{name}": grid for name, grid in tuning.more.items()}}.items():
        for key, values in grid.items():
            trained = not key.startswith("decode.")
            require(trained, where, place, key, "a setting of training; `decode` has lists of its own to choose from")
            for value in values:
                overridden(study.base, {key: value}, f"{where}.{place}")
    for system in tuning.more:
        among([name for name, whose in study.tuned.items() if name == whose], system, f"{where}.more has")
    for system in (name for both in tuning.same_as.items() for name in both):
        among(study.systems, system, f"{where}.same_as has")
    used = sorted({*study.seeds, *(run.seed for run in declared_runs(study))})  # an ensemble may name others
    if tuning.seed in used:
        raise ConfigError(
            f"{where}.seed is {tuning.seed}, which is also a seed of final runs: settings would be chosen and "
            f"judged with the same seed; take one that is not among {', '.join(map(str, used))}"
        )
    for candidate in {run.system: run for run in tuning_runs(study)}.values():
        candidate.settings.check(f"{where}, {candidate.system}", study.pretrained_names)


def _check_updates(study: Study, settings: RunSettings, where: str) -> None:
    """Check that a run without updates has no passes either, and that both sides start from a denoiser."""
    train = settings.train
    if train.max_updates:
        return
    accepted = f"at least 1: train.passes is {train.passes} and counts instead; for no training at all it is 0, too"
    require(not train.passes, where, "train.max_updates", 0, accepted)
    for key, name in settings.init.by_key.items():
        whole = name != RANDOM and isinstance(study.owner_of(name).lm_settings, DenoiserSettings)
        accepted = f"at least 1: {key} is {name!r}, and only what starts from a denoiser is of use without training"
        require(whole, where, "train.max_updates", 0, accepted)


def _check_spelling(study: Study, where: str) -> None:
    """Check that spelling is corrected only if the task is correction, by words, and for declared tests."""
    for key, value, off in (("spelling", study.spelling, "none"), ("spellings", study.spellings, {})):
        accepted = "left out: only sources of corrections are read in several spellings"
        require(TASKS[study.task].corrects or value == off, where, key, value, accepted)
    if study.spelling != "none":
        words = study.vocabularies.get(study.base.vocabulary.source)
        accepted = "none: spelling is corrected by a vocabulary of words, and that of base has subwords"
        require(words is None or words.words, where, "spelling", study.spelling, accepted)
    for test in study.spellings:
        among(study.tests, test, f"{where}: spellings has")
    for split in study.respelled:
        require(split not in study.published, where, "spellings", split, "another name: it is a split already")


def _check_shape(model: ModelSettings, of: AnyPretraining, owner: str, where: str) -> None:
    """Check that a pretrained model has the kind and the shape that the system needs."""
    kinds = [repr(one.kind) for one in kinds_of(ModelSettings) if one.pretrained_kind == of.kind]
    accepted = f"{' or '.join(kinds)}: {owner!r} has {of.holds}"
    require(model.pretrained_kind == of.kind, where, "model.kind", model.kind, accepted)
    for key, (ours, theirs) in model.shared_with(of).items():
        require(ours == theirs, where, f"model.{key}", ours, f"{theirs!r}, as the models of {owner!r} have it")


def _check_vocabularies(study: Study, where: str) -> None:
    """Check that every vocabulary of a system is declared, and that its pretrained models use the same."""
    if study.pretraining:
        for name in (*study.lms, *study.more_vocabularies):
            taken = name in study.pretraining.lms or name == study.pretraining.name
            require(not taken, where, "a name", name, f"none that the pretraining {study.pretraining.name!r} has")
    known = study.vocabularies
    for system, settings in study.systems.items():
        at = f"{where}: systems.{system}"
        for side in SIDES:
            chosen = getattr(settings.vocabulary, side)
            if not chosen and chosen not in known:
                raise ConfigError(
                    f"{where}: scales.{study.scale} lacks 'vocab_size'; the system {system} names no other vocabulary"
                )
            among(known, chosen, f"{at}: vocabulary.{side} is")
            copies = settings.model.copies
            if copies != study.vocabulary(settings, side).words:
                wanted = "words, as it copies them" if copies else "subwords: only a pointer-generator copies words"
                raise ConfigError(f"{at}: vocabulary.{side} is {chosen!r}; it must be one of {wanted}")
        begun: dict[str, VocabularySide] = {settings.init.decoder: "target", settings.init.encoder: "source"}
        for needed in settings.needed_lms:
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
