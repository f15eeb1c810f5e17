"""The first screen says in words what became of a paper's claims."""

import pytest

from seqpre.report.pages.overview import by_verdict, counted, opening

ONE, OTHER = ("one", "One study"), ("other", "Another study")
FOUND = by_verdict(
    [(ONE, {"a": "holds", "b": "not run", "c": "not run"}), (OTHER, {"a": "fails", "b": "holds", "c": "not run"})]
)


def test_a_claim_stands_below_every_verdict_and_is_not_run_only_if_no_study_judged_it() -> None:
    assert FOUND == {
        "holds": {(ONE,): ["a"], (OTHER,): ["b"]},
        "fails": {(OTHER,): ["a"]},
        "undecided": {},
        "not run": {(ONE, OTHER): ["c"]},
    }


def test_the_page_opens_with_what_was_found_and_at_which_sizes() -> None:
    assert list(opening("small", [FOUND], 2))[1:] == [
        "Of 3 claims 1 holds, 1 differs between studies and 1 could not be judged, in 2 studies at the scale *small*.",
        "*No run is at the papers' sizes*: models and texts are far smaller here.",
    ]
    assert list(opening("paper", [], 0))[1:] == ["No study has been run at the scale *paper*."]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (["holds"], "the one claim holds"),
        (["fails"] * 3, "all 3 claims fail"),
        (["undecided", "fails", "undecided"], "of 3 claims 1 fails and 2 are undecided"),
    ],
)
def test_claims_are_counted_by_verdict(found: list[str], said: str) -> None:
    assert counted(found) == said
