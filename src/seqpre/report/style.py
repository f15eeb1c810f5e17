"""The common style of all figures: readable in one column, in grey and by the colour-blind; nothing superfluous."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.offsetbox import AnchoredOffsetbox, HPacker, TextArea
from scipy.optimize import isotonic_regression

# Okabe and Ito's palette, which stays distinct under the common kinds of colour blindness.
BLUE = "#0072B2"
VERMILION = "#D55E00"
GREEN = "#009E73"
ORANGE = "#E69F00"
PURPLE = "#CC79A7"
SKY = "#56B4E9"
INK = "#222222"
GREY = "#767676"
LIGHT = "#C9C9C9"

PAGE = 7.0
"""Text width of a paper, in inches."""

SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
}


@contextmanager
def styled() -> Iterator[None]:
    """Draw with these settings, whatever the user's own are, and close the figures."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.use("Agg")
        mpl.rcParams.update(SETTINGS)
        try:
            yield
        finally:
            plt.close("all")


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write `<name>.pdf` and `.png` without a date, so that equal numbers give equal files."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix, undated in (("pdf", {"CreationDate": None}), ("png", {"Software": None})):
        figure.savefig(folder / f"{name}.{suffix}", metadata=undated, bbox_inches="tight", pad_inches=0.04)


def svg(figure: Figure) -> str:
    """Return the figure as SVG with text as text and a transparent background; equal numbers give equal files."""
    text = StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "figure"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight",
                       pad_inches=0.04, transparent=True)  # fmt: skip
    drawn = text.getvalue()
    for place, name in enumerate(re.findall(r'<clipPath id="(\w+)"', drawn)):
        drawn = drawn.replace(name, f"clip{place}")  # Matplotlib names some by memory addresses.
    return re.sub(r"(\.\d\d)\d+", r"\1", drawn)  # hundredths of a point suffice


def coloured_key(axes: Axes, words: Sequence[tuple[str, str]]) -> None:
    """Write a key above the panel, each word in its colour: a legend without samples.

    Call it last: it fixes the layout first, so that a long line does not push panels apart.
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    if isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine):
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
    parts: list[Artist] = [
        TextArea(text, textprops={"color": colour, "weight": "bold", "fontsize": 7.5}) for text, colour in words
    ]
    line = HPacker(children=parts, pad=0, sep=9)
    box = AnchoredOffsetbox(
        "lower left", child=line, pad=0, borderpad=0.2, frameon=False, bbox_to_anchor=(0, 1),
        bbox_transform=axes.transAxes,
    )  # fmt: skip
    axes.add_artist(box)


def say_not_run(axes: Axes, *, empty: bool = True) -> None:
    """Mark a panel without points of ours; an empty one loses its ticks, which would mean nothing."""
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color=GREY)
    if empty:
        axes.tick_params(labelleft=False, labelbottom=False, left=False, bottom=False)


def spread(positions: Sequence[float], gap: float) -> list[float]:
    """Move labels apart until each is `gap` from the next, keeping their order and staying near their points."""
    order = np.argsort(positions, kind="stable")
    steps = gap * np.arange(len(order))
    # Among positions at least `gap` apart, those closest to the points.
    placed = isotonic_regression(np.asarray(positions, dtype=float)[order] - steps).x + steps if len(order) else steps
    return [float(one) for one in placed[np.argsort(order, kind="stable")]]
