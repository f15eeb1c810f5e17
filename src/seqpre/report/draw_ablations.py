"""What each ablation loses on validation against the full system, ours beside the published."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from seqpre.report.ablations import Ablation, ablations
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results
from seqpre.report.style import BLUE, GREY, INK, LIGHT, PAGE, coloured_key, say_not_run
from seqpre.study.fractions import of_labelled
from seqpre.study.tasks import NAMES

BAR = 0.36
DIFFERENCE = "difference to the full system"
MARKS = "bar: mean, line: sd, dots: seeds"


def draw_ablations(results: Results, published: Sequence[PublishedNumber]) -> Figure:
    """Return horizontal bars, the published above ours; one panel a fraction at which ablations are declared.

    A task with several metrics has a panel a metric, and a row of panels a fraction.
    """
    metrics, fractions = results.task.validation, results.ablation_fractions or ["100pct"]
    rows = len(fractions) if len(metrics) > 1 else 1
    columns = len(fractions) * len(metrics) // rows
    panels = {fraction: _declared(results, ablations(results, published, fraction)) for fraction in fractions}
    height = 0.7 + 0.36 * max(map(len, panels.values()))
    figure, grid = plt.subplots(rows, columns, figsize=(PAGE * (0.75 if columns == 1 else 1), rows * height),
                                squeeze=False, layout="constrained")  # fmt: skip
    places = [(fraction, metric) for fraction in fractions for metric in metrics]
    for place, (axes, (fraction, metric)) in enumerate(zip(grid.flat, places, strict=True)):
        _panel(axes, panels[fraction], metric, first=place % columns == 0, narrow=len(metrics) > 1)
        axes.set_xlabel(
            NAMES[metric] if len(metrics) > 1 else f"validation {results.task.score} (chose), {DIFFERENCE}\n({MARKS})"
        )
    if len(metrics) > 1:
        figure.supxlabel(f"validation (chose), {DIFFERENCE} ({MARKS})", fontsize=8)
    for axes, fraction in zip(grid.flat[:: len(metrics)], fractions, strict=True):
        at = f"{results.scale} scale, {of_labelled(fraction)}"
        published_key = [("published", GREY)] if any(one.published for one in panels[fraction]) else []
        coloured_key(axes, [*published_key, (f"ours, {at}", BLUE)])
    return figure


def _declared(results: Results, rows: Sequence[Ablation]) -> list[Ablation]:
    """Leave out what only the paper has, unless that is all."""
    return [one for one in rows if (one.system, one.fraction) in results.cells] or list(rows)


def _panel(axes: Axes, panel: Sequence[Ablation], metric: str, *, first: bool, narrow: bool) -> None:
    """Draw one metric; the limits are those of all metrics, so that their panels can be compared."""
    printed = {one.system: number.value for one in panel if (number := one.published.get(metric))}
    deltas = {one.system: delta for one in panel if (delta := one.deltas[metric])}
    values = [number.value for one in panel for number in one.published.values()]
    values += [seed.value for one in panel for delta in one.deltas.values() if delta for seed in delta.measurements]
    low, high = min([*values, -0.5]), max([*values, 0.0])
    # For the numbers beyond the longest bars, which need more of a narrow panel.
    margin = (0.36 if narrow else 0.17) * (high - low)
    for row, one in enumerate(panel):
        if one.system in printed:
            value = printed[one.system]
            axes.barh(row - BAR / 2, value, BAR, color=LIGHT, linewidth=0)
            _label(axes, value, value, row - BAR / 2, GREY)
        delta = deltas.get(one.system)
        if delta is None:
            axes.text(-0.01 * (high - low), row + BAR / 2, "not run", ha="right", va="center", color=GREY, fontsize=7)
            continue
        place = row + BAR / 2 if one.system in printed else row
        seeds = [measurement.value for measurement in delta.measurements]
        axes.barh(place, delta.mean, BAR, color=BLUE, linewidth=0)
        if delta.sd is not None:
            axes.errorbar(delta.mean, place, xerr=delta.sd, color=INK, linewidth=0.8, capsize=1.8, capthick=0.8)
            axes.scatter(seeds, [place] * len(seeds), s=9, color="white", edgecolor=INK, linewidth=0.6, zorder=3)
        reach = delta.sd or 0.0
        end = min([delta.mean - reach, *seeds]) if delta.mean < 0 else max([delta.mean + reach, *seeds])
        _label(axes, delta.mean, end, place, BLUE)
    if not panel:
        say_not_run(axes)
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_xlim(low - margin, high + (margin if high > 0 else 0.02 * (high - low)))
    axes.set_ylim(len(panel) - 0.4, -0.6)
    axes.set_yticks(range(len(panel)), [one.label for one in panel] if first else [])
    if narrow:
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _label(axes: Axes, value: float, end: float, row: float, colour: str) -> None:
    """Write a value beyond the end of its bar."""
    left = value <= 0
    text = f"{value:+.1f}".replace("-", "\N{MINUS SIGN}") if value else "0.0"
    axes.annotate(text, (end, row), xytext=(-3 if left else 3, 0), textcoords="offset points",
                  ha="right" if left else "left", va="center_baseline", color=colour, fontsize=7)  # fmt: skip
