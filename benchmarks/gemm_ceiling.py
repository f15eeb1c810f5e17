"""The matrix products of each piece alone: what remains if all else costs nothing.

    python benchmarks/gemm_ceiling.py

A product that waits for the previous step is counted once a step, at the batch's size; every other one once for all
steps together. Forward and backward: the gradient of a layer's input is one more product, that of its weights another.
Each product is computed by the fastest of what PyTorch has for it, torch.mm, oneDNN, or oneDNN on a
right side packed before.
The other scripts run the same products in turns with the tools, and quote speeds as a share of them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import torch
from corpus import BEAM_BATCH, SEARCH_BATCHES, VOCABULARY, mean_lengths, of_one_length, prepare, search_batches
from side_by_side import WORK, Tool, arguments, measure, report
from torch import Tensor
from worker import Answers

from seqpre.models.kernels import products

EMBEDDING, HIDDEN = 256, 512
BATCH = 64
LM_STREAMS, LM_BPTT = 64, 16
BEAM = 10
DIM, FF_DIM, HEADS, LAYERS = 256, 1024, 4, 3
FOLDER = WORK / "pairs"

Product = tuple[int, int, int, int, int]
"""How often; how many at a time (1: a plain product); and M, K, N of (M x K) (K x N)."""


def together(rows: int, inputs: int, outputs: int) -> Iterator[Product]:
    """A linear layer over all steps at once: forward, gradient of its input, gradient of its weights."""
    yield 1, 1, rows, inputs, outputs
    yield 1, 1, rows, outputs, inputs
    yield 1, 1, outputs, rows, inputs


def stepped(steps: int, batch: int, inputs: int, outputs: int) -> Iterator[Product]:
    """A linear layer whose input comes from the step before; its weights' gradient needs no steps."""
    yield steps, 1, batch, inputs, outputs
    yield steps, 1, batch, outputs, inputs
    yield 1, 1, outputs, steps * batch, inputs


def attention(steps: int, batch: int, positions: int, keys: int, values: int) -> Iterator[Product]:
    """Scores and contexts step by step, forward and backward; the gradients of keys and values at once."""
    for inputs, outputs in ((keys, positions), (positions, values), (values, positions), (positions, keys)):
        yield steps, batch, 1, inputs, outputs
    yield 1, batch, positions, steps, keys
    yield 1, batch, positions, steps, values


def lm_training() -> Iterator[Product]:
    rows = LM_STREAMS * LM_BPTT
    yield from together(rows, HIDDEN, 4 * HIDDEN)
    yield from stepped(LM_BPTT, LM_STREAMS, HIDDEN, 4 * HIDDEN)
    yield from together(rows, HIDDEN, VOCABULARY)


def our_training(positions: int, steps: int) -> Iterator[Product]:
    """Two LSTM layers a side; the second of the decoder is fed a context of 1,024 (first and top encoder layer)."""
    gates, context = 4 * HIDDEN, 2 * HIDDEN
    for length in (positions, steps):
        yield from together(length * BATCH, EMBEDDING, gates)
        yield from stepped(length, BATCH, HIDDEN, gates)
        yield from together(length * BATCH, HIDDEN, gates)
    yield from stepped(positions, BATCH, HIDDEN, gates)
    yield from stepped(steps, BATCH, context + HIDDEN, gates)
    yield from attention(steps, BATCH, positions, HIDDEN, context)
    yield from together(steps * BATCH, HIDDEN + context, HIDDEN)
    yield from together(steps * BATCH, HIDDEN, VOCABULARY)


def opennmt_training(positions: int, steps: int) -> Iterator[Product]:
    """Two LSTM layers a side; the first of the decoder is fed the attentional vector, which is made in every step."""
    gates = 4 * HIDDEN
    yield from together(positions * BATCH, EMBEDDING, gates)
    yield from together(positions * BATCH, HIDDEN, gates)
    yield from stepped(positions, BATCH, HIDDEN, gates)
    yield from stepped(positions, BATCH, HIDDEN, gates)
    yield from together(steps * BATCH, EMBEDDING, gates)
    yield from stepped(steps, BATCH, HIDDEN + HIDDEN, gates)
    yield from stepped(steps, BATCH, HIDDEN + HIDDEN, gates)
    yield from stepped(steps, BATCH, HIDDEN, HIDDEN)
    yield from attention(steps, BATCH, positions, HIDDEN, HIDDEN)
    yield from stepped(steps, BATCH, 2 * HIDDEN, HIDDEN)
    yield from together(steps * BATCH, HIDDEN, VOCABULARY)


