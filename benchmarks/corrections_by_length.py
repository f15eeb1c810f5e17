"""How a study's corrections fare by the length of their sentences.

    python benchmarks/corrections_by_length.py results/small poda-correction

Systems with all pairs, outputs of the checkpoints that the study counts, means over seeds: how many sentences are left
as they are, how many words come out for a hundred that go in, and GLEU (expected) of the sentences of each length.
The first row is of the sources themselves.
"""

from __future__ import annotations

import argparse
import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from seqpre.common.files import read_lines
from seqpre.metrics.correction import Gold, read_gold
from seqpre.metrics.gleu import gleu
from seqpre.metrics.texts import normalised
from seqpre.study.load import load_study
from seqpre.study.study import declared_runs

STUDIES = Path(__file__).parents[1] / "workflow/studies"
LONGEST = (20, 40, 60, 1_000)
"""The most words of a sentence of each class."""


def classes(sources: Sequence[str]) -> list[list[int]]:
    """Return which sentences are of which length, in words."""
    found: list[list[int]] = [[] for _ in LONGEST]
    for number, source in enumerate(sources):
        found[next(i for i, most in enumerate(LONGEST) if len(source.split()) <= most)].append(number)
    return found


def fares(outputs: Sequence[str], gold: Gold, numbers: Sequence[int]) -> tuple[float, float, float]:
    """Return the share left as it is, words out for words in, both in %, and GLEU, of some sentences."""
    ours, sources = [outputs[i] for i in numbers], [gold.sources[i] for i in numbers]
    same = sum(one.split() == other.split() for one, other in zip(ours, sources, strict=True)) / len(numbers)
    words = sum(len(one.split()) for one in ours) / sum(len(one.split()) for one in sources)
    score = gleu(ours, sources, [[reference[i] for i in numbers] for reference in gold.references])
    return 100 * same, 100 * words, score["gleu_expected"].score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of one scale, such as results/small")
    parser.add_argument("study", help="the name of a study of corrections that has been run there")
    args = parser.parse_args()
    study = load_study(STUDIES / f"{args.study}.yaml", args.results.name)
    texts = args.results / "corpora" / study.corpora["bitext"] / "raw"
    for split in ("valid", *study.tests):
        gold = read_gold(texts / f"{split}.source", texts / f"{split}.target", texts / f"{split}_references.target")
        lengths = classes(gold.sources)
        found = defaultdict(list, {"sources as they are": [[fares(gold.sources, gold, one) for one in lengths]]})
        for run in declared_runs(study):
            folder = args.results / study.name / "runs" / run.system / run.fraction / f"seed{run.seed}"
            file = folder / "hypotheses" / study.selection / f"{split}.txt"
            if run.fraction == "100pct" and file.exists():
                outputs = normalised(read_lines(file))
                found[study.labels[run.system]].append([fares(outputs, gold, one) for one in lengths])
        spans = [f"{low + 1} to {most}" for low, most in zip((0, *LONGEST[:-2]), LONGEST[:-1], strict=True)]
        spans.append(f"over {LONGEST[-2]}")
        titles = [f"{span} words ({len(one)})" for span, one in zip(spans, lengths, strict=True)]
        print(f"\n{split}: % left as they are · words out for 100 in · GLEU\n\n| system | {' | '.join(titles)} |")
        print(f"| --- |{' ---: |' * len(titles)}")
        for name, runs in found.items():
            means = [
                [statistics.mean(values) for values in zip(*cell, strict=True)] for cell in zip(*runs, strict=True)
            ]
            cells = (f"{same:.0f} · {words:.1f} · {score:.1f}" for same, words, score in means)
            print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
