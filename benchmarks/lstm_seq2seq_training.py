"""Training of the LSTM seq2seq model with input feeding, beside OpenNMT-py and fairseq: target tokens per CPU second.

    python benchmarks/lstm_seq2seq_training.py [--texts train.en train.de]

Both have two LSTM layers of 512 a side, embeddings of 256, attention, input feeding, dropout 0.1, 8,000 words
a side, batches of 64 sentence pairs, Adam, clipping at 1. The peers run their own training commands; batches are made
by each tool in its own way and inside what is timed.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import torch
from corpus import VOCABULARY, mean_lengths, prepare, stores
from gemm_ceiling import ceiling
from side_by_side import FAIRSEQ, HERE, OPENNMT, WORK, Tool, arguments, measure, report, require, table
from updates import Updates, trained_parameters
from worker import Answers

from seqpre.models.lstm import Seq2Seq
from seqpre.study.models.lstm import FirstLayer, LSTMSettings
from seqpre.training.batches import PairBatches
from seqpre.training.objectives import CrossEntropy
from seqpre.training.processes import Processes

FOLDER = WORK / "pairs"
FIRST_LAYER = FirstLayer(embedding_dim=256, hidden_dim=512, projection_dim=0)
MODEL = LSTMSettings(FIRST_LAYER, upper_layers=1, upper_dim=512, dropout=0.1)
BATCH = 64


def work(attention: Literal["first_and_top", "top"], updates: int) -> None:
    """Answer requests for windows of our own updates."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Seq2Seq(VOCABULARY, VOCABULARY, replace(MODEL, attention=attention))
    pairs = PairBatches(*stores(FOLDER), BATCH, seed=1, max_length=100)
    objective = CrossEntropy(model, pairs, Processes())
    answers = Answers()
    answers.ready(tool=attention, parameters=trained_parameters(model, objective))
    answers.serve(Updates(model, objective, updates))


def main() -> None:
    parser = arguments(__doc__, windows=6, work=4, what="updates")
    parser.add_argument(
        "--texts", type=Path, nargs=2, metavar=("SOURCE", "TARGET"), help="real text (default: generated)"
    )
    args = parser.parse_args()
    if args.worker:
        return work(args.worker, args.work)
    require(OPENNMT, FAIRSEQ)
    about = prepare(FOLDER, args.texts)
    lengths = [round(length) for length in mean_lengths(FOLDER)]
    tools = [
        Tool("seqpre", [sys.executable, Path(__file__), "--worker", "first_and_top", "--work", args.work]),
        Tool("seqpre, attention top only", [sys.executable, Path(__file__), "--worker", "top", "--work", args.work]),
        Tool("OpenNMT-py 3.5.1", [OPENNMT, HERE / "peers/opennmt_training.py", FOLDER, args.work]),
        Tool("fairseq 0.12.2", [FAIRSEQ, HERE / "peers/fairseq_training.py", FOLDER, "seq2seq", args.work]),
        ceiling("ours", args.work, *lengths, whose="seqpre"),
        ceiling("opennmt", args.work, *lengths, whose="OpenNMT-py"),
    ]
    measure(tools, args.windows)
    report(
        "lstm_seq2seq_training",
        "Training of the LSTM seq2seq model",
        table(tools, "target tokens", peers=tools[2:4]),
        NOTES.format(about=about, source=lengths[0], target=lengths[1], updates=args.work),
    )


NOTES = """
Data: {about}. Target tokens count EOS and no padding. A window is {updates} updates of 64 pairs.
Our model does more for each token: it attends over the first and the top encoder layer, so a context of 1,024 instead
of 512 is fed back and joined to the output. With attention over the top layer only it has OpenNMT-py's sizes. Its
encoder holds the softmax layer of a language model besides (4.1 M weights that this objective does not train, not
counted). The products alone are those of batches of {source} source and {target} target tokens without padding, each
model's own (`gemm_ceiling.py`).
"""

if __name__ == "__main__":
    main()
