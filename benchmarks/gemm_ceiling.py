"""The matrix products of each piece alone, by torch.mm: what remains if all else costs nothing.

    python benchmarks/gemm_ceiling.py

A product that waits for the previous step is counted once a step, at the batch's size; every other one once for all
steps together. Forward and backward: the gradient of a layer's input is one more product, that of its weights another.
The other scripts run the same products in turns with the tools, and quote speeds as a share of them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from corpus import VOCABULARY, mean_lengths, prepare
from side_by_side import CEILING, WORK, Tool, arguments, measure, report
from torch import Tensor
from worker import Answers

EMBEDDING, HIDDEN = 256, 512
BATCH = 64
LM_STREAMS, LM_BPTT = 64, 16
BEAM_BATCH, BEAM, BEAM_LENGTH = 32, 10, 16

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


def our_search(positions: int) -> Iterator[Product]:
    gates, context, rows = 4 * HIDDEN, 2 * HIDDEN, BEAM_BATCH * BEAM
    yield from encoder_forward(positions)
    for inputs, outputs in (
        (EMBEDDING + HIDDEN, gates),
        (HIDDEN + context + HIDDEN, gates),
        (HIDDEN + context, HIDDEN),
        (HIDDEN, VOCABULARY),
    ):
        yield BEAM_LENGTH, 1, rows, inputs, outputs
    yield BEAM_LENGTH, BEAM_BATCH, BEAM, HIDDEN, positions
    yield BEAM_LENGTH, BEAM_BATCH, BEAM, positions, context


def opennmt_search(positions: int) -> Iterator[Product]:
    gates, rows = 4 * HIDDEN, BEAM_BATCH * BEAM
    yield from encoder_forward(positions)
    for inputs, outputs in (
        (EMBEDDING + HIDDEN + HIDDEN, gates),
        (HIDDEN + HIDDEN, gates),
        (HIDDEN, HIDDEN),
        (2 * HIDDEN, HIDDEN),
        (HIDDEN, VOCABULARY),
    ):
        yield BEAM_LENGTH, 1, rows, inputs, outputs
    yield BEAM_LENGTH, BEAM_BATCH, BEAM, HIDDEN, positions
    yield BEAM_LENGTH, BEAM_BATCH, BEAM, positions, HIDDEN


def encoder_forward(positions: int) -> Iterator[Product]:
    for inputs in (EMBEDDING, HIDDEN):
        yield 1, 1, positions * BEAM_BATCH, inputs, 4 * HIDDEN
        yield positions, 1, BEAM_BATCH, HIDDEN, 4 * HIDDEN


def pieces(positions: int, steps: int) -> dict[str, tuple[Callable[[], Iterator[Product]], str, int, str]]:
    """Return each piece's products, whose model it is, how much work they are, and its unit."""
    tokens = BATCH * steps
    return {
        "lm": (lm_training, "lm", LM_STREAMS * LM_BPTT, "tokens"),
        "ours": (lambda: our_training(positions, steps), "first_and_top", tokens, "target tokens"),
        "opennmt": (lambda: opennmt_training(positions, steps), "opennmt", tokens, "target tokens"),
        "our_search": (lambda: our_search(positions), "ours", BEAM_BATCH, "sentences"),
        "opennmt_search": (lambda: opennmt_search(positions), "opennmt", BEAM_BATCH, "sentences"),
    }


def work(piece: str, repeats: int, positions: int, steps: int) -> None:
    """Answer requests for windows of `repeats` times the piece's products."""
    listed, tool, amount, _ = pieces(positions, steps)[piece]
    products = list(listed())
    flops = sum(2 * times * many * m * k * n for times, many, m, k, n in products)
    calls: list[tuple[int, Callable[..., Tensor], Tensor, Tensor, Tensor]] = []
    for times, many, m, k, n in products:
        shapes = ((m, k), (k, n), (m, n)) if many == 1 else ((many, m, k), (many, k, n), (many, m, n))
        left, right, out = (torch.randn(shape) for shape in shapes)
        calls.append((times, torch.mm if many == 1 else torch.bmm, left, right, out))

    def window() -> float:
        for _ in range(repeats):
            for times, product, left, right, out in calls:
                for _ in range(times):
                    product(left, right, out=out)
        return repeats * amount

    answers = Answers()
    answers.ready(tool=tool, gflop=flops / amount / 1e9)
    answers.serve(window)


def ceiling(piece: str, repeats: int, positions: int, steps: int, *, whose: str = "") -> Tool:
    """Return the contestant that computes a piece's products and nothing else."""
    command = [sys.executable, Path(__file__), "--worker", piece, "--work", repeats, "--lengths", positions, steps]
    return Tool(f"{CEILING}{whose and f', {whose}'}", command)


def main() -> None:
    parser = arguments(__doc__, windows=5, work=2, what="repetitions of a batch's products")
    parser.add_argument("--lengths", type=int, nargs=2, metavar=("SOURCE", "TARGET"), help="tokens a sentence")
    args = parser.parse_args()
    if not args.lengths:
        prepare(WORK / "pairs")
        args.lengths = [round(length) for length in mean_lengths(WORK / "pairs")]
    if args.worker:
        torch.set_num_threads(1)
        return work(args.worker, args.work, *args.lengths)
    names = pieces(*args.lengths)
    tools = [ceiling(piece, args.work, *args.lengths, whose=f"{piece} ({names[piece][3]})") for piece in names]
    measure(tools, args.windows)
    lines = [
        "| piece | amount per CPU second: median [min, max] | MFLOP for one | GFLOP per CPU second |",
        "| --- | --- | --- | --- |",
    ]
    for tool, (_, _, _, unit) in zip(tools, names.values(), strict=True):
        rates = sorted(tool.rates)
        median, gflop = rates[len(rates) // 2], tool.about["gflop"]
        lines.append(
            f"| {tool.name.split(', ')[1].split(' (')[0]} | {median:,.1f} {unit} [{rates[0]:,.1f}, {rates[-1]:,.1f}] "
            f"| {1000 * gflop:,.1f} | {gflop * median:.0f} |"
        )
    report("gemm_ceiling", "Matrix products alone", "\n".join(lines), NOTES.format(*args.lengths))


NOTES = """
Sizes: embeddings 256 (LM: 512), hidden 512, vocabulary 8,000; batches of 64 sentences of {} source and {} target
tokens; LM 64 streams of 16; beam 10 on batches of 32 and 16 steps. `ours` attends over first and top encoder layer and
feeds their context of 1,024 back; `opennmt` attends over the top layer and feeds the attentional vector of 512 back.
The products are PyTorch's `torch.mm` and `torch.bmm`; a library with faster ones would raise the ceiling.
"""

if __name__ == "__main__":
    main()
