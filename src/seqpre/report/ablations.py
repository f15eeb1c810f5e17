"""The ablations of Figure 3: what each system loses on validation against the full one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seqpre.report.estimates import Estimate
from seqpre.report.notes import footnotes
from seqpre.report.published import PublishedNumber, of_study
from seqpre.report.results import (
    FULL,
    TEST_METRIC,
    VALIDATION,
    VALIDATION_METRIC,
    Results,
    is_variant_of_full,
    share,
)
from seqpre.report.table import EMPTY, Cell, Table, estimate_cell, number_cell, text_cell
from seqpre.report.verdicts import NOT_RUN, RULE, SIGNIFICANT, difference_verdict


class Ablation(NamedTuple):
    """One system at one fraction: ours and the printed difference to the full system."""

    system: str
    label: str
    fraction: str
    delta: Estimate | None
    published: PublishedNumber | None


def ablation_systems(results: Results, published: Sequence[PublishedNumber], fraction: str) -> list[str]:
    """Return the systems compared with `full`: the paper's in printed order, then those of the study alone.

    A system declared at this fraction is one; the members of an ensemble are not.
    """
    declared = [system for system, at in results.cells if at == fraction and not is_variant_of_full(system)]
    printed = [number.system for number in of_study(published, results.study, "Figure 3")]
    return [*printed, *(system for system in declared if system not in (FULL, *printed))]


def ablations(results: Results, published: Sequence[PublishedNumber], fraction: str) -> list[Ablation]:
    """Return every ablation at one fraction; `delta` is None where it has not been run."""
    printed = {number.system: number for number in of_study(published, results.study, "Figure 3")}
    return [
        Ablation(
            system,
            label_of(results, published, system),
            fraction,
            results.difference(system, FULL, fraction, VALIDATION),
            printed.get(system),
        )
        for system in ablation_systems(results, published, fraction)
    ]


def label_of(results: Results, published: Sequence[PublishedNumber], system: str) -> str:
    """Return the study's label of a system, or the one the paper prints in Figure 3."""
    printed = (number.label for number in of_study(published, results.study, "Figure 3") if number.system == system)
    label = results.labels.get(system) or next(printed, system)
    return label[:1].upper() + label[1:]


def ablation_table(results: Results, published: Sequence[PublishedNumber]) -> Table:
    """Return validation differences to the full system, with the scores they come from."""
    columns = {
        "system": "system",
        "fraction": "labelled data",
        "published_delta": "Δ published",
        "ours_delta": "Δ ours",
        "significant": f"p < {SIGNIFICANT}",
        "ours_valid": "valid (tokenized)",
        **{f"ours_{split}": split for split in results.tests},
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
        "Δ: tokenized validation BLEU minus that of the full system, paired by seed. "
        f"p < {SIGNIFICANT}: in how many seeds the paired bootstrap against the full system says so.",
        *footnotes(results, shown, [VALIDATION_METRIC, TEST_METRIC]),
        RULE,
    ]
    if not results.same_scale:
        notes.append("The published Δ are with all labelled data of WMT14.")
    return Table("ablations", "Ablations (Figure 3): difference to the full system", columns, rows, notes)


def _row(results: Results, system: str, label: str, fraction: str) -> dict[str, Cell]:
    row = {"system": text_cell(label), "fraction": text_cell(f"{share(fraction):g} %")}
    estimates = [results.score(system, fraction, split) for split in (VALIDATION, *results.tests)]
    for split, one in zip((VALIDATION, *results.tests), estimates, strict=True):
        row[f"ours_{split}"] = estimate_cell(one, missing=NOT_RUN)
    row["seeds"] = number_cell(max((one.n for one in estimates if one is not None), default=0), "d")
    return row


def _difference(results: Results, ablation: Ablation) -> dict[str, Cell]:
    printed, ours = ablation.published, ablation.delta
    verdict = difference_verdict(
        ours,
        printed.value if printed else None,
        printed.tolerance if printed else 0.0,
        same_scale=results.same_scale,
    )
    p_values = ours.p_values if ours else []
    significant = sum(p < SIGNIFICANT for p in p_values)
    return {
        "published_delta": Cell(printed.printed, {"": printed.value}) if printed else text_cell(EMPTY),
        "ours_delta": estimate_cell(ours, "+.1f", missing=NOT_RUN),
        "significant": text_cell(f"{significant} of {len(p_values)}" if p_values else EMPTY),
        "verdict": text_cell(verdict or EMPTY),
    }
