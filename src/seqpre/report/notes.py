"""What stands under a table: scale, seeds, scorer, and where the numbers come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seqpre.metrics.significance import interval_name
from seqpre.report.results import Outcome, Results, folders
from seqpre.study.tasks import CORRECTION


def tests_note(results: Results) -> str:
    """Say what verdicts of differences rest on, and what was not varied or not kept."""
    items = results.task.items
    mean = f" (their mean: {', '.join(results.tests)})" if len(results.tests) > 1 else ""
    parts = [
        f"Verdicts are reached on {results.judged_name}{mean}; `chose`: that text also chose checkpoints and length "
        f"penalties. Intervals are over seeds (pooled over systems where alike) and {items}, 95 % each, uncorrected. p "
        "is two-sided and corrected within the table (Holm); so are verdicts, which may be undecided though an "
        "interval has no 0 in it."
    ]
    if results.seeds_draw == "training":
        whose = "all seeds of the records, others those run here" if results.mixed else "all seeds"
        parts.append(f"One training of each LM and one subset of the pairs serve {whose}: intervals are for these.")
    if not all(run.sentences for run in results.runs if run.scores):
        parts.append(
            f"These runs kept no statistics of single {items}: in their place stand the scores' own intervals, which "
            "makes intervals of differences wider than need be."
        )
    return " ".join(parts)


def languages_note(results: Results) -> list[str]:
    """Say of which languages the published numbers are, where ours are of others."""
    if not results.languages:
        return []
    return [f"Published numbers are of other languages ({results.published_of}) than ours ({results.ours_of})."]


def training_note(results: Results) -> list[str]:
    """Say which training pairs have errors that nobody made; such corpora say so in their names."""
    if results.task.name != CORRECTION.name or "synthetic" not in results.corpus:
        return []
    pairs = results.pairs(results.all_data)
    count = f"{pairs:,} pairs, " if pairs else ""
    return [f"Training: {results.corpus}, {count}most or all of them with synthetic errors (docs/corpora.md)."]


def footnotes(
    results: Results, outcomes: Iterable[Outcome], metrics: Sequence[str] = (), *, interval: bool = False
) -> list[str]:
    """Return the notes of a table that was made from `outcomes`."""
    outcomes = list(outcomes)
    scored = [outcome for outcome in outcomes if outcome.scores or outcome.summary or outcome.validations]
    seeds = sorted({outcome.seed for outcome in scored if outcome.seed is not None})
    notes = [f"Scale: {results.scale}. Seeds: {', '.join(map(str, seeds)) or 'none yet'}; ours is mean ± sample "
             "standard deviation over seeds."]  # fmt: skip
    notes += training_note(results)
    if len(scored) < len(outcomes):
        notes.append(f"{len(outcomes) - len(scored)} of {len(outcomes)} runs have no results yet.")
    for metric in metrics:
        notes += [f"{metric}: `{signature}`" for signature in results.signatures(metric)]
    if interval:
        notes.append(f"In brackets: of one run, {interval_name(results.task.items)}; of a mean over seeds, 95 % over "
                     "seeds and test items. Neither they, 95 % each, nor this table's verdicts are corrected for the "
                     "number of rows.")  # fmt: skip
    sources = folders(outcomes)
    if sources:
        notes.append(
            "Numbers from " + ", ".join(f"`{folder}`" for folder in sources) + "; one by one in provenance.csv."
        )
    return notes
