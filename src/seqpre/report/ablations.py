"""Ablations: what each system loses against the full one, ours beside those of a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from seqpre.metrics.inference import Estimated, holm
from seqpre.report.contrasts import Terms, behind, contrast
from seqpre.report.estimates import Estimate
from seqpre.report.notes import footnotes, tests_note
from seqpre.report.published import PublishedNumber, of_study, printed_in
from seqpre.report.results import Results
from seqpre.report.splits import CHOSEN, VALIDATION, mark
from seqpre.report.table import (
    EMPTY,
    Cell,
    Table,
    estimate_cell,
    estimated_cell,
    number_cell,
    p_cell,
    published_cell,
    text_cell,
    without_unpublished,
)
from seqpre.report.verdicts import NOT_RUN, difference_verdict, rule, worst
from seqpre.study.fractions import in_words
from seqpre.study.tasks import metric_labels

Tested = tuple[str, str, str]
"""A system, a fraction and a metric of validation."""


class Ablation(NamedTuple):
    """One system at one fraction: our differences to the full system on validation, and the printed, by metric."""

    system: str
    label: str
    fraction: str
    deltas: Mapping[str, Estimate | None]
    published: Mapping[str, PublishedNumber]
    tested: Mapping[str, Estimated | None]
    """The differences that verdicts rest on, by metric as on validation; on tests, where there are any."""
    p_values: Mapping[str, float]
    """Two-sided, corrected for the number of all that are shown or judged, at any fraction."""
    rows: int
    """That number."""

    @property
    def delta(self) -> Estimate | None:
        """The difference in the task's first metric; None where the system has not been run."""
        return next(iter(self.deltas.values()))

    def verdict(self, *, same_scale: bool) -> str:
        """Judge the row by its worst metric. A printed zero has no direction, which is all other scales can show."""
        return worst(
            [
                difference_verdict(
                    self.deltas[metric],
                    self.tested[metric],
                    number.value,
                    number.tolerance,
                    same_scale=same_scale,
                    p_value=self.p_values[metric],
                    rows=self.rows,
                )
                for metric, number in self.published.items()
                if number.value or same_scale
            ]
        )


def ablation_systems(results: Results, published: Sequence[PublishedNumber], fraction: str) -> list[str]:
    """Return the systems compared with `full`: the paper's in printed order, then those of the study alone.

    A system declared at this fraction is one; the members of an ensemble are not. Where the study has most, all of the
    paper's are.
    """
    declared = [system for system, at in results.cells if at == fraction and not results.is_variant(system)]
    everywhere = fraction == next(iter(results.ablation_fractions), fraction)
    printed = [number.system for number in _printed(results, published) if everywhere or number.system in declared]
    return list(dict.fromkeys([*printed, *(system for system in declared if system != results.reference)]))


def ablations(results: Results, published: Sequence[PublishedNumber]) -> dict[str, list[Ablation]]:
    """Return every ablation, by fraction."""
    printed: dict[str, dict[str, PublishedNumber]] = {}
    for number in _printed(results, published):
        printed.setdefault(number.system, {})[number.metric.removeprefix("delta_")] = number
    metrics = results.task.validation
    # A study without ablations still shows the paper's, as not run.
    fractions = results.ablation_fractions or ["100pct"]
    tested = {
        (system, fraction, metric): contrast(
            results, terms_of(results, system, fraction), results.judged, tested_metric(results, metric)
        )
        for fraction in fractions
        for system in ablation_systems(results, published, fraction)
        for metric in metrics
    }
    judged = {key: one for key, one in tested.items() if key[2] == metrics[0] or key[2] in printed.get(key[0], {})}
    p_values, rows = _corrected(results, judged)
    return {
        fraction: [
            Ablation(
                system,
                label_of(results, published, system),
                fraction,
                {one: results.difference(system, results.reference, fraction, VALIDATION, one) for one in metrics},
                printed.get(system, {}),
                {metric: tested[system, fraction, metric] for metric in metrics},
                {metric: p_values.get((system, fraction, metric), 1.0) for metric in metrics},
                rows,
            )
            for system in ablation_systems(results, published, fraction)
        ]
        for fraction in fractions
    }


def terms_of(results: Results, system: str, fraction: str) -> Terms:
    """Return an ablation's difference to the reference."""
    return {(system, fraction): 1.0, (results.reference, fraction): -1.0}


def tested_metric(results: Results, metric: str) -> str | None:
    """Return what tests are scored by where validation is scored by `metric`, one of several; else each by its own."""
    return metric if len(results.task.validation) > 1 else None


