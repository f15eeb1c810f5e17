"""Final scores of each system by selection of the checkpoint: perplexity, the score itself, or the mean of the last."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from seqpre.report.ablations import ablation_systems
from seqpre.report.results import Results
from seqpre.report.style import BLUE, GREEN, GREY, LIGHT, PAGE, VERMILION, coloured_key
from seqpre.report.table import mark
from seqpre.report.verdicts import NOT_RUN
from seqpre.study.fractions import of_labelled
from seqpre.study.settings import AVERAGE, PERPLEXITY

COLOURS = (BLUE, VERMILION, GREEN)
"""For `Results.selections`, in order."""


def draw_selection(results: Results) -> Figure:
    """Return one row for each system and one panel for each split; dots are means, lines sd over seeds."""
    fraction = results.ablations_at
    systems = [
        system
        for system in (results.study.reference, *ablation_systems(results, fraction))
        if system in results.systems
    ]
    splits = results.splits
    figure, grid = plt.subplots(1, len(splits), figsize=(PAGE, 0.75 + 0.23 * len(systems)), squeeze=False, sharey=True,
                                layout="constrained")  # fmt: skip
    for axes, split in zip(grid[0], splits, strict=True):
        _panel(axes, results, systems, fraction, split)
        name = results.name_of(split)
        axes.set_xlabel(f"{split} {name}" + mark(results.task, split, name))
    first: Axes = grid[0][0]
    first.set_yticks(range(len(systems)), [results.label(system) for system in systems])
    first.set_ylim(len(systems) - 0.5, -0.5)
    words = {
        PERPLEXITY: "chosen by perplexity",
        results.task.metric: f"chosen by {results.task.score}",
        AVERAGE: f"last {results.study.average_last} averaged",
    }
    shown = [(words[chosen], colour) for chosen, colour in zip(results.selections, COLOURS, strict=False)]
    coloured_key(first, [*shown, (f"{results.study.scale} scale, {of_labelled(fraction)}", GREY)])  # fmt: skip
    return figure


def _panel(axes: Axes, results: Results, systems: Sequence[str], fraction: str, split: str) -> None:
    for row, system in enumerate(systems):
        ends = [results.score(system, fraction, split, selection) for selection in results.selections]
        if not any(ends):
            axes.text(0.5, row, NOT_RUN, transform=axes.get_yaxis_transform(), ha="center", va="center", color=GREY,
                      fontsize=7, backgroundcolor="white")  # fmt: skip
        for place, (one, colour) in enumerate(zip(ends, COLOURS, strict=False)):
            shift = 0.13 * (2 * place - len(ends) + 1)  # slightly apart, so that equal values are all visible
            if one is not None:
                axes.errorbar(one.mean, row + shift, xerr=one.sd or 0.0, color=colour, marker="o", markersize=3.6,
                              linewidth=0.8)  # fmt: skip
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.tick_params(axis="y", length=0)
    if not axes.has_data():
        axes.set_xticks([])
    axes.grid(axis="y", color=LIGHT, linewidth=0.4)
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
