"""Compare two results folders: which settings differ, and which numbers changed beyond the noise of seeds.

    python -m seqpre.compare before/results/small results/small
    python -m seqpre.compare before/results/small/ramachandran-translation results/small/ramachandran-translation

A and B are folders of a study, or of a scale, whose common studies are then compared. A study's runs and its
records.zip are read together; if both have a run, the one in the folder counts. A number has moved if its means over
seeds differ significantly: Student's t, with the variance over seeds pooled over systems where alike, corrected for the
numbers compared (Holm). One seed shows nothing, and baselines without training have no noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqpre.common.arguments import parser_of
from seqpre.common.errors import DataError, command
from seqpre.common.files import read_json
from seqpre.metrics.inference import LEVEL, Estimate, holm
from seqpre.report.contrasts import mean_over_seeds
from seqpre.report.estimates import SeedMean
from seqpre.report.lineage import lineage
from seqpre.report.notes import origin
from seqpre.report.records import ARCHIVE, opened
from seqpre.report.results import Results, load_results
from seqpre.report.table import Table, estimate_cell, number_cell, p_cell, seed_mean_cell, to_markdown
from seqpre.study.reported import FILE

ScoreKey = tuple[str, str, str]
"""A system, its fraction of the labelled data, and a split."""
COLUMNS = {"system": "system", "fraction": "labelled data", "split": "split", "before": "A", "after": "B",
           "change": "B - A [95 %]", "p": "p (Holm)", "found": "found"}  # fmt: skip
MOVED, STAYED, SAME = "moved", "within the noise of seeds", "the same"
ONE_SEED, ENSEMBLE = "not tested: one seed", "not tested: an ensemble"


@dataclass(frozen=True)
class Side:
    """The compared data of one study's folder."""

    scale: str
    text: str
    """Corpus and languages, in words."""
    settings: Mapping[str, Mapping[str, Any]]
    """Non-default settings, by the system, model or text they belong to."""
    numbers: Mapping[ScoreKey, tuple[SeedMean, Estimate | None]]
    """Mean over seeds, and the same with its error: unknown for ensembles, None for baselines without training."""
    scorers: Mapping[str, str]
    """Signatures, by split and metric."""
    said: Sequence[str] = ()
    """Which runs come from records, and which of these are left out."""


def side(study_dir: Path) -> Side:
    """Read a study's folder, or its records. Raises DataError if there are neither."""
    with opened(study_dir) as here:
        if here is None:
            raise DataError(f"{study_dir}: no study was run here; it has neither {FILE} and runs/ nor {ARCHIVE}")
        results = load_results(here)
        ways = results.scores[["split", "metric", "way"]].drop_duplicates(["split", "metric"])
        scorers = {f"{split}, {metric}": way for split, metric, way in ways.itertuples(index=False)}
        left_out = [f"Left out: {run}: {why}." for run, why in results.left_out.items()]
        said = [*filter(None, [origin(results)]), *left_out]
        study = results.study
        return Side(study.scale, study.text, dict(_settings(results)), dict(_numbers(results)), scorers, said)


def _settings(results: Results) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the settings of every system at every fraction, which its seeds share, and of every language model.

    Those without settings, like language models of the first records, are skipped. For texts, the lines kept.
    """
    for system, fraction in results.cells:
        of_seeds = (lineage(run).settings for run in results.of(system, fraction))
        if settings := next(filter(None, of_seeds), None):
            yield f"{system}, {fraction}", settings
    for place, one in zip(results.study.pretrained, results.pretrained, strict=True):
        if settings := lineage(one).settings:
            yield f"LM {place}", settings
    for path in results.texts:
        yield f"text {path.parent.name}/{path.name}", {"lines kept": read_json(path)["kept"]}


def _numbers(results: Results) -> Iterator[tuple[ScoreKey, tuple[SeedMean, Estimate | None]]]:
    ensembles, trivial = ([(one.system, one.fraction) for one in ones] for ones in (results.ensembles, results.trivial))
    for cell in [*results.cells, *ensembles, *trivial]:
        for split in results.scores["split"].unique():
            if (score := results.score(*cell, split)) is not None:
                unknown = None if cell in trivial else Estimate(score.mean, ((math.inf, math.inf),))
                yield (*cell, split), (score, mean_over_seeds(results, cell, split) or unknown)


def differing(one: Mapping[str, Mapping[str, Any]], other: Mapping[str, Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the differences between settings that both have, {`key: before -> after`: names}."""
    found: dict[str, list[str]] = {}
    for name in [name for name in one if name in other]:
        before, after = one[name], other[name]
        for key in sorted((before.keys() | after.keys()) - {"seed"}):
            if before.get(key) != after.get(key):
                said = " -> ".join("default" if key not in where else str(where[key]) for where in (before, after))
                found.setdefault(f"{key}: {said}", []).append(name)
    return found


