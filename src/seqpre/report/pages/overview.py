"""The start of the report: opening sentences, the papers' claims by verdict, and one sentence for each study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from seqpre.report.claims_table import FAILS, HOLDS
from seqpre.report.contrasts import contrast, minus
from seqpre.report.results import Results
from seqpre.report.table import Table, estimate_cell, seed_mean_cell
from seqpre.report.verdicts import DIRECTION, NOT_RUN, OTHER_DIRECTION, UNDECIDED
from seqpre.study.fractions import labelled_in_words

NOT_JUDGED: Final = NOT_RUN
WORDS: Final = (HOLDS, FAILS, UNDECIDED, NOT_JUDGED)
"""The verdicts shown at the top of the page."""
OPEN: Final = (UNDECIDED, DIRECTION, OTHER_DIRECTION)
"""Findings that leave a claim undecided; with fewer than three seeds only a direction can be shown."""
VERBS: Mapping[str, tuple[str, str]] = {
    HOLDS: ("holds", "hold"),
    FAILS: ("fails", "fail"),
    UNDECIDED: ("is undecided", "are undecided"),
    "mixed": ("differs between studies", "differ between studies"),
    NOT_JUDGED: ("could not be judged", "could not be judged"),
}
TESTS_NAMED: Final = 2
"""Number of tests whose gain is in a study's sentence."""

Verdicts = Mapping[str, str]
"""Verdict, one of `WORDS`, by claim."""


Named = tuple[str, str]
"""A study's name and title."""
Found = dict[str, dict[tuple[Named, ...], list[str]]]
"""A paper's claims, by verdict and by the studies that reached it."""


def verdicts(table: Table | None) -> Verdicts:
    """Return the verdict on each claim in a study's claims table."""
    rows = [row for row in table.rows if "statement" in row] if table else []
    return {row["statement"].text: _in_a_word(row["ours_finding"].text) for row in rows}


def _in_a_word(finding: str) -> str:
    return finding if finding in (HOLDS, FAILS) else UNDECIDED if finding in OPEN else NOT_JUDGED


def by_verdict(studies: Iterable[tuple[Named, Verdicts]]) -> Found:
    """Return a paper's claims by verdict.

    A claim is listed under every verdict that a study reached. It counts as not judged only if no study could judge it.
    """
    words: dict[str, dict[str, list[Named]]] = {word: {} for word in WORDS}
    for named, found in studies:
        for says, word in found.items():
            words[word].setdefault(says, []).append(named)
    judged = {says for word in (HOLDS, FAILS, UNDECIDED) for says in words[word]}
    grouped: Found = {word: {} for word in WORDS}
    for word, claims in words.items():
        for says, by in claims.items():
            if word != NOT_JUDGED or says not in judged:
                grouped[word].setdefault(tuple(by), []).append(says)
    return grouped


def opening(scale: str, papers: Iterable[Found], studies: int) -> Iterator[str]:
    """Yield the opening sentences; `studies` is the number of studies that have been run."""
    found: list[str] = []
    for paper in papers:
        words: dict[str, list[str]] = {}
        for word, claims in paper.items():
            for says in chain.from_iterable(claims.values()):
                words.setdefault(says, []).append(word)
        found += [ones[0] if len(set(ones)) == 1 else "mixed" for ones in words.values()]
    yield "This page sets every number that the papers print beside ours, and puts their claims to both."
    if not studies:
        yield f"No study has been run at the scale *{scale}*."
    elif found:
        said, run = counted(found), f"{studies} {'study' if studies == 1 else 'studies'}"
        yield f"{said[0].upper()}{said[1:]}, in {run} at the scale *{scale}*."
    if scale != "paper":
        yield "*No run is at the papers' sizes*: models and texts are far smaller here."


def counted(found: Iterable[str]) -> str:
    """Return the number of claims by verdict: `of 12 claims 4 fail and 8 are undecided`, `all 3 claims hold`."""
    counts = Counter(found)
    said = [(counts[word], verb[counts[word] > 1]) for word, verb in VERBS.items() if counts[word]]
    total = counts.total()
    if len(said) == 1:
        return f"all {total} claims {said[0][1]}" if total > 1 else f"the one claim {said[0][1]}"
    *most, last = (f"{number} {verb}" for number, verb in said)
    return f"of {total} claims {', '.join(most)} and {last}"


def verdict(results: Results, found: Verdicts) -> str:
    """Return a study's opening sentence: the reference's gain over the baseline, and the verdicts on the claims."""
    reference, baseline, at = results.study.reference, results.baseline, results.all_data
    shown = {split: contrast(results, minus(reference, baseline, at), [split]) if reference != baseline else None
             for split in results.tests[:TESTS_NAMED]}  # fmt: skip
    gains = [f"{estimate_cell(one).text} {results.name_of(split)} on {split}" for split, one in shown.items() if one]
    scores = [f"{seed_mean_cell(one).text} {results.name_of(split)} on {split}"
              for split in shown if (one := results.score(reference, at, split))]  # fmt: skip
    data = labelled_in_words(at)
    said = []
    if gains:
        said += [f"{results.label(reference)} against {results.label(baseline)}, {data}: {', '.join(gains)}"]
    elif scores:
        said += [f"{results.label(reference)}, {data}: {', '.join(scores)}"]
    if found:
        said += [counted(found.values())]
    return f"{'; '.join(said)}." if said else ""
