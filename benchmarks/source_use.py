"""How much the models of a study read their sources: validation loss with each pair's own source, and with another's.

    python benchmarks/source_use.py results/small ramachandran-summarization

Another's is that of the neighbour in the same batch, which is about as long. A model that ignores its source loses
nothing by that; what it loses, in nats a target subword, is what its source tells it. Beside it, how many of the
outputs for the first test are word for word a training target. Reads the checkpoints of lowest validation perplexity of
the study's runs, those that have been decoded.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import torch

from seqpre.common.files import read_lines
from seqpre.corpora.subwords import Subwords
from seqpre.corpora.token_store import TokenStore
from seqpre.decode import load_model
from seqpre.models.lstm import Seq2Seq
from seqpre.study.load import load_study
from seqpre.study.study import declared_runs
from seqpre.training.batches import PairBatches

STUDIES = Path(__file__).parents[1] / "workflow/studies"


def losses(model: Seq2Seq, data: PairBatches) -> tuple[float, float]:
    """Return nats a target subword with each pair's own source, and with that of its neighbour."""
    own = others = 0.0
    tokens = 0
    with torch.no_grad():
        for indices in data.all_batches():
            batch = data.collate(indices)
            own += float(model.loss(batch))
            neighbours = replace(batch, source_BS=batch.source_BS.roll(1, dims=0), lengths_B=batch.lengths_B.roll(1))
            others += float(model.loss(neighbours))
            tokens += batch.tokens
    return own / tokens, others / tokens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of one scale, such as results/small")
    parser.add_argument("study", help="the name of a study that has been run there")
    parser.add_argument("--fraction", default="100pct", help="share of the labelled data (default: %(default)s)")
    args = parser.parse_args()
    study = load_study(STUDIES / f"{args.study}.yaml", args.results.name)
    subwords = Subwords(args.results / "subwords" / study.name / "bpe.model")
    stores = [
        TokenStore(args.results / "tokens" / study.name / study.corpora["bitext"] / f"valid.{side}")
        for side in (study.source, study.target)
    ]
    known = set(read_lines(args.results / "text" / study.name / study.corpora["bitext"] / f"train.{study.target}"))
    found, repeated = defaultdict(list), defaultdict(list)
    for run in declared_runs(study):
        folder = args.results / study.name / "runs" / run.system / run.fraction / f"seed{run.seed}"
        outputs = folder / "hypotheses/perplexity" / f"{study.tests[0]}.txt"
        if run.fraction == args.fraction and outputs.exists():
            model = load_model(folder / "weights/perplexity.safetensors", subwords)
            data = PairBatches(*stores, 64, 0, max_source=run.settings.model.max_source)
            found[run.system].append(losses(model, data))
            repeated[run.system].append(100 * statistics.mean(line in known for line in read_lines(outputs)))

    print(
        "| system | perplexity, own source | perplexity, another's | nats a subword that the source tells, each seed |"
        " outputs that are training targets, % |"
    )
    print("| --- | ---: | ---: | ---: | ---: |")
    for system, pairs in sorted(found.items(), key=lambda item: statistics.mean(a - b for a, b in item[1])):
        own, others = (statistics.mean(map(math.exp, values)) for values in zip(*pairs, strict=True))
        told = ", ".join(f"{after - before:.2f}" for before, after in pairs)
        copies = ", ".join(f"{share:.1f}" for share in repeated[system])
        print(f"| {study.labels[system]} | {own:.1f} | {others:.0f} | {told} | {copies} |")


if __name__ == "__main__":
    main()
