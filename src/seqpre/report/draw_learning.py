"""Learning curves: validation score or perplexity of every system, against updates or against CPU seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import TextWrapper

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from seqpre.report.ablations import ablation_systems, label_of
from seqpre.report.curves import Axis, Curve, Quantity, curve, mean_curve
from seqpre.report.outcome import Outcome
from seqpre.report.results import Results
from seqpre.report.style import BLUE, INK, PAGE, VERMILION, say_not_run
from seqpre.study.fractions import of_labelled

X_LABELS: dict[Axis, str] = {"step": "updates", "cpu_seconds": "CPU seconds"}


def draw_learning(results: Results, axis: Axis, quantity: Quantity) -> Figure:
    """Return one panel for each system at the fraction of the ablations: seeds thin, mean bold, reference as a guide.

    If ablations do not use all labelled data, the reference and its baselines have rows for that, too. Panels of a
    fraction share their axes. The diamond is the checkpoint of best validation perplexity (mean over seeds).
    """
    fraction, reference = results.ablations_at, results.study.reference
    groups = _shown(results)
    _, last = groups[-1]
    # A place after the last panel is for the explanation, which should not be alone in its row.
    columns = next((columns for columns in (4, 3, 5) if len(last) % columns), 7)
    columns = min(columns, max(len(last) + 1, *(len(systems) for _, systems in groups)))
    rows = [math.ceil(len(systems) / columns) for _, systems in groups]
    figure = plt.figure(figsize=(PAGE, 0.55 + 1.45 * sum(rows)), layout="constrained")
    grid = figure.add_gridspec(sum(rows), columns)
    titles = TextWrapper(96 // columns, break_long_words=False, break_on_hyphens=False)
    for group, (of, systems) in enumerate(groups):
        seen, panels, above = list[Curve](), list[Axes](), sum(rows[:group])
        for place, system in enumerate(systems):
            row, column = divmod(place, columns)
            axes = figure.add_subplot(grid[above + row, column], sharey=panels[0] if panels else None)
            panels.append(axes)
            full = results.of(reference, of) if system != reference else []
            seen += _panel(axes, results.of(system, of), full, axis, quantity)
            label = label_of(results, system)
            axes.set_title(
                "\n".join(titles.wrap(label if of == fraction else f"{label}, all data")),
                fontsize=7.5,
                color=VERMILION if full else BLUE,
                weight="bold",
            )
            axes.tick_params(labelleft=column == 0, labelbottom=place + columns >= len(systems))
        _axes(panels, seen, quantity)
    usual = of_labelled(fraction) if groups[-1][0] == fraction else f"{of_labelled(fraction)} unless said"
    figure.supxlabel(f"{X_LABELS[axis]} ({results.study.scale} scale, {usual})", fontsize=8)
    figure.supylabel(
        "validation perplexity, log scale" if quantity == "perplexity" else f"validation {results.task.score}, greedy",
        fontsize=8,
    )
    free = figure.add_subplot(grid[-1, len(last) % columns])
    _explain(free, groups == [(fraction, [reference])], results.reference_label, titles)
    return figure


def _shown(results: Results) -> list[tuple[str, list[str]]]:
    """Return the systems that have panels, by fraction: those that were trained, or all if none was."""
    reference, cells = results.study.reference, results.cells
    groups = {results.ablations_at: [reference, *ablation_systems(results, results.ablations_at)]}
    if results.ablations_at != results.all_data:
        groups[results.all_data] = [reference, *results.paper.baselines]
    declared = [(of, [one for one in systems if (one, of) in cells]) for of, systems in groups.items()]
    trained = [
        (of, [one for one in systems if any(run.validations for run in results.of(one, of))])
        for of, systems in declared
    ]
    for groups_of in (trained, declared):
        if having := [group for group in groups_of if group[1]]:
            return having
    return [(results.ablations_at, [reference])]


def _panel(axes: Axes, runs: Sequence[Outcome], full: Sequence[Outcome], axis: Axis, quantity: Quantity) -> list[Curve]:
    """Draw one system over the reference; return the curves drawn."""
    guide = mean_curve([curve(run.validations, axis, quantity) for run in full])
    if len(guide.x):
        axes.plot(*guide, color=BLUE, linewidth=1.0, alpha=0.55)
    trained = [run for run in runs if run.validations]
    colour = VERMILION if full else BLUE
    curves = [curve(run.validations, axis, quantity) for run in trained]
    for one in curves:
        axes.plot(*one, color=colour, linewidth=0.6, alpha=0.6)
    mean = mean_curve(curves)
    axes.plot(*mean, color=colour, linewidth=1.6)
    if trained:
        best = [min(run.validations, key=lambda one: one.perplexity) for run in trained]
        # Not clipped: where a system is scored without updates, the diamond is on the frame.
        axes.plot(np.mean([getattr(one, axis) for one in best]), np.mean([getattr(one, quantity) for one in best]),
                  marker="D", markersize=4.2, color=colour, markeredgecolor="white", markeredgewidth=0.7,
                  zorder=3, clip_on=False)  # fmt: skip
    else:
        say_not_run(axes, empty=False)
    return [one for one in (*curves, guide) if len(one.x)]


def _axes(panels: Sequence[Axes], seen: Sequence[Curve], quantity: Quantity) -> None:
    """Set common limits that show every curve from its first validation to its last."""
    first, length = panels[0], max((float(one.x.max()) for one in seen), default=0.0)
    for axes in panels:
        axes.set_xlim(0, 1.05 * length or 1.0)
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    if quantity == "score" and seen:
        first.set_ylim(bottom=0)
    elif seen:
        low = min(float(one.y.min()) for one in seen)
        high = max(float(one.y.max()) for one in seen)
        first.set_yscale("log")
        first.set_ylim(low * 0.9, high * 1.05)
        digits = (1, 1.5, 2, 3, 5, 7) if high < 12 * low else (1, 2, 5)
        first.yaxis.set_major_locator(LogLocator(subs=digits))
        first.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        for axes in panels:
            axes.minorticks_off()
    else:
        for axes in panels:
            axes.set_xticks([])
        first.set_yticks([])


def _explain(axes: Axes, alone: bool, reference: str, lines: TextWrapper) -> None:
    """Explain the lines in the free place after the last panel; `alone`: there is no reference to compare."""
    axes.axis("off")
    words = [("this system: mean bold, each seed thin", BLUE if alone else VERMILION)]
    words += [] if alone else [(f"{reference}, for comparison", BLUE)]
    words += [("\N{BLACK DIAMOND} best validation perplexity", INK)]
    top = 0.95
    for text, colour in words:
        wrapped = lines.wrap(text)
        axes.text(0.0, top, "\n".join(wrapped), color=colour, transform=axes.transAxes, fontsize=7, va="top")
        top -= 0.12 * len(wrapped) + 0.07
