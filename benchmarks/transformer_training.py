"""Training of the Transformer, beside fairseq: target tokens per CPU second.

    python benchmarks/transformer_training.py [--texts train.en train.de]

Both have three layers a side of 256 units, 4 heads, 1,024 inner units, each sub-layer normalised before, one matrix for
all embeddings and the softmax, dropout 0.1, label smoothing 0.1, 8,000 words, batches of 64 sentence pairs, Adam,
clipping at 1. fairseq runs its own training command; batches are made by each tool in its own way and inside what is
timed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from corpus import VOCABULARY, mean_lengths, prepare, stores
from gemm_ceiling import BATCH, DIM, FF_DIM, FOLDER, HEADS, LAYERS, ceiling
from side_by_side import FAIRSEQ, HERE, Tool, arguments, measure, report, require, table
from updates import Updates, trained_parameters
from worker import Answers

from seqpre.models.transformer import Transformer
from seqpre.study.models.transformer import TransformerSettings
from seqpre.training.batches import PairBatches
from seqpre.training.objectives import CrossEntropy
from seqpre.training.processes import Processes

SETTINGS = TransformerSettings(
    dim=DIM, ff_dim=FF_DIM, heads=HEADS, encoder_layers=LAYERS, decoder_layers=LAYERS, norm="pre", tied="all"
)
SMOOTHING = 0.1


def work(updates: int) -> None:
    """Answer requests for windows of our own updates."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Transformer(VOCABULARY, VOCABULARY, SETTINGS)
    model.label_smoothing = SMOOTHING
    objective = CrossEntropy(model, PairBatches(*stores(FOLDER), BATCH, seed=1, max_length=100), Processes())
    answers = Answers()
    answers.ready(tool="transformer", parameters=trained_parameters(model, objective))
    answers.serve(Updates(model, objective, updates))


def main() -> None:
    parser = arguments(__doc__, windows=6, work=8, what="updates")
    parser.add_argument(
        "--texts", type=Path, nargs=2, metavar=("SOURCE", "TARGET"), help="real text (default: generated)"
    )
    args = parser.parse_args()
    if args.worker:
        return work(args.work)
    require(FAIRSEQ)
    about = prepare(FOLDER, args.texts)
    lengths = [round(length) for length in mean_lengths(FOLDER)]
    tools = [
        Tool("seqpre", [sys.executable, Path(__file__), "--worker", "ours", "--work", args.work]),
        Tool("fairseq 0.12.2", [FAIRSEQ, HERE / "peers/fairseq_training.py", FOLDER, "transformer", args.work]),
        ceiling("transformer", args.work, *lengths),
    ]
    measure(tools, args.windows)
    report(
        "transformer_training",
        "Training of the Transformer",
        table(tools, "target tokens", peers=tools[1:2]),
        NOTES.format(about=about, source=lengths[0], target=lengths[1], updates=args.work),
    )


NOTES = """
Data: {about}. Target tokens count EOS and no padding. A window is {updates} updates of 64 pairs. The products alone
are those of batches of {source} source and {target} target tokens without padding, attention's among them
(`gemm_ceiling.py`). fairseq holds 2.4 M weights besides, for another way through its encoder, which training does not
take.
"""

if __name__ == "__main__":
    main()
