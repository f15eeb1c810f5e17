"""Reading a token store into training batches: tokens per CPU second, and the share of padding.

    python benchmarks/batch_reading.py

Sentence pairs of Multi30k's lengths in batches of 64, no model. Beside it what one would write in PyTorch: a Dataset of
pairs in memory, a DataLoader that shuffles them, pad_sequence.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import torch
from corpus import prepare, stores
from side_by_side import WORK, Tool, arguments, measure, report, table
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader
from worker import Answers

from seqpre.training.batches import LMStreams, PairBatches

FOLDER = WORK / "pairs"
BATCH, STREAMS, BPTT = 64, 64, 16


def plain_loader() -> Iterator[tuple[Tensor, Tensor]]:
    """Yield padded batches for ever."""
    sides = [[torch.from_numpy(store[i].astype("int64")) for i in range(len(store))] for store in stores(FOLDER)]

    def collate(pairs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
        source, target = zip(*pairs, strict=True)
        return pad_sequence(list(source)), pad_sequence(list(target))

    while True:
        yield from DataLoader(list(zip(*sides, strict=True)), BATCH, shuffle=True, collate_fn=collate)  # type: ignore[arg-type]


def work(name: str, count: int) -> None:
    """Answer requests for windows of `count` batches."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    pairs = PairBatches(*stores(FOLDER), BATCH, seed=1)
    streams = LMStreams(stores(FOLDER)[1].tokens, STREAMS, BPTT, seed=1)
    plain = plain_loader()

    def window() -> float:
        total = 0
        for _ in range(count):
            if name == "pairs":
                batch = pairs.next()
                total += int(batch.lengths_B.sum()) + batch.tokens
            elif name == "streams":
                total += streams.next()[1].numel()
            else:
                total += sum(int(side.count_nonzero()) for side in next(plain))
        return total

    answers = Answers()
    answers.ready(tool=name)
    answers.serve(window)


def padding() -> tuple[float, float]:
    """Return the share of cells that hold padding, in ours and in the plain loader's batches, over one pass."""
    pairs = PairBatches(*stores(FOLDER), BATCH, seed=1)
    while pairs.epoch == 0:
        pairs.next()
    torch.manual_seed(1)
    plain, cells, tokens = plain_loader(), 0, 0
    for _ in range(-(-len(stores(FOLDER)[0]) // BATCH)):
        for side in next(plain):
            cells, tokens = cells + side.numel(), tokens + int(side.count_nonzero())
    return pairs.padding / pairs.padded_tokens, 1 - tokens / cells


def main() -> None:
    args = arguments(__doc__, windows=7, work=450, what="batches").parse_args()
    if args.worker:
        return work(args.worker, args.work)
    about = prepare(FOLDER)
    command = [sys.executable, Path(__file__), "--work", args.work, "--worker"]
    tools = [
        Tool("seqpre, sentence pairs", [*command, "pairs"]),
        Tool("seqpre, LM streams of 16 tokens", [*command, "streams"]),
        Tool("DataLoader and pad_sequence", [*command, "plain"]),
    ]
    measure(tools, args.windows)
    ours, theirs = padding()
    notes = NOTES.format(about, ours, theirs, args.work)
    report("batch_reading", "Reading batches", table(tools, "tokens", peers=tools[2:]), notes)


NOTES = """
Data: {}. Padding: {:.1%} of the cells of a batch in ours, {:.1%} in the plain loader's. A window is {} batches.
"""

if __name__ == "__main__":
    main()
