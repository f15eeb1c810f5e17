"""Figure 3: what each ablation loses on validation against the full system, ours beside the published."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seqpre.report.ablations import Ablation, ablations
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results, share
from seqpre.report.style import BLUE, GREY, INK, LIGHT, PAGE, coloured_key, say_not_run

BAR = 0.36


def draw_ablations(results: Results, published: Sequence[PublishedNumber]) -> Figure:
    """Return horizontal bars, the published above ours; one panel a fraction at which ablations are declared."""
    fractions = results.ablation_fractions or ["100pct"]
    panels = [ablations(results, published, fraction) for fraction in fractions]
    rows = max(len(panel) for panel in panels)
    figure, grid = plt.subplots(
        1, len(panels), figsize=(PAGE * (0.75 if len(panels) == 1 else 1), 0.7 + 0.36 * rows), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for axes, panel in zip(grid[0], panels, strict=True):
        _panel(axes, panel, first=axes is grid[0][0])
    for axes, fraction in zip(grid[0], fractions, strict=True):
        at = f"{results.scale} scale, {share(fraction):g} % of the labelled data"
        coloured_key(axes, [("published", GREY), (f"ours, {at}", BLUE)])
    return figure


def _panel(axes: Axes, panel: Sequence[Ablation], *, first: bool) -> None:
    values = [one.published.value for one in panel if one.published]
    values += [measurement.value for one in panel if one.delta for measurement in one.delta.measurements]
    low, high = min([*values, -0.5]), max([*values, 0.0])
    margin = 0.17 * (high - low)
    for row, one in enumerate(panel):
        if one.published:
            axes.barh(row - BAR / 2, one.published.value, BAR, color=LIGHT, linewidth=0)
            _label(axes, one.published.value, one.published.value, row - BAR / 2, GREY)
        if one.delta is None:
            axes.text(-0.01 * (high - low), row + BAR / 2, "not run", ha="right", va="center", color=GREY, fontsize=7)
            continue
        place = row + BAR / 2 if one.published else row
        seeds = [measurement.value for measurement in one.delta.measurements]
        axes.barh(place, one.delta.mean, BAR, color=BLUE, linewidth=0)
        if one.delta.sd is not None:
            axes.errorbar(one.delta.mean, place, xerr=one.delta.sd, color=INK, linewidth=0.8, capsize=1.8, capthick=0.8)
            axes.scatter(seeds, [place] * len(seeds), s=9, color="white", edgecolor=INK, linewidth=0.6, zorder=3)
        reach = one.delta.sd or 0.0
        end = min([one.delta.mean - reach, *seeds]) if one.delta.mean < 0 else max([one.delta.mean + reach, *seeds])
        _label(axes, one.delta.mean, end, place, BLUE)
    if not panel:
        say_not_run(axes)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_xlim(low - margin, high + (margin if high > 0 else 0.02 * (high - low)))
    axes.set_ylim(len(panel) - 0.4, -0.6)
    axes.set_yticks(range(len(panel)), [one.label for one in panel] if first else [])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("validation BLEU, difference to the full system\n(bar: mean, line: sd, dots: seeds)")


def _label(axes: Axes, value: float, end: float, row: float, colour: str) -> None:
    """Write a value beyond the end of its bar."""
    left = value < 0
    axes.annotate(f"{value:+.1f}".replace("-", "\N{MINUS SIGN}"), (end, row), xytext=(-3 if left else 3, 0),
                  textcoords="offset points", ha="right" if left else "left", va="center_baseline",
                  color=colour, fontsize=7)  # fmt: skip
