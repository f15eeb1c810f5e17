"""The table of published numbers and its loader."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from seqpre.common.errors import DataError
from seqpre.report.published import COLUMNS, PublishedNumber, load_published, of_study

ROW = [
    "ramachandran2017",
    "s",
    "Table 1",
    "EMNLP",
    "full",
    "Full",
    "",
    "100pct",
    "valid",
    "bleu",
    "22.1",
    "text",
    "0.05",
    "",
]


def write(path: Path, *rows: list[str], header: tuple[str, ...] = COLUMNS) -> Path:
    path.write_text("\n".join("\t".join(row) for row in (header, *rows)) + "\n")
    return path


def test_every_number_of_the_three_papers_is_there(published: list[PublishedNumber]) -> None:
    assert Counter(number.paper for number in published) == {"edunov2019": 417, "poda2019": 117, "ramachandran2017": 81}


def test_no_number_is_there_twice(published: list[PublishedNumber]) -> None:
    keys = Counter((n.paper, n.study, n.table, n.label, n.condition, n.fraction, n.split, n.metric) for n in published)
    assert [key for key, count in keys.items() if count > 1] == []


def test_the_ablations_of_figure_3_are_those_of_the_paper(published: list[PublishedNumber]) -> None:
    deltas = {n.system: n.printed for n in of_study(published, "ramachandran-translation", "Figure 3")}
    assert deltas == {
        "parallel_lm": "-2.1", "no_pretraining": "-2.0", "embeddings_only": "-2.0", "no_lm_objective": "-2.0",
        "encoder_only": "-1.6", "embeddings_and_lstm": "-1.6", "decoder_only": "-1.0", "other_domain_lm": "-0.3",
    }  # fmt: skip


def test_the_digitised_gaps_of_figure_4_agree_with_those_the_text_states(published: list[PublishedNumber]) -> None:
    rows = of_study(published, "ramachandran-translation", "Figure 4")
    scores = {(n.system, n.fraction): n for n in rows if n.metric == "bleu_tok_multibleu"}
    stated = {n.fraction: n.value for n in rows if n.metric == "delta_bleu_tok_multibleu"}
    assert set(stated) == {"20pct", "100pct"}
    for fraction, gap in stated.items():
        with_lms, without = scores["full", fraction], scores["no_pretraining", fraction]
        assert abs(with_lms.value - without.value - gap) <= with_lms.tolerance + without.tolerance
        assert (with_lms.kind, with_lms.tolerance) == ("digitised", 0.1)


def test_printed_averages_are_the_means_of_the_printed_scores(published: list[PublishedNumber]) -> None:
    rows = of_study(published, "edunov-translation", "Table 4")
    cells = {(n.system, n.fraction) for n in rows}
    assert len(cells) == 48
    for system, fraction in cells:
        scores = {n.split: n.value for n in rows if (n.system, n.fraction) == (system, fraction)}
        average = scores.pop("average_2012_2018")
        assert len(scores) == 7
        assert average == pytest.approx(sum(scores.values()) / 7, abs=0.1)


def test_text_is_as_exact_as_its_last_place(published: list[PublishedNumber]) -> None:
    for number in published:
        decimals = len(number.printed.partition(".")[2])
        if number.kind in ("text", "label") and number.tolerance > 0:
            assert number.tolerance == pytest.approx(0.5 * 10**-decimals), number


def test_rows_keep_their_printed_form(tmp_path: Path) -> None:
    (number,) = load_published(write(tmp_path / "p.tsv", [*ROW[:10], "24.0", *ROW[11:]]))
    assert (number.printed, number.value, number.system) == ("24.0", 24.0, "full")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROW[:-1], "line 2: 13 columns, expected 14"),
        ([*ROW[:10], "22,1", *ROW[11:]], "line 2: value is '22,1', not a number"),
        ([*ROW[:11], "guess", *ROW[12:]], "line 2: kind is 'guess'"),
    ],
)
def test_a_damaged_row_is_named(tmp_path: Path, row: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_published(write(tmp_path / "p.tsv", row))


def test_other_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="line 1: columns are paper, value"):
        load_published(write(tmp_path / "p.tsv", header=("paper", "value")))
