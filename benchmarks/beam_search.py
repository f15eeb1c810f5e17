"""Beam search with the LSTM seq2seq model, beside OpenNMT-py: sentences per CPU second.

    python benchmarks/beam_search.py

Beam 10, batches of 32 sentences, the sizes of lstm_seq2seq_training.py. Both tools get the same batches, each of
sentences of one length, and every hypothesis is made to have 16 tokens, so that untrained weights do. Only the
translation of batches is timed: encoder and search, not reading text nor writing it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from corpus import VOCABULARY, mean_lengths, prepare, stores
from gemm_ceiling import BEAM, BEAM_BATCH, BEAM_LENGTH, ceiling
from lstm_seq2seq_training import FIRST_LAYER, FOLDER, MODEL
from side_by_side import HERE, OPENNMT, Tool, arguments, measure, report, require_opennmt, table
from torch import Tensor
from worker import Answers

import seqpre.search
from seqpre.corpora.subwords import EOS
from seqpre.models.lstm import Seq2Seq

BATCHES = 4
"""Different batches; further ones repeat them."""


def batches() -> list[Tensor]:
    """Return batches of sentences (S, B), ids with EOS, of four lengths around the mean."""
    source, _ = stores(FOLDER)
    middle = round(mean_lengths(FOLDER)[0])
    lengths = [middle + shift for shift in (-2, -1, 1, 2)]
    found = []
    for length in lengths[:BATCHES]:
        numbers = np.flatnonzero(source.lengths == length)[:BEAM_BATCH]
        found.append(torch.stack([torch.from_numpy(source[i].astype(np.int64)) for i in numbers], dim=1))
    return found


class FixedLength(seqpre.search.LSTMStepper):
    """Never ends before the last token, then always: the search itself stays as it is."""

    steps = 0

    def step(self, ids_R: Tensor) -> Tensor:
        logs_RV = super().step(ids_R)
        self.steps += 1
        if self.steps < BEAM_LENGTH:
            logs_RV[:, EOS] = float("-inf")
        else:
            logs_RV[:, :EOS] = logs_RV[:, EOS + 1 :] = float("-inf")
        return logs_RV


def work(count: int) -> None:
    """Answer requests for windows of `count` batches."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = Seq2Seq(VOCABULARY, VOCABULARY, FIRST_LAYER, MODEL).eval()
    seqpre.search.LSTMStepper = FixedLength  # type: ignore[misc]
    sources = batches()

    def window() -> float:
        for number in range(count):
            source_SB = sources[number % len(sources)]
            lengths_B = torch.full((source_SB.shape[1],), source_SB.shape[0])
            found = seqpre.search.beam_search([model], source_SB, lengths_B, BEAM)
            assert all(len(options) == BEAM for options in found)
            assert all(len(option.ids) == BEAM_LENGTH - 1 for options in found for option in options)
        return count * BEAM_BATCH

    answers = Answers()
    answers.ready(tool="ours", parameters=sum(parameter.numel() for parameter in model.parameters()))
    answers.serve(window)


def main() -> None:
    args = arguments(__doc__, windows=6, work=4, what="batches").parse_args()
    if args.worker:
        return work(args.work)
    require_opennmt()
    prepare(FOLDER)
    sources = batches()
    with (FOLDER / "batches.txt").open("w", encoding="utf-8") as file:
        file.writelines(" ".join(f"w{i}" for i in row[:-1]) + "\n" for source in sources for row in source.t().tolist())
    length = round(mean_lengths(FOLDER)[0])
    tools = [
        Tool("seqpre", [sys.executable, Path(__file__), "--worker", "ours", "--work", args.work]),
        Tool(
            "OpenNMT-py 3.5.1", [OPENNMT, HERE / "peers/opennmt_translation.py", FOLDER, args.work, BEAM, BEAM_LENGTH]
        ),
        ceiling("our_search", args.work, length, 0, whose="seqpre"),
        ceiling("opennmt_search", args.work, length, 0, whose="OpenNMT-py"),
    ]
    measure(tools, args.windows)
    report("beam_search", "Beam search", table(tools, "sentences", peer=tools[1]), NOTES.format(args.work))


NOTES = """
Beam 10, {} batches of 32 sentences a window, source lengths 13 to 17 with EOS (OpenNMT-py reads no EOS on the source
side: 12 to 16), 16 decoder steps in both. Weights are untrained; all weights of the file are counted, though 4.1 M of
ours, the encoder's softmax layer, play no part in decoding. Ours returns all ten hypotheses, OpenNMT-py
the best one. Natural lengths need trained weights and were not measured.
"""

if __name__ == "__main__":
    main()
