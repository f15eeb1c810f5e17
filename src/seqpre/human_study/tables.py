"""The tables of a human study: scores (Table 4), repetition (Table 5), agreement of raters.

Numbered as in the preprint; in the EMNLP version they are Tables 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import TypeVar

from seqpre.human_study.ratings import Key, Mark, Ratings
from seqpre.metrics.agreement import Scale, krippendorff_alpha
from seqpre.metrics.inference import LEVEL
from seqpre.metrics.overlap import RULE
from seqpre.report.human_counts import (
    AUTOMATIC,
    EVERYBODY,
    PUBLISHED,
    Preference,
    Repetition,
    count_preference,
    count_repetition,
)
from seqpre.report.table import Row, Table, number_cell, p_cell

PUBLISHED_NAMES = ("NP", "P")
"""Names of the baseline and the system in the paper."""
T = TypeVar("T")


def common_items(ratings: Sequence[Ratings]) -> list[int]:
    """Return the items that every rater has rated."""
    return sorted(set.intersection(*(set(one.marks) for one in ratings))) if ratings else []


def majority_repeats(marks: Sequence[Mark]) -> bool:
    """Return whether more than half of the raters say that an output repeats itself."""
    return 2 * sum(mark.repeats for mark in marks) > len(marks)


def mean_score(marks: Sequence[Mark]) -> float:
    """Return the mean of all raters' scores of an output."""
    return fmean(mark.score for mark in marks)


def score_table(published: Preference, key: Key | None, ratings: Sequence[Ratings]) -> Table:
    """Return how often each system's output was rated higher, with the sign test."""
    names = baseline_name, system_name = _names(key)
    rows = [_score_row(PUBLISHED, published, PUBLISHED_NAMES)]
    notes = [
        "Documents by which output has the higher score (1 to 5). Sign test: exact, two-sided, equal scores left out.",
        *_notes(key, ratings),
    ]
    for one in ratings:
        scores = [(system.score, baseline.score) for system, baseline in one.marks.values()]
        rows.append(_score_row(one.rater, count_preference(scores), names, scores))
    if len(ratings) > 1:
        means = [_each(ratings, item, mean_score) for item in common_items(ratings)]
        rows.append(_score_row(EVERYBODY, count_preference(means), names, means))
        notes.append(f"{EVERYBODY}: mean score of each output; every document counts once.")
    columns = {
        "raters": "raters", "documents": "documents", "baseline_higher": f"{baseline_name} higher",
        "equal": "equal", "system_higher": f"{system_name} higher", "p_sign": "p, sign test",
        "mean_baseline": f"mean score, {baseline_name}", "mean_system": f"mean score, {system_name}",
        "conclusion": "conclusion",
    }  # fmt: skip
    return Table(columns, rows, notes, "table_4", "Table 4: which output people rate higher")


def repetition_table(published: Repetition, key: Key | None, ratings: Sequence[Ratings]) -> Table:
    """Return how often each system's output repeats, by raters and by the automatic measure, with McNemar's test."""
    names = baseline_name, system_name = _names(key)
    rows = [_repetition_row(PUBLISHED, published, PUBLISHED_NAMES)]
    notes = [
        "Documents by which output repeats phrases or sentences. McNemar's test: exact, and χ² with continuity "
        "correction.",
        *_notes(key, ratings),
    ]
    for one in ratings:
        marks = [(system.repeats, baseline.repeats) for system, baseline in one.marks.values()]
        rows.append(_repetition_row(one.rater, count_repetition(marks), names))
    if len(ratings) > 1:
        majority = [_each(ratings, item, majority_repeats) for item in common_items(ratings)]
        rows.append(_repetition_row(EVERYBODY, count_repetition(majority), names))
        notes.append(f"{EVERYBODY}: an output repeats if more than half of the raters say so.")
    if key is not None:
        rows.append(_repetition_row(AUTOMATIC[0], count_repetition(key.automatic), names))
        rows.append(_repetition_row(AUTOMATIC[1], key.all_outputs, names))
        share = key.all_references["repeating"] / key.all_references["documents"]
        notes.append(f"Automatic: {RULE}. It finds this in {share:.1%} of the references.".replace("%", " %"))
    columns = {
        "raters": "marks", "documents": "documents", "neither": "neither repeats",
        "baseline_only": f"only {baseline_name}", "system_only": f"only {system_name}", "both": "both repeat",
        "baseline_share": f"{baseline_name}, %", "system_share": f"{system_name}, %",
        "p_exact": "p, exact", "p_chi2": "p, χ²", "conclusion": "conclusion",
    }  # fmt: skip
    return Table(columns, rows, notes, "table_5", "Table 5: which output repeats itself")


