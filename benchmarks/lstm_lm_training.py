"""Training of the LSTM language model, beside fairseq and the loop one would write in PyTorch: tokens per CPU second.

    python benchmarks/lstm_lm_training.py

One layer of 512, embeddings of 512, 8,000 words, dropout 0.1, 64 streams of contiguous text, 16 tokens at a time, state
carried over, Adam, clipping at 1. The loop is nn.Embedding, nn.LSTM, nn.Linear and F.cross_entropy with the optimiser's
defaults, in the same environment, on the same stream. fairseq runs its own training command on blocks of 16 tokens.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from corpus import VOCABULARY, prepare, stores
from gemm_ceiling import ceiling
from side_by_side import FAIRSEQ, HERE, WORK, Tool, arguments, measure, report, require, table
from torch import nn
from updates import Updates, trained_parameters
from worker import Answers

from seqpre.models.lstm import LSTMLanguageModel
from seqpre.study.models.lstm import FirstLayer
from seqpre.training.batches import LMStreams
from seqpre.training.objectives import LanguageModelling
from seqpre.training.processes import Processes

FOLDER = WORK / "pairs"
DIM, STREAMS, BPTT, DROPOUT = 512, 64, 16, 0.1


def work_ours(updates: int) -> None:
    """Answer requests for windows of our own updates."""
    model = LSTMLanguageModel(VOCABULARY, FirstLayer(DIM, DIM, 0), DROPOUT)
    streams = LMStreams(stores(FOLDER)[1].tokens, STREAMS, BPTT, seed=1)
    objective = LanguageModelling("lm", model, streams, 1.0, Processes(), "STREAMS")
    answers = Answers()
    answers.ready(tool="lm", parameters=trained_parameters(model, objective))
    answers.serve(Updates(model, objective, updates))


class PlainLanguageModel(nn.Module):
    """The language model of a tutorial."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, DIM)
        self.lstm = nn.LSTM(DIM, DIM)
        self.dropout = nn.Dropout(DROPOUT)
        self.output = nn.Linear(DIM, VOCABULARY)

    def forward(
        self, ids: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor] | None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        hidden, state = self.lstm(self.dropout(self.embedding(ids)), state)
        return self.output(self.dropout(hidden)), state


def work_plain(updates: int) -> None:
    """Answer requests for windows of the plain loop's updates."""
    model = PlainLanguageModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    streams = LMStreams(stores(FOLDER)[1].tokens, STREAMS, BPTT, seed=1)
    state = None

    def window() -> float:
        nonlocal state
        total = 0
        for _ in range(updates):
            ids, targets = (side.t() for side in streams.next())
            optimizer.zero_grad()
            logits, (hidden, cell) = model(ids, state)
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            state = hidden.detach(), cell.detach()
            total += targets.numel()
        return total

    answers = Answers()
    answers.ready(tool="lm", parameters=sum(parameter.numel() for parameter in model.parameters()))
    answers.serve(window)


def main() -> None:
    args = arguments(__doc__, windows=7, work=8, what="updates").parse_args()
    if args.worker:
        torch.set_num_threads(1)
        torch.manual_seed(1)
        return {"ours": work_ours, "plain": work_plain}[args.worker](args.work)
    require(FAIRSEQ)
    about = prepare(FOLDER)
    tools = [
        Tool(name, [sys.executable, Path(__file__), "--worker", worker, "--work", args.work])
        for name, worker in (("seqpre", "ours"), ("torch nn.LSTM, plain loop", "plain"))
    ]
    tools.append(Tool("fairseq 0.12.2", [FAIRSEQ, HERE / "peers/fairseq_training.py", FOLDER, "lm", args.work]))
    tools.append(ceiling("lm", args.work, 0, 0))
    measure(tools, args.windows)
    report(
        "lstm_lm_training",
        "Training of the LSTM language model",
        table(tools, "tokens", peers=tools[1:3]),
        NOTES.format(about, args.work),
    )


NOTES = """
Data: the target side of {}. A window is {} updates of 64 x 16 tokens.
"""

if __name__ == "__main__":
    main()
