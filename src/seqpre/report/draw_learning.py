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

    If ablations do not use all labelled data, the reference and its baselines have panels for that, too. The diamond is
    the checkpoint of best validation perplexity (mean over seeds).
    """
    fraction = results.ablations_at
    compared = (results.study.reference, *ablation_systems(results, fraction))
    shown = [(one, fraction) for one in compared if (one, fraction) in results.cells]
    shown = shown or [(results.study.reference, fraction)]
    if fraction != results.all_data:
        of_all = ((one, results.all_data) for one in (results.study.reference, *results.paper.baselines))
        shown += [cell for cell in of_all if cell in results.cells]
    places = len(shown) + 1  # one for the explanation, which should not be alone in its row
    columns = min(places, next((columns for columns in (4, 3) if places % columns != 1), 5))
    rows = math.ceil(places / columns)
    figure, grid = plt.subplots(rows, columns, figsize=(PAGE, 0.55 + 1.45 * rows), sharey=True,
                                squeeze=False, layout="constrained")  # fmt: skip
    lines = TextWrapper(96 // columns, break_long_words=False, break_on_hyphens=False)
    seen: list[Curve] = []
    length: dict[str, float] = {}
    for axes, (system, of) in zip(grid.flat, shown, strict=False):
        full = results.of(results.study.reference, of) if system != results.study.reference else []
        curves = _panel(axes, results.of(system, of), full, axis, quantity)
        length[of] = max([length.get(of, 0.0), *(float(one.x.max()) for one in curves)])
        seen += curves
        label = label_of(results, system)
        axes.set_title(
            "\n".join(lines.wrap(label if of == fraction else f"{label}, all data")),
            fontsize=7.5,
            color=VERMILION if full else BLUE,
            weight="bold",
        )
    for axes in grid.flat[len(shown) :]:
        axes.set_visible(False)
    for place, (axes, (_, of)) in enumerate(zip(grid.flat, shown, strict=False)):
        below = shown[place + columns][1] if place + columns < len(shown) else ""
        _steps(axes, length[of], labelled=below != of)
    _axes(grid.flat[0], seen, quantity)
    usual = of_labelled(fraction) if shown[-1][1] == fraction else f"{of_labelled(fraction)} unless said"
    figure.supxlabel(f"{X_LABELS[axis]} ({results.study.scale} scale, {usual})", fontsize=8)
    figure.supylabel(
        "validation perplexity, log scale" if quantity == "perplexity" else f"validation {results.task.score}, greedy",
        fontsize=8,
    )
    _explain(grid.flat[len(shown)], len(shown) == 1, results.reference_label)
    return figure


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
        axes.plot(np.mean([getattr(one, axis) for one in best]), np.mean([getattr(one, quantity) for one in best]),
                  marker="D", markersize=4.2, color=colour, markeredgecolor="white", markeredgewidth=0.7)  # fmt: skip
    else:
        say_not_run(axes, empty=False)
    return [one for one in (*curves, guide) if len(one.x)]


def _steps(axes: Axes, length: float, *, labelled: bool) -> None:
    """Extend a panel's x axis to the longest training on as many pairs; label its ticks if `labelled`."""
    axes.set_xlim(0, 1.05 * length or 1.0)
    axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.tick_params(labelbottom=labelled)
    if not length:
        axes.set_xticks([])


def _axes(first: Axes, seen: Sequence[Curve], quantity: Quantity) -> None:
    """Set common limits that show every curve from its first validation to its last."""
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
        first.minorticks_off()
    else:
        first.set_yticks([])


def _explain(axes: Axes, alone: bool, reference: str) -> None:
    """Explain the lines in the free place after the last panel; `alone`: there is no reference to compare."""
    axes.set_visible(True)
    axes.axis("off")
    words = (("this system: mean bold,\neach seed thin", BLUE if alone else VERMILION),
             ("" if alone else f"{reference}, for comparison", BLUE),
             ("\N{BLACK DIAMOND} best validation perplexity", INK))  # fmt: skip
    for height, (text, colour) in zip((0.95, 0.62, 0.45), words, strict=True):
        axes.text(0.0, height, text, color=colour, transform=axes.transAxes, fontsize=7, va="top")