def agreement_table(key: Key, ratings: Sequence[Ratings]) -> Table:
    """Return Krippendorff's alpha between raters, and between them and the automatic measure of repetition."""
    items = common_items(ratings)
    rows = []
    if len(ratings) > 1:
        marks = [[one.marks[item][which] for one in ratings] for item in items for which in (0, 1)]
        preferred = [[_sign(one.marks[item]) for one in ratings] for item in items]
        rows += [
            _agreement_row("score of an output", "ordinal", [[mark.score for mark in unit] for unit in marks]),
            _agreement_row("which output is better, or equal", "ordinal", preferred),
            _agreement_row("an output repeats", "nominal", [[int(mark.repeats) for mark in unit] for unit in marks]),
        ]
    automatic = [
        [int(majority), int(measured)]
        for item in items
        for majority, measured in zip(_each(ratings, item, majority_repeats), key.automatic[item], strict=True)
    ]
    rows.append(_agreement_row("raters' majority and automatic: an output repeats", "nominal", automatic))
    columns = {"what": "what", "compared": "compared", "scale": "scale", "equal": "equal, %", "alpha": "alpha"}
    notes = [
        f"Raters: {', '.join(one.rater for one in ratings)}. Krippendorff's alpha: 1 is perfect agreement, 0 chance.",
        "Equal: all raters give the same value. Without alpha: all values are the same, there is nothing to agree on.",
    ]
    return Table(columns, rows, notes, "agreement", "Agreement of the raters")


def _score_row(
    name: str, counts: Preference, names: tuple[str, str], scores: Sequence[tuple[float, float]] = ()
) -> Row:
    system_scores, baseline_scores = zip(*scores, strict=True) if scores else ((), ())
    return {
        "raters": name,
        "documents": number_cell(counts.documents, "d"),
        **{cell: number_cell(count, "d") for cell, count in counts._asdict().items()},
        "p_sign": p_cell(counts.sign_p),
        "mean_system": number_cell(fmean(system_scores) if scores else None, ".2f"),
        "mean_baseline": number_cell(fmean(baseline_scores) if scores else None, ".2f"),
        "conclusion": _conclusion("rated higher", names, counts.baseline_higher, counts.system_higher, counts.sign_p),
    }


def _repetition_row(name: str, counts: Repetition, names: tuple[str, str]) -> Row:
    return {
        "raters": name,
        "documents": number_cell(counts.documents, "d"),
        **{cell: number_cell(count, "d") for cell, count in counts._asdict().items()},
        "baseline_share": number_cell(100 * counts.baseline / counts.documents),
        "system_share": number_cell(100 * counts.system / counts.documents),
        "p_exact": p_cell(counts.exact_p),
        "p_chi2": p_cell(counts.chi2_p),
        "conclusion": _conclusion("repeats more", names, counts.baseline_only, counts.system_only, counts.exact_p),
    }


def _agreement_row(name: str, scale: Scale, units: Sequence[Sequence[int]]) -> Row:
    equal = 100 * fmean(len(set(unit)) == 1 for unit in units) if units else None
    return {
        "what": name,
        "compared": number_cell(len(units), "d"),
        "scale": scale,
        "equal": number_cell(equal),
        "alpha": number_cell(krippendorff_alpha(units, scale), ".2f"),
    }


def _each(ratings: Sequence[Ratings], item: int, over: Callable[[Sequence[Mark]], T]) -> tuple[T, T]:
    """Combine all raters' marks of the system's and of the baseline's output of an item."""
    system, baseline = zip(*(one.marks[item] for one in ratings), strict=True)
    return over(system), over(baseline)


def _sign(pair: tuple[Mark, Mark]) -> int:
    system, baseline = pair
    return (system.score > baseline.score) - (system.score < baseline.score)


def _conclusion(what: str, names: tuple[str, str], baseline: int, system: int, p: float) -> str:
    if p >= LEVEL:
        return f"no difference at {LEVEL}"
    return f"{names[system > baseline]} {what}"


def _names(key: Key | None) -> tuple[str, str]:
    """Return the names of the baseline and the system."""
    return (key.baseline, key.system) if key is not None else PUBLISHED_NAMES


def _notes(key: Key | None, ratings: Sequence[Ratings]) -> Iterable[str]:
    """Return the notes on the source of the rows and on items left out."""
    yield "Published: P with, NP without pretraining; stands under the column of the same role."
    if key is None:
        return
    yield f"Page {key.page} ({len(key.shown)} documents, seed {key.seed}); {key.system} against {key.baseline}."
    for one in ratings:
        left_out = f", {len(one.unfinished)} not rated and left out" if one.unfinished else ""
        yield f"{one.rater}: {len(one.marks)} documents{left_out} (`{one.path.name}`)."
