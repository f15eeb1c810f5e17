"""The tables and figures of studies: name, title, and the function that makes each. The only list of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from seqpre.study.paper import InPaper
from seqpre.study.tasks import Task


@dataclass(frozen=True)
class Display:
    """A table or a figure that a study can have."""

    name: str
    """Name of its files, and in `tables` or `figures` of a study."""
    title: str
    """May have `{reference}`, the reference system, `{score}`, the task's score, `{averaged}`, of averaged weights."""
    made_by: str
    """`module:function` in `seqpre.report`, called with the results; not imported here, because that is slow."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Further arguments of that function."""
    listed: str = ""
    """Its title in the summary, if different."""
    usual: bool = True
    """Whether it is shown in a study that does not list its tables or figures."""
    folded: bool = False
    """Whether the report page shows it collapsed."""
    on_page: bool = True
    """Whether the report page shows it at all."""
    described: str = ""
    """Alternative text: how a figure shows what its title says."""


def tables_of(paper: InPaper, named: Sequence[str] | None = None) -> list[Display]:
    """Return the tables of a study: those that it names, in its order, or the default ones of its paper."""
    return _chosen(every_table(paper), named)


def figures_of(paper: InPaper, task: Task, named: Sequence[str] | None = None) -> list[Display]:
    """Return the figures of a study, chosen in the same way."""
    return _chosen(every_figure(paper, task), named)


def every_table(paper: InPaper) -> list[Display]:
    """Return all tables that a study can have: those that its paper prints, and ours."""
    sizes = paper.fractions
    return [
        *(Display(one.name, one.title, "printed_table:printed_table", {"name": one.name}) for one in paper.printed),
        Display("ablations", f"Ablations{_in(paper.ablations)}: difference to {{reference}}",
                "ablations:ablation_table", listed=f"Ablations{_in(paper.ablations)}"),
        Display("fractions", f"Fractions of the labelled data{_in(sizes.printed_in)}", "fractions:fraction_table",
                usual=bool(sizes.curves)),
        Display("checkpoints", f"Checkpoints of the pretraining{_in(paper.checkpoints)}",
                "checkpoints:checkpoint_table", usual=bool(paper.checkpoints)),
        Display("spelling", "The spelling of sources", "corrections:spelling_table", usual=paper.corrections),
        Display("error_kinds", "What is mended and made, by kind of error", "corrections:kinds_table",
                usual=paper.corrections),
        Display("learning", "How fast and how well each system learns", "learning:learning_table", folded=True),
        Display("claims", "Claims of the paper", "claims_table:claims_table", usual=bool(paper.claims),
                listed="Claims of the paper, on its numbers and on ours"),
        *([Display("speed", f"Time of training and search{_in(paper.speed)}, in multiples of the baseline's",
                   "speed:speed_table", folded=True)] if paper.speed else []),
        Display("cost", "Cost of training", "cost:cost_table", folded=True),
    ]  # fmt: skip


def every_figure(paper: InPaper, task: Task) -> list[Display]:
    """Return all figures that a study can have."""
    sizes = paper.fractions
    return [
        Display("ablations", f"Ablations{_in(paper.ablations)}: difference to {{reference}}",
                "draw_ablations:draw_ablations",
                described="A bar a system for the mean, a line for the deviation, dots for seeds"),
        Display("fractions", f"Fractions of the labelled data{_in(sizes.printed_in)}, with and without pretraining",
                "draw_fractions:draw_fractions", usual=bool(sizes.curves),
                described="Scores and gains over the labelled data, dots for seeds, lines for their means"),
        Display("checkpoints", f"Checkpoints of the pretraining{_in(paper.checkpoints)}: runs that start from them",
                "draw_checkpoints:draw_checkpoints", usual=bool(paper.checkpoints),
                described="Scores over updates of pretraining, a panel a text"),
        Display("selection", "Checkpoints chosen by validation perplexity and by validation {score}{averaged}",
                "draw_selection:draw_selection",
                described="A row a system, a panel a text, a dot for the mean of each choice of checkpoints"),
        *_learning_curves(task.metric, "score", "{score}"),
        *_learning_curves("perplexity", "perplexity", "perplexity"),
    ]  # fmt: skip


def _learning_curves(name: str, quantity: str, called: str) -> Iterable[Display]:
    for unit, axis, words in (("updates", "step", "updates"), ("cpu_seconds", "cpu_seconds", "CPU seconds")):
        yield Display(
            f"learning_{name}_{unit}",
            f"Validation {called} against {words}",
            "draw_learning:draw_learning",
            {"axis": axis, "quantity": quantity},
            on_page=unit == "updates",  # else the same curves, stretched
            described="A panel a system, its seeds thin, their mean bold, the reference system as a guide",
        )


def _in(table: str) -> str:
    """Return the table or figure number in the paper, in brackets; empty if the paper has none."""
    return f" ({table})" if table else ""


def _chosen(displays: Sequence[Display], named: Sequence[str] | None) -> list[Display]:
    by_name = {one.name: one for one in displays}
    return [one for one in displays if one.usual] if named is None else [by_name[name] for name in named]
