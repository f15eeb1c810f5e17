"""Gains of pretraining as labelled data shrinks: scores of some systems, ours and those of a printed figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from seqpre.report.contrasts import comparisons, minus
from seqpre.report.estimates import SeedMean, mean_of
from seqpre.report.notes import footnotes, tests_note
from seqpre.report.outcome import Outcome
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results, SystemAt
from seqpre.report.table import CHOSEN, EMPTY, Cell, Row, Table, comparison_cells, number_cell, seed_mean_cell
from seqpre.report.verdicts import difference_verdict, rule
from seqpre.study.fractions import by_size, in_words
from seqpre.study.tasks import VALIDATION


class PrintedValue(NamedTuple):
    """A printed value, or one derived from printed values, and its tolerance."""

    value: float
    tolerance: float
    number: PublishedNumber | None = None
    """The published number itself, if the value is a single one."""


class Point(NamedTuple):
    """One system at one fraction of the labelled data: printed and our score, and the gains over the baseline."""

    system: str
    fraction: str
    published: PrintedValue | None
    ours: SeedMean | None
    published_gain: PrintedValue | None
    gain: SeedMean | None


def curves_of(results: Results) -> Mapping[str, str]:
    """Return systems and the names of their curves; the last one is the baseline."""
    systems = (results.study.reference, results.baseline)
    return results.paper.fractions.curves or {system: results.label(system) for system in systems}


def shown_on(results: Results) -> list[str]:
    """Return the splits that the scores are averaged over."""
    return results.judged if results.paper.fractions.on_tests else [VALIDATION]


def data_size_points(results: Results) -> list[Point]:
    """Return every curve at every fraction that is printed, or declared with the baseline, smallest first."""
    scores, gains = _printed(results), _printed(results, "delta_")
    *systems, baseline = curves_of(results)
    fractions = {at for system, at in results.cells if system in systems and (baseline, at) in results.cells}
    fractions |= {fraction for _, fraction in (*scores, *gains)}
    splits = shown_on(results)
    points = []
    for system in (*systems, baseline):
        for at in sorted(fractions, key=by_size):
            one, other, gain = scores.get((system, at)), scores.get((baseline, at)), gains.get((system, at))
            if one and other and system != baseline:
                # Both printed scores may be off by their tolerance.
                gain = PrintedValue(one.value - other.value, one.tolerance + other.tolerance)
            ours = (results.score(system, at, split) for split in splits)
            gained = (results.difference(system, baseline, at, split) for split in splits)
            points.append(Point(system, at, one, mean_of(ours), gain, mean_of(gained)))
    return points


def _printed(results: Results, of: str = "") -> dict[SystemAt, PrintedValue]:
    """Return printed means over texts, by system and fraction: of scores, or of differences if `of` is `delta_`."""
    sizes = results.paper.fractions
    metrics = [f"{of}{metric}" for metric in (results.task.tests if sizes.on_tests else results.task.validation)]
    found: dict[SystemAt, list[PublishedNumber]] = {}
    for number in results.printed(sizes.printed_in):
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


def fraction_table(results: Results) -> Table:
    """Return every system next to the baseline, and its gain, ours and printed; one row for each fraction."""
    curves = curves_of(results)
    *systems, baseline = curves
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
    points = data_size_points(results)
    at_baseline = {point.fraction: point for point in points if point.system == baseline}
    points = [point for point in points if point.system != baseline]
    if any(point.ours for point in points):
        points = [point for point in points if point.ours or point.published or point.published_gain]
    found = comparisons(results, {one[:2]: (minus(one.system, baseline, one.fraction), None) for one in points})
    rows, shown = list[Row](), dict[Outcome, None]()
    for point in points:
        printed, tolerance, _ = point.published_gain or (None, 0.0, None)
        one, at = at_baseline[point.fraction], point.fraction
        verdict = difference_verdict(point.gain, found[point[:2]], printed, tolerance, same_scale=results.same_scale)
        gains = {split: results.difference(point.system, baseline, at, split) for split in results.tests}
        rows.append(
            {
                "system": curves[point.system],
                "fraction": in_words(at),
                f"published_{name}": _printed_cell(point.published),
                f"published_{baseline}": _printed_cell(one.published),
                "published_gain": _printed_cell(point.published_gain, "+.1f"),
                f"ours_{name}": seed_mean_cell(point.ours),
                f"ours_{baseline}": seed_mean_cell(one.ours),
                "ours_gain": seed_mean_cell(point.gain, "+.1f"),
                "seeds": number_cell(point.gain.n if point.gain else 0, "d"),
                **{f"gain_{split}": seed_mean_cell(gain, "+.1f") for split, gain in gains.items()},
                **comparison_cells(found[point[:2]], verdict),
            }
        )
        shown |= dict.fromkeys(run for system in (point.system, baseline) for run in results.of(system, at))
    notes = [
        *results.paper.fractions.notes,
        tests_note(results),
        *footnotes(results, shown, results.task.metrics),
        rule(results.task.points),
    ]
    return Table(columns, rows, notes).without_unpublished()


def _printed_cell(printed: PrintedValue | None, pattern: str = ".1f") -> Cell:
    return replace(number_cell(printed.value, pattern), published=printed.number) if printed else Cell(EMPTY)
