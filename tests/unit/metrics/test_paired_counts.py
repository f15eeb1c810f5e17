"""The tests give the values of statistics packages on the paper's counts."""

from __future__ import annotations

import pytest

from seqpre.metrics.paired_counts import mcnemar_chi2, sign_test


def test_the_papers_scores_give_the_p_value_of_other_packages() -> None:
    assert sign_test(29, 83) == sign_test(83, 29) == pytest.approx(3.29e-07, rel=2e-3)


def test_the_papers_repetitions_give_the_p_values_of_other_packages() -> None:
    assert sign_test(24, 65) == pytest.approx(1.61e-05, rel=4e-3)
    assert mcnemar_chi2(24, 65) == pytest.approx(2.24e-05, rel=4e-3)


def test_small_counts_can_be_worked_out_by_hand() -> None:
    assert sign_test(0, 5) == pytest.approx(2 / 32)
    assert sign_test(1, 3) == pytest.approx(2 * (1 + 4) / 16)
    assert sign_test(3, 3) == 1.0  # both tails together are more than 1


def test_without_a_difference_there_is_no_evidence() -> None:
    assert sign_test(0, 0) == mcnemar_chi2(0, 0) == 1.0
    assert mcnemar_chi2(10, 10) == 1.0  # uncut, the correction would give 0.82


def test_thousands_of_documents_do_not_overflow() -> None:
    assert sign_test(4000, 7000) < 1e-100
    assert sign_test(5700, 5790) == pytest.approx(mcnemar_chi2(5700, 5790), rel=1e-3)
