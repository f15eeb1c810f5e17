"""Hold the scorers against numbers that are known, before any model is judged.

    python -m seqpre.anchors

Start it in the folder of the Snakefile. First come small cases whose right answers are known; they need no download.
Then it fetches the PoDA authors' outputs for the Gigaword test set and their references (200 kB, from `mirror` or their
own address) and scores them with both stemmers. Exit status 1: an anchor is missed, so scores of this installation
cannot be set against published ones.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from seqpre.common.errors import ConfigError, command
from seqpre.common.files import read_lines
from seqpre.corpora.catalog import read_catalog, select
from seqpre.corpora.download import fetch
from seqpre.metrics.rouge import NLTK, ROUGE_155, Stemmer, rouge
from seqpre.metrics.traps import HEADER, Anchor, traps
from seqpre.report.published import PublishedNumber, load_published, of_study
from seqpre.study.configuration import read_configuration

CORPUS = "poda_gigaword"
# No paper prints these: they are what rouge-score 0.1.2 gives for the same files with `use_stemmer=True`.
RECORDED = {"rouge_1": "38.27", "rouge_2": "19.08", "rouge_l": "35.43"}


def rouge_anchors(
    outputs: Sequence[str], references: Sequence[str], published: Sequence[PublishedNumber]
) -> list[Anchor]:
    """Return the PoDA row of Wang et al. (2019), Table 4, and rouge-score's own figures for the same outputs."""
    rows = [row for row in of_study(published, "poda-headlines", "Table 4") if row.system == "full"]
    printed = {metric: next(row.printed for row in rows if row.metric == metric) for metric in RECORDED}
    known: tuple[tuple[Stemmer, dict[str, str], str], ...] = (
        (ROUGE_155, printed, "Wang et al. (2019), Table 4"),
        (NLTK, RECORDED, "rouge-score 0.1.2"),
    )
    anchors = []
    for stemmer, values, origin in known:
        scores = rouge(outputs, references, stemmer)
        anchors += [Anchor(stemmer, metric, value, origin, scores[metric].score) for metric, value in values.items()]
    return anchors


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Fetch, score, print the table; exit status 1 where an anchor is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m seqpre.anchors", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", type=Path, default=Path("config.yaml"), help="default: config.yaml")
    args = parser.parse_args(argv)
    config = read_configuration(args.config)
    catalog, published = Path("workflow/corpora.tsv"), Path("workflow/published.tsv")
    if not catalog.is_file():
        raise ConfigError(f"{catalog} is not here; start this in the folder of the Snakefile")
    worked = list(traps())
    print("Small cases, worked out by hand or by the official program\n")
    print(HEADER, *worked, sep="\n", flush=True)
    mirror = os.environ.get("SEQPRE_MIRROR") or config["mirror"]
    outputs, references = (
        list(read_lines(fetch(row, Path(config["results"]) / "downloads", mirror)))
        for split in ("outputs", "references")
        for row in select(read_catalog(catalog), CORPUS, split, "en")
    )
    anchors = rouge_anchors(outputs, references, load_published(published))
    print(f"\nOutputs of the PoDA authors for the Gigaword test set, {len(outputs):,} headlines\n")
    print(HEADER, *anchors, sep="\n")
    anchors += worked
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
