"""The paper's Table 3: ROUGE on test documents, published and ours. Numbered as in the preprint; Table 2 of EMNLP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from seqpre.report.contrasts import with_interval
from seqpre.report.estimates import Estimate
from seqpre.report.notes import footnotes
from seqpre.report.published import PublishedNumber, of_study
from seqpre.report.results import BASELINES, Results
from seqpre.report.table import EMPTY, Cell, Table, estimate_cell, number_cell, text_cell
from seqpre.report.tasks import NAMES
from seqpre.report.verdicts import NOT_RUN, rule, score_verdict, worst
from seqpre.study.fractions import by_size, of_labelled

PRINTED_IN = ("Table 2", "Footnote 1")
"""As `published.tsv` numbers them, after EMNLP: the anonymized corpus, then the other."""
ROUGE_L = (
    "ROUGE-Lsum takes every highlight for a sentence, as printed for the anonymized corpus; ROUGE-L takes the summary "
    "for one sentence, as printed for the other."
)

Row = dict[str, Cell]


def table_3(results: Results, published: Sequence[PublishedNumber]) -> Table:
    """Return the paper's rows, then ours on every test: leads, baselines, the full system, and its gains."""
    fraction = fraction_of_full(results)
    groups: dict[tuple[str, str], dict[str, PublishedNumber]] = {}
    for number in (one for table in PRINTED_IN for one in of_study(published, results.published_as, table)):
        groups.setdefault((number.label, number.condition), {})[number.metric] = number
    beside = {number.metric: number for group in groups.values() for number in group.values() if _same(results, number)}
    columns = {"system": "system", "test": "test", **{metric: NAMES[metric] for metric in results.task.tests}}
    columns |= {"seeds": "seeds", "verdict": "verdict"}
    rows: list[Row] = [_printed(label, condition, group) for (label, condition), group in groups.items()]
    for split in results.tests or ["test"]:
        rows += _ours(results, fraction, split, beside)
    leads = [lead for lead in results.leads if lead.scores]
    shown = [*leads, *(run for system in (*BASELINES, results.reference) for run in results.of(system, fraction))]
    notes = [
        f"Full-length F1; ours with {of_labelled(fraction)}, checkpoints chosen by "
        f"{results.chosen_by}, length penalty and lengths by validation.",
        ROUGE_L,
        *footnotes(results, shown, results.task.tests, interval=True),
        rule(results.task.points),
    ]
    return Table("table_3", "Table 3: ROUGE on the test documents", columns, rows, notes)


def fraction_of_full(results: Results) -> str:
    """Return the largest fraction of the labelled data that the full system is trained on."""
    fractions = [fraction for system, fraction in results.cells if system == results.reference]
    return max(fractions, key=by_size, default="100pct")


def _same(results: Results, number: PublishedNumber) -> bool:
    """Tell whether a number of the full system is of the variant of the corpus that ours is trained on."""
    anonymised = number.condition == "anonymized"
    return number.system == results.reference and anonymised == results.corpus.endswith("anonymised")


def _printed(label: str, condition: str, group: Mapping[str, PublishedNumber]) -> Row:
    cells = {metric: Cell(number.printed, {"": number.value}) for metric, number in group.items()}
    return {"system": text_cell(label), "test": text_cell(f"published, {condition}"), **cells}


def _ours(results: Results, fraction: str, split: str, published: Mapping[str, PublishedNumber]) -> Iterator[Row]:
    """Return one row a system of ours on one test, and one a gain of the full system."""
    metrics = results.task.tests
    labels = {**results.labels, **{lead.system: lead.label for lead in results.leads}}
    baselines = [lead.system for lead in results.leads]
    baselines += [system for system in BASELINES if (system, fraction) in results.cells]
    test = {"test": text_cell(", ".join(filter(None, ("ours", results.corpus, split))))}
    for system in (*baselines, results.reference):
        scores = {
            metric: with_interval(
                results, results.score(system, fraction, split, metric=metric), system, fraction, split, metric
            )
            for metric in metrics
        }
        row = test | {"system": text_cell(labels.get(system, system)), **_cells(scores, ".2f", interval=True)}
        if system == results.reference:
            row["verdict"] = text_cell(_verdict(results, scores, published))
        yield row
    full = {metric: results.score(results.reference, fraction, split, metric=metric) for metric in published}
    if results.same_scale and published:
        differences = {metric: one.mean - published[metric].value for metric, one in full.items() if one is not None}
        cells = {metric: number_cell(difference, "+.2f") for metric, difference in differences.items()}
        yield test | {"system": text_cell("ours minus published"), **cells}
    for system in baselines:
        gains = {metric: results.difference(results.reference, system, fraction, split, metric) for metric in metrics}
        yield test | {"system": text_cell(f"gain over {labels[system]}"), **_cells(gains, "+.2f")}


def _cells(estimates: Mapping[str, Estimate | None], pattern: str, *, interval: bool = False) -> Row:
    present = [one for one in estimates.values() if one is not None]
    trained = any(measurement.seed is not None for one in present for measurement in one.measurements)
    cells = {
        metric: estimate_cell(one, pattern, interval=interval, missing=NOT_RUN) for metric, one in estimates.items()
    }
    return cells | {"seeds": number_cell(max(one.n for one in present), "d") if trained else text_cell(EMPTY)}


def _verdict(results: Results, ours: Mapping[str, Estimate | None], published: Mapping[str, PublishedNumber]) -> str:
    verdicts = [score_verdict(ours[name], one, same_scale=results.same_scale) for name, one in published.items()]
    return worst(verdicts) or EMPTY
