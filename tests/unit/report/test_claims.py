"""The claims hold on the published numbers, and each fails when its numbers are turned round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from study_tree import Tree

from seqpre.human_study.counts import HumanStudy, Preference, Repetition
from seqpre.human_study.ratings import Key, Mark, Ratings
from seqpre.human_study.tables import repetition_table, score_table
from seqpre.report.claims import CLAIMS
from seqpre.report.claims_table import claims_table
from seqpre.report.numbers import OurNumbers, PublishedNumbers
from seqpre.report.published import PublishedNumber
from seqpre.report.table import Cell
from seqpre.report.tasks import TASKS

BY_NAME = {claim.name: claim for claims in CLAIMS.values() for claim in claims}


@dataclass
class Fake:
    """Numbers given by hand."""

    scores: dict[tuple[str, str, str], float] = field(default_factory=dict)
    deltas: dict[str, float] = field(default_factory=dict)
    others: dict[str, float] = field(default_factory=dict)
    tests: list[str] = field(default_factory=lambda: ["a", "b"])
    asked: HumanStudy | None = None

    def score(self, system: str, fraction: str, split: str) -> float | None:
        return self.scores.get((system, fraction, split))

    def other(self, label: str, condition: str, split: str) -> float | None:
        return self.others.get(condition)

    def gain(self, system: str, baseline: str, fraction: str, split: str) -> float | None:
        one, other = self.score(system, fraction, split), self.score(baseline, fraction, split)
        return None if one is None or other is None else one - other

    def delta(self, system: str) -> float | None:
        return self.deltas.get(system)

    def human_study(self) -> HumanStudy | None:
        return self.asked


@pytest.mark.parametrize("task", TASKS)
def test_every_claim_holds_on_the_published_numbers(published: list[PublishedNumber], task: str) -> None:
    study = f"ramachandran-{task}"
    theirs = PublishedNumbers([number for number in published if number.study == study], TASKS[task])
    for claim in CLAIMS[task]:
        finding = claim.predicate(theirs)
        assert finding is not None, claim.name
        assert finding.holds, (claim.name, finding.evidence)


@pytest.mark.parametrize(
    ("name", "deltas"),
    [
        ("R-C4", {"decoder_only": -1.6, "encoder_only": -1.0}),
        ("R-C4", {"decoder_only": -1.6, "encoder_only": -1.6}),
        ("R-C5", {"decoder_only": -0.4, "encoder_only": -1.6, "no_pretraining": -2.0}),
        ("R-C6", {"embeddings_and_lstm": -0.9}),
        ("R-C7", {"no_lm_objective": -1.6, "no_pretraining": -2.0}),
        ("R-C7", {"no_lm_objective": -2.4, "no_pretraining": -2.0}),
        ("R-C8", {"parallel_lm": -1.6, "no_pretraining": -2.0, "other_domain_lm": -0.3}),
        ("R-C8", {"parallel_lm": -2.1, "no_pretraining": -2.0, "other_domain_lm": -0.7}),
        ("R-C11", {"encoder_only": -1.0, "decoder_only": -1.0, "parallel_lm": 0.0}),
        ("R-C11", {"encoder_only": -1.0, "decoder_only": -4.1, "parallel_lm": -0.6}),
        ("R-C11", {"encoder_only": -1.0, "decoder_only": -4.1, "parallel_lm": 0.6}),
        ("R-C12", {"no_pretraining": -2.1, "no_lm_objective": -2.1}),
    ],
)
def test_a_claim_on_ablations_fails_just_beyond_its_threshold(name: str, deltas: dict[str, float]) -> None:
    finding = BY_NAME[name].predicate(Fake(deltas=deltas))
    assert finding is not None
    assert not finding.holds


@pytest.mark.parametrize(
    ("name", "deltas"),
    [
        ("R-C6", {"embeddings_and_lstm": -1.0}),
        ("R-C7", {"no_lm_objective": -1.7, "no_pretraining": -2.0}),
        ("R-C8", {"parallel_lm": -1.7, "no_pretraining": -2.0, "other_domain_lm": -0.6}),
        ("R-C11", {"encoder_only": -1.0, "decoder_only": -1.1, "parallel_lm": -0.5}),
    ],
)
def test_a_claim_holds_exactly_at_its_threshold(name: str, deltas: dict[str, float]) -> None:
    finding = BY_NAME[name].predicate(Fake(deltas=deltas))
    assert finding is not None
    assert finding.holds


@pytest.mark.parametrize(
    ("scores", "repetition", "holds"),
    [
        ((29, 88, 83), (67, 65, 24, 44), True),
        ((83, 88, 29), (67, 65, 24, 44), False),
        ((29, 88, 83), (67, 24, 65, 44), False),
        ((40, 88, 72), (67, 65, 24, 44), False),
    ],
    ids=["as published", "people prefer the other", "the other repeats less", "p above 0.0001"],
)
def test_people_must_prefer_the_pretrained_system_in_both_ways(
    scores: tuple[int, int, int], repetition: tuple[int, int, int, int], holds: bool
) -> None:
    asked = HumanStudy(Preference(*scores), Repetition(*repetition))
    finding = BY_NAME["R-C13"].predicate(Fake(asked=asked))
    assert finding is not None
    assert finding.holds == holds


def test_our_raters_are_heard_once_their_tables_are_there(summaries: Tree, published: list[PublishedNumber]) -> None:
    def claim() -> Mapping[str, Cell]:
        table = claims_table(summaries.load(), published)
        return next(row for row in table.rows if row["claim"].text == "R-C13")

    key = Key(Path("k"), "p", "full", "none", 1, [("full", "none")] * 40, [[False, False]] * 40,
              Repetition(40, 0, 0, 0), {"documents": 40, "repeating": 0})  # fmt: skip
    marks = {item: (Mark(5, False), Mark(1, True)) for item in range(40)}
    folder = summaries.study_dir / "human_study" / "tables"
    for raters, finding in (((), "not run"), (("anna",), "holds"), (("anna", "ben"), "holds")):
        ratings = [Ratings(Path(f"{name}.json"), name, marks, []) for name in raters]
        score_table(Preference(29, 88, 83), key, ratings).write(folder)
        repetition_table(Repetition(67, 65, 24, 44), key, ratings).write(folder)
        assert claim()["ours_finding"].text == finding
    # All 40 for the full system: 2 x 0.5^40.
    assert claim()["ours"].text == "sign test p = 2e-12, McNemar p = 2e-12"
    assert claim()["seeds"].text == "-", "people were asked once, not for every seed"


def test_a_gain_must_be_reached_on_every_test_set() -> None:
    scores = {("full", "100pct", "a"): 24.0, ("no_pretraining", "100pct", "a"): 21.0,
              ("full", "100pct", "b"): 24.0, ("no_pretraining", "100pct", "b"): 22.1}  # fmt: skip
    finding = BY_NAME["R-C1"].predicate(Fake(scores=scores))
    assert finding is not None
    assert not finding.holds
    assert finding.evidence == "a +3.0, b +1.9"
    del scores["full", "100pct", "b"]
    assert BY_NAME["R-C1"].predicate(Fake(scores=scores)) is None


def test_matching_the_large_ensemble_is_enough_but_beating_the_small_one_is_needed() -> None:
    scores = {(system, "100pct", split): 24.0 for system in ("full", "ensemble_5") for split in ("a", "b")}
    fake = Fake(scores=scores, others={"ensemble 4": 24.0, "ensemble 12": 24.0})
    small, large = BY_NAME["R-C2"].predicate(fake), BY_NAME["R-C3"].predicate(fake)
    assert small is not None
    assert large is not None
    assert (small.holds, large.holds) == (False, True)


def test_little_data_claims_compare_the_right_fractions() -> None:
    scores = {
        ("full", "20pct", "valid"): 18.0,
        ("no_pretraining", "20pct", "valid"): 15.0,
        ("full", "100pct", "valid"): 22.0,
        ("no_pretraining", "100pct", "valid"): 19.0,
        ("low_resource_frozen", "2.5pct", "valid"): 9.0,
        ("low_resource_baseline", "2.5pct", "valid"): 4.1,
    }
    for name in ("R-C9", "R-C10"):
        finding = BY_NAME[name].predicate(Fake(scores=scores))
        assert finding is not None
        assert not finding.holds, "equal gaps do not grow; 4.9 is not 5"


def test_a_missing_number_is_no_finding() -> None:
    assert [name for name, claim in BY_NAME.items() if claim.predicate(Fake()) is not None] == []


def test_claims_against_other_groups_are_not_judged_at_another_scale(
    full_tree: Tree, published: list[PublishedNumber]
) -> None:
    rows = {row["claim"].text: row for row in claims_table(full_tree.load(), published).rows}
    assert rows["R-C2"]["ours_finding"].text == "other scale \N{EN DASH} not comparable"
    assert rows["R-C4"]["published_finding"].text == "holds"
    # Decoder only loses more than encoder only in the invented runs, in both seeds.
    assert (rows["R-C4"]["ours_finding"].text, rows["R-C4"]["seeds"].text) == ("fails", "0 of 2")


def test_claims_are_judged_by_seed_as_well(full_tree: Tree, published: list[PublishedNumber]) -> None:
    # With all data: 35.2 - 33.4 for seed 1, 35.6 - 33.3 for seed 2; their mean is above the threshold, seed 1 is not.
    row = next(row for row in claims_table(full_tree.load(), published).rows if row["claim"].text == "R-C1")
    ours = OurNumbers(full_tree.load(), PublishedNumbers([]))
    gains = [ours.of_seed(seed).gain("full", "no_pretraining", "100pct", "test_2016_flickr") for seed in (1, 2)]
    assert gains == pytest.approx([1.8, 2.3])
    assert (row["ours_finding"].text, row["seeds"].text) == ("holds", "1 of 2")
