"""The paper's claims, judged on its own numbers and on ours."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Final, NamedTuple

from seqpre.metrics.inference import LEVEL, holm
from seqpre.report.claim_sources import OurNumbers, Ours, PublishedNumbers
from seqpre.report.human_counts import HumanStudy
from seqpre.report.notes import footnotes, tests_note
from seqpre.report.results import Results
from seqpre.report.table import EMPTY, Row, Table, estimate_cell, number_cell, p_cell
from seqpre.report.verdicts import DIRECTION, NOT_RUN, OTHER_DIRECTION, SEEDS, UNDECIDED
from seqpre.study.claims import Claim, Contrast
from seqpre.study.fractions import of_labelled

HOLDS: Final = "holds"
FAILS: Final = "fails"
AS_PRINTED: Final = "holds as far as printed"


class Judgement(NamedTuple):
    """The evidence that a claim holds or fails."""

    holds: float
    """P-value of "the claim holds"."""
    fails: float
    seeds_to_hold: float = math.inf
    """Seeds behind that p-value: of the part with the fewest."""
    seeds_to_fail: float = math.inf
    """Seeds of the part that fails most clearly."""

    def finding(self, p_value: float) -> str:
        """Return the verdict with the smaller p-value, or `undecided`; `p_value` is corrected for all claims."""
        if p_value >= LEVEL:
            return UNDECIDED
        if self.fails < self.holds:
            return FAILS if self.seeds_to_fail >= SEEDS else OTHER_DIRECTION
        return HOLDS if self.seeds_to_hold >= SEEDS else DIRECTION


def claims_table(results: Results) -> Table:
    """Return the table of claims, with one row for each part: published, ours, and the finding."""
    columns = {
        "claim": "claim",
        "statement": "the paper says",
        "part": "difference",
        "bounds": "bounds (ours)",
        "published": "published",
        "published_finding": "finding",
        "of": "ours, of",
        "ours": "ours [95 %]",
        "ours_valid": "ours, valid (chose)",
        "p": "p (Holm)",
        "ours_finding": "finding, ours",
    }
    ours = OurNumbers(results)
    found = findings(ours)
    rows = [row for claim in results.paper.claims for row in _rows(claim, ours, *found[claim.name])]
    figures = dict.fromkeys(number.table for number in results.published if number.kind == "digitised")
    digitised = f"{', '.join(figures)} as digitised, " if figures else ""
    notes = [
        f"A claim *{HOLDS}* or *{FAILS}* if that is shown at the level {LEVEL}, else it is *{UNDECIDED}*. A claim of "
        "several rows holds if all do and fails if one does; p is of the verdict that is nearer. "
        f"With fewer than {SEEDS} seeds they are *{DIRECTION}* and *{OTHER_DIRECTION}*.",
        _bounds_note([one.name for one in results.paper.claims if published_finding(one, ours.published) == FAILS]),
        f"Published: as printed, {digitised}ablations on validation.",
        *(f"Ablations of ours: with {of_labelled(fraction)}." for fraction in results.ablation_fractions[:1]),
        "Early in training: greedy validation score after the updates named; over seeds alone.",
        tests_note(results),
        *footnotes(results, results.runs, results.task.metrics),
    ]
    return Table(columns, rows, notes)


def _bounds_note(failing: Sequence[str]) -> str:
    """Return the note that explains the bounds; `failing` claims do not hold on the paper's own numbers."""
    if not failing:
        return "The bounds are ours, chosen so that the paper's own numbers pass, and the same at every scale."
    return (
        "The bounds are ours, those of the paper's words as far as these have any, and the same at every scale; the "
        f"paper's own numbers fail {' and '.join(failing)}."
    )


def findings(ours: OurNumbers) -> dict[str, tuple[str, float | None]]:
    """Return the finding on our numbers and its p-value, corrected for the number of claims, by claim."""
    claims = ours.results.paper.claims
    judged = {claim.name: one for claim in claims if (one := _judged(claim, ours)) is not None}
    nearer = [min(1.0, 2 * min(one.holds, one.fails)) for one in judged.values()]
    corrected = dict(zip(judged, holm(nearer), strict=True))
    found: dict[str, tuple[str, float | None]] = {}
    for claim in claims:
        if claim.name in judged:
            found[claim.name] = judged[claim.name].finding(corrected[claim.name]), corrected[claim.name]
        else:
            elsewhere = ours.results.elsewhere if any(part.against for part in claim.parts) else ""
            found[claim.name] = elsewhere or NOT_RUN, None
    return found


