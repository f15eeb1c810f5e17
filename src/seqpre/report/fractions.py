"""What pretraining gains as labelled data shrinks: scores of a few systems, ours and those of a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from seqpre.metrics.inference import Estimated, holm
from seqpre.report.contrasts import Terms, behind, contrast
from seqpre.report.estimates import Estimate, mean_of
from seqpre.report.notes import footnotes, tests_note
from seqpre.report.published import PublishedNumber, of_study, printed_in
from seqpre.report.results import Results
from seqpre.report.splits import CHOSEN, VALIDATION
from seqpre.report.table import (
    EMPTY,
    Cell,
    Table,
    estimate_cell,
    estimated_cell,
    number_cell,
    p_cell,
    text_cell,
    without_unpublished,
)
from seqpre.report.verdicts import NOT_RUN, difference_verdict, rule
from seqpre.study.fractions import by_size, in_words


class PrintedValue(NamedTuple):
    """A value that is printed, or follows from those that are, and by how much it may be off."""

    value: float
    tolerance: float
    number: PublishedNumber | None = None
    """The one that it is, if it is one."""


class Point(NamedTuple):
    """One system at one fraction of the labelled data: printed and ours, and the gain over the baseline."""

    system: str
    fraction: str
    published: PrintedValue | None
    ours: Estimate | None
    published_gain: PrintedValue | None
    gain: Estimate | None


def curves_of(results: Results) -> Mapping[str, str]:
    """Return systems and the names of their curves; the last one is the baseline of the others."""
    systems = (results.reference, results.baseline)
    return results.paper.fractions.curves or {system: results.labels.get(system, system) for system in systems}


def shown_on(results: Results) -> list[str]:
    """Return the texts that the scores are means over."""
    return results.judged if results.paper.fractions.on_tests else [VALIDATION]


def data_size_points(results: Results, published: Sequence[PublishedNumber]) -> list[Point]:
    """Return every curve at every fraction that is printed or declared with the baseline, smallest first."""
    scores, gains = _printed(results, published), _printed(results, published, "delta_")
    *systems, baseline = curves_of(results)
    declared = set(results.cells)
    fractions = {at for system, at in declared if system in systems and (baseline, at) in declared}
    fractions |= {fraction for _, fraction in (*scores, *gains)}
    splits = shown_on(results)
    points = []
    for system in (*systems, baseline):
        for at in sorted(fractions, key=by_size):
            one, other, gain = scores.get((system, at)), scores.get((baseline, at)), gains.get((system, at))
            if one and other and system != baseline:
                # Each of the two may be off by its tolerance.
                gain = PrintedValue(one.value - other.value, one.tolerance + other.tolerance)
            ours = (results.score(system, at, split) for split in splits)
            gained = (results.difference(system, baseline, at, split) for split in splits)
            points.append(Point(system, at, one, mean_of(ours), gain, mean_of(gained)))
    return points


def _printed(
    results: Results, published: Sequence[PublishedNumber], of: str = ""
) -> dict[tuple[str, str], PrintedValue]:
    """Return the means over texts that are printed, by system and fraction: of scores, or `of` differences."""
    sizes = results.paper.fractions
    metrics = [f"{of}{metric}" for metric in (results.task.tests if sizes.on_tests else results.task.validation)]
    found: dict[tuple[str, str], list[PublishedNumber]] = {}
    for number in of_study(published, results.published_as, sizes.printed_in):
        meant = number.fraction and number.split in (sizes.means_over or [number.split])
        if meant and number.metric in metrics:
            found.setdefault((number.system, number.fraction), []).append(number)
    return {
        cell: PrintedValue(
            fmean(one.value for one in numbers),
            max(one.tolerance for one in numbers),
            numbers[0] if len(numbers) == 1 else None,
        )
        for cell, numbers in found.items()
    }


def fraction_table(results: Results, published: Sequence[PublishedNumber]) -> Table:
    """Return every system beside the baseline, and the gain, ours and printed; a row a fraction."""
    *systems, baseline = curves_of(results)
    several, chosen = len(systems) > 1, "" if results.paper.fractions.on_tests else CHOSEN
    name, below = "system" if several else systems[0], baseline.replace("_", " ")
    columns = {
        **({"system": "system"} if several else {}),
        "fraction": "labelled data",
        f"published_{name}": f"{name.replace('_', ' ')}, published",
        f"published_{baseline}": f"{below}, published",
        "published_gain": "gain, published",
        f"ours_{name}": f"{name.replace('_', ' ')}, ours{chosen}",
        f"ours_{baseline}": f"{below}, ours",
        "ours_gain": "gain, ours",
        **{f"gain_{split}": f"gain on {split}" for split in results.tests if shown_on(results) != [split]},
        "tested": f"gain, {results.judged_name} [95 %]",
        "p": "p (Holm)",
        "seeds": "seeds",
        "verdict": "verdict on gain",
    }
    points = data_size_points(results, published)
    at_baseline = {point.fraction: point for point in points if point.system == baseline}
    points = [point for point in points if point.system != baseline]
    if any(point.ours for point in points):
        points = [point for point in points if point.ours or point.published or point.published_gain]
    shown = [
        run for point in points for system in (point.system, baseline) for run in results.of(system, point.fraction)
    ]
    notes = [
        *results.paper.fractions.notes,
        tests_note(results),
        *footnotes(results, dict.fromkeys(shown), results.task.metrics),
        rule(results.task.points),
    ]
    tested = [contrast(results, _terms(point, baseline), results.judged) for point in points]
    p_values = [one.p_zero() for one in tested if one]
    found, of = iter(holm(p_values)), max(len(p_values), 1)
    corrected = [next(found) if one else 1.0 for one in tested]
    rows = []
    for point, one, p in zip(points, tested, corrected, strict=True):
        row = _row(results, name, point, at_baseline[point.fraction], one, p, of)
        rows.append({"system": text_cell(curves_of(results)[point.system]), **row} if several else row)
    title = f"Fractions of the labelled data{printed_in(results.paper.fractions.printed_in)}"
    return Table("fractions", title, without_unpublished(columns, rows), rows, notes)


def _printed_cell(printed: PrintedValue | None, pattern: str = ".1f") -> Cell:
    return replace(number_cell(printed.value, pattern), published=printed.number) if printed else text_cell(EMPTY)


def _terms(point: Point, baseline: str) -> Terms:
    return {(point.system, point.fraction): 1.0, (baseline, point.fraction): -1.0}


def _row(
    results: Results, name: str, point: Point, below: Point, tested: Estimated | None, p_value: float, rows: int
) -> dict[str, Cell]:
    """Return one system at one fraction beside the baseline, `below`."""
    printed, tolerance, _ = point.published_gain or (None, 0.0, None)
    verdict = difference_verdict(
        point.gain, tested, printed, tolerance, same_scale=results.same_scale, p_value=p_value, rows=rows
    )
    terms = _terms(point, below.system)
    row = {
        "fraction": text_cell(in_words(point.fraction)),
        f"published_{name}": _printed_cell(point.published),
        f"published_{below.system}": _printed_cell(below.published),
        "published_gain": _printed_cell(point.published_gain, "+.1f"),
        f"ours_{name}": estimate_cell(point.ours, missing=NOT_RUN),
        f"ours_{below.system}": estimate_cell(below.ours, missing=NOT_RUN),
        "ours_gain": estimate_cell(point.gain, "+.1f", missing=NOT_RUN),
        "tested": estimated_cell(tested, behind(results, terms, results.judged), missing=NOT_RUN),
        "p": p_cell(p_value if tested else None),
        "seeds": number_cell(point.gain.n if point.gain else 0, "d"),
        "verdict": text_cell(verdict or EMPTY),
    }
    for split in results.tests:
        gain = results.difference(point.system, below.system, point.fraction, split)
        row[f"gain_{split}"] = estimate_cell(gain, "+.1f", missing=NOT_RUN)
    return row