def our_search() -> Iterator[Product]:
    """The first step has one hypothesis a sentence; contexts are mapped before it, at every source position."""
    gates, context = 4 * HIDDEN, 2 * HIDDEN
    for sources, lengths in search_batches(FOLDER):
        sentences, positions = sources.shape
        yield from encoder_forward(sentences, positions)
        yield 1, 1, sentences * positions, context, gates + HIDDEN
        for step in range(lengths.max()):
            unfinished, beam = int((lengths > step).sum()), BEAM if step else 1
            for inputs, outputs in (
                (EMBEDDING + HIDDEN, gates),
                (HIDDEN + HIDDEN, gates),
                (HIDDEN, HIDDEN),
                (HIDDEN, VOCABULARY),
            ):
                yield 1, 1, unfinished * beam, inputs, outputs
            yield 1, unfinished, beam, HIDDEN, positions
            yield 1, unfinished, beam, positions, gates + HIDDEN


def opennmt_search() -> Iterator[Product]:
    gates = 4 * HIDDEN
    for sources, lengths in search_batches(FOLDER):
        sentences, positions = len(sources), sources.shape[1] - 1
        yield from encoder_forward(sentences, positions)
        for step in range(lengths.max()):
            unfinished = int((lengths > step).sum())
            for inputs, outputs in (
                (EMBEDDING + HIDDEN + HIDDEN, gates),
                (HIDDEN + HIDDEN, gates),
                (HIDDEN, HIDDEN),
                (2 * HIDDEN, HIDDEN),
                (HIDDEN, VOCABULARY),
            ):
                yield 1, 1, unfinished * BEAM, inputs, outputs
            yield 1, unfinished, BEAM, HIDDEN, positions
            yield 1, unfinished, BEAM, positions, HIDDEN


def transformer_training(positions: int, steps: int) -> Iterator[Product]:
    """Three layers a side, normalised before each sub-layer; every product waits for no step."""

    def attended(queries: int, keys: int) -> Iterator[Product]:
        """Scores and contexts; the gradients of weights and values, of queries and keys."""
        many, d = BATCH * HEADS, DIM // HEADS
        yield 1, many, queries, d, keys
        yield 1, many, queries, keys, d
        yield 1, many, queries, d, keys
        yield 1, many, keys, queries, d
        yield 1, many, queries, keys, d
        yield 1, many, keys, queries, d

    sources, targets = positions * BATCH, steps * BATCH
    for _ in range(LAYERS):
        for rows, length in ((sources, positions), (targets, steps)):
            yield from together(rows, DIM, 3 * DIM)
            yield from attended(length, length)
            yield from together(rows, DIM, DIM)
            yield from together(rows, DIM, FF_DIM)
            yield from together(rows, FF_DIM, DIM)
        yield from together(targets, DIM, DIM)
        yield from together(sources, DIM, 2 * DIM)
        yield from attended(steps, positions)
        yield from together(targets, DIM, DIM)
    yield from together(targets, DIM, VOCABULARY)


def transformer_search(beam: int) -> Iterator[Product]:
    """Every batch's outputs are of one length; the first step has one hypothesis a sentence."""
    d = DIM // HEADS
    for sources, lengths in of_one_length(search_batches(FOLDER)):
        sentences, positions = sources.shape
        for _ in range(LAYERS):
            for inputs, outputs in ((DIM, 3 * DIM), (DIM, DIM), (DIM, FF_DIM), (FF_DIM, DIM), (DIM, 2 * DIM)):
                yield 1, 1, sentences * positions, inputs, outputs
            yield 1, sentences * HEADS, positions, d, positions
            yield 1, sentences * HEADS, positions, positions, d
        for step in range(lengths.max()):
            rows = sentences * (beam if step else 1)
            for _ in range(LAYERS):
                for inputs, outputs in ((DIM, 3 * DIM), *((DIM, DIM),) * 3, (DIM, FF_DIM), (FF_DIM, DIM)):
                    yield 1, 1, rows, inputs, outputs
                yield 1, rows * HEADS, 1, d, step + 1
                yield 1, rows * HEADS, 1, step + 1, d
                yield 1, sentences * HEADS, rows // sentences, d, positions
                yield 1, sentences * HEADS, rows // sentences, positions, d
            yield 1, 1, rows, DIM, VOCABULARY


def encoder_forward(sentences: int, positions: int) -> Iterator[Product]:
    for inputs in (EMBEDDING, HIDDEN):
        yield 1, 1, positions * sentences, inputs, 4 * HIDDEN
        yield positions, 1, sentences, HIDDEN, 4 * HIDDEN


def pieces(positions: int, steps: int) -> dict[str, tuple[Callable[[], Iterator[Product]], str, int, str]]:
    """Return each piece's products, whose model it is, how much work they are, and its unit."""
    tokens = BATCH * steps
    sentences = SEARCH_BATCHES * BEAM_BATCH
    return {
        "lm": (lm_training, "lm", LM_STREAMS * LM_BPTT, "tokens"),
        "ours": (lambda: our_training(positions, steps), "first_and_top", tokens, "target tokens"),
        "opennmt": (lambda: opennmt_training(positions, steps), "opennmt", tokens, "target tokens"),
        "our_search": (our_search, "first_and_top", sentences, "sentences"),
        "opennmt_search": (opennmt_search, "opennmt", sentences, "sentences"),
        "transformer": (lambda: transformer_training(positions, steps), "transformer", tokens, "target tokens"),
        "transformer_beam_10": (lambda: transformer_search(BEAM), "transformer", sentences, "sentences"),
        "transformer_beam_1": (lambda: transformer_search(1), "transformer", sentences, "sentences"),
    }


