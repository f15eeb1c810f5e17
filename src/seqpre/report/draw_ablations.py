"""Figure of what each ablation loses on validation against the reference system, ours next to the published."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from seqpre.report.ablations import Ablation, ablations
from seqpre.report.results import Results
from seqpre.report.style import BLUE, GREY, INK, LIGHT, PAGE, coloured_key, say_not_run
from seqpre.report.verdicts import NOT_RUN
from seqpre.study.fractions import in_words, of_labelled
from seqpre.study.tasks import metric_labels

BAR = 0.36
MARKS = "bar: mean, line: sd, dots: seeds"


def draw_ablations(results: Results) -> Figure:
    """Return horizontal bars, published above ours, with one panel for each fraction with ablations.

    Panels of one metric share rows and scale. The first has the most systems, and the published values. A task with
    several metrics has one row of panels for each fraction, and one panel for each metric.
    """
    metrics = results.task.validation
    found = ablations(results)
    fractions, panels = list(found), [_declared(results, rows) for rows in found.values()]
    if len(metrics) > 1:
        return _by_metric(results, fractions, panels)
    (metric,) = metrics
    rows = list({one.system: one.label for panel in panels for one in panel}.items())
    widths = [1.6] + [1.0] * (len(fractions) - 1)
    figure, (grid,) = plt.subplots(1, len(fractions), figsize=(PAGE * (0.75 if len(fractions) == 1 else 1),
                                   0.7 + 0.36 * len(rows)), squeeze=False, width_ratios=widths, sharex=True,
                                   layout="constrained")  # fmt: skip
    limits = _limits([one for panel in panels for one in panel], narrow=len(fractions) > 1)
    for place, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
        shown = panel if place == 0 else [one._replace(published={}) for one in panel]
        by_system = {one.system: one for one in shown}
        drawn = [by_system.get(system) for system, _ in rows]
        _panel(axes, drawn, [label for _, label in rows] if place == 0 else [], metric, limits)
    label = f"validation {results.task.score}, which chose checkpoints: difference to {results.reference_label}"
    if len(fractions) == 1:
        grid[0].set_xlabel(f"{label}\n({MARKS})")
        _key(grid[0], panels[0], _ours(results, fractions[0]))
        return figure
    figure.supxlabel(f"{label},\nby amount of labelled data; {results.study.scale} scale ({MARKS})", fontsize=8)
    for axes, fraction in zip(grid, fractions, strict=True):
        _key(axes, panels[0] if axes is grid[0] else [], f"ours, {in_words(fraction)}")
    return figure


def _by_metric(results: Results, fractions: Sequence[str], panels: Sequence[Sequence[Ablation]]) -> Figure:
    """Return a row of panels for each fraction, with a panel for each metric."""
    metrics = results.task.validation
    height = 0.4 + len(fractions) * (0.7 + 0.36 * max(map(len, panels)))
    figure, grid = plt.subplots(len(fractions), len(metrics), figsize=(PAGE, height), squeeze=False,
                                layout=ConstrainedLayoutEngine(h_pad=0.12))  # fmt: skip
    for row, panel in zip(grid, panels, strict=True):
        for axes, metric in zip(row, metrics, strict=True):
            labels = [one.label for one in panel] if metric == metrics[0] else []
            _panel(axes, panel, labels, metric, _limits(panel, narrow=True))
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            axes.set_xlabel(metric_labels()[metric])
    difference = f"validation, which chose checkpoints: difference to {results.reference_label}"
    figure.supxlabel(f"{difference} ({MARKS})", fontsize=8)
    for row, fraction, panel in zip(grid, fractions, panels, strict=True):
        _key(row[0], panel, _ours(results, fraction))
    return figure


def _key(axes: Axes, panel: Sequence[Ablation], ours: str) -> None:
    published = [("published", GREY)] if any(one.published for one in panel) else []
    coloured_key(axes, [*published, (ours, BLUE)])


def _ours(results: Results, fraction: str) -> str:
    return f"ours, {results.study.scale} scale, {of_labelled(fraction)}"


def _declared(results: Results, rows: Sequence[Ablation]) -> list[Ablation]:
    """Return the declared ablations, or those of the paper if there are none."""
    return [one for one in rows if (one.system, one.fraction) in results.cells] or list(rows)


def _limits(rows: Sequence[Ablation], *, narrow: bool) -> tuple[float, float]:
    """Return the limits of the x axis over all metrics, so that their panels are comparable."""
    values = [number.value for one in rows for number in one.published.values()]
    deltas = [delta for one in rows for delta in one.deltas.values() if delta]
    values += [seed.value for delta in deltas for seed in delta.measurements]
    values += [delta.mean + sign * (delta.sd or 0.0) for delta in deltas for sign in (-1, 1)]
    low, high = min([*values, -0.5]), max([*values, 0.0])
    # Room for the numbers beyond the longest bars; narrow panels need more.
    margin = (0.36 if narrow else 0.17) * (high - low)
    return low - margin, high + (margin if high > 0 else 0.02 * (high - low))


def _panel(axes: Axes, panel: Sequence[Ablation | None], labels: Sequence[str], metric: str,
           limits: tuple[float, float]) -> None:  # fmt: skip
    """Draw one metric; rows of systems that are not in this panel stay empty."""
    for row, one in enumerate(panel):
        if one is None:
            continue
        printed, delta = one.published.get(metric), one.deltas[metric]
        if printed:
            axes.barh(row - BAR / 2, printed.value, BAR, color=LIGHT, linewidth=0)
            _label(axes, printed.value, printed.value, row - BAR / 2, GREY)
        place = row + BAR / 2 if printed else row
        if delta is None:
            axes.text(0, place, f"{NOT_RUN} ", ha="right", va="center", color=GREY, fontsize=7)
            continue
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
    axes.set_xlim(limits)
    axes.set_ylim(len(panel) - 0.4, -0.6)
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _label(axes: Axes, value: float, end: float, row: float, colour: str) -> None:
    """Write a value beyond the end of its bar."""
    left = value <= 0
    text = f"{value:+.1f}".replace("-", "\N{MINUS SIGN}") if value else "0.0"
    axes.annotate(text, (end, row), xytext=(-3 if left else 3, 0), textcoords="offset points",
                  ha="right" if left else "left", va="center_baseline", color=colour, fontsize=7)  # fmt: skip
