"""Draw every figure of a study, ours over the published numbers, as pdf and png.

    python -m seqpre.report.figures --study ramachandran-translation --scale small \\
        --study-dir results/small/ramachandran-translation --runs RUNS.json \\
        --published workflow/published.tsv --paper workflow/papers/ramachandran2017.yaml \\
        --output-dir results/small/ramachandran-translation/figures

Writes ablations, fractions and checkpoints (where the paper has such figures), selection (the checkpoint chosen by
perplexity and by the task's score), and the learning curves learning_bleu_updates, learning_bleu_cpu_seconds
(or learning_rouge_1_..., learning_gleu_...), learning_perplexity_updates and learning_perplexity_cpu_seconds. RUNS.json
is as for `seqpre.report.tables`. What has not been run is left out or marked.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from matplotlib.figure import Figure

from seqpre.common.errors import command
from seqpre.report.draw_ablations import draw_ablations
from seqpre.report.draw_checkpoints import draw_checkpoints
from seqpre.report.draw_fractions import draw_fractions
from seqpre.report.draw_learning import draw_learning
from seqpre.report.draw_selection import draw_selection
from seqpre.report.published import PublishedNumber, load_published
from seqpre.report.results import Results, load_results
from seqpre.report.style import save, styled
from seqpre.report.tables import add_study_arguments
from seqpre.study.tasks import Task

Draw = Callable[[Results, Sequence[PublishedNumber]], Figure]


def learning_figures(task: Task) -> dict[str, Draw]:
    """Return the learning curves of a task, by name."""
    return {
        f"learning_{task.metric}_updates": partial(draw_learning, axis="step", quantity="score"),
        f"learning_{task.metric}_cpu_seconds": partial(draw_learning, axis="cpu_seconds", quantity="score"),
        "learning_perplexity_updates": partial(draw_learning, axis="step", quantity="perplexity"),
        "learning_perplexity_cpu_seconds": partial(draw_learning, axis="cpu_seconds", quantity="perplexity"),
    }


def study_figures(task: Task) -> dict[str, Draw]:
    """Return all figures that studies of a task can have, by name."""
    return {
        "ablations": draw_ablations,
        "fractions": draw_fractions,
        "checkpoints": draw_checkpoints,
        "selection": draw_selection,
        **learning_figures(task),
    }


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read what the runs left, draw, say where the figures are."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.report.figures",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_study_arguments(parser)
    parser.add_argument("--output-dir", required=True, type=Path)
    args = parser.parse_args(argv)

    results = load_results(args.runs, args.study_dir, args.study, args.scale, args.paper)
    published = load_published(args.published)
    draw = study_figures(results.task)
    for name in results.figures:
        with styled():
            save(draw[name](results, published), args.output_dir, name)
    print(f"{len(results.figures)} figures in {args.output_dir}: {', '.join(results.figures)} (.pdf, .png)")


if __name__ == "__main__":
    main()
