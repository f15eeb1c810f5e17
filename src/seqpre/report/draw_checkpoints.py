"""Figure of scores by how long models were pretrained."""

from __future__ import annotations

from matplotlib.figure import Figure

from seqpre.report.checkpoints import checkpoints
from seqpre.report.results import Results
from seqpre.report.style import BLUE, GREY, say_not_run


def draw_checkpoints(results: Results) -> Figure:
    """Draw scores over updates of pretraining, one panel for each test, with the best weights' score as a line."""
    splits = results.judged
    figure = Figure(figsize=(3.6 * len(splits), 3.0), layout="constrained")
    panels = figure.subplots(1, len(splits), squeeze=False)[0]
    fraction, systems = checkpoints(results)
    for axes, split in zip(panels, splits, strict=True):
        found = [(one, results.score(one.system, fraction, split)) for one in systems]
        points = [(one.updates, score) for one, score in found if one.updates is not None and score]
        if any(updates for updates, _ in points):
            updates, scores = zip(*points, strict=True)
            axes.errorbar(
                updates, [one.mean for one in scores], [one.sd or 0.0 for one in scores], color=BLUE, marker="o"
            )
            for end in [score for one, score in found if one.updates is None and score]:
                axes.axhline(end.mean, color=GREY, linestyle=":")
                axes.annotate("pretrained to the end", (0.02, end.mean), (0, -3), textcoords="offset points",
                              xycoords=axes.get_yaxis_transform(), verticalalignment="top", color=GREY)  # fmt: skip
        else:
            say_not_run(axes)
        axes.set_xlabel("updates of pretraining")
        axes.set_ylabel(f"{split}, {results.name_of(split)}")
    return figure
