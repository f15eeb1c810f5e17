"""What every system may choose on validation, and with whose choice it trains."""

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seqpre.common.errors import ConfigError
from seqpre.study.load import load_study
from seqpre.study.study import declared_runs, tuning_runs

STUDY = Path(__file__).parents[3] / "workflow/studies/ramachandran-translation.yaml"


TUNING = {"grid": {"optimizer.lr": [2e-3, 4e-3], "model.dropout": [0.2, 0.4]}, "fraction": "20pct", "seed": 11}


def tuned_study(edited: Callable[[Callable[[dict[str, Any]], None]], Path], **tuning: Any) -> Any:
    def change(text: dict[str, Any]) -> None:
        text["scales"]["small"] |= {"seeds_draw": "all", "selection": "bleu", "tuning": TUNING | tuning}

    return load_study(edited(change), "small")


def test_every_system_is_tuned_alike_but_for_those_whose_line_decides(edited: Any) -> None:
    study = tuned_study(edited, same_as={"encoder_only": "full"})
    runs = tuning_runs(study)
    per_system = Counter(run.system.partition("@")[0] for run in runs)
    assert set(per_system.values()) == {4}
    assert not {"encoder_only", "full_dropout_10"} & set(per_system)  # Takes full's; sets dropout itself.
    assert study.tuned["encoder_only"] == "full"
    assert {run.seed for run in runs} == {11}
    settings = {run.system: run.settings for run in runs}
    first = settings["full@dropout=0.2,lr=0.002"]  # The file's order, which here is the alphabet's.
    assert (first.optimizer.lr, first.model.dropout) == (2e-3, 0.2)
    assert not {run.system for run in declared_runs(study)} & set(settings)


def test_values_that_are_close_are_tried_both(edited: Any) -> None:
    study = tuned_study(edited, grid={"optimizer.lr": [0.00012345671, 0.00012345674]})
    assert {run.settings.optimizer.lr for run in tuning_runs(study, "full")} == {0.00012345671, 0.00012345674}


def test_a_system_may_choose_more_than_all_do(edited: Any) -> None:
    study = tuned_study(edited, more={"full": {"model.upper_layers": [1, 2]}})
    runs = tuning_runs(study, "full")
    assert len(runs) == 2 * len(tuning_runs(study, "encoder_only"))
    assert {run.settings.model.upper_layers for run in runs} == {1, 2}
    assert {run.system.rpartition(",")[2] for run in runs} == {"upper_layers=1", "upper_layers=2"}
    assert list(study.tuning.tried("full")) == [*study.tuning.grid, "model.upper_layers"]
    assert list(study.tuning.tried("encoder_only")) == list(study.tuning.grid)
    taken = {"encoder_only": "full", "full_double_budget": "full"}
    tuned = tuned_study(edited, more={"full": {"train.passes": [10, 20]}}, same_as=taken).tuned
    assert tuned["encoder_only"] == "full"
    assert "full_double_budget" not in tuned  # Its line sets one of them.


def test_a_choice_for_each_fraction_is_made_where_the_system_or_who_takes_its_choice_is_trained(edited: Any) -> None:
    study = tuned_study(edited, fraction="each", same_as={"encoder_only": "full"})

    def fractions(runs: list[Any], *systems: str) -> set[str]:
        return {run.fraction for run in runs if run.system.partition("@")[0] in systems}

    trained, tried = declared_runs(study), tuning_runs(study)
    assert fractions(tried, "full") == fractions(trained, "full", "encoder_only") != {"20pct"}
    assert fractions(tried, "decoder_only") == fractions(trained, "decoder_only") != fractions(tried, "full")
    (fraction, *_) = fractions(tried, "full")
    assert {run.fraction for run in tuning_runs(study, "full", fraction)} == {fraction}
    assert len(tuning_runs(study, "full", fraction)) == 4


def test_a_study_need_not_tune_what_the_one_it_extends_does(tmp_path: Path) -> None:
    child = tmp_path / "child.yaml"
    child.write_text(f"extends: {STUDY.stem}\nscales: {{small: {{tuning: null}}}}\n", encoding="utf-8")
    study = load_study(child, "small", project=STUDY.parent)
    assert (study.tuning, study.tuned, tuning_runs(study)) == (None, {}, [])
    assert load_study(STUDY, "small").tuning


def test_a_study_tunes_nothing_else_than_it_says(tmp_path: Path) -> None:
    child = tmp_path / "child.yaml"
    own = "{grid: {optimizer.lr: [1.0e-3]}, fraction: 10pct, seed: 9}"
    child.write_text(f"extends: {STUDY.stem}\nscales: {{small: {{tuning: {own}}}}}\n", encoding="utf-8")
    tuning = load_study(child, "small", project=STUDY.parent).tuning
    assert tuning
    assert tuning.tried("full") == {"optimizer.lr": (1.0e-3,)}


@pytest.mark.parametrize(
    ("tuning", "message"),
    [
        ({"seed": 1}, "tuning.seed is 1, which is also a seed of final runs"),
        ({"grid": {"decode.beam": [3, 5]}}, "tuning: grid is 'decode.beam'; it must be a setting of training"),
        (
            {"grid": {"model.max_source": [60], "train.max_length": [30]}},
            "tuning, full@max_source=60,max_length=30: train.max_length is 30; it must be at least model.max_source",
        ),
        ({"grid": {"optimizer.rl": [1e-3]}}, "tuning.grid.optimizer has no key 'rl'"),
        ({"grid": {"optimizer.lr": 1e-3}}, "scales.small.tuning.grid.optimizer.lr must be a list, got 0.001"),
        ({"same_as": {"encoder": "full"}}, "did you mean 'encoder_only'"),
        ({"fraction": "200pct"}, "tuning.fraction"),
        (
            {"more": {"full": {"model.dropuot": [0.1]}}},
            "tuning.more.full.model has no key 'dropuot'; did you mean 'dropout'",
        ),
        ({"more": {"full": {"model.upper_layers": [2.5]}}}, "tuning.more.full.model"),
        ({"more": {"fall": {"model.dropout": [0.1]}}}, "tuning.more has 'fall'; did you mean 'full'"),
    ],
)
def test_an_impossible_tuning_is_refused(edited: Any, tuning: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        tuned_study(edited, **tuning)


def test_the_seed_of_candidates_is_not_that_of_a_member_of_an_ensemble(edited: Any) -> None:
    def change(text: dict[str, Any]) -> None:
        text["ensembles"] = {"two": {"members": ["full/seed11", "encoder_only/seed2"], "keep": 2}}
        text["scales"]["small"] |= {"tuning": TUNING}
        del text["scales"]["small"]["ensembles"]

    with pytest.raises(
        ConfigError, match=r"tuning.seed is 11, which is also a seed of final runs: .* not among 1, 2, "
    ):
        load_study(edited(change), "small")
