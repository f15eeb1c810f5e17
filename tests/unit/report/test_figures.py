"""Figures show the numbers they should, also when runs are missing."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from study_tree import Tree, fill

from seqpre.report.curves import Quantity
from seqpre.report.draw_ablations import draw_ablations
from seqpre.report.draw_fractions import draw_fractions
from seqpre.report.draw_learning import draw_learning
from seqpre.report.draw_selection import draw_selection
from seqpre.report.style import spread, styled, svg


@pytest.fixture(autouse=True)
def _styled() -> Iterator[None]:
    with styled():
        yield


def words(figure: Figure) -> list[str]:
    """Return every text of a figure."""
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def lines(figure: Figure, panel: int) -> list[list[float]]:
    """Return the heights of every line of a panel."""
    return [np.asarray(line.get_ydata(), dtype=float).tolist() for line in figure.axes[panel].lines]


def test_ablation_bars_are_as_long_as_the_numbers(full_tree: Tree) -> None:
    figure = draw_ablations(full_tree.load())
    widths = [patch.get_width() for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    # The first ablation is `parallel_lm`: -2.1 printed; ours -1.7 with the seeds at +0.5 and +1.0 of that.
    assert widths[0] == pytest.approx(-2.1)
    assert widths[1] == pytest.approx(-0.95)
    assert len(widths) == 8 + 9, "eight are published, nine are ours"
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels[0] == "Pretrain on parallel corpus"
    assert "validation BLEU, which chose checkpoints: difference to Pretrained seq2seq" in figure.axes[0].get_xlabel()
    assert "\N{MINUS SIGN}2.1" in words(figure)


def test_ablations_that_a_study_does_not_declare_have_no_bar(tree: Tree) -> None:
    for system in ("full", "encoder_only", "my_own_ablation"):
        tree.add(system, "20pct", 1, 20.0)
    labels = [one.get_text() for one in draw_ablations(tree.load()).axes[0].get_yticklabels()]
    assert labels == ["Only pretrain encoder", "my_own_ablation"]


def test_panels_of_fractions_share_rows_and_scale(tree: Tree) -> None:
    for fraction in ("20pct", "5pct", "2.5pct"):
        tree.add("full", fraction, 1, 20.0)
        tree.add("encoder_only", fraction, 1, 24.0)
    tree.add("decoder_only", "5pct", 1, 26.0)
    first, *others = draw_ablations(tree.load()).axes
    assert [one.get_text() for one in first.get_yticklabels()] == ["Only pretrain encoder", "Only pretrain decoder"]
    bars = [[(p.get_y() + p.get_height() / 2, p.get_width()) for p in axes.patches if isinstance(p, Rectangle)]
            for axes in others]  # fmt: skip
    assert bars == [[(pytest.approx(0), pytest.approx(4.0))]] * 2, "what is published stands in the first panel alone"
    assert [len(first.patches), *(axes.get_xlim() for axes in others)] == [4, *([first.get_xlim()] * 2)]


def test_small_shares_of_the_data_do_not_lie_on_each_other(tree: Tree) -> None:
    for fraction, score in (("2.5pct", 5.0), ("5pct", 9.0), ("80pct", 20.0), ("100pct", 21.0)):
        tree.add("full", fraction, 1, score)
        tree.add("no_pretraining", fraction, 1, score - 2)
    axes = draw_fractions(tree.load(published=False)).axes[0]
    assert (axes.get_xlabel(), axes.get_xscale()) == ("labelled data, %", "log")
    assert [text.get_text() for text in axes.get_xticklabels()] == ["2.5", "5", "100"]


def test_the_axis_of_shares_ends_where_the_data_does(tree: Tree) -> None:
    for fraction, score in (("5pct", 9.0), ("20pct", 16.0)):
        tree.add("full", fraction, 1, score)
        tree.add("no_pretraining", fraction, 1, score - 2)
    assert draw_fractions(tree.load(published=False)).axes[0].get_xlim() == (0, 21)


def test_other_scales_have_their_own_panel_and_the_gains_share_one(full_tree: Tree) -> None:
    figure = draw_fractions(full_tree.load())
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "Published (WMT14)",
        "Ours (Multi30k)",
        "Gain from pretraining",
    ]
    assert lines(figure, 0) == [[18.6, 20.3, 20.8, 21.8, 22.1], [14.8, 17.7, 18.6, 19.2, 20.1]]
    published_gain, ours = lines(figure, 2)[:2]
    assert published_gain == pytest.approx([3.8, 2.6, 2.2, 2.6, 2.0])
    assert ours[0] == pytest.approx(5.45)


def test_what_the_paper_does_not_have_gets_no_panel(full_tree: Tree) -> None:
    titles = [axes.get_title(loc="left") for axes in draw_fractions(full_tree.load(published=False)).axes]
    assert titles == ["Ours (Multi30k)", "Gain from pretraining"]


def test_counts_of_pairs_stand_on_an_axis_of_pairs_beside_shares_that_were_counted(tree: Tree) -> None:
    for fraction in ("1k", "160k", "100pct", "50pct"):
        tree.declare("full", fraction, 1)
        tree.declare("no_pretraining", fraction, 1)
    for fraction, score in (("1k", 5.0), ("2500", 9.0), ("100pct", 12.0)):  # The last of 5,800 pairs.
        tree.add("full", fraction, 2, score)
        tree.add("no_pretraining", fraction, 2, score - 2)
    axes = draw_fractions(tree.load(published=False)).axes[0]
    assert list(axes.lines[0].get_xdata()) == [1_000, 2_500, 5_800]
    assert [text.get_text() for text in axes.get_xticklabels()] == [
        "1k",
        "2.5k",
        "5.8k",
    ]  # None ran with more, or half.
    assert (axes.get_xlabel(), axes.get_xscale()) == ("labelled pairs", "log")


def test_all_that_the_paper_has_is_drawn_at_the_number_of_its_pairs(tree: Tree) -> None:
    for fraction, score in (("500", 5.0), ("100pct", 12.0)):  # the last of 5,800 pairs
        for system in ("src_elmo", "baseline"):
            tree.add(system, fraction, 1, score)
    tree.paper, tree.more = "edunov2019", {"published_as": "edunov-translation", "reference": "src_elmo"}
    theirs, ours, gain = draw_fractions(tree.load()).axes
    for axes in (theirs, gain):
        dashed = [line for line in axes.lines if line.get_marker() == "s"]
        assert len(dashed) == (7 if axes is theirs else 6)
        for line in dashed:
            assert list(line.get_xdata()) == [160_000, 320_000, 640_000, 1_280_000, 2_560_000, 5_186_000]
    (baseline,) = [line for line in theirs.lines if line.get_ydata()[0] == pytest.approx(15.25)]
    assert list(baseline.get_ydata()) == sorted(baseline.get_ydata())
    assert {tuple(line.get_xdata()) for line in ours.lines} == {(500, 5_800)}


def test_at_the_papers_scale_ours_is_drawn_over_the_published(make_tree: Callable[..., Tree]) -> None:
    tree = make_tree(scale="paper", tests=("newstest2014", "newstest2015"))
    tree.add("full", "100pct", 1, 22.0)
    figure = draw_fractions(tree.load())
    assert len(figure.axes) == 2
    assert [22.0] in lines(figure, 0)
    assert [18.6, 20.3, 20.8, 21.8, 22.1] in lines(figure, 0)


def test_learning_curves_of_all_data_stand_behind_ablations_of_less(tree: Tree) -> None:
    for seed in (1, 2):
        for system in ("full", "no_pretraining", "encoder_only"):
            tree.add(system, "1k", seed, 20.0)
        for system in ("full", "no_pretraining"):
            tree.add(system, "100pct", seed, 30.0)
    figure = draw_learning(tree.load(published=False), axis="step", quantity="perplexity")
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in figure.axes if axes.get_title(loc="left")]
    assert [title.endswith(", all data") for title in titles] == [False, False, False, True, True]
    assert figure.get_supxlabel() == "updates (small scale, 1k labelled pairs unless said)"


def test_learning_curves_of_all_data_alone_are_not_called_those_of_less(tree: Tree) -> None:
    tree.declare("full", "1k", 1)
    tree.declare("encoder_only", "1k", 1)
    tree.add("full", "100pct", 1, 30.0)
    figure = draw_learning(tree.load(published=False), axis="step", quantity="score")
    assert figure.axes[0].get_title(loc="left").replace("\n", " ") == "Pretrained seq2seq, all data"
    assert figure.get_supxlabel() == "updates (small scale, 1k labelled pairs unless said)"


def test_learning_curves_leave_out_what_was_not_trained(tree: Tree) -> None:
    for system in ("full", "no_pretraining"):
        tree.add(system, "100pct", 1, 20.0)
    tree.declare("encoder_only", "100pct", 1)
    figure = draw_learning(tree.load(published=False), axis="step", quantity="score")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Pretrained seq2seq", "No pretraining", ""]


def test_learning_curves_have_a_panel_a_system_and_a_line_a_seed(full_tree: Tree) -> None:
    figure = draw_learning(full_tree.load(), axis="step", quantity="score")
    titles = [axes.get_title(loc="left").replace("\n", " ") for axes in figure.axes]
    assert titles[:2] == ["Pretrained seq2seq", "Pretrain on parallel corpus"]
    # In the panel of an ablation: `full` as a guide, two seeds, their mean, the diamond.
    assert [len(line) for line in lines(figure, 1)] == [17, 17, 18, 17, 1]
    assert not figure.axes[1].lines[-1].get_clip_on(), "the diamond of a system without updates lies on the axis"


@pytest.mark.parametrize(("last", "more"), [(0, []), (7, ["last 7 averaged"])])
def test_each_way_to_a_checkpoint_has_a_dot_of_its_own_and_a_word_in_the_key(
    last: int, more: list[str], tmp_path: Path
) -> None:
    dots = ["chosen by perplexity", "chosen by BLEU", *more]
    figure = draw_selection(fill(Tree(tmp_path, average_last=last)).load())
    bars = [bar for bar in figure.axes[0].containers if isinstance(bar, ErrorbarContainer)]
    systems = len(figure.axes[0].get_yticks())
    assert len(bars) == len(dots) * systems
    heights = [float(np.asarray(bar.lines[0].get_ydata())[0]) for bar in bars[: len(dots)]]
    assert heights == sorted(set(heights))
    assert sum(heights) == pytest.approx(0), "about the row of the first system"
    key = [one.get_text() for one in figure.findobj(Text) if isinstance(one, Text)]
    assert [word for word in key if word.startswith(("chosen by", "last"))] == dots


def test_a_system_that_was_not_run_is_marked_in_its_row(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.add("full", "20pct", 1, 26.0)
    tree.declare("encoder_only", "20pct", 1)
    panels = draw_selection(tree.load()).axes
    labels = [label.get_text() for label in panels[0].get_yticklabels()]
    assert labels == ["Pretrained seq2seq", "Only pretrain encoder"]
    for axes in panels:
        marked = [text.get_position()[1] for text in axes.texts if text.get_text() == "not run"]
        assert marked == [1], "the row of the second system"


def test_where_validations_have_no_scores_one_choice_is_in_the_key(tmp_path: Path) -> None:
    figure = draw_selection(fill(Tree(tmp_path, more={"scored_validations": False})).load())
    key = [one.get_text() for one in figure.findobj(Text) if isinstance(one, Text)]
    assert [word for word in key if word.startswith(("chosen by", "last"))] == ["chosen by perplexity"]


def test_each_panel_names_the_metric_of_its_text(tmp_path: Path) -> None:
    results = fill(Tree(tmp_path)).load()
    corrections = dataclasses.replace(results, study=dataclasses.replace(results.study, task="correction"))
    for one, valid, test in ((results, "BLEU (tokenized; chose)", "BLEU"), (corrections, "GLEU (chose)", "F0.5")):
        labels = [axes.get_xlabel() for axes in draw_selection(one).axes]
        assert labels == [f"valid {valid}", f"test_2016_flickr {test}", f"test_2017_flickr {test}"]


def test_the_x_axis_can_be_cpu_seconds(full_tree: Tree) -> None:
    figure = draw_learning(full_tree.load(), axis="cpu_seconds", quantity="perplexity")
    seed_1 = figure.axes[0].lines[0]
    assert np.asarray(seed_1.get_xdata(), dtype=float)[:2].tolist() == pytest.approx([20.0, 40.0])
    assert figure.axes[0].get_yscale() == "log"


@pytest.mark.parametrize("quantity", ["score", "perplexity"])
def test_every_point_of_a_curve_is_within_the_frame(tree: Tree, quantity: Quantity) -> None:
    for system in ("full", "no_pretraining", "encoder_only"):
        folder = tree.add(system, "20pct", 1, 20.0)
    curve = (folder / "metrics.jsonl").read_text().splitlines()
    start = {"event": "validation", "step": 10, "cpu_seconds": 2.0, "valid_bleu": 0.0, "valid_perplexity": 900.0}
    (folder / "metrics.jsonl").write_text("\n".join([json.dumps(start), *curve]) + "\n")
    figure = draw_learning(tree.load(published=False), axis="step", quantity=quantity)
    low, high = figure.axes[0].get_ylim()
    heights = [height for panel in range(3) for line in lines(figure, panel) for height in line]
    assert low <= min(heights)
    assert max(heights) <= high


@pytest.mark.parametrize("systems", [1, 4, 8, 12, 13])
def test_the_explanation_of_learning_curves_stands_beside_a_panel(tree: Tree, systems: int) -> None:
    for system in ("full", *(f"own_{number}" for number in range(systems - 1))):
        tree.add(system, "100pct", 1, 20.0)
    axes = [
        one
        for one in draw_learning(tree.load(published=False), axis="step", quantity="score").axes
        if one.get_visible()
    ]
    rows = [one.get_subplotspec().rowspan.start for one in axes]  # type: ignore[union-attr]
    assert rows[-1] == rows[-2]


def test_equal_numbers_give_an_equal_svg(full_tree: Tree) -> None:
    one, other = (svg(draw_learning(full_tree.load(), axis="step", quantity="score")) for _ in range(2))
    assert "url(#clip0)" in one
    assert one == other


def test_labels_are_moved_apart_as_little_as_needed() -> None:
    assert spread([10.0, 0.0], 1.0) == [10.0, 0.0]
    assert spread([1.0, 1.2], 1.0) == pytest.approx([0.6, 1.6])
    moved = spread([0.0, 0.1, 0.2, 5.0], 1.0)
    assert moved == pytest.approx([-0.9, 0.1, 1.1, 5.0])
    assert spread([], 1.0) == []
