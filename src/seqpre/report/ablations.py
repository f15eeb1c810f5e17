"""Ablations: what each system loses against the full one, ours next to those of the paper's figure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from seqpre.report.contrasts import comparisons, minus
from seqpre.report.estimates import Comparison, SeedMean
from seqpre.report.notes import footnotes, tests_note
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results
from seqpre.report.table import CHOSEN, Row, Table, comparison_cells, mark, number_cell, published_cell, seed_mean_cell
from seqpre.report.verdicts import difference_verdict, rule, worst
from seqpre.study.fractions import in_words
from seqpre.study.tasks import VALIDATION, metric_labels


class Ablation(NamedTuple):
    """One system at one fraction: our and the printed differences to the reference on validation, by metric."""

    system: str
    label: str
    fraction: str
    deltas: Mapping[str, SeedMean | None]
    published: Mapping[str, PublishedNumber]
    tested: Mapping[str, Comparison]
    """The tested differences that verdicts are based on, by the same metrics; on tests if there are any."""

    def verdict(self, *, same_scale: bool) -> str:
        """Judge the row by its worst metric. At other scales only direction counts, so a printed zero is not judged."""
        return worst(
            [
                difference_verdict(self.deltas[metric], self.tested[metric], number.value, number.tolerance,
                                   same_scale=same_scale)
                for metric, number in self.published.items()
                if number.value or same_scale
            ]
        )  # fmt: skip


def ablation_systems(results: Results, fraction: str) -> list[str]:
    """Return the systems compared with the reference: the paper's in printed order, then the study's own.

    Systems declared only as ensemble members or at other fractions are left out. At the fraction with most systems, all
    of the paper's are included.
    """
    declared = [system for system, at in results.cells if at == fraction and system not in results.study.variant_of]
    everywhere = fraction == next(iter(results.ablation_fractions), fraction)
    printed = [system for system in _printed(results) if everywhere or system in declared]
    return list(dict.fromkeys([*printed, *(system for system in declared if system != results.study.reference)]))


def _printed(results: Results) -> dict[str, dict[str, PublishedNumber]]:
    """Return the printed differences, {system: {metric: number}}."""
    found: dict[str, dict[str, PublishedNumber]] = {}
    for number in results.printed(results.paper.ablations):
        found.setdefault(number.system, {})[number.metric.removeprefix("delta_")] = number
    return found


def ablations(results: Results) -> dict[str, list[Ablation]]:
    """Return all ablations, by fraction; for a study without any, the paper's, as not run."""
    printed, metrics, reference = _printed(results), results.task.validation, results.study.reference
    fractions = {at: ablation_systems(results, at) for at in results.ablation_fractions or [results.ablations_at]}
    # Tests are scored by a metric of several that validation is scored by; else each by its own.
    asked = {
        (system, at, metric): (minus(system, reference, at), metric if len(metrics) > 1 else None)
        for at, systems in fractions.items()
        for system in systems
        for metric in metrics
    }
    unjudged = [key for key in asked if key[2] != metrics[0] and key[2] not in printed.get(key[0], {})]
    found = comparisons(results, asked, unjudged)
    return {
        at: [
            Ablation(
                system,
                label_of(results, system),
                at,
                {one: results.difference(system, reference, at, VALIDATION, one) for one in metrics},
                printed.get(system, {}),
                {one: found[system, at, one] for one in metrics},
            )
            for system in systems
        ]
        for at, systems in fractions.items()
    }


def label_of(results: Results, system: str) -> str:
    """Return the study's label of a system, or else the one in the paper's figure of ablations, with a capital."""
    printed = [number.label for number in _printed(results).get(system, {}).values()]
    return results.study.labels.get(system, printed[0][:1].upper() + printed[0][1:] if printed else system)


def ablation_table(results: Results) -> Table:
    """Return the table of validation differences to the reference system, with the scores they come from."""
    task, reference = results.task, results.study.reference
    several = len(task.validation) > 1
    # distinguishes the columns if there are several metrics
    suffixes = {metric: f"_{metric}" if several else "" for metric in task.validation}
    columns = {"system": "system", "fraction": "labelled data"}
    for metric, suffix in suffixes.items():
        name = f" {metric_labels()[metric]}," if suffix else ""
        columns |= {f"published_delta{suffix}": f"Δ{name} published", f"ours_delta{suffix}": f"Δ{name} ours{CHOSEN}"}
    columns |= {
        "tested": f"Δ{f' {task.score}' if several else ''}, {results.judged_name} [95 %]",
        "p": "p (Holm)",
        **{f"ours_{split}": _header(results, split) for split in results.splits},
        "seeds": "seeds",
        "verdict": "verdict",
    }
    rows, shown = [], []
    for fraction, found in ablations(results).items():
        shown += results.of(reference, fraction)
        rows.append(_scores(results, reference, results.label(reference), fraction))
        for one in found:
            shown += results.of(one.system, fraction)
            row = _scores(results, one.system, one.label, fraction)
            for metric, suffix in suffixes.items():
                row[f"published_delta{suffix}"] = published_cell(one.published.get(metric))
                row[f"ours_delta{suffix}"] = seed_mean_cell(one.deltas[metric], "+.1f")
            row |= comparison_cells(one.tested[task.validation[0]], one.verdict(same_scale=results.same_scale))
            rows.append(row)
    notes = [
        f"Δ: score minus that of {results.reference_label}, paired by seed; "
        f"published and ours: {task.validation_score}.",
        tests_note(results),
        *(
            [f"Interval and p are of {task.score}; a verdict is the least favourable of all scores'."]
            if several
            else []
        ),
        *footnotes(results, shown, task.metrics),
        rule(task.points),
    ]
    labels = [f"{number.printed} ({label_of(results, number.system)})"
              for number in results.printed(results.paper.ablations) if number.kind == "label"]  # fmt: skip
    if labels:
        notes.append(f"Of the published Δ, these stand only in the image of the figure: {', '.join(labels)}.")
    if results.paper.ablations and not results.same_scale:
        notes.append(f"The published Δ are with all labelled data of {results.paper.corpus}.")
    return Table(columns, rows, notes).without_unpublished()


def _header(results: Results, split: str) -> str:
    """Return the column title of a split's scores, with their metric if the splits have different ones."""
    if len(results.task.validation) > 1 or len({results.name_of(one) for one in results.splits}) > 1:
        return f"{split}, {results.name_of(split)}{CHOSEN if split == VALIDATION else ''}"
    return f"{split}{mark(results.task, split)}"


def _scores(results: Results, system: str, label: str, fraction: str) -> Row:
    estimates = {split: results.score(system, fraction, split) for split in results.splits}
    return {
        "system": label,
        "fraction": in_words(fraction),
        **{f"ours_{split}": seed_mean_cell(one) for split, one in estimates.items()},
        "seeds": number_cell(max((one.n for one in estimates.values() if one is not None), default=0), "d"),
    }
