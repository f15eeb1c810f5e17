"""The ablations of Figures 3 (translation) and 5 (summarization): what each system loses against the full one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from seqpre.report.estimates import Estimate
from seqpre.report.notes import footnotes
from seqpre.report.published import PublishedNumber, of_study
from seqpre.report.results import FULL, Results, is_variant, share
from seqpre.report.table import EMPTY, Cell, Table, estimate_cell, number_cell, text_cell
from seqpre.report.tasks import NAMES, VALIDATION
from seqpre.report.verdicts import NOT_RUN, SIGNIFICANT, difference_verdict, rule, worst


class Ablation(NamedTuple):
    """One system at one fraction: our differences to the full system on validation, and the printed, by metric."""

    system: str
    label: str
    fraction: str
    deltas: Mapping[str, Estimate | None]
    published: Mapping[str, PublishedNumber]

    @property
    def delta(self) -> Estimate | None:
        """The difference in the task's first metric; None where the system has not been run."""
        return next(iter(self.deltas.values()))

    def verdict(self, *, same_scale: bool) -> str:
        """Judge the row by its worst metric. A printed zero has no direction, which is all other scales can show."""
        return worst(
            [
                difference_verdict(self.deltas[metric], number.value, number.tolerance, same_scale=same_scale)
                for metric, number in self.published.items()
                if number.value or same_scale
            ]
        )


def ablation_systems(results: Results, published: Sequence[PublishedNumber], fraction: str) -> list[str]:
    """Return the systems compared with `full`: the paper's in printed order, then those of the study alone.

    A system declared at this fraction is one; the members of an ensemble are not.
    """
    declared = [system for system, at in results.cells if at == fraction and not is_variant(system)]
    printed = [number.system for number in _printed(results, published)]
    return list(dict.fromkeys([*printed, *(system for system in declared if system != FULL)]))


def ablations(results: Results, published: Sequence[PublishedNumber], fraction: str) -> list[Ablation]:
    """Return every ablation at one fraction."""
    printed: dict[str, dict[str, PublishedNumber]] = {}
    for number in _printed(results, published):
        printed.setdefault(number.system, {})[number.metric.removeprefix("delta_")] = number
    return [
        Ablation(
            system,
            label_of(results, published, system),
            fraction,
            {
                metric: results.difference(system, FULL, fraction, VALIDATION, metric)
                for metric in results.task.validation
            },
            printed.get(system, {}),
        )
        for system in ablation_systems(results, published, fraction)
    ]


def label_of(results: Results, published: Sequence[PublishedNumber], system: str) -> str:
    """Return the study's label of a system, or the one that the paper prints in its figure of ablations."""
    printed = (number.label for number in _printed(results, published) if number.system == system)
    label = results.labels.get(system) or next(printed, system)
    return label[:1].upper() + label[1:]


def ablation_table(results: Results, published: Sequence[PublishedNumber]) -> Table:
    """Return validation differences to the full system, with the scores they come from."""
    task = results.task
    columns = {"system": "system", "fraction": "labelled data"}
    for metric, suffix in _suffixes(results).items():
        name = f" {NAMES[metric]}," if suffix else ""
        columns |= {f"published_delta{suffix}": f"Δ{name} published", f"ours_delta{suffix}": f"Δ{name} ours"}
    columns |= {
        "significant": f"p < {SIGNIFICANT}",
        **{f"ours_{split}": task.header(split) for split in (VALIDATION, *results.tests)},
        "seeds": "seeds",
        "verdict": "verdict",
    }
    rows, shown = [], []
    # A study without ablations still shows the paper's, as not run.
    for fraction in results.ablation_fractions or ["100pct"]:
        shown += results.of(FULL, fraction)
        rows.append(_row(results, FULL, results.labels.get(FULL, FULL), fraction))
        for ablation in ablations(results, published, fraction):
            shown += results.of(ablation.system, fraction)
            rows.append(_row(results, ablation.system, ablation.label, fraction) | _difference(results, ablation))
    notes = [
        f"Δ: {task.validation_score} minus that of the full system, paired by seed. p < {SIGNIFICANT}: in how many "
        f"seeds the paired bootstrap against the full system says so{_of_one(results)}.",
        *footnotes(results, shown, task.metrics),
        rule(task.points),
    ]
    labels = [f"{number.printed} ({label_of(results, published, number.system)})"
              for number in _printed(results, published) if number.kind == "label"]  # fmt: skip
    if labels:
        notes.append(f"Of the published Δ, these stand only in the image of the figure: {', '.join(labels)}.")
    if not results.same_scale:
        notes.append(f"The published Δ are with all labelled data of {task.corpus}.")
    title = f"Ablations ({task.ablation_figure}): difference to the full system"
    return Table("ablations", title, columns, rows, notes)


def _row(results: Results, system: str, label: str, fraction: str) -> dict[str, Cell]:
    row = {"system": text_cell(label), "fraction": text_cell(f"{share(fraction):g} %")}
    estimates = [results.score(system, fraction, split) for split in (VALIDATION, *results.tests)]
    for split, one in zip((VALIDATION, *results.tests), estimates, strict=True):
        row[f"ours_{split}"] = estimate_cell(one, missing=NOT_RUN)
    row["seeds"] = number_cell(max((one.n for one in estimates if one is not None), default=0), "d")
    return row


def _difference(results: Results, ablation: Ablation) -> dict[str, Cell]:
    row = {}
    for metric, suffix in _suffixes(results).items():
        printed = ablation.published.get(metric)
        row[f"published_delta{suffix}"] = Cell(printed.printed, {"": printed.value}) if printed else text_cell(EMPTY)
        row[f"ours_delta{suffix}"] = estimate_cell(ablation.deltas[metric], "+.1f", missing=NOT_RUN)
    p_values = ablation.delta.p_values if ablation.delta else []
    significant = sum(p < SIGNIFICANT for p in p_values)
    row["significant"] = text_cell(f"{significant} of {len(p_values)}" if p_values else EMPTY)
    row["verdict"] = text_cell(ablation.verdict(same_scale=results.same_scale) or EMPTY)
    return row


def _suffixes(results: Results) -> dict[str, str]:
    """Return what tells the columns of a metric apart, {metric: suffix}; nothing where there is one."""
    metrics = results.task.validation
    return {metric: f"_{metric}" if len(metrics) > 1 else "" for metric in metrics}


def _of_one(results: Results) -> str:
    return f", by {results.task.score}" if len(results.task.validation) > 1 else ""


def _printed(results: Results, published: Sequence[PublishedNumber]) -> list[PublishedNumber]:
    return of_study(published, results.published_as, results.task.ablation_figure)
