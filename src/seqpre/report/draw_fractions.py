"""Figure 4: validation BLEU with and without pretraining as the labelled data shrinks, and the gain between them."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from seqpre.report.estimates import Estimate
from seqpre.report.fractions import Point, data_size_points
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results
from seqpre.report.style import BLUE, GREEN, GREY, PAGE, VERMILION, say_not_run, spread
from seqpre.study.fractions import by_size, is_count

Series = list[tuple[float, float]]
"""Points as (labelled data, BLEU)."""

PUBLISHED = {"color": GREY, "marker": "s", "markersize": 3.2, "linewidth": 1.0, "linestyle": (0, (4, 2))}
LABEL_GAP = 0.085


def draw_fractions(results: Results, published: Sequence[PublishedNumber]) -> Figure:
    """Return the curves and the gain.

    At the paper's scale both studies share one panel; at another each has its own axis, because absolute BLEU of
    different texts is not comparable. The gains always share one. What the paper does not have gets no panel.
    """
    points = data_size_points(results, published)
    counted = any(is_count(point.fraction) for point in points)
    sizes = [results.pairs(p.fraction) if counted else float(100 * by_size(p.fraction)[1]) for p in points]
    placed = [(size, point) for size, point in zip(sizes, points, strict=True) if size is not None]
    placed.sort(key=lambda sized: sized[0])
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
        printed = _printed(placed, printed_name)
        if printed:
            look = PUBLISHED | {"color": colour}
            theirs.plot(*zip(*printed, strict=True), **look)
            labels[theirs].append((printed, "published" if results.same_scale else name, colour))
        measured = _measured(placed, our_name)
        _seeds_and_mean(ours, measured, colour)
        if measured:
            labels[ours].append(([(x, one.mean) for x, one in measured], name, colour))
    printed_gain = [(x, gain_of_paper) for x, point in placed if (gain_of_paper := point.published_gain) is not None]
    if printed_gain:
        gain.plot(*zip(*printed_gain, strict=True), **PUBLISHED)
        labels[gain].append((printed_gain, "published", GREY))
    measured_gain = _measured(placed, "gain")
    _seeds_and_mean(gain, measured_gain, GREEN)
    if measured_gain:
        labels[gain].append(([(x, one.mean) for x, one in measured_gain], "ours", GREEN))

    for axes, title in zip(panels, [*titles, "Gain from pretraining"], strict=True):
        axes.set_title(title)
        axes.set_xlabel("labelled pairs" if counted else "labelled data, %")
        _size_axis(axes, [x for x, _ in placed], counted)
        if not labels[axes]:
            say_not_run(axes)
    theirs.set_ylabel("validation BLEU")
    gain.set_ylabel("difference, BLEU")
    gain.axhline(0, color=GREY, linewidth=0.6)
    for axes in panels:
        _name_curves(axes, labels[axes])
    return figure


def _printed(points: Sequence[tuple[float, Point]], name: str) -> Series:
    numbers = [(x, getattr(point, name)) for x, point in points]
    return [(x, number.value) for x, number in numbers if number is not None]


def _measured(points: Sequence[tuple[float, Point]], name: str) -> list[tuple[float, Estimate]]:
    estimates = [(x, getattr(point, name)) for x, point in points]
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


def _size_axis(axes: Axes, sizes: Sequence[float], counted: bool) -> None:
    """Per cents from 0 to 100, or counts of pairs, which double from point to point, on a logarithmic axis."""
    if counted:
        axes.set_xscale("log")
        axes.set_xticks(sizes)
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}k")
        axes.tick_params("x", labelrotation=45)
    else:
        # The very smallest fractions would print over each other.
        axes.set_xticks([size for size in sizes if size >= 10] or sizes)
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
