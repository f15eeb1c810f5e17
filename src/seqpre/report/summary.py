"""Say in a page what a study found, and where its tables and figures are.

    python -m seqpre.report.summary --study ramachandran-translation --scale small \\
        --study-dir results/small/ramachandran-translation --runs RUNS.json \\
        --published workflow/published.tsv --paper workflow/papers/ramachandran2017.yaml \\
        --output results/small/ramachandran-translation/summary.md

Tables are looked for in `tables/` and figures in `figures/` beside the summary. The sentences are also printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from seqpre.common.errors import command
from seqpre.common.files import atomic_write
from seqpre.report.ablations import ablations
from seqpre.report.claim_sources import early_mark, our_numbers
from seqpre.report.claims_table import findings
from seqpre.report.curves import value_at
from seqpre.report.estimates import Estimate, Measurement, estimate
from seqpre.report.fractions import data_size_points
from seqpre.report.notes import footnotes, languages_note
from seqpre.report.published import PublishedNumber, load_published, printed_in
from seqpre.report.results import Results, load_results
from seqpre.report.splits import VALIDATION
from seqpre.report.table import estimate_cell, estimated_cell
from seqpre.report.tables import add_study_arguments
from seqpre.study.fractions import in_words, of_labelled
from seqpre.study.settings import AVERAGE
from seqpre.study.tasks import metric_labels


def figure_titles(results: Results) -> dict[str, str]:
    """Return the figures in the order of the page, {name: title}."""
    task, paper = results.task, results.paper
    return {
        "ablations": f"Ablations{printed_in(paper.ablations)}: what each system loses against the full one",
        "fractions": f"Fractions of the labelled data{printed_in(paper.fractions.printed_in)}, with and without "
        "pretraining",
        "checkpoints": f"Checkpoints of the pretraining{printed_in(paper.checkpoints)}: runs that start from them",
        "selection": f"Checkpoints chosen by validation perplexity and by validation {task.score}"
        + (f", and the mean of the last {results.average_last}" if results.average_last else ""),
        f"learning_{task.metric}_updates": f"Validation {task.score} against updates",
        f"learning_{task.metric}_cpu_seconds": f"Validation {task.score} against CPU seconds",
        "learning_perplexity_updates": "Validation perplexity against updates",
        "learning_perplexity_cpu_seconds": "Validation perplexity against CPU seconds",
    }


def table_titles(results: Results) -> dict[str, str]:
    """Return the titles of tables, {name: title}."""
    paper = results.paper
    return {
        **{table.name: table.title for table in paper.printed},
        "ablations": f"Ablations{printed_in(paper.ablations)}",
        "fractions": f"Fractions of the labelled data{printed_in(paper.fractions.printed_in)}",
        "checkpoints": f"Checkpoints of the pretraining{printed_in(paper.checkpoints)}",
        "spelling": "The spelling of sources",
        "error_kinds": "What is mended and made, by kind of error",
        "learning": "How fast and how well each system learns",
        "claims": "Claims of the paper, on its numbers and on ours",
        "cost": "Cost of training",
    }


def sentences(results: Results, published: Sequence[PublishedNumber]) -> list[str]:
    """Return what can be said from the runs that are there; a sentence that lacks a number is left out."""
    return [
        *_completeness(results),
        *languages_note(results),
        *_test_scores(results),
        *_trivial(results),
        *_ensembles(results),
        *_data_sizes(results, published),
        *_ablations(results, published),
        *_speed(results),
        *_selection(results),
        *(_claims(results, published) if "claims" in results.tables else ()),
        *_cost(results),
    ]


def _completeness(results: Results) -> Iterator[str]:
    missing = [run.name for run in results.runs if not run.scores]
    done = len(results.runs) - len(missing)
    yield f"{done} of {len(results.runs)} declared runs have scores." + (
        f" Not run: {', '.join(missing[:8])}{' and others' if len(missing) > 8 else ''}." if missing else ""
    )
    if results.origin:
        yield results.origin
    if left := results.left_out:
        said = "; ".join(f"{place} ({why})" for place, why in [*left.items()][:4])
        yield f"Left out of records.zip: {said}{f'; and {len(left) - 4} more' if len(left) > 4 else ''}."


def _test_scores(results: Results) -> Iterator[str]:
    fraction = results.all_data
    data = "all labelled data" if fraction == "100pct" else of_labelled(fraction)
    for split in results.tests:
        full = results.score(results.reference, fraction, split)
        if full is None:
            continue
        others = [(name, results.score(name, fraction, split)) for name in results.paper.baselines]
        beside = [f"{_label(results, name)} {_plain(one)}" for name, one in others if one is not None]
        gain = results.difference(results.reference, results.baseline, fraction, split)
        yield (
            f"{split}, {data}: {_label(results, results.reference)} {_plain(full)} {results.name_of(split)}"
            + _beside(results, fraction, split)
            + "".join(f", {text}" for text in beside)
            + (f"; pretraining gains {_signed(gain)}." if gain else ".")
        )


def _beside(results: Results, fraction: str, split: str) -> str:
    """Return the full system's scores by the metrics that stand beside the split's own; empty without any."""
    scores = ((results.score(results.reference, fraction, split, metric=one), one) for one in results.beside(split))
    found = [f"{_plain(score)} {metric_labels()[one]}" for score, one in scores if score is not None]
    return f" ({', '.join(found)})" if found else ""


def _trivial(results: Results) -> Iterator[str]:
    fraction = results.all_data
    for split in results.tests:
        gains = []
        for baseline in results.trivial:
            gain = results.difference(results.reference, baseline.system, fraction, split)
            tested = baseline.score(split, results.metric_of(split), results.selection)
            p = f" (p = {tested.p_value:.3f}, first seed, uncorrected)" if tested and tested.p_value is not None else ""
            gains += [f"{baseline.label} {_signed(gain)}{p}"] if gain else []
        if gains:
            against = f"{results.task.trivial_outputs}, {results.name_of(split)}: {', '.join(gains)}"
            yield f"{split}, {_label(results, results.reference)} against {against}."


def _ensembles(results: Results) -> Iterator[str]:
    for ensemble in results.ensembles:
        gains = [
            (split, results.difference(ensemble.system, results.reference, ensemble.fraction, split))
            for split in results.tests
        ]
        present = [f"{_signed(gain)} on {split}" for split, gain in gains if gain is not None]
        if present:
            gained = f"{', '.join(present)} {results.task.score}"
            yield f"{ensemble.label} against the mean of single full systems: {gained}."


def _data_sizes(results: Results, published: Sequence[PublishedNumber]) -> Iterator[str]:
    points = data_size_points(results, published)
    measured = [point.fraction for point in points if point.system == results.reference and point.gain is not None]
    if len(measured) > 1:
        least, most = measured[0], measured[-1]
        gains = [
            f"{_signed(few)} and {_signed(many)} on {split}"
            for split in (VALIDATION, *results.tests)
            if (few := results.difference(results.reference, results.baseline, least, split))
            and (many := results.difference(results.reference, results.baseline, most, split))
        ]
        yield (f"With {in_words(least)} and with {of_labelled(most)}, pretraining gains "
               f"{', '.join(gains)}.")  # fmt: skip


def _ablations(results: Results, published: Sequence[PublishedNumber]) -> Iterator[str]:
    found = ablations(results, published)
    for fraction in results.ablation_fractions:
        words = dict[str, list[str]]()
        for row in found[fraction]:
            tested = next(iter(row.tested.values()))
            if row.published and tested:
                verdict = row.verdict(same_scale=results.same_scale)
                words.setdefault(verdict, []).append(f"{row.label} {estimated_cell(tested).text}")
        if words:
            said = "; ".join(f"*{verdict}*: {', '.join(rows)}" for verdict, rows in words.items())
            yield (f"With {of_labelled(fraction)}, differences to the full system on "
                   f"{results.judged_name}, beside those published: {said}.")  # fmt: skip


def _speed(results: Results) -> Iterator[str]:
    for fraction in results.ablation_fractions[:1]:
        cells = {system: [run for run in results.of(system, fraction) if run.validations]
                 for system in (results.reference, results.baseline)}  # fmt: skip
        early = early_mark(results, {(system, fraction): 1.0 for system in cells})
        if not all(cells.values()) or early is None:
            continue
        full, none = (
            estimate(
                Measurement(value, run.seed, ())
                for run in runs
                if (value := value_at(run.validations, early, "score")) is not None
            )
            for runs in cells.values()
        )
        final = results.difference(results.reference, results.baseline, fraction, VALIDATION)
        if full and none and final:
            yield (f"How fast, with {in_words(fraction)}: after {early:,} updates greedy validation "
                   f"{results.task.score} is {full.mean:.1f} with pretraining and {none.mean:.1f} without; "
                   f"with checkpoints chosen by {results.chosen_by} (beam search) pretraining is worth "
                   f"{_signed(final)}.")  # fmt: skip


def _selection(results: Results) -> Iterator[str]:
    score = results.task.score
    for fraction in results.ablation_fractions[:1]:
        if changes := _changes(results, fraction, *results.task.selections):
            yield (f"With {of_labelled(fraction)}, choosing checkpoints by validation {score} "
                   f"instead of perplexity changes {score} by: {changes}.")  # fmt: skip
        if changes := _changes(results, fraction, results.selection, AVERAGE):
            yield (f"With {of_labelled(fraction)}, averaging the last {results.average_last} checkpoints instead of "
                   f"choosing one by {results.chosen_by} changes {score} by: {changes}.")  # fmt: skip


def _changes(results: Results, fraction: str, before: str, after: str) -> str:
    """Return what another selection changes of the reference and the baseline; empty where one was not scored."""
    changes = []
    for system in (results.reference, results.baseline):
        by_split = []
        for split in (VALIDATION, *results.tests):
            one, other = (results.score(system, fraction, split, selection) for selection in (before, after))
            if one and other:
                by_split.append(f"{other.mean - one.mean:+.1f} on {split}")
        if by_split:
            changes.append(f"{_label(results, system)} {', '.join(by_split)}")
    return "; ".join(changes)


def _claims(results: Results, published: Sequence[PublishedNumber]) -> Iterator[str]:
    words = dict[str, list[str]]()
    for claim, (word, _) in findings(our_numbers(results, published)).items():
        words.setdefault(word, []).append(claim)
    yield "Claims of the paper on our numbers: " + "; ".join(f"{w}: {', '.join(n)}" for w, n in words.items()) + "."


def _cost(results: Results) -> Iterator[str]:
    seconds = [run.summary["cpu_seconds"] for run in results.runs if "cpu_seconds" in run.summary]
    if seconds:
        yield (f"Fine-tuning took {sum(seconds) / 3600:.1f} CPU-hours in {len(seconds)} run{'s' * (len(seconds) > 1)}, "
               f"{max(seconds) / 60:.1f} CPU-minutes the longest.")  # fmt: skip


def _label(results: Results, system: str) -> str:
    return results.labels.get(system, system)


def _plain(one: Estimate) -> str:
    return estimate_cell(one).text


def _signed(one: Estimate) -> str:
    return estimate_cell(one, "+.1f").text


def page(results: Results, published: Sequence[PublishedNumber], folder: Path) -> str:
    """Return the summary as Markdown, with links to the tables and figures that exist below `folder`.

    Only what git keeps is linked: Markdown, csv and png.
    """
    lines = [f"# {results.study}, scale {results.scale}", ""]
    lines += [f"- {sentence}" for sentence in sentences(results, published)]
    lines += ["", "## Tables", ""]
    titles = table_titles(results)
    for name in results.tables:
        if (folder / "tables" / f"{name}.md").exists():
            lines.append(f"- [{titles[name]}](tables/{name}.md) ([csv](tables/{name}.csv))")
    lines += ["", "## Figures", ""]
    for name, title in figure_titles(results).items():
        if (folder / "figures" / f"{name}.png").exists():
            lines += [title, "", f"![{title}](figures/{name}.png)", ""]
    lines += ["## Reading", ""]
    lines += [f"- {note}" for note in footnotes(results, results.runs, results.task.metrics)]
    return "\n".join(lines) + "\n"


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Write the page and print its sentences."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.report.summary",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_study_arguments(parser)
    parser.add_argument("--output", required=True, type=Path, help="Markdown file to write")
    args = parser.parse_args(argv)

    results = load_results(args.runs, args.study_dir, args.study, args.scale, args.paper)
    published = load_published(args.published)
    with atomic_write(args.output) as file:
        file.write(page(results, published, args.output.parent))
    print(f"{results.study}, scale {results.scale}")
    for sentence in sentences(results, published):
        print(f"  {sentence}")
    print(f"Tables:  {args.output.parent / 'tables'}")
    print(f"Figures: {args.output.parent / 'figures'}")
    print(f"Summary: {args.output}")


if __name__ == "__main__":
    main()
