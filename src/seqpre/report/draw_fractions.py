"""Figure of scores of some systems as the labelled data shrinks, and their gains over the last one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator

from seqpre.report.estimates import SeedMean
from seqpre.report.fractions import PrintedValue, curves_of, data_size_points
from seqpre.report.results import Results
from seqpre.report.style import BLUE, GREEN, GREY, INK, ORANGE, PAGE, PURPLE, SKY, VERMILION, say_not_run, spread
from seqpre.study.fractions import by_size, is_count

T = TypeVar("T")
Series = list[tuple[float, float]]
"""Points as (labelled data, score)."""

PUBLISHED = {"color": GREY, "marker": "s", "markersize": 3.2, "linewidth": 1.0, "linestyle": (0, (4, 2))}
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, INK, GREY)
LABEL_GAP = 0.085


def draw_fractions(results: Results) -> Figure:
    """Return the curves and the gains over the last one.

    At the paper's scale, printed and our scores share one panel. At others each has its own axis, because scores of
    different texts are not comparable. Gains always share one. Without printed scores there is no panel for them.
    """
    points = data_size_points(results)
    counted = any(is_count(point.fraction) for point in points)
    fractions = dict.fromkeys(point.fraction for point in points)
    at_ours: Mapping[str, float | None]
    at_theirs: Mapping[str, float | None]
    if counted:
        at_ours = {fraction: results.pairs(fraction) for fraction in fractions}
        at_theirs = {fraction: _pairs_of_paper(results, fraction) for fraction in fractions}
    else:
        at_ours = at_theirs = {fraction: float(100 * by_size(fraction)[1]) for fraction in fractions}
    titles = ["Published (dashed) and ours"]
    if not results.same_scale:
        titles = [f"Ours ({results.ours_of})"]
        if _values((at_theirs[point.fraction], point.published) for point in points):
            titles.insert(0, f"Published ({results.published_of})")
    figure, grid = plt.subplots(1, len(titles) + 1, figsize=(PAGE, 2.35), squeeze=False, layout="constrained")
    panels = list(grid[0])
    theirs, ours, gain = panels[0], panels[-2], panels[-1]
    labels: dict[Axes, list[tuple[Series, str, str]]] = {axes: [] for axes in panels}

    curves = curves_of(results)
    compared = list(curves)[:-1]
    for (system, name), colour in zip(curves.items(), COLOURS, strict=False):
        of_system = [point for point in points if point.system == system]
        printed = _values((at_theirs[one.fraction], one.published) for one in of_system)
        if printed:
            theirs.plot(*zip(*printed, strict=True), **PUBLISHED | {"color": colour})
            labels[theirs].append((printed, "published" if results.same_scale else name, colour))
        measured = _placed((at_ours[point.fraction], point.ours) for point in of_system)
        _seeds_and_mean(ours, measured, colour)
        if measured:
            labels[ours].append(([(x, one.mean) for x, one in measured], name, colour))
    for system, colour in zip(compared, COLOURS, strict=False):
        of_system = [point for point in points if point.system == system]
        alone = len(compared) == 1
        printed = _values((at_theirs[one.fraction], one.published_gain) for one in of_system)
        if printed:
            gain.plot(*zip(*printed, strict=True), **PUBLISHED if alone else PUBLISHED | {"color": colour})
            labels[gain] += [(printed, "published", GREY)] if alone else []
        measured = _placed((at_ours[point.fraction], point.gain) for point in of_system)
        _seeds_and_mean(gain, measured, GREEN if alone else colour)
        if measured:
            name, shown = ("ours", GREEN) if alone else (curves[system], colour)
            labels[gain].append(([(x, one.mean) for x, one in measured], name, shown))

    for axes, title in zip(panels, [*titles, results.paper.fractions.gain], strict=True):
        axes.set_title(title)
        axes.set_xlabel("labelled pairs" if counted else "labelled data, %")
        drawn = {float(x) for line in axes.lines for x in line.get_xdata()}
        known = {size for size in (*at_ours.values(), *at_theirs.values()) if size is not None}
        _size_axis(axes, sorted(drawn or known), counted)
        if not drawn:
            say_not_run(axes)
    tests = "test" if len(results.tests) == 1 else "mean test"
    theirs.set_ylabel(f"{tests if results.paper.fractions.on_tests else 'validation'} {results.task.score}")
    gain.set_ylabel(f"difference, {results.task.score}")
    gain.axhline(0, color=GREY, linewidth=0.6)
    if len(compared) > 1 and any(point.published_gain for point in points):
        gain.text(1.0, 1.0, "dashed: published", color=GREY, fontsize=7, transform=gain.transAxes, ha="right", va="top")
    for axes in panels:
        _name_curves(axes, labels[axes])
    return figure


def _pairs_of_paper(results: Results, fraction: str) -> int | None:
    """Return the number of the paper's pairs in a fraction; None for a share of an unknown total."""
    if is_count(fraction):
        return results.pairs(fraction)
    return int(by_size(fraction)[1] * results.paper.fractions.all_pairs) or None


def _placed(points: Iterable[tuple[float | None, T | None]]) -> list[tuple[float, T]]:
    """Return the points that have both coordinates, from left to right."""
    return sorted(((x, y) for x, y in points if x is not None and y is not None), key=lambda point: point[0])


def _values(points: Iterable[tuple[float | None, PrintedValue | None]]) -> Series:
    return [(x, y.value) for x, y in _placed(points)]


def _seeds_and_mean(axes: Axes, points: list[tuple[float, SeedMean]], colour: str) -> None:
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
    """Set the size axis: per cents from 0, or logarithmic for counts and for more than a factor of ten."""
    if counted or (sizes and max(sizes) > 10 * min(sizes)):
        axes.set_xscale("log")
        axes.set_xticks(_apart(sizes))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: _in_thousands(value) if counted else f"{value:g}")
        if counted:
            axes.tick_params("x", labelrotation=45)
    else:
        axes.set_xticks(sizes)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlim(0, 1.05 * max(sizes, default=100))
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.margins(y=0.12)


def _in_thousands(pairs: float) -> str:
    return f"{pairs / 1e6:.2g}M" if pairs >= 1e6 else f"{round(pairs / 1000, 2):g}k"


def _apart(sizes: Sequence[float]) -> list[float]:
    """Return about seven sizes whose labels do not overlap, with the largest among them."""
    factor = max(2.0, (max(sizes) / min(sizes)) ** (1 / 6))
    named: list[float] = []
    for size in sorted(sizes, reverse=True):
        if not named or size * factor <= 1.001 * named[-1]:
            named.append(size)
    return named[::-1]


def _name_curves(axes: Axes, curves: Sequence[tuple[Series, str, str]]) -> None:
    """Write each curve's name at the height of its right end, outside the panel."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    ends = [series[-1][1] for series, _, _ in curves]
    heights = spread(ends, LABEL_GAP * (high - low))
    above = max(0.0, max(heights, default=high) - high)  # reaches into the title
    for (_, name, colour), height in zip(curves, heights, strict=True):
        axes.annotate(name, (1.0, height - above), xycoords=("axes fraction", "data"), xytext=(3, 0),
                      textcoords="offset points", va="center", color=colour, fontsize=7)  # fmt: skip
