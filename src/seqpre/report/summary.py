"""Write a one-page summary of a study's results, with links to its tables and figures.

    python -m seqpre.report.summary results/small/ramachandran-translation

Tables are expected in `tables/` and figures in `figures/` next to the summary. The sentences are also printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from seqpre.common.arguments import parser_of
from seqpre.common.errors import command
from seqpre.common.files import atomic_write
from seqpre.report.ablations import ablations
from seqpre.report.claim_sources import OurNumbers, early_mark, score_after
from seqpre.report.claims_table import findings
from seqpre.report.estimates import SeedMean, seed_mean
from seqpre.report.fractions import data_size_points
from seqpre.report.notes import first_of, footnotes, languages_note, origin
from seqpre.report.results import Results
from seqpre.report.table import estimate_cell, seed_mean_cell
from seqpre.report.tables import read_arguments, title_of
from seqpre.study.fractions import in_words, labelled_in_words, of_labelled
from seqpre.study.settings import AVERAGE, PERPLEXITY
from seqpre.study.tasks import VALIDATION, metric_labels


def sentences(results: Results) -> list[str]:
    """Return the sentences that the existing runs support; a sentence that lacks a number is left out."""
    return [
        *_completeness(results),
        *languages_note(results),
        *_test_scores(results),
        *_trivial(results),
        *_ensembles(results),
        *_data_sizes(results),
        *_ablations(results),
        *_speed(results),
        *_selection(results),
        *_claims(results),
        *_cost(results),
    ]


def _completeness(results: Results) -> Iterator[str]:
    missing = [run.name for run in results.runs if not run.scores]
    done = len(results.runs) - len(missing)
    yield f"{done} of {len(results.runs)} declared runs have scores." + (
        f" Not run: {first_of(missing)}." if missing else ""
    )
    if of_records := origin(results):
        yield of_records
    if left := results.left_out:
        said = "; ".join(f"{place} ({why})" for place, why in [*left.items()][:4])
        yield f"Left out of records.zip: {said}{f'; and {len(left) - 4} more' if len(left) > 4 else ''}."


def _test_scores(results: Results) -> Iterator[str]:
    fraction, reference = results.all_data, results.study.reference
    data = labelled_in_words(fraction)
    for split in results.tests:
        full = results.score(reference, fraction, split)
        if full is None:
            continue
        more = [(results.score(reference, fraction, split, metric=one), metric_labels()[one])
                for one in results.beside(split)]  # fmt: skip
        beside = ", ".join(f"{_plain(score)} {name}" for score, name in more if score is not None)
        others = [(name, results.score(name, fraction, split)) for name in results.paper.baselines]
        gain = results.difference(reference, results.baseline, fraction, split)
        yield (
            f"{split}, {data}: {results.label(reference)} {_plain(full)} {results.name_of(split)}"
            + (f" ({beside})" if beside else "")
            + "".join(f", {results.label(name)} {_plain(one)}" for name, one in others if one is not None)
            + (f"; pretraining gains {_signed(gain)}." if gain else ".")
        )


def _trivial(results: Results) -> Iterator[str]:
    for split in results.tests:
        gains = []
        of_split = (results.scores["split"] == split) & (results.scores["metric"] == results.metric_of(split))
        tested = results.scores[of_split].set_index("system")["p_value"]
        for one in results.trivial:
            gain = results.difference(results.study.reference, one.system, results.all_data, split)
            p = tested.get(one.system)
            said = "" if p is None or pd.isna(p) else f" (p = {p:.3f}, first seed, uncorrected)"
            gains += [f"{one.label} {_signed(gain)}{said}"] if gain else []
        if gains:
            against = f"{results.task.trivial_outputs}, {results.name_of(split)}: {', '.join(gains)}"
            yield f"{split}, {results.reference_label} against {against}."


def _ensembles(results: Results) -> Iterator[str]:
    for one in results.ensembles:
        gains = {split: results.difference(one.system, results.study.reference, one.fraction, split)
                 for split in results.tests}  # fmt: skip
        present = [f"{_signed(gain)} on {split}" for split, gain in gains.items() if gain is not None]
        if present:
            gained = f"{', '.join(present)} {results.task.score}"
            yield f"{one.label} against the mean of single runs: {gained}."


def _data_sizes(results: Results) -> Iterator[str]:
    reference, baseline = results.study.reference, results.baseline
    measured = [point.fraction for point in data_size_points(results)
                if point.system == reference and point.gain is not None]  # fmt: skip
    if len(measured) > 1:
        least, most = measured[0], measured[-1]
        gains = [
            f"{_signed(few)} and {_signed(many)} on {split}"
            for split in results.splits
            if (few := results.difference(reference, baseline, least, split))
            and (many := results.difference(reference, baseline, most, split))
        ]
        yield f"With {in_words(least)} and with {of_labelled(most)}, pretraining gains {', '.join(gains)}."


def _ablations(results: Results) -> Iterator[str]:
    found = ablations(results)
    for fraction in results.ablation_fractions:
        first = {row.label: next(iter(row.tested.values())).difference for row in found[fraction]}
        said = _grouped(
            (row.verdict(same_scale=results.same_scale), f"{row.label} {estimate_cell(first[row.label]).text}")
            for row in found[fraction]
            if row.published and first[row.label]
        )
        if said:
            found_so = "; ".join(f"*{verdict}*: {', '.join(rows)}" for verdict, rows in said.items())
            yield (f"With {of_labelled(fraction)}, differences to {results.reference_label} on "
                   f"{results.judged_name}, beside those published: {found_so}.")  # fmt: skip


def _speed(results: Results) -> Iterator[str]:
    reference, baseline, score = results.study.reference, results.baseline, results.task.score
    for fraction in results.ablation_fractions[:1]:
        early = early_mark(results, {(system, fraction): 1.0 for system in (reference, baseline)})
        if early is None:
            continue
        full, none = (
            seed_mean(
                run.measured(value, "metrics.jsonl")
                for run in results.of(system, fraction)
                if (value := score_after(run, early)) is not None
            )
            for system in (reference, baseline)
        )
        final = results.difference(reference, baseline, fraction, VALIDATION)
        if full and none and final:
            yield (f"How fast, with {in_words(fraction)}: after {early:,} updates greedy validation {score} is "
                   f"{full.mean:.1f} with pretraining and {none.mean:.1f} without; with checkpoints chosen by "
                   f"{results.chosen_by} (beam search) pretraining is worth {_signed(final)}.")  # fmt: skip


def _selection(results: Results) -> Iterator[str]:
    score, chosen = results.task.score, f"choosing one by {results.chosen_by}"
    for fraction in results.ablation_fractions[:1]:
        for before, after, said in (
            (PERPLEXITY, results.task.metric, f"choosing checkpoints by validation {score} instead of perplexity"),
            (results.study.selection, AVERAGE,
             f"averaging the last {results.study.average_last} checkpoints instead of {chosen}"),
        ):  # fmt: skip
            if changes := _changes(results, fraction, before, after):
                yield f"With {of_labelled(fraction)}, {said} changes {score} by: {changes}."


def _changes(results: Results, fraction: str, before: str, after: str) -> str:
    """Return how another selection changes the reference and the baseline; empty if one was not scored."""
    changes = []
    for system in (results.study.reference, results.baseline):
        by_split = []
        for split in results.splits:
            one, other = (results.score(system, fraction, split, selection) for selection in (before, after))
            if one and other:
                by_split.append(f"{other.mean - one.mean:+.1f} on {split}")
        if by_split:
            changes.append(f"{results.label(system)} {', '.join(by_split)}")
    return "; ".join(changes)


def _claims(results: Results) -> Iterator[str]:
    if "claims" in {table.name for table in results.tables}:
        says = {claim.name: claim.says for claim in results.paper.claims}
        for word, ones in _grouped((word, name) for name, (word, _) in findings(OurNumbers(results)).items()).items():
            yield f"Claims of the paper, {word}: {'; '.join(f'“{says[name]}” ({name})' for name in ones)}."


def _cost(results: Results) -> Iterator[str]:
    seconds = [run.summary["cpu_seconds"] for run in results.runs if "cpu_seconds" in run.summary]
    if seconds:
        yield (f"Fine-tuning took {sum(seconds) / 3600:.1f} CPU-hours in {len(seconds)} run{'s' * (len(seconds) > 1)}, "
               f"{max(seconds) / 60:.1f} CPU-minutes the longest.")  # fmt: skip


def _grouped(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the items grouped by word."""
    words: dict[str, list[str]] = {}
    for word, one in found:
        words.setdefault(word, []).append(one)
    return words


