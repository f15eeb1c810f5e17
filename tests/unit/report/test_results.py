"""Reading runs: means, spreads, paired differences, and what is missing."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from study_tree import STUDY, Tree, write

from seqpre.common.errors import DataError
from seqpre.report.estimates import Measurement, seed_mean
from seqpre.report.notes import folders
from seqpre.report.results import load_results


def test_mean_and_spread_over_seeds_are_those_worked_out_by_hand(tree: Tree) -> None:
    for seed, bleu in ((1, 20.0), (2, 21.0), (3, 23.5)):
        tree.add("full", "20pct", seed, bleu)
    found = tree.load().score("full", "20pct", "valid")
    assert found is not None
    assert found.mean == pytest.approx(21.5)
    assert found.sd == pytest.approx((((1.5**2) + (0.5**2) + (2.0**2)) / 2) ** 0.5)
    assert (found.low, found.high) == (None, None), "the intervals of three runs give none of their mean"
    assert found.n == 3


def test_one_seed_has_no_spread_and_no_seed_no_estimate() -> None:
    one = seed_mean([Measurement(20.0, 1, ()), None])
    assert one is not None
    assert (one.mean, one.sd, one.n) == (20.0, None, 1)
    assert seed_mean([None, None]) is None


def test_differences_are_paired_by_seed(tree: Tree) -> None:
    # Seed 3 of the ablation has no partner and is left out; the means alone would give -1.0.
    for seed, bleu in ((1, 20.0), (2, 30.0)):
        tree.add("full", "20pct", seed, bleu)
    for seed, bleu in ((1, 18.0), (2, 29.0), (3, 25.0)):
        tree.add("encoder_only", "20pct", seed, bleu, p_value=0.01 * seed)
    difference = tree.load().difference("encoder_only", "full", "20pct", "valid")
    assert difference is not None
    assert [one.value for one in difference.measurements] == pytest.approx([-2.0, -1.0])
    assert {source.run for source in difference.sources} == {
        "encoder_only/20pct/seed1", "encoder_only/20pct/seed2", "full/20pct/seed1", "full/20pct/seed2"
    }  # fmt: skip


def test_an_ensemble_is_compared_with_the_mean_of_the_seeds(tree: Tree) -> None:
    tree.add("full", "100pct", 1, 30.0)
    tree.add("full", "100pct", 2, 32.0)
    tree.add_ensemble("ensemble_5", 33.5)
    difference = tree.load().difference("ensemble_5", "full", "100pct", "valid")
    assert difference is not None
    assert difference.mean == pytest.approx(2.5)
    assert difference.n == 1


def test_a_declared_run_without_files_is_missing_and_no_error(tree: Tree) -> None:
    tree.declare("full", "20pct", 1)
    results = tree.load()
    assert results.score("full", "20pct", "valid") is None
    assert results.runs[0].validations == []
    assert results.runs[0].summary == {}
    assert results.tests == []


def test_ablations_are_at_the_fraction_where_most_systems_stand_beside_full(full_tree: Tree) -> None:
    assert full_tree.load().ablation_fractions == ["20pct"]


def test_cells_go_from_shares_to_counts_and_from_large_to_small(tree: Tree) -> None:
    for fraction in ("2500", "20pct", "160k", "100pct", "2.5pct"):
        tree.declare("full", fraction, 1)
    assert [fraction for _, fraction in tree.load().cells] == ["100pct", "20pct", "2.5pct", "160k", "2500"]


def test_baselines_and_ensemble_members_make_no_ablation_study(tree: Tree) -> None:
    for system in ("full", "no_pretraining", "no_pretraining_no_lm_objective", "full_dropout_30"):
        tree.declare(system, "100pct", 1)
    tree.declare("low_resource_frozen", "2.5pct", 1)
    assert tree.load().ablation_fractions == []


def test_scores_of_different_scorers_are_not_mixed(tree: Tree) -> None:
    tree.add("full", "20pct", 1, 20.0)
    folder = tree.add("full", "20pct", 2, 20.0)
    entries = json.loads((folder / "scores.json").read_text())
    entries[0]["signature"] = "another tokenizer"
    write(folder / "scores.json", entries)
    with pytest.raises(DataError, match=r"another tokenizer in .*seed2/scores\.json"):
        tree.load().signatures("bleu_tok_multibleu")


def test_scores_of_normalised_texts_stand_beside_older_ones_where_that_changes_nothing(tree: Tree) -> None:
    tree.add("full", "20pct", 1, 20.0)
    folder = tree.add("full", "20pct", 2, 20.0)
    entries = json.loads((folder / "scores.json").read_text())
    older = entries[0]["signature"]
    entries = [entry | {"signature": f"{entry['signature']}|norm:nfc"} for entry in entries]
    write(folder / "scores.json", entries)
    assert tree.load().signatures("bleu_tok_multibleu") == [older, f"{older}|norm:nfc"]
    changed = {"hypotheses": 0, "references": 30, "reference_lines": 1000}
    write(folder / "scores.json", [entry | {"changed_by_normalisation": changed} for entry in entries])
    with pytest.raises(DataError, match=r"norm:nfc in .*seed2/scores\.json"):
        tree.load().signatures("bleu_tok_multibleu")


def test_every_score_is_a_row_with_its_source(tree: Tree) -> None:
    folder = tree.add("full", "20pct", 1, 20.0)
    tree.add_ensemble("ensemble_5", 25.0)
    scores = tree.load().scores
    assert len(scores) == sum(len(json.loads(file.read_text())) for file in tree.root.rglob("scores.json"))
    (row,) = (
        scores.query("run == 'full/20pct/seed1' and split == 'valid' and selection == 'bleu'")
        .head(1)
        .to_dict("records")
    )
    assert (row["system"], row["fraction"], row["seed"], row["score"]) == ("full", "20pct", 1, 20.5)
    assert (row["study"], row["corpus"], row["file"]) == (STUDY, "multi30k", str(folder / "scores.json"))
    assert scores.query("system == 'ensemble_5'")["seed"].isna().all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"task": "parsing"}, "task is 'parsing'; it must be one of translation, summarization, correction"),
        ({"runs": []}, "no run"),
        ({"runs": [{"system": "full", "fraction": "20pct"}]}, "runs lacks 'seed'"),
        ({"scales": ["demo"]}, "has no key 'scales'; did you mean 'scale'?"),
    ],
)
def test_a_study_that_is_described_wrongly_is_refused(tree: Tree, wrong: dict[str, Any], message: str) -> None:
    tree.declare("full", "20pct", 1)
    tree.more |= wrong
    with pytest.raises(DataError, match=rf"study\.json.*{re.escape(message)}"):
        tree.load()


def test_a_study_without_runs_is_refused_with_what_puts_its_records_back(tree: Tree) -> None:
    with pytest.raises(DataError, match=r"study\.json is not there: .*seqpre\.restore"):
        load_results(tree.root / "elsewhere")


def test_folders_are_written_short(tree: Tree) -> None:
    for system in ("full", "encoder_only"):
        for seed in (1, 2):
            tree.add(system, "20pct", seed, 20.0)
    assert folders(tree.load().runs) == [f"{tree.study_dir}/runs/{{full,encoder_only}}/20pct/seed{{1,2}}"]


def test_equal_settings_have_equal_hashes(tree: Tree) -> None:
    one, other = tree.add("full", "20pct", 1, 20.0), tree.add("full", "20pct", 2, 20.0)
    write(one / "run.json", {"a": 1, "b": {"c": 2}})
    write(other / "run.json", {"b": {"c": 2}, "a": 1})
    first, second = tree.load().runs
    assert first.settings_sha256 == second.settings_sha256
    assert len(first.settings_sha256) == 12


def test_the_pairs_of_a_fraction_are_not_those_that_were_translated_back(tree: Tree) -> None:
    for system, pairs, settings in (("both", 11_600, {"backtranslation": {"system": "full"}}), ("full", 5_800, {})):
        folder = tree.add(system, "20pct", 1, 20.0)
        write(folder / "run.json", {"settings": settings})
        write(folder / "summary.json", {"train_pairs": pairs})
    results = tree.load()
    assert (results.pairs("20pct"), results.pairs("2500"), results.pairs("100pct")) == (5_800, 2_500, None)
