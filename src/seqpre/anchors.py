"""Test the scorers on known numbers, before any model is judged.

    python -m seqpre.anchors

Start it in the folder of the Snakefile. It first runs small cases with known answers, which need no download. Then it
fetches the PoDA authors' outputs for three test sets and their references (1.2 MB, from `mirror` or their own
addresses), and scores headlines with both stemmers, corrections with M2 and GLEU. Exit status 1: an anchor is missed,
so scores of this installation are not comparable with published ones.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from seqpre.common.arguments import parser_of
from seqpre.common.errors import ConfigError, command
from seqpre.common.files import read_lines
from seqpre.corpora.catalog import read_catalog, select
from seqpre.corpora.download import fetch, mirror_of
from seqpre.corpora.m2 import read_m2
from seqpre.metrics.gleu import gleu
from seqpre.metrics.m2 import m2
from seqpre.metrics.rouge import NLTK, ROUGE_155, Tokens, rouge
from seqpre.metrics.traps import HEADER, Anchor, traps
from seqpre.report.published import PublishedNumber, load_published, of_study
from seqpre.study.configuration import read_configuration

HEADLINES, CONLL, JFLEG = "poda_gigaword", "poda_conll2014", "poda_jfleg"
"""Corpora with the authors' outputs (split `outputs`) and the texts that they are scored against."""
# No paper prints these: they are what rouge-score 0.1.2 gives for the same files with `use_stemmer=True`.
RECORDED = {"rouge_1": "38.27", "rouge_2": "19.08", "rouge_l": "35.43"}


def rouge_anchors(
    outputs: Sequence[str], references: Sequence[str], published: Sequence[PublishedNumber]
) -> list[Anchor]:
    """Return the anchors of Wang et al. (2019), Table 4, PoDA, and rouge-score's own figures for the same outputs."""
    rows = [row for row in of_study(published, "poda-headlines", "Table 4") if row.system == "full"]
    printed = {metric: next(row.printed for row in rows if row.metric == metric) for metric in RECORDED}
    known: tuple[tuple[Tokens, dict[str, str], str], ...] = (
        (ROUGE_155, printed, "Wang et al. (2019), Table 4"),
        (NLTK, RECORDED, "rouge-score 0.1.2"),
    )
    anchors = []
    for tokens, values, origin in known:
        scores = rouge(outputs, references, tokens)
        anchors += [Anchor(tokens, metric, value, origin, scores[metric].score) for metric, value in values.items()]
    return anchors


def m2_anchors(outputs: Sequence[str], gold: Path, published: Sequence[PublishedNumber]) -> list[Anchor]:
    """Return the anchors of Wang et al. (2019), Table 6, PoDA."""
    found = m2(outputs, list(read_m2(gold)))
    ours = {metric: found[metric].score for metric in ("m2_precision", "m2_recall", "m2_f0.5")}
    return _correction_anchors(ours, "Table 6", "conll2014", "m2", published)


def gleu_anchors(
    outputs: Sequence[str],
    sources: Sequence[str],
    references: Sequence[Sequence[str]],
    published: Sequence[PublishedNumber],
) -> list[Anchor]:
    """Return the anchor of Wang et al. (2019), Table 7, PoDA, for the test set."""
    ours = {"gleu": gleu(outputs, sources, references)["gleu"].score}
    return _correction_anchors(ours, "Table 7", "jfleg", "gleu", published)


def _correction_anchors(
    ours: Mapping[str, float], place: str, split: str, scorer: str, published: Sequence[PublishedNumber]
) -> list[Anchor]:
    rows = of_study(published, "poda-correction", place)
    printed = {row.metric: row.printed for row in rows if (row.system, row.split) == ("full", split)}
    origin = f"Wang et al. (2019), {place}"
    return [Anchor(scorer, metric, printed[metric], origin, score) for metric, score in ours.items()]


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Fetch, score, and print the table; exit status 1 if an anchor is missed."""
    parser = parser_of(__doc__)
    parser.add_argument("--config", type=Path, default=Path("config.yaml"), help="default: config.yaml")
    args = parser.parse_args(argv)
    config = read_configuration(args.config)
    catalog, published = Path("workflow/corpora.tsv"), Path("workflow/published.tsv")
    if not catalog.is_file():
        raise ConfigError(f"{catalog} is not here; start this in the folder of the Snakefile")
    worked = list(traps())
    print("Small cases, worked out by hand or by the official program\n")
    print(HEADER, *worked, sep="\n", flush=True)
    rows, numbers = read_catalog(catalog), load_published(published)

    def files(corpus: str, split: str) -> list[Path]:
        downloads = Path(config["results"]) / "downloads"
        return [fetch(row, downloads, mirror_of(config)) for row in select(rows, corpus, split, "en")]

    def texts(corpus: str, split: str) -> list[list[str]]:
        return [list(read_lines(file)) for file in files(corpus, split)]

    anchors = worked
    for corpus, what in ((HEADLINES, "headlines"), (CONLL, "sentences"), (JFLEG, "sentences")):
        (outputs,) = texts(corpus, "outputs")
        if corpus == HEADLINES:
            name, found = "Gigaword", rouge_anchors(outputs, texts(corpus, "references")[0], numbers)
        elif corpus == CONLL:
            name, found = "CoNLL-2014", m2_anchors(outputs, files(corpus, "references")[0], numbers)
        else:
            (sources,) = texts(corpus, "sources")
            name, found = "JFLEG", gleu_anchors(outputs, sources, texts(corpus, "references"), numbers)
        print(f"\nOutputs of the PoDA authors for the {name} test set, {len(outputs):,} {what}\n")
        print(HEADER, *found, sep="\n", flush=True)
        anchors = [*anchors, *found]
    missed = [anchor for anchor in anchors if not anchor.held]
    if missed:
        print(
            f"{len(missed)} of {len(anchors)} anchors are missed: compare the installed versions of rouge-score, nltk, "
            "py-rouge, sacrebleu and sacremoses with pyproject.toml before scoring anything",
            file=sys.stderr,
        )
        raise SystemExit(1)


if __name__ == "__main__":
    main()
