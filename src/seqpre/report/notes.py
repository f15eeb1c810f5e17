"""What stands under a table: scale, seeds, scorer, and where the numbers come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from seqpre.metrics.significance import interval_name
from seqpre.report.results import Outcome, Results, folders


def footnotes(
    results: Results, outcomes: Iterable[Outcome], metrics: Sequence[str] = (), *, interval: bool = False
) -> list[str]:
    """Return the notes of a table that was made from `outcomes`."""
    outcomes = list(outcomes)
    scored = [outcome for outcome in outcomes if outcome.scores or outcome.summary or outcome.validations]
    seeds = sorted({outcome.seed for outcome in scored if outcome.seed is not None})
    notes = [f"Scale: {results.scale}. Seeds: {', '.join(map(str, seeds)) or 'none yet'}; ours is mean ± sample "
             "standard deviation over seeds."]  # fmt: skip
    if len(scored) < len(outcomes):
        notes.append(f"{len(outcomes) - len(scored)} of {len(outcomes)} runs have no results yet.")
    for metric in metrics:
        notes += [f"{metric}: `{signature}`" for signature in results.signatures(metric)]
    if interval:
        notes.append(f"In brackets: {interval_name(results.task.items)}; bounds averaged over seeds.")
    sources = folders(outcomes)
    if sources:
        notes.append(
            "Numbers from " + ", ".join(f"`{folder}`" for folder in sources) + "; one by one in provenance.csv."
        )
    return notes