def _plain(one: SeedMean) -> str:
    return seed_mean_cell(one).text


def _signed(one: SeedMean) -> str:
    return seed_mean_cell(one, "+.1f").text


def page(results: Results, folder: Path) -> str:
    """Return the summary as Markdown, with links to the existing tables and figures below `folder`.

    Only files in git are linked: Markdown, csv and png.
    """
    lines = [f"# {results.study.name}, scale {results.study.scale}", ""]
    lines += [f"- {sentence}" for sentence in sentences(results)]
    lines += ["", "## Tables", ""]
    for table in results.tables:
        if (folder / "tables" / f"{table.name}.md").exists():
            title = table.listed or title_of(table, results)
            lines.append(f"- [{title}](tables/{table.name}.md) ([csv](tables/{table.name}.csv))")
    lines += ["", "## Figures", ""]
    for figure in results.figures:
        if (folder / "figures" / f"{figure.name}.png").exists():
            title = title_of(figure, results)
            lines += [title, "", f"![{title}](figures/{figure.name}.png)", ""]
    lines += ["## Reading", ""]
    lines += [f"- {note}" for note in footnotes(results, results.runs, results.task.metrics)]
    return "\n".join(lines) + "\n"


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Write the page and print its sentences."""
    parser = parser_of(__doc__)
    parser.add_argument("--output", type=Path, help="default: summary.md in the study's folder")
    args, results = read_arguments(parser, argv)
    output = args.output or args.study_dir / "summary.md"
    with atomic_write(output) as file:
        file.write(page(results, output.parent))
    print(f"{results.study.name}, scale {results.study.scale}", *(f"  {one}" for one in sentences(results)), sep="\n")
    for what, place in (("Tables:  ", "tables"), ("Figures: ", "figures"), ("Summary: ", output.name)):
        print(f"{what}{output.parent / place}")


if __name__ == "__main__":
    main()
