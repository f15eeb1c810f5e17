"""The pointer-generator beside the plain Transformer of equal size: training and beam search per CPU second.

    python benchmarks/pointer.py

The sizes of transformer_training.py, and the same batches; the pointer-generator has a copy attention and three linear
layers besides, and mixes two distributions. A third training is a denoiser's, on the target side of the same text: it
reads a noisy sequence, writes the clean one and, with the published noise, is scored on half of its words. Searches are
those of transformer_beam_search.py, with beams of 10.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from corpus import BEAM_BATCH, VOCABULARY, mean_lengths, of_one_length, prepare, search_batches, stores
from gemm_ceiling import BATCH, BEAM, FOLDER
from side_by_side import Tool, arguments, measure, report, table
from transformer_training import SETTINGS
from updates import Updates, trained_parameters
from worker import Answers

from seqpre.common.device import device_of
from seqpre.models.build import build
from seqpre.models.family import Seq2SeqModel
from seqpre.search import Limits, beam_search
from seqpre.study.models import PointerGeneratorSettings
from seqpre.study.typed import as_kind
from seqpre.training.batches import PairBatches
from seqpre.training.denoising import DenoisingBatches
from seqpre.training.noise import Unigrams
from seqpre.training.objectives import CrossEntropy
from seqpre.training.processes import Processes

MODELS = {"plain": SETTINGS, "pointer": as_kind(SETTINGS, PointerGeneratorSettings)}


def model_of(name: str) -> Seq2SeqModel:
    torch.manual_seed(1)
    return build(MODELS[name], VOCABULARY)


class WrittenTokens(CrossEntropy):
    """Counts all target tokens, whether they are scored or not."""

    def next_losses(self):  # type: ignore[no-untyped-def]
        for loss, _ in super().next_losses():
            yield loss, self.written

    def read(self, batch) -> None:  # type: ignore[no-untyped-def]
        self.written = int((batch.targets_BT != 0).sum())


def train(name: str, text: str, updates: int) -> None:
    """Answer requests for windows of updates."""
    model, (source, target) = model_of(name), stores(FOLDER)
    data = PairBatches(source, target, BATCH, seed=1, max_length=100)
    if text == "noise":
        unigrams = Unigrams.of(np.ones(VOCABULARY - 4, dtype=np.int64))
        data = DenoisingBatches(target, unigrams, VOCABULARY, np.arange(len(target)), BATCH, 1, 100)
    objective = WrittenTokens(model, data, Processes())
    following = data.next

    def counted():  # type: ignore[no-untyped-def]
        batch = following()
        objective.read(batch)
        return batch

    data.next = counted  # type: ignore[method-assign]
    answers = Answers()
    answers.ready(tool=name, parameters=trained_parameters(model, objective))
    answers.serve(Updates(model, objective, updates))


def search(name: str, count: int) -> None:
    """Answer requests for windows of `count` times all batches."""
    model = model_of(name).eval()
    batches = [
        (torch.from_numpy(sources), int(lengths[0])) for sources, lengths in of_one_length(search_batches(FOLDER))
    ]

    def window() -> float:
        for source_BS, length in batches * count:
            lengths_B = torch.full((len(source_BS),), source_BS.shape[1])
            beam_search([model], source_BS, lengths_B, BEAM, Limits(min_length=length, max_length=length))
        return count * len(batches) * BEAM_BATCH

    answers = Answers()
    answers.ready(tool=name)
    answers.serve(window)


def main() -> None:
    args = arguments(__doc__, windows=6, work=6, what="updates, or a third as many times all searches,").parse_args()
    if args.worker:
        torch.set_num_threads(1)
        device_of("cpu")
        what, name, text = args.worker.split("/")
        return train(name, text, args.work) if what == "train" else search(name, max(1, args.work // 3))
    prepare(FOLDER)

    def tool(title: str, worker: str) -> Tool:
        return Tool(title, [sys.executable, Path(__file__), "--worker", worker, "--work", args.work])

    training = [
        tool("plain Transformer", "train/plain/pairs"),
        tool("pointer-generator", "train/pointer/pairs"),
        tool("pointer-generator, denoising", "train/pointer/noise"),
    ]
    searching = [tool("plain Transformer", "search/plain/"), tool("pointer-generator", "search/pointer/")]
    measure(training, args.windows)
    measure(searching, args.windows)
    body = f"## Training\n\n{table(training, 'target tokens', training[:1])}\n\n"
    body += f"## Beam search\n\n{table(searching, 'sentences', searching[:1])}"
    report("pointer", "The pointer-generator beside the plain Transformer", body, NOTES.format(*mean_lengths(FOLDER)))


NOTES = """
Sentences of {:.1f} source and {:.1f} target tokens, 8,000 words. Target tokens are all that are written, scored or not.
"""

if __name__ == "__main__":
    main()
