"""Training and search time relative to the baseline, next to the printed ratios."""

from __future__ import annotations

from collections.abc import Callable

from seqpre.common.errors import DataError
from seqpre.report.cost import spent
from seqpre.report.estimates import Measurement, SeedMean, seed_mean
from seqpre.report.notes import footnotes
from seqpre.report.outcome import Outcome
from seqpre.report.results import Results
from seqpre.report.table import Row, Table, number_cell, seed_mean_cell


def update_seconds(run: Outcome) -> Measurement | None:
    """Return the CPU seconds of an update, before the first validation; None if not recorded."""
    first = run.validations[0] if run.validations else None
    return run.measured(first.cpu_seconds / first.step, "metrics.jsonl") if first and first.step else None


def search_seconds(run: Outcome) -> Measurement | None:
    """Return the CPU seconds of the search for one output, over all outputs; None if there are none."""
    found = run.searches.values()
    outputs = sum(one["sentences"] * one.get("searches", 1) for one in found if one.get("cpu_seconds"))
    if not outputs:
        return None
    mean = sum(one.get("cpu_seconds", 0.0) for one in found) / outputs
    each = [run.measured(mean, file) for file in run.searches]
    return each[0]._replace(sources=tuple(source for one in each for source in one.sources))


def slowdown(results: Results, system: str, seconds: Callable[[Outcome], Measurement | None]) -> SeedMean | None:
    """Return the ratio to the baseline's seconds, for runs with the same pairs and seed."""
    ratios = []
    for run in results.runs:
        if run.system == system:
            of_baseline = [one for one in results.of(results.baseline, run.fraction) if one.seed == run.seed]
            ours, theirs = seconds(run), seconds(of_baseline[0]) if of_baseline else None
            if ours and theirs:
                ratios.append(Measurement(ours.value / theirs.value, run.seed, (*ours.sources, *theirs.sources)))
    return seed_mean(ratios)


def speed_table(results: Results) -> Table:
    """Return one row for each system whose speed the paper prints. Raises DataError if there are no such numbers."""
    printed = results.printed(results.paper.speed)
    if not printed:
        raise DataError(
            f"speed: {results.study.published_as} has no number of {results.paper.speed}; add rows to the published "
            "numbers, or take `speed` out of the paper's file"
        )
    columns = {"system": "system"}
    rows: dict[str, Row] = {number.system: {"system": number.label} for number in printed}
    kinds = {
        "training": ("train_tokens_per_second", update_seconds),
        "search": ("inference_tokens_per_second", search_seconds),
    }
    for kind, (metric, seconds) in kinds.items():
        columns |= {f"published_{kind}": f"{kind}, published", kind: f"{kind}, ours"}
        speeds = [number for number in printed if number.metric == metric]
        for number in speeds:
            ours = slowdown(results, number.system, seconds)
            rows[number.system] |= {
                f"published_{kind}": number_cell(speeds[0].value / number.value, ".2f"),
                kind: seed_mean_cell(ours, ".2f"),
                "runs": number_cell(ours.n if ours else 0, "d"),
            }
    devices = ", ".join(spent(results).query("what == 'fine-tuning'")["device"])
    notes = [
        f"Multiples of {results.label(results.baseline)}; published: of {printed[0].label}, from tokens a second.",
        "Ours: CPU seconds of an update before the first validation, and of a search; each run beside the one of the "
        f"same pairs and seed, mean ± sample standard deviation over runs. Processor: {devices}.",
        *footnotes(results, [run for run in results.runs if run.system in rows]),
    ]
    return Table(columns | {"runs": "runs"}, list(rows.values()), notes)
