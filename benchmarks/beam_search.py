"""Beam search with the LSTM seq2seq model, beside OpenNMT-py: sentences per CPU second.

    python benchmarks/beam_search.py

Beam 10, batches of 32 sentences, the sizes of lstm_seq2seq_training.py. Both tools get the same batches, each of
sentences of one source length, and every sentence's hypotheses are made to end where its target ends, so that untrained
weights write translations of natural lengths. Only the translation of batches is timed: encoder and search, not
reading text nor writing it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import torch
from corpus import BEAM_BATCH, VOCABULARY, prepare, search_batches
from gemm_ceiling import BEAM, ceiling
from lstm_seq2seq_training import FOLDER, MODEL
from side_by_side import HERE, OPENNMT, Tool, arguments, measure, report, require, table
from torch import Tensor
from worker import Answers

from seqpre.common.device import device_of
from seqpre.corpora.subwords import EOS
from seqpre.models.family import Stepper
from seqpre.models.lstm import Seq2Seq
from seqpre.search import beam_search


class GivenLengths:
    """A stepper that ends every hypothesis of a sentence at the sentence's own length; the search stays as it is."""

    def __init__(self, stepper: Stepper, lengths_B: Tensor) -> None:
        self.stepper, self.lengths_B, self.steps = stepper, lengths_B, 0
        self.start_id, self.suppressed_ids = stepper.start_id, stepper.suppressed_ids

    def step(self, ids_R: Tensor) -> Tensor:
        logs_RV = self.stepper.step(ids_R)
        self.steps += 1
        ends_R = (self.lengths_B == self.steps).repeat_interleave(len(ids_R) // len(self.lengths_B))
        logs_RV[:, EOS].masked_fill_(~ends_R, float("-inf"))
        ends = ends_R.nonzero()[:, 0]
        last = logs_RV[ends, EOS]
        logs_RV[ends] = float("-inf")
        logs_RV[ends, EOS] = last
        return logs_RV

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        self.stepper.select(rows_R, sentences_B)
        self.lengths_B = self.lengths_B[sentences_B]


class EndingAt:
    """A model whose outputs for one batch are as long as is given."""

    def __init__(self, model: Seq2Seq, targets_B: Tensor) -> None:
        self.model, self.targets_B = model, targets_B

    def stepper(self, source_BS: Tensor, lengths_B: Tensor) -> Stepper:
        return GivenLengths(self.model.stepper(source_BS, lengths_B), self.targets_B)


def work(attention: Literal["first_and_top", "top"], count: int) -> None:
    """Answer requests for windows of `count` times all batches."""
    torch.set_num_threads(1)
    device_of("cpu")
    torch.manual_seed(1)
    model = Seq2Seq(VOCABULARY, VOCABULARY, replace(MODEL, attention=attention)).eval()
    batches = [(torch.from_numpy(s), torch.from_numpy(t)) for s, t in search_batches(FOLDER)]

    def window() -> float:
        for source_BS, targets_B in batches * count:
            lengths_B = torch.full((len(source_BS),), source_BS.shape[1])
            found = beam_search([EndingAt(model, targets_B)], source_BS, lengths_B, BEAM)  # type: ignore[list-item]
            assert [[len(option.ids) + 1 for option in options] for options in found] == [
                [length] * BEAM for length in targets_B.tolist()
            ]
        return count * len(batches) * BEAM_BATCH

    answers = Answers()
    answers.ready(tool=attention, parameters=sum(parameter.numel() for parameter in model.parameters()))
    answers.serve(window)


def main() -> None:
    args = arguments(__doc__, windows=6, work=1, what="times all four batches").parse_args()
    if args.worker:
        return work(args.worker, args.work)
    require(OPENNMT)
    prepare(FOLDER)
    batches = search_batches(FOLDER)
    with (FOLDER / "batches.txt").open("w", encoding="utf-8") as file:
        file.writelines(
            " ".join(f"w{i}" for i in row[:-1]) + "\n" for sources, _ in batches for row in sources.tolist()
        )
    (FOLDER / "lengths.json").write_text(json.dumps([targets.tolist() for _, targets in batches]))
    tools = [
        Tool("seqpre", [sys.executable, Path(__file__), "--worker", "first_and_top", "--work", args.work]),
        Tool("seqpre, attention top only", [sys.executable, Path(__file__), "--worker", "top", "--work", args.work]),
        Tool("OpenNMT-py 3.5.1", [OPENNMT, HERE / "peers/opennmt_translation.py", FOLDER, args.work, BEAM]),
        ceiling("our_search", args.work, 0, 0, whose="seqpre"),
        ceiling("opennmt_search", args.work, 0, 0, whose="OpenNMT-py"),
    ]
    measure(tools, args.windows)
    sizes = [sources.shape[1] for sources, _ in batches], [int(targets.mean()) for _, targets in batches]
    report("beam_search", "Beam search", table(tools, "sentences", peers=tools[2:3]), NOTES.format(*sizes))


NOTES = """
Beam 10, batches of 32 sentences of {} source tokens with EOS (OpenNMT-py reads no EOS on the source side), target
lengths around {}; every hypothesis of a sentence ends at its target's length, in both. Weights are untrained; all
weights of the file are counted, though 4.1 M of ours, the encoder's softmax layer, play no part in decoding. Ours
returns all ten hypotheses, OpenNMT-py the best one. Trained models, whose hypotheses of one sentence end at different
lengths, were not measured.
"""

if __name__ == "__main__":
    main()
