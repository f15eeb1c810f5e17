"""Differences of our systems as `seqpre.metrics.inference` estimates them: over seeds and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
import pandas as pd
from scipy import special

from seqpre.metrics.inference import Estimated, VarianceComponent, seed_variance, sentence_variance
from seqpre.metrics.sentences import key
from seqpre.report.curves import value_at
from seqpre.report.estimates import Estimate, Measurement
from seqpre.report.results import Results
from seqpre.study.tasks import metric_called

Terms = Mapping[tuple[str, str], float]
"""Weights of scores, by system and fraction."""

NORMAL_95 = float(special.ndtri(0.975))
"""Standard errors from the middle of a 95 % interval to its ends."""


def contrast(
    results: Results, terms: Terms, splits: Sequence[str], metric: str | None = None, *, ensembles: bool = False
) -> Estimated | None:
    """Return a weighted sum of scores, each the mean over seeds and over `splits`; None where a score is missing.

    Only seeds that all its systems have are used. `metric` is each split's own if none is named. Runs without
    statistics of sentences have the widths of their scores' own intervals instead, as if no two systems found the same
    sentences hard: never too narrow. With `ensembles`, which have no seed, the score of one stands beside every seed.
    """
    asked = (frozenset(terms.items()), tuple(splits), metric, ensembles)
    if asked not in results.contrasts:
        results.contrasts[asked] = _contrast(results, terms, splits, metric, ensembles=ensembles)
    return results.contrasts[asked]


def _contrast(
    results: Results, terms: Terms, splits: Sequence[str], metric: str | None, *, ensembles: bool
) -> Estimated | None:
    metrics = {split: metric or results.metric_of(split) for split in splits}
    tables = [results.by_seed(split, name) for split, name in metrics.items()]
    if ensembles:
        tables = [_with_ensembles(results, terms, *one) for one in zip(tables, metrics.items(), strict=True)]
    found = over_seeds(reduce(pd.DataFrame.add, tables) / len(splits), terms)
    if found is None:
        return None
    one, seeds = found
    variance = sum(_over_sentences(results, terms, seeds, split, name) for split, name in metrics.items())
    return replace(one, components=(*one.components, (variance / len(splits) ** 2, np.inf)))


def behind(results: Results, terms: Terms, splits: Sequence[str], metric: str | None = None) -> tuple[Measurement, ...]:
    """Return the scores that a contrast is made of."""
    found = (
        run.score(split, metric or results.metric_of(split), results.selection)
        for cell in terms
        for run in results.of(*cell)
        for split in splits
    )
    return tuple(one for one in found if one is not None)


def contrast_after(results: Results, terms: Terms, step: int) -> Estimated | None:
    """Return a weighted sum of greedy validation scores after `step` updates; over seeds alone."""
    reached = {(run.fraction, run.system, run.seed): value_at(run.validations, step, "score") for run in results.runs}
    scores = pd.Series(reached, dtype=float).dropna()
    found = over_seeds(scores.unstack(), terms) if len(scores) else None
    return found[0] if found else None


def contrast_of_perplexity(results: Results, terms: Terms, share: float) -> Estimated | None:
    """Return a weighted sum of perplexities after `share` of all updates; of what is taken away the lowest."""
    reached = {
        (run.fraction, run.system, run.seed): (
            value_at(run.validations, round(share * run.validations[-1].step), "perplexity")
            if weight > 0
            else min(one.perplexity for one in run.validations)
        )
        for cell, weight in terms.items()
        for run in results.of(*cell)
        if run.validations
    }
    perplexities = pd.Series(reached, dtype=float).dropna()
    found = over_seeds(perplexities.unstack(), terms) if len(perplexities) else None
    return found[0] if found else None


def mean_over_seeds(results: Results, cell: tuple[str, str], split: str) -> Estimated | None:
    """Return a trained system's score on one split at a fraction, with its error over seeds alone."""
    found = over_seeds(results.by_seed(split, results.metric_of(split)), {cell: 1.0})
    return found[0] if found else None


def over_seeds(table: pd.DataFrame, terms: Terms) -> tuple[Estimated, list[int]] | None:
    """Return a weighted sum of means and the seeds used; `table` has a row a fraction and system, a column a seed.

    Of systems that have the same scores in every seed, one is pooled: they are the same runs under several names.
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
    return Estimated(value, tuple(components)), seeds


def with_interval(
    results: Results, ours: Estimate | None, system: str, fraction: str, split: str, metric: str | None = None
) -> Estimate | None:
    """Return a mean over seeds with its interval; that of a single run is the one over sentences that it has."""
    one = contrast(results, {(system, fraction): 1.0}, [split], metric) if ours and ours.n > 1 else None
    if ours is None or one is None:
        return ours
    low, high = one.interval()
    return replace(ours, low=low, high=high)


def _with_ensembles(results: Results, terms: Terms, table: pd.DataFrame, of: tuple[str, str]) -> pd.DataFrame:
    """Return the table with a row for each ensemble among the terms, its score in every seed's column."""
    table, (split, metric) = table.copy(), of
    for system, fraction in terms:
        for ensemble in results.ensembles:
            if ensemble.system == system and (one := ensemble.score(split, metric, results.selection)):
                table.loc[(fraction, system), :] = one.value
    return table


def _over_sentences(results: Results, terms: Terms, seeds: Sequence[int], split: str, metric: str) -> float:
    """Return the variance of the weighted sum over the sentences of one test set."""
    runs = {cell: [run for run in results.of(*cell) if run.seed is None or run.seed in seeds] for cell in terms}
    name = key(results.selection, split, metric)
    weighted = [(run, weight / len(runs[cell])) for cell, weight in terms.items() for run in runs[cell]]
    if all(name in run.sentences for run, _ in weighted):
        resampled = [run.resampled(name, metric_called(metric).scorer) for run, _ in weighted]
        return sentence_variance(resampled, [weight for _, weight in weighted])
    found = results.scores.query("split == @split and metric == @metric and selection == @results.selection")
    widths = (found["high"] - found["low"]).groupby([found["system"], found["fraction"]]).mean()
    return float(sum((weight * widths[cell] / 2 / NORMAL_95) ** 2 for cell, weight in terms.items()))
