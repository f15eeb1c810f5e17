"""The paper's claims, judged on its own numbers and on ours."""

from __future__ import annotations

from collections.abc import Sequence

from seqpre.report.claims import CLAIMS, Claim, Finding
from seqpre.report.notes import footnotes
from seqpre.report.numbers import OurNumbers, PublishedNumbers, our_numbers
from seqpre.report.published import PublishedNumber
from seqpre.report.results import Results, share
from seqpre.report.table import Cell, Table, text_cell
from seqpre.report.verdicts import NOT_RUN, OTHER_SCALE

HOLDS = "holds"
FAILS = "fails"
DIGITISED = {"translation": "Figure 4", "summarization": "Figure 5"}


def claims_table(results: Results, published: Sequence[PublishedNumber]) -> Table:
    """Return one row a claim: evidence and finding, published and ours, and in how many seeds ours holds."""
    columns = {
        "claim": "claim",
        "statement": "the paper says",
        "published": "published",
        "published_finding": "finding",
        "ours": "ours",
        "ours_finding": "finding, ours",
        "seeds": "seeds in which it holds",
    }
    ours = our_numbers(results, published)
    rows = [_row(claim, ours.published, ours) for claim in CLAIMS[results.task.name]]
    fraction = next(iter(results.ablation_fractions), None)
    digitised = DIGITISED[results.task.name]
    notes = [
        "Thresholds are this project's, read off the paper's numbers, whatever the scale. "
        f"Published: as printed, {digitised} as digitised.",
        *([f"Ablations of ours: with {share(fraction):g} % of the labelled data."] if fraction else []),
        *footnotes(results, results.runs, results.task.metrics),
    ]
    return Table("claims", "Claims of the paper", columns, rows, notes)


def finding_words(claim: Claim, finding: Finding | None, *, same_scale: bool) -> str:
    """Say in a word what was found."""
    if finding is None:
        return OTHER_SCALE if claim.against_others and not same_scale else NOT_RUN
    return HOLDS if finding.holds else FAILS


def _row(claim: Claim, theirs: PublishedNumbers, ours: OurNumbers) -> dict[str, Cell]:
    published, found = claim.predicate(theirs), claim.predicate(ours)
    seeds = sorted({run.seed for run in ours.results.runs if run.seed is not None})
    by_seed = [one for seed in seeds if (one := claim.predicate(ours.of_seed(seed))) is not None]
    return {
        "claim": text_cell(claim.name),
        "statement": text_cell(claim.statement),
        "published": text_cell(published.evidence if published else "-"),
        "published_finding": text_cell(finding_words(claim, published, same_scale=True) if published else "-"),
        "ours": text_cell(found.evidence if found else "-"),
        "ours_finding": text_cell(finding_words(claim, found, same_scale=ours.results.same_scale)),
        "seeds": text_cell(f"{sum(one.holds for one in by_seed)} of {len(by_seed)}" if by_seed else "-"),
    }
