"""How long a run of few pairs trains."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from seqpre.common.errors import ConfigError
from seqpre.study.fractions import count_of
from seqpre.study.load import load_study
from seqpre.study.study import Study, declared_runs, tuning_runs

STUDY = Path(__file__).parents[3] / "workflow/studies/ramachandran-translation.yaml"


def by_fraction(**schedules: Any) -> Callable[[dict[str, Any]], None]:
    """Return a change of the translation study's small scale."""
    return lambda study: study["scales"]["small"].update(by_fraction=schedules)


def test_a_fraction_may_have_a_schedule_of_its_own(edited: Any) -> None:
    study = load_study(edited(by_fraction(**{"10pct": {"train.passes": 30, "optimizer": {"lr": 2e-3}}})), "small")
    usual = load_study(STUDY, "small")
    told = {(run.system, run.fraction): run.settings for run in declared_runs(study)}
    for run in declared_runs(usual):
        here = told[run.system, run.fraction]
        if run.fraction != "10pct":
            assert here == run.settings
    assert told["full", "10pct"].train.passes == 30
    assert told["full_double_budget", "10pct"].train.passes == 40, "what its own line says, it keeps"
    assert told["encoder_only", "10pct"].optimizer.lr == 2e-3
    assert told["encoder_only", "10pct"].init == study.systems["encoder_only"].init
    assert usual.tuning
    tried = {run.settings.train.passes for run in tuning_runs(study, "full", usual.tuning.fraction)}
    assert tried == {30 if usual.tuning.fraction == "10pct" else usual.systems["full"].train.passes}


@pytest.mark.parametrize(
    ("schedules", "message"),
    [
        ({"15pct": {}}, "by_fraction has '15pct'; did you mean '5pct'"),
        ({"10pct": {"model.dropout": 0.1}}, "scales.small.by_fraction.10pct has no key 'model'"),
        ({"10pct": {"train.metric": "none"}}, "decoder_only.train.metric is 'none'; it must be that of base"),
        ({"10pct": {"train.passes": -1}}, "scales.small.by_fraction.10pct.train.passes"),
    ],
)
def test_a_schedule_that_cannot_be_is_refused(edited: Any, schedules: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        load_study(edited(by_fraction(**schedules)), "small")


def test_a_study_need_not_have_the_schedules_of_the_one_it_extends(edited: Any) -> None:
    parent = edited(by_fraction(**{"10pct": {"train.passes": 30}}))
    grid = {section: {"fractions": ["20pct"]} for section in load_study(parent, "small").grid}
    small: dict[str, Any] = {"grid": grid, "tuning": None}
    child = parent.with_name("child.yaml")

    def extended() -> Study:
        text = {"extends": parent.name, "scales": {"small": small}}
        child.write_text(yaml.safe_dump(text), encoding="utf-8")
        return load_study(child, "small", project=STUDY.parent)

    with pytest.raises(ConfigError, match=r"by_fraction has '10pct'.* with by_fraction: null"):
        extended()
    small["by_fraction"] = None
    assert extended().by_fraction == {}


def test_fewer_pairs_of_edunov_train_for_fewer_updates() -> None:
    runs = declared_runs(load_study(STUDY.with_name("edunov-translation.yaml"), "paper"))
    updates = {run.fraction: run.settings.train.max_updates for run in runs}
    assert (updates["160k"], updates["1280k"], updates["100pct"]) == (10_000, 25_000, 30_000)


@pytest.mark.parametrize(
    ("study", "pairs", "mean_length"),
    [("ramachandran-translation", 4_000_000, 57), ("ramachandran-summarization", 287_113, 675)],
)
def test_no_run_of_the_paper_scale_reads_its_pairs_more_than_twice_between_validations(
    study: str, pairs: int, mean_length: int
) -> None:
    for run in declared_runs(load_study(STUDY.with_name(f"{study}.yaml"), "paper")):
        train = run.settings.train
        batch = train.batch_tokens / mean_length if train.batch_tokens else train.batch_sentences
        a_pass = count_of(run.fraction, pairs) / batch
        assert train.updates(a_pass)[1] <= math.ceil(2 * a_pass), run.path