def published_finding(claim: Claim, theirs: PublishedNumbers) -> str:
    """Return the finding on the paper's own numbers, taken without error; missing ones make it `as far as printed`."""
    if claim.by_people:
        study = theirs.human_study()
        return EMPTY if study is None else HOLDS if max(_people(study)) < LEVEL else FAILS
    values = [(part, value) for part in claim.parts for value in theirs.values(part).values()]
    known = [(part, value) for part, value in values if value is not None]
    if not known:
        return EMPTY
    if not all(part.met(value) for part, value in known):
        return FAILS
    return HOLDS if len(known) == len(values) else AS_PRINTED


def _judged(claim: Claim, ours: OurNumbers) -> Judgement | None:
    if claim.by_people:
        study = ours.results.human_study
        if study is None:
            return None
        one_sided = _people(study)
        return Judgement(max(one_sided), min(1.0, len(one_sided) * min(1 - p for p in one_sided)))
    found = [(part, one) for part in claim.parts for one in ours.values(part).values()]
    present = [(part, one) for part, one in found if one is not None]
    if len(present) < len(found) or not found:
        return None
    holds = max(one.judged.p_within(part.low, part.high) for part, one in present)
    fails, worst = min(((one.judged.p_beyond(part.low, part.high), one) for part, one in present), key=itemgetter(0))
    return Judgement(holds, min(1.0, len(present) * fails), min(one.seeds for _, one in present), worst.seeds)


def _people(study: HumanStudy) -> list[float]:
    """Return one-sided p-values of "people prefer the pretrained system": by score and by repetition."""
    scores, repetition = study
    favoured = (scores.system_higher > scores.baseline_higher, repetition.system < repetition.baseline)
    p_values = (scores.sign_p / 2, repetition.exact_p / 2)
    return [p if as_claimed else 1 - p for p, as_claimed in zip(p_values, favoured, strict=True)]


def _rows(claim: Claim, ours: OurNumbers, finding: str, p: float | None) -> Iterator[Row]:
    """Yield the rows of a claim; the first row has the findings."""
    head = {
        "claim": claim.name,
        "statement": claim.says,
        "published_finding": published_finding(claim, ours.published),
        "p": p_cell(p),
        "ours_finding": finding,
    }
    for line in [_people_row(ours)] if claim.by_people else _part_rows(claim.parts, ours):
        yield {**head, **line}
        head = {"claim": claim.name}


def _people_row(ours: OurNumbers) -> Row:
    studies = {"published": ours.published.human_study(), "ours": ours.results.human_study}
    return {"part": "sign test; McNemar, exact"} | {
        key: f"p = {study.scores.sign_p:.0e}; p = {study.repetition.exact_p:.0e}" if study else EMPTY
        for key, study in studies.items()
    }


def _part_rows(parts: Sequence[Contrast], ours: OurNumbers) -> Iterator[Row]:
    """Yield one row for each of our tests, next to the printed value of it; other values are in the first row."""
    for part in parts:
        printed = {split: value for split, value in ours.published.values(part).items() if value is not None}
        values = ours.values(part)
        shown = values if any(values.values()) else {"": None}
        beside = {split: [split] if split in printed else [] for split in shown}
        rest = [split for split in printed if split not in shown]
        if any(beside.values()):
            # a test that only the paper has
            beside |= {split: [split] for split in rest}
        else:
            beside[next(iter(shown))] = rest
        for split, theirs in beside.items():
            text = ", ".join(f"{one} {part.told(printed[one])}".strip() for one in theirs)
            one = values.get(split)
            yield {
                "part": part.title,
                "bounds": part.bounds,
                "published": text or EMPTY,
                "of": split if one else EMPTY,
                **_our_cells(one),
            }


def _our_cells(one: Ours | None) -> Row:
    if one is None:
        return {}
    validation = number_cell(one.validation.value if one.validation else None, "+.1f")
    return {
        "ours": estimate_cell(one.judged, one.measurements),
        "ours_valid": replace(validation, measurements=one.on_validation),
    }