def moves(one: Side, other: Side) -> Table:
    """Return one row for each number that both have, changed ones first."""
    changes = {place: _change(before, other.numbers[place]) for place, before in one.numbers.items()
               if place in other.numbers}  # fmt: skip
    tested = {place: change for place, change in changes.items() if change.value and _has_error(change)}
    p_values = dict(zip(tested, holm([change.p_zero() for change in tested.values()]), strict=True))
    rows = []
    for place, change in changes.items():
        p = p_values.get(place)
        if not change.value:
            found = SAME
        elif not any(variance for variance, _ in change.components):
            found = MOVED
        else:
            alone = ONE_SEED if one.numbers[place][0].measurements[0].seed is not None else ENSEMBLE
            found = alone if p is None else MOVED if p < LEVEL else STAYED
        cells = [*place, *(seed_mean_cell(side.numbers[place][0], ".2f") for side in (one, other))]
        bounded = bool(change.components) and math.isfinite(change.interval()[0])
        cells += [estimate_cell(change) if bounded else number_cell(change.value, "+.1f"), p_cell(p)]
        rows.append(dict(zip(COLUMNS, [*cells, found], strict=True)))
    rows.sort(key=lambda row: (MOVED, STAYED, ONE_SEED, ENSEMBLE, SAME).index(row["found"]))
    return Table(COLUMNS, rows, title="Numbers")


def _change(one: tuple[SeedMean, Estimate | None], other: tuple[SeedMean, Estimate | None]) -> Estimate:
    """Return the difference of means, with the errors of both, which share no training."""
    components = tuple(part for _, mean in (one, other) if mean is not None for part in mean.components)
    return Estimate(other[0].mean - one[0].mean, components)


def _has_error(change: Estimate) -> bool:
    variances = [variance for variance, _ in change.components]
    return any(variances) and math.inf not in variances


def page(name: str, one: Side, other: Side) -> str:
    """Return the report on one study. Raises DataError if scale, corpus or languages differ."""
    for what, a, b in (("the scale ", one.scale, other.scale), ("", one.text, other.text)):
        if a != b:
            raise DataError(f"{name}: A is of {what}{a}, B of {b}, so their numbers are not comparable")
    lines = [f"# {name}", ""]
    lines += [f"{letter}: {said}" for letter, of in (("A", one), ("B", other)) for said in of.said]
    lines += ["", "## Settings", ""]
    found = differing(one.settings, other.settings)
    lines += [f"- {said} ({_of(names, len(one.settings))})" for said, names in found.items()] or ["- none differ"]
    for letter, here, there in (("A", one, other), ("B", other, one)):
        alone = [*(name for name in here.settings if name not in there.settings),
                 *(", ".join(place) for place in here.numbers if place not in there.numbers)]  # fmt: skip
        lines += [f"- only in {letter}: {'; '.join(alone)}"] if alone else []
    scorers = [key for key in one.scorers if key in other.scorers and one.scorers[key] != other.scorers[key]]
    lines += [f"- scored otherwise: {key}: {one.scorers[key]} -> {other.scorers[key]}" for key in scorers]
    return "\n".join([*lines, "", to_markdown(moves(one, other))])


def _of(names: Sequence[str], total: int) -> str:
    return f"{len(names)} of {total}" if len(names) > 6 else "; ".join(names)


def studies_in(folder: Path) -> list[str]:
    """Return the studies in a scale's folder; none if the folder is a study's own."""
    if any((folder / name).is_file() for name in (FILE, ARCHIVE)):
        return []
    return sorted({path.parent.name for name in (FILE, ARCHIVE) for path in folder.glob(f"*/{name}")})


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Read both folders and print the differences."""
    parser = parser_of(__doc__)
    parser.add_argument("a", type=Path, metavar="A", help="folder of a study or of a scale, from before")
    parser.add_argument("b", type=Path, metavar="B", help="the same from after")
    args = parser.parse_args(argv)

    for folder in (args.a, args.b):
        if not folder.is_dir():
            raise DataError(f"{folder} is no folder; name the folder of a study or of a scale")
    before, after = studies_in(args.a), studies_in(args.b)
    if bool(before) != bool(after):
        raise DataError(f"{args.a} and {args.b}: one is the folder of a study, or empty, and the other of a scale")
    if not before:
        print(page(args.b.name, side(args.a), side(args.b)))
        return
    common = [name for name in before if name in after]
    if not common:
        raise DataError(f"{args.a} has {', '.join(before)}, {args.b} {', '.join(after)}: no study is in both")
    for name in common:
        print(page(name, side(args.a / name), side(args.b / name)))
    for letter, here, there in (("A", before, after), ("B", after, before)):
        for name in [name for name in here if name not in there]:
            print(f"{name} is in {letter} only")


if __name__ == "__main__":
    main()
