"""The softmax layer at 90,000 subwords, beside the plain loss: positions per CPU second, and peak memory.

    python benchmarks/large_vocabulary.py

Forward and backward of a softmax layer over 512 features and its summed cross-entropy, at two numbers of positions. The
plain loss is F.linear and F.cross_entropy, which hold the logits of all positions, and their gradient.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from side_by_side import Tool, arguments, measure, report, table
from worker import Answers

from seqpre.common.device import device_of
from seqpre.models.kernels.softmax import cross_entropy

VOCABULARY, DIM = 90_000, 512
POSITIONS = (512, 2048)


def work(name: str, positions: int) -> None:
    """Answer requests for windows of one forward and backward pass."""
    torch.set_num_threads(1)
    if name == "ours":
        device_of("cpu")  # As our commands do: it keeps freed memory.
    torch.manual_seed(1)
    features = torch.randn(positions, DIM, requires_grad=True)
    weight = torch.randn(VOCABULARY, DIM).mul_(0.01).requires_grad_()
    bias, targets = torch.zeros(VOCABULARY, requires_grad=True), torch.randint(VOCABULARY, (positions,))

    def window() -> float:
        if name == "ours":
            loss = cross_entropy(features, weight, bias, targets)
        else:
            loss = F.cross_entropy(F.linear(features, weight, bias), targets, reduction="sum")
        torch.autograd.grad(loss, (features, weight, bias))
        return positions

    answers = Answers()
    answers.ready(tool=name)
    answers.serve(window)


def main() -> None:
    parser = arguments(__doc__, windows=5, work=POSITIONS[0], what="positions")
    args = parser.parse_args()
    if args.worker:
        return work(args.worker, args.work)
    bodies = []
    for positions in POSITIONS:
        tools = [
            Tool(title, [sys.executable, Path(__file__), "--work", positions, "--worker", name])
            for title, name in (
                (f"seqpre, {positions:,} positions", "ours"),
                (f"plain, {positions:,} positions", "plain"),
            )
        ]
        measure(tools, args.windows)
        bodies.append(table(tools, "positions", peers=tools[1:]))
    report("large_vocabulary", "Softmax over 90,000 subwords", "\n\n".join(bodies), NOTES)


NOTES = """
Peak memory is the whole process's; the layer's weights and their gradient alone are 352 MiB.
"""

if __name__ == "__main__":
    main()