@cache
def matrix(role: str, *shape: int) -> Tensor:
    """Return the matrix of this shape that plays this role, the same one each time."""
    return torch.randn(shape)


@cache
def call(many: int, m: int, k: int, n: int) -> tuple[Callable[[], object], float, float]:
    """Return the fastest way to compute `many` products (m x k) (k x n); the seconds of torch.mm, and of this way."""
    if many > 1:
        left, right, out = matrix("left", many, m, k), matrix("right", many, k, n), matrix("out", many, m, n)
        ways: list[Callable[[], object]] = [partial(torch.bmm, left, right, out=out)]
    else:
        left, right = matrix("left", m, k), matrix("right", k, n)
        ways = [partial(torch.mm, left, right, out=matrix("out", m, n))]
        if products.has_onednn(right):
            ways += [partial(products.product, left, right.t()), partial(packed(k, n), left)]
    taken = [seconds(way) for way in ways]
    return ways[taken.index(min(taken))], taken[0], min(taken)


@cache
def packed(k: int, n: int) -> products.Product:
    return products.product_with(matrix("right", k, n).t())


def seconds(way: Callable[[], object]) -> float:
    """Return the CPU seconds of the fastest of a few calls."""
    taken = []
    for _ in range(4):
        start = time.process_time()
        way()
        taken.append(time.process_time() - start)
    return min(taken)


def work(piece: str, repeats: int, positions: int, steps: int) -> None:
    """Answer requests for windows of `repeats` times the piece's products."""
    products.mkl_is_slow = lambda: True  # Asked everywhere, to compare.
    listed, tool, amount, _ = pieces(positions, steps)[piece]
    wanted = list(listed())
    flops = sum(2 * times * many * m * k * n for times, many, m, k, n in wanted)
    timed = [(times, *call(many, m, k, n)) for times, many, m, k, n in wanted]
    calls = [(times, way) for times, way, _, _ in timed]
    gain = sum(times * own for times, _, own, _ in timed) / sum(times * best for times, _, _, best in timed)

    def window() -> float:
        for _ in range(repeats):
            for times, product in calls:
                for _ in range(times):
                    product()
        return repeats * amount

    answers = Answers()
    answers.ready(tool=tool, gflop=flops / amount / 1e9, gain=gain)
    answers.serve(window)


def ceiling(piece: str, repeats: int, positions: int, steps: int, *, whose: str = "") -> Tool:
    """Return the contestant that computes a piece's products and nothing else."""
    command = [sys.executable, Path(__file__), "--worker", piece, "--work", repeats, "--lengths", positions, steps]
    return Tool(f"matrix products alone{whose and f', {whose}'}", command, ceiling=True)


def main() -> None:
    parser = arguments(__doc__, windows=5, work=2, what="repetitions of a batch's products")
    parser.add_argument("--lengths", type=int, nargs=2, metavar=("SOURCE", "TARGET"), help="tokens a sentence")
    args = parser.parse_args()
    if args.worker:
        torch.set_num_threads(1)
        return work(args.worker, args.work, *args.lengths)
    prepare(FOLDER)
    args.lengths = args.lengths or [round(length) for length in mean_lengths(FOLDER)]
    names = pieces(*args.lengths)
    tools = [ceiling(piece, args.work, *args.lengths, whose=f"{piece} ({names[piece][3]})") for piece in names]
    measure(tools, args.windows)
    lines = [
        "| piece | amount per CPU second: median [min, max] | MFLOP for one | GFLOP per CPU second "
        "| torch.mm alone takes |",
        "| --- | --- | --- | --- | --- |",
    ]
    for tool, (_, _, _, unit) in zip(tools, names.values(), strict=True):
        rates = sorted(tool.rates)
        median, gflop = rates[len(rates) // 2], tool.about["gflop"]
        lines.append(
            f"| {tool.name.split(', ')[1].split(' (')[0]} | {median:,.1f} {unit} [{rates[0]:,.1f}, {rates[-1]:,.1f}] "
            f"| {1000 * gflop:,.1f} | {gflop * median:.0f} | {tool.about['gain']:.2f} x |"
        )
    report("gemm_ceiling", "Matrix products alone", "\n".join(lines), NOTES.format(*args.lengths))


NOTES = """
Sizes: embeddings 256 (LM: 512), hidden 512, vocabulary 8,000; batches of 64 sentences of {} source and {} target
tokens; LM 64 streams of 16; beam 10 on four batches of 32 sentences, each until its target ends. `ours` attends over
first and top encoder layer and feeds their context of 1,024 back; `opennmt` attends over the top layer and feeds the
attentional vector of 512 back. The Transformer has three layers a side of 256 units, 4 heads
and 1,024 inner units; pairs and batches are as above.
"""

if __name__ == "__main__":
    main()
