"""Figure 4: validation BLEU with and without pretraining as the labelled data shrinks, and the gain between them."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from seqpre.report.estimates import Estimate
from seqpre.report.fractions import Point, data_size_points
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results, share
from seqpre.report.style import BLUE, GREEN, GREY, PAGE, VERMILION, say_not_run, spread

Series = list[tuple[float, float]]
"""Points as (percent of the labelled data, BLEU)."""

PUBLISHED = {"color": GREY, "marker": "s", "markersize": 3.2, "linewidth": 1.0, "linestyle": (0, (4, 2))}
LABEL_GAP = 0.085


def draw_fractions(results: Results, published: Sequence[PublishedNumber]) -> Figure:
    """Return the curves and the gain.

    At the paper's scale both studies share one panel; at another each has its own axis, because absolute BLEU of
    different texts is not comparable. The gains always share one. What the paper does not have gets no panel.
    """
    points = data_size_points(results, published)
    titles = ["Published (dashed) and ours"]
    if not results.same_scale:
        titles = [f"Ours ({results.corpus or results.scale})"]
        if any(point.published_full or point.published_none for point in points):
            titles.insert(0, f"Published ({results.task.corpus})")
    figure, grid = plt.subplots(1, len(titles) + 1, figsize=(PAGE, 2.35), squeeze=False, layout="constrained")
    panels = list(grid[0])
    theirs, ours, gain = panels[0], panels[-2], panels[-1]
    labels: dict[Axes, list[tuple[Series, str, str]]] = {axes: [] for axes in panels}

    curves = (("pretrained", BLUE, "published_full", "full"), ("no pretraining", VERMILION, "published_none", "none"))
    for name, colour, printed_name, our_name in curves:
        printed = _printed(points, printed_name)
        if printed:
            look = PUBLISHED | {"color": colour}
            theirs.plot(*zip(*printed, strict=True), **look)
            labels[theirs].append((printed, "published" if results.same_scale else name, colour))
        measured = _measured(points, our_name)
        _seeds_and_mean(ours, measured, colour)
        if measured:
            labels[ours].append(([(x, one.mean) for x, one in measured], name, colour))
    printed_gain = [(share(p.fraction), p.published_gain) for p in points if p.published_gain is not None]
    if printed_gain:
        gain.plot(*zip(*printed_gain, strict=True), **PUBLISHED)
        labels[gain].append((printed_gain, "published", GREY))
    measured_gain = _measured(points, "gain")
    _seeds_and_mean(gain, measured_gain, GREEN)
    if measured_gain:
        labels[gain].append(([(x, one.mean) for x, one in measured_gain], "ours", GREEN))

    for axes, title in zip(panels, [*titles, "Gain from pretraining"], strict=True):
        axes.set_title(title)
        axes.set_xlabel("labelled data, %")
        _percent_axis(axes, points)
        if not labels[axes]:
            say_not_run(axes)
    theirs.set_ylabel("validation BLEU")
    gain.set_ylabel("difference, BLEU")
    gain.axhline(0, color=GREY, linewidth=0.6)
    for axes in panels:
        _name_curves(axes, labels[axes])
    return figure


def _printed(points: Sequence[Point], name: str) -> Series:
    numbers = [(share(point.fraction), getattr(point, name)) for point in points]
    return [(x, number.value) for x, number in numbers if number is not None]


def _measured(points: Sequence[Point], name: str) -> list[tuple[float, Estimate]]:
    estimates = [(share(point.fraction), getattr(point, name)) for point in points]
    return [(x, one) for x, one in estimates if one is not None]


def _seeds_and_mean(axes: Axes, points: list[tuple[float, Estimate]], colour: str) -> None:
    """Draw the mean as a line, its sd as a bar, and every seed as a dot."""
    if not points:
        return
    xs, means = [x for x, _ in points], [one.mean for _, one in points]
    axes.errorbar(xs, means, yerr=[one.sd or 0.0 for _, one in points], color=colour, linewidth=1.4, elinewidth=0.8)
    for x, one in points:
        face = "white" if one.n > 1 else colour
        axes.scatter([x] * one.n, [measurement.value for measurement in one.measurements], s=9, color=face,
                     edgecolor=colour, linewidth=0.8, zorder=3)  # fmt: skip


def _percent_axis(axes: Axes, points: Sequence[Point]) -> None:
    ticks = [share(point.fraction) for point in points]
    # The very smallest fractions would print over each other.
    axes.set_xticks([tick for tick in ticks if tick >= 10] or ticks)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlim(0, 105)
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.margins(y=0.12)


def _name_curves(axes: Axes, curves: Sequence[tuple[Series, str, str]]) -> None:
    """Write each curve's name at its right end, outside the panel."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    ends = [series[-1][1] for series, _, _ in curves]
    for (series, name, colour), height in zip(curves, spread(ends, LABEL_GAP * (high - low)), strict=True):
        axes.annotate(name, (series[-1][0], height), xytext=(6, 0), textcoords="offset points",
                      va="center", color=colour, fontsize=7, annotation_clip=False)  # fmt: skip
