"""Whether the parts of a study fit: the names that one uses of another, and what only together is impossible."""

from __future__ import annotations

import re

from seqpre.common.errors import ConfigError
from seqpre.study.overrides import nearest, overridden, require
from seqpre.study.settings import RunSettings, needed_lms
from seqpre.study.study import Study
from seqpre.study.tasks import TASKS


def check_study(study: Study, where: str) -> None:
    """Check the names that one part of a study uses of another."""
    require(re.fullmatch(r"[\w.+-]+", study.name), where, "its name", study.name, "of letters, digits, _, -, + and .")
    if "bitext" not in study.corpora:
        raise ConfigError(f"{where}: scales.{study.scale}.corpora lacks 'bitext', the labelled pairs")
    for name, lm in study.lms.items():
        if lm.corpus not in study.corpora:
            raise ConfigError(f"{where}: lms.{name}.corpus is {lm.corpus!r}{nearest(lm.corpus, study.corpora)}")
        if lm.language not in (study.source, study.target):
            sides = f"source {study.source!r} and target {study.target!r}"
            raise ConfigError(f"{where}: lms.{name}.language is {lm.language!r}; the study has {sides}")
    require("random" not in study.lms, where, "the name of an LM", "random", "another: that is what has no LM")
    for name, settings in study.systems.items():
        require(name not in study.ensembles, where, "the name of a system", name, "another than that of an ensemble")
        if needed_lms(settings) and settings.first_layer != study.base.first_layer:
            raise ConfigError(
                f"{where}: systems.{name}.first_layer is not that of base, which the LMs that it needs have"
            )
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
    if study.reference not in study.systems:
        raise ConfigError(f"{where}: reference is {study.reference!r}{nearest(study.reference, study.systems)}")
    for kind in ("tables", "figures"):
        known = getattr(TASKS[study.task], kind)
        for name in getattr(study, kind):
            if name not in known:
                raise ConfigError(f"{where}: {kind} has {name!r}{nearest(name, known)}")
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
        available = ensemble.available(study.seeds)
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
        for key, values in study.tuning.grid.items():
            for value in values:
                overridden(RunSettings(), {key: value}, f"{where}: tuning.grid")
        for name, other in study.tuning.same_as.items():
            for system in (name, other):
                if system not in study.systems:
                    raise ConfigError(f"{where}: tuning.same_as has {system!r}{nearest(system, study.systems)}")
        if study.tuning.seed in study.seeds:
            raise ConfigError(
                f"{where}: tuning.seed is {study.tuning.seed}, which is also among seeds: what was chosen with it "
                f"would be judged with it; take one that is not among {', '.join(map(str, study.seeds))}"
            )
    metrics = (TASKS[study.task].metric, "none")
    for name, settings in {"base": study.base, **{f"systems.{n}": s for n, s in study.systems.items()}}.items():
        metric = settings.train.metric
        require(metric in metrics, where, f"{name}.train.metric", metric, " or ".join(metrics))
        require(metric == study.base.train.metric, where, f"{name}.train.metric", metric, "that of base")
