"""Differences between our systems, with errors over seeds and sentences as in `seqpre.metrics.inference`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeVar

import numpy as np
import pandas as pd
from scipy import special

from seqpre.metrics.inference import Estimate, VarianceComponent, holm, seed_variance, sentence_variance
from seqpre.metrics.sentences import key
from seqpre.report.estimates import Comparison, Measurement, SeedMean
from seqpre.report.outcome import Outcome
from seqpre.report.results import Results, SystemAt
from seqpre.study.tasks import metric_called

Terms = Mapping[SystemAt, float]
"""Weights of scores, by system and fraction."""
K = TypeVar("K")

NORMAL_95 = float(special.ndtri(0.975))
"""Standard errors from the middle of a 95 % interval to its bounds."""


def minus(system: str, other: str, fraction: str) -> Terms:
    """Return the terms of a difference between two systems at one fraction."""
    return {(system, fraction): 1.0, (other, fraction): -1.0}


def comparisons(
    results: Results, asked: Mapping[K, tuple[Terms, str | None]], unjudged: Collection[K] = ()
) -> dict[K, Comparison]:
    """Return differences, each of some terms in a metric (None: the split's own), tested as the rows of one table.

    `unjudged` differences are not tested. Identical scores under several names count as one row.
    """
    found = {name: contrast(results, terms, results.judged, metric) for name, (terms, metric) in asked.items()}
    scores = {name: behind(results, terms, results.judged, metric) for name, (terms, metric) in asked.items()}
    rows = {
        name: (*{at for _, at in asked[name][0]}, *(score.value for score in scores[name]))
        for name, one in found.items()
        if one is not None and name not in unjudged
    }
    p_values = {row: found[name].p_zero() for name, row in rows.items()}  # type: ignore[union-attr]
    corrected = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    return {
        name: Comparison(one, scores[name], corrected[rows[name]] if name in rows else 1.0, max(len(p_values), 1))
        for name, one in found.items()
    }


def contrast(
    results: Results, terms: Terms, splits: Sequence[str], metric: str | None = None, *, ensembles: bool = False
) -> Estimate | None:
    """Return a weighted sum of scores, each averaged over seeds and `splits`; None if a score is missing.

    Only seeds that all its systems have are used. The default metric is each split's own. For runs without statistics
    of sentences, the widths of the scores' own intervals are used, as if sentence difficulty were uncorrelated between
    systems: never too narrow. With `ensembles`, which have no seed, an ensemble's score counts for every seed.
    """
    asked = (frozenset(terms.items()), tuple(splits), metric, ensembles)
    if asked not in results.contrasts:
        results.contrasts[asked] = _contrast(results, terms, splits, metric, ensembles=ensembles)
    return results.contrasts[asked]


def _contrast(
    results: Results, terms: Terms, splits: Sequence[str], metric: str | None, *, ensembles: bool
) -> Estimate | None:
    metrics = {split: metric or results.metric_of(split) for split in splits}
    tables = [results.by_seed(*one).copy() for one in metrics.items()]
    for (system, fraction), ensemble in [(cell, one) for cell in terms for one in results.ensembles if ensembles]:
        if ensemble.system == system:
            for table, (split, name) in zip(tables, metrics.items(), strict=True):
                for score in results.measurements(system, fraction, split, name):
                    table.loc[(fraction, system), :] = score.value  # for every seed
    found = over_seeds(reduce(pd.DataFrame.add, tables) / len(splits), terms)
    if found is None:
        return None
    one, seeds = found
    variance = sum(_over_sentences(results, terms, seeds, split, name) for split, name in metrics.items())
    return replace(one, components=(*one.components, (variance / len(splits) ** 2, np.inf)))


def behind(results: Results, terms: Terms, splits: Sequence[str], metric: str | None = None) -> tuple[Measurement, ...]:
    """Return the scores behind a contrast, run by run: of the seeds that all its trained systems have."""
    found = {
        (cell, split): [one for run in results.of(*cell) for one in measured if one.seed == run.seed]
        for cell in terms
        for split in splits
        if (measured := results.measurements(*cell, split, metric))
    }
    seeds = [{one.seed for one in ones} for ones in found.values()]
    common = {None}.union(set.intersection(*trained) if (trained := [of for of in seeds if None not in of]) else ())
    return tuple(one for ones in found.values() for one in ones if one.seed in common)


def contrast_of_validations(
    results: Results, terms: Terms, value: Callable[[SystemAt, Outcome], float | None]
) -> tuple[Estimate | None, tuple[Measurement, ...]]:
    """Return a weighted sum of validation values of runs, with its error over seeds only, and those values."""
    reached = {run: value((run.system, run.fraction), run) for run in results.runs}
    known = pd.Series({(run.fraction, run.system, run.seed): one for run, one in reached.items()}, dtype=float).dropna()
    found = over_seeds(known.unstack(), terms) if len(known) else None
    if found is None:
        return None, ()
    one, seeds = found
    behind = ((run, reached.get(run)) for cell in terms for run in results.of(*cell) if run.seed in seeds)
    return one, tuple(run.measured(value, "metrics.jsonl") for run, value in behind if value is not None)


def mean_over_seeds(results: Results, cell: SystemAt, split: str) -> Estimate | None:
    """Return a trained system's score on one split at a fraction, with its error over seeds only."""
    found = over_seeds(results.by_seed(split, results.metric_of(split)), {cell: 1.0})
    return found and found[0]


def over_seeds(table: pd.DataFrame, terms: Terms) -> tuple[Estimate, list[int]] | None:
    """Return a weighted sum of means and the seeds used; `table` has a row a fraction and system, a column a seed.

    Systems with identical scores are pooled once: they are the same runs under several names.
    """
    cells = [(fraction, system) for system, fraction in terms]
    if not set(cells) <= set(table.index):
        return None
    seeds = [int(seed) for seed in table.loc[cells].dropna(axis="columns").columns]
    if not seeds:
        return None
    value, components = 0.0, list[VarianceComponent]()
    for at in dict.fromkeys(fraction for fraction, _ in cells):
        rows = table.loc[at][seeds].dropna()
        rows = rows.loc[sorted(rows.index, key=lambda system: (system, at) not in terms)]
        named = np.array([(system, at) in terms for system in rows.index])
        rows = rows[named | ~rows.duplicated().to_numpy()]
        scores, weights = rows.to_numpy(), np.array([terms.get((system, at), 0.0) for system in rows.index])
        value += float(scores.mean(axis=1) @ weights)
        components.append(seed_variance(scores, weights))
    return Estimate(value, tuple(components)), seeds


def with_interval(results: Results, cell: SystemAt, split: str, metric: str | None = None) -> SeedMean | None:
    """Return a system's score with its interval; a single run keeps its interval over sentences."""
    ours = results.score(*cell, split, metric=metric)
    one = contrast(results, {cell: 1.0}, [split], metric) if ours and ours.n > 1 else None
    if ours is None or one is None:
        return ours
    low, high = one.interval()
    return replace(ours, low=low, high=high)


def _over_sentences(results: Results, terms: Terms, seeds: Sequence[int], split: str, metric: str) -> float:
    """Return the variance of the weighted sum over the sentences of one test set."""
    runs = {cell: [run for run in results.of(*cell) if run.seed is None or run.seed in seeds] for cell in terms}
    name = key(results.study.selection, split, metric)
    weighted = [(run, weight / len(runs[cell])) for cell, weight in terms.items() for run in runs[cell]]
    if all(name in run.sentences for run, _ in weighted):
        resampled = [run.resampled(name, metric_called(metric).scorer) for run, _ in weighted]
        return sentence_variance(resampled, [weight for _, weight in weighted])
    found = results.scores.query("split == @split and metric == @metric and selection == @results.study.selection")
    widths = (found["high"] - found["low"]).groupby([found["system"], found["fraction"]]).mean()
    return float(sum((weight * widths[cell] / 2 / NORMAL_95) ** 2 for cell, weight in terms.items()))
