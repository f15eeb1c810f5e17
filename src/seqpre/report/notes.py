"""The notes under a table: scale, seeds, scorer, and the source of the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from seqpre.metrics.significance import interval_name
from seqpre.report.outcome import Outcome
from seqpre.report.results import BY_VALIDATION, Results
from seqpre.study.tasks import CORRECTION


def tests_note(results: Results) -> str:
    """Return the note on what verdicts of differences are based on, and what was not varied or not kept."""
    items = results.task.items
    mean = f" (their mean: {', '.join(results.tests)})" if len(results.tests) > 1 else ""
    penalties = " and length penalties" if results.penalty == BY_VALIDATION else ""
    parts = [
        f"Verdicts are reached on {results.judged_name}{mean}; `chose`: that text also chose checkpoints{penalties}. "
        f"Intervals are over seeds (pooled over systems where alike) and {items}, 95 % each, uncorrected. p "
        "is two-sided and corrected within the table (Holm); so are verdicts, which may be undecided though an "
        "interval has no 0 in it."
    ]
    if results.study.seeds_draw == "training":
        mixed = len({one.packed for one in results.outcomes if one.scores}) > 1
        whose = "all seeds of the records, others those run here" if mixed else "all seeds"
        parts.append(f"One training of each LM and one subset of the pairs serve {whose}: intervals are for these.")
    if not all(run.sentences for run in results.runs if run.scores):
        parts.append(
            f"These runs kept no statistics of single {items}: in their place stand the scores' own intervals, which "
            "makes intervals of differences wider than need be."
        )
    return " ".join(parts)


def languages_note(results: Results) -> list[str]:
    """Return a note on the languages of the published numbers, if ours are different."""
    if not results.other_languages:
        return []
    return [f"Published numbers are of other languages ({results.published_of}) than ours ({results.ours_of})."]


def origin(results: Results) -> str:
    """Return the note on which scores come from records; empty if none do."""
    scored = [one for one in results.outcomes if one.scores]
    here = [one.name for one in scored if not one.packed]
    if len(here) == len(scored):
        return ""
    if not here:
        return "All scores are from records.zip."
    return f"From records.zip: {len(scored) - len(here)} of {len(scored)} runs with scores. Run here: {first_of(here)}."


def first_of(names: Sequence[str]) -> str:
    """Return the first eight names, and `and others` if there are more."""
    return f"{', '.join(names[:8])}{' and others' if len(names) > 8 else ''}"


def footnotes(
    results: Results, outcomes: Iterable[Outcome], metrics: Sequence[str] = (), *, interval: bool = False
) -> list[str]:
    """Return the notes of a table made from `outcomes`."""
    outcomes = list(outcomes)
    there = [one for one in outcomes if one.scores or one.summary or one.validations]
    seeds = sorted({one.seed for one in there if one.seed is not None})
    notes = [f"Scale: {results.study.scale}. Seeds: {', '.join(map(str, seeds)) or 'none yet'}; ours is mean ± sample "
             "standard deviation over seeds."]  # fmt: skip
    if results.task.name == CORRECTION.name and "synthetic" in results.study.corpus:  # Such corpora say so.
        pairs = results.pairs(results.all_data)
        count = f"{pairs:,} pairs, " if pairs else ""
        notes.append(f"Training: {results.study.corpus}, {count}most or all of them with synthetic errors "
                     "(docs/corpora.md).")  # fmt: skip
    if results.study.compared:
        ours = (f"for `{theirs}` *{results.label(system)}*" for theirs, system in results.study.compared.items())
        notes.append(f"Systems of ours that are compared with the paper's: {'; '.join(ours)}.")
    if len(there) < len(outcomes):
        notes.append(f"{len(outcomes) - len(there)} of {len(outcomes)} runs have no results yet.")
    notes += [f"{metric}: `{signature}`" for metric in metrics for signature in results.signatures(metric)]
    if interval:
        notes.append(f"In brackets: of one run, {interval_name(results.task.items)}; of a mean over seeds, 95 % over "
                     "seeds and test items. Neither they, 95 % each, nor this table's verdicts are corrected for the "
                     "number of rows.")  # fmt: skip
    if there:
        where = ", ".join(f"`{folder}`" for folder in folders(there))
        notes.append(f"Numbers from {where}; one by one in provenance.csv.")
    return notes


def folders(outcomes: Iterable[Outcome]) -> list[str]:
    """Return the folders of outcomes in short form: `runs/{full,encoder_only}/20pct/seed{1,2}`."""
    seeds: dict[tuple[Path, str, str], set[str]] = {}
    others: dict[str, None] = {}
    for one in outcomes:
        if one.seed is None:
            others[str(one.folder)] = None
        else:
            seeds.setdefault((one.folder.parents[2], one.system, one.fraction), set()).add(str(one.seed))
    systems: dict[tuple[Path, str, str], list[str]] = {}
    for (root, system, fraction), found in seeds.items():
        systems.setdefault((root, fraction, _braces(sorted(found))), []).append(system)
    short = [f"{root}/{_braces(names)}/{fraction}/seed{found}" for (root, fraction, found), names in systems.items()]
    return short + list(others)


def _braces(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else "{" + ",".join(names) + "}"