def _corrected(results: Results, found: Mapping[Tested, Estimated | None]) -> tuple[dict[Tested, float], int]:
    """Return the p-values of what has been run, corrected for their number, and that; the same scores count once."""
    same = {}
    for (system, fraction, metric), one in found.items():
        if one is not None:
            terms = terms_of(results, system, fraction)
            scores = behind(results, terms, results.judged, tested_metric(results, metric))
            same[system, fraction, metric] = (fraction, *(score.value for score in scores))
    p_values = {same[key]: one.p_zero() for key, one in found.items() if one is not None}
    corrected = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    return {key: corrected[of] for key, of in same.items()}, max(len(p_values), 1)


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
        name = f" {metric_labels()[metric]}," if suffix else ""
        columns |= {f"published_delta{suffix}": f"Δ{name} published", f"ours_delta{suffix}": f"Δ{name} ours{CHOSEN}"}
    columns |= {
        "tested": f"Δ{_of_one(results)}, {results.judged_name} [95 %]",
        "p": "p (Holm)",
        **{f"ours_{split}": _header(results, split) for split in (VALIDATION, *results.tests)},
        "seeds": "seeds",
        "verdict": "verdict",
    }
    rows, shown = [], []
    for fraction, found in ablations(results, published).items():
        shown += results.of(results.reference, fraction)
        rows.append(
            _row(results, results.reference, results.labels.get(results.reference, results.reference), fraction)
        )
        for ablation in found:
            shown += results.of(ablation.system, fraction)
            rows.append(_row(results, ablation.system, ablation.label, fraction) | _difference(results, ablation))
    of_several = f"Interval and p are of {task.score}; a verdict is the least favourable of all scores'."
    notes = [
        f"Δ: score minus that of the full system, paired by seed; published and ours: {task.validation_score}.",
        tests_note(results),
        *([of_several] if len(task.validation) > 1 else []),
        *footnotes(results, shown, task.metrics),
        rule(task.points),
    ]
    labels = [f"{number.printed} ({label_of(results, published, number.system)})"
              for number in _printed(results, published) if number.kind == "label"]  # fmt: skip
    if labels:
        notes.append(f"Of the published Δ, these stand only in the image of the figure: {', '.join(labels)}.")
    if results.paper.ablations and not results.same_scale:
        notes.append(f"The published Δ are with all labelled data of {results.paper.corpus}.")
    title = f"Ablations{printed_in(results.paper.ablations)}: difference to the full system"
    return Table("ablations", title, without_unpublished(columns, rows), rows, notes)


def _header(results: Results, split: str) -> str:
    """Return what stands over the scores of a split; their metric, where not all splits have the same."""
    names = {results.name_of(one) for one in (VALIDATION, *results.tests)}
    if len(results.task.validation) > 1 or len(names) > 1:
        return f"{split}, {results.name_of(split)}{CHOSEN if split == VALIDATION else ''}"
    return f"{split}{mark(results.task, split)}"


def _row(results: Results, system: str, label: str, fraction: str) -> dict[str, Cell]:
    row = {"system": text_cell(label), "fraction": text_cell(in_words(fraction))}
    estimates = [results.score(system, fraction, split) for split in (VALIDATION, *results.tests)]
    for split, one in zip((VALIDATION, *results.tests), estimates, strict=True):
        row[f"ours_{split}"] = estimate_cell(one, missing=NOT_RUN)
    row["seeds"] = number_cell(max((one.n for one in estimates if one is not None), default=0), "d")
    return row


def _difference(results: Results, ablation: Ablation) -> dict[str, Cell]:
    row = {}
    for metric, suffix in _suffixes(results).items():
        row[f"published_delta{suffix}"] = published_cell(ablation.published.get(metric))
        row[f"ours_delta{suffix}"] = estimate_cell(ablation.deltas[metric], "+.1f", missing=NOT_RUN)
    first = results.task.validation[0]
    tested, terms = ablation.tested[first], terms_of(results, ablation.system, ablation.fraction)
    scores = behind(results, terms, results.judged, tested_metric(results, first))
    row["tested"] = estimated_cell(tested, scores, missing=NOT_RUN)
    row["p"] = p_cell(ablation.p_values[first] if tested else None)
    row["verdict"] = text_cell(ablation.verdict(same_scale=results.same_scale) or EMPTY)
    return row


def _suffixes(results: Results) -> dict[str, str]:
    """Return what tells the columns of a metric apart, {metric: suffix}; nothing where there is one."""
    metrics = results.task.validation
    return {metric: f"_{metric}" if len(metrics) > 1 else "" for metric in metrics}


def _of_one(results: Results) -> str:
    return f" {results.task.score}" if len(results.task.validation) > 1 else ""


def _printed(results: Results, published: Sequence[PublishedNumber]) -> list[PublishedNumber]:
    return of_study(published, results.published_as, results.paper.ablations)
