"""The data-size study of Figure 4: validation BLEU with and without pretraining as labelled data shrinks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seqpre.metrics.inference import Estimated, holm
from seqpre.report.contrasts import Terms, behind, contrast
from seqpre.report.estimates import Estimate
from seqpre.report.notes import footnotes, tests_note
from seqpre.report.published import PublishedNumber, of_study
from seqpre.report.results import Results
from seqpre.report.table import EMPTY, Cell, Table, estimate_cell, estimated_cell, number_cell, p_cell, text_cell
from seqpre.report.tasks import CHOSEN, VALIDATION
from seqpre.report.verdicts import NOT_RUN, difference_verdict, rule
from seqpre.study.fractions import by_size, in_words

NO_PRETRAINING = "no_pretraining"


class Point(NamedTuple):
    """One fraction of the labelled data: printed and our scores with and without pretraining, and the gain."""

    fraction: str
    published_full: PublishedNumber | None
    published_none: PublishedNumber | None
    full: Estimate | None
    none: Estimate | None
    gain: Estimate | None

    @property
    def published_gain(self) -> float | None:
        """The printed gain."""
        if self.published_full is None or self.published_none is None:
            return None
        return self.published_full.value - self.published_none.value


def data_size_points(results: Results, published: Sequence[PublishedNumber]) -> list[Point]:
    """Return every fraction that is printed or declared with both systems, smallest first."""
    printed = {
        (number.system, number.fraction): number
        for number in of_study(published, results.published_as, "Figure 4")
        if number.metric in results.task.validation
    }
    declared = set(results.cells)
    fractions = {at for system, at in declared if {(results.reference, at), (NO_PRETRAINING, at)} <= declared}
    fractions |= {fraction for _, fraction in printed}
    return [
        Point(
            fraction,
            printed.get((results.reference, fraction)),
            printed.get((NO_PRETRAINING, fraction)),
            results.score(results.reference, fraction, VALIDATION),
            results.score(NO_PRETRAINING, fraction, VALIDATION),
            results.difference(results.reference, NO_PRETRAINING, fraction, VALIDATION),
        )
        for fraction in sorted(fractions, key=by_size)
    ]


def fraction_table(results: Results, published: Sequence[PublishedNumber]) -> Table:
    """Return both curves and the gain, ours and printed."""
    columns = {
        "fraction": "labelled data",
        "published_full": "full, published",
        "published_no_pretraining": "no pretraining, published",
        "published_gain": "gain, published",
        "ours_full": f"full, ours{CHOSEN}",
        "ours_no_pretraining": "no pretraining, ours",
        "ours_gain": "gain, ours",
        **{f"gain_{split}": f"gain on {split}" for split in results.tests},
        "tested": f"gain, {results.judged_name} [95 %]",
        "p": "p (Holm)",
        "seeds": "seeds",
        "verdict": "verdict on gain",
    }
    points = data_size_points(results, published)
    shown = [
        run
        for point in points
        for system in (results.reference, NO_PRETRAINING)
        for run in results.of(system, point.fraction)
    ]
    notes = [
        "Tokenized validation BLEU; gains on test sets are of cased detokenized BLEU. Both systems train with the LM "
        "objective. Published values are digitised from Figure 4 (±0.1).",
        tests_note(results),
        *footnotes(results, shown, results.task.metrics),
        rule(results.task.points),
    ]
    tested = [contrast(results, _gain(results, point), results.judged) for point in points]
    corrected = holm([one.p_zero() if one else 1.0 for one in tested])
    rows = [_row(results, *line) for line in zip(points, tested, corrected, strict=True)]
    return Table("fractions", "Fractions of the labelled data (Figure 4)", columns, rows, notes)


def _gain(results: Results, point: Point) -> Terms:
    return {(results.reference, point.fraction): 1.0, (NO_PRETRAINING, point.fraction): -1.0}


def _row(results: Results, point: Point, tested: Estimated | None, p_value: float) -> dict[str, Cell]:
    both = [number for number in (point.published_full, point.published_none) if number is not None]
    # Each of the two may be off by its tolerance.
    tolerance = sum(number.tolerance for number in both)
    verdict = difference_verdict(
        point.gain, tested, point.published_gain, tolerance, same_scale=results.same_scale, p_value=p_value
    )
    row = {
        "fraction": text_cell(in_words(point.fraction)),
        "published_full": number_cell(point.published_full.value if point.published_full else None),
        "published_no_pretraining": number_cell(point.published_none.value if point.published_none else None),
        "published_gain": number_cell(point.published_gain, "+.1f"),
        "ours_full": estimate_cell(point.full, missing=NOT_RUN),
        "ours_no_pretraining": estimate_cell(point.none, missing=NOT_RUN),
        "ours_gain": estimate_cell(point.gain, "+.1f", missing=NOT_RUN),
        "tested": estimated_cell(tested, behind(results, _gain(results, point), results.judged), missing=NOT_RUN),
        "p": p_cell(p_value if tested else None),
        "seeds": number_cell(point.gain.n if point.gain else 0, "d"),
        "verdict": text_cell(verdict or EMPTY),
    }
    for split in results.tests:
        gain = results.difference(results.reference, NO_PRETRAINING, point.fraction, split)
        row[f"gain_{split}"] = estimate_cell(gain, "+.1f", missing=NOT_RUN)
    return row
