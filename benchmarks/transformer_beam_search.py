"""Beam search with the Transformer, beside CTranslate2 in float32: sentences per CPU second.

    python benchmarks/transformer_beam_search.py

Beams of 10 and of 1, batches of 32 sentences, the sizes of transformer_training.py. Both tools get the same weights and
the same batches, each of sentences of one source length; every hypothesis of a batch is made as long as its targets are
in the mean, since CTranslate2 takes one length a batch. Only the translation of batches is timed: encoder and search.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from corpus import BEAM_BATCH, VOCABULARY, of_one_length, prepare, search_batches
from gemm_ceiling import BEAM, FOLDER, HEADS, ceiling
from safetensors.torch import save_file
from side_by_side import CTRANSLATE2, HERE, Tool, arguments, measure, report, require, table
from transformer_training import SETTINGS
from worker import Answers

from seqpre.common.device import device_of
from seqpre.models.transformer import Transformer, sinusoids
from seqpre.search import Limits, beam_search

BEAMS = BEAM, 1
WEIGHTS = FOLDER / "transformer.safetensors"


def untrained() -> Transformer:
    torch.manual_seed(1)
    return Transformer(VOCABULARY, VOCABULARY, SETTINGS).eval()


def work(beam: int, count: int) -> None:
    """Answer requests for windows of `count` times all batches."""
    torch.set_num_threads(1)
    device_of("cpu")
    model = untrained()
    batches = [
        (torch.from_numpy(sources), int(lengths[0])) for sources, lengths in of_one_length(search_batches(FOLDER))
    ]

    def window() -> float:
        for source_BS, length in batches * count:
            lengths_B = torch.full((len(source_BS),), source_BS.shape[1])
            found = beam_search([model], source_BS, lengths_B, beam, Limits(min_length=length, max_length=length))
            assert all([len(option.ids) for option in options] == [length] * beam for options in found)
        return count * len(batches) * BEAM_BATCH

    answers = Answers()
    answers.ready(tool="transformer", parameters=sum(parameter.numel() for parameter in model.parameters()))
    answers.serve(window)


def main() -> None:
    args = arguments(
        __doc__, windows=6, work=2, what="times all four batches, five times with a beam of one"
    ).parse_args()
    if args.worker:
        return work(int(args.worker), args.work)
    require(CTRANSLATE2)
    prepare(FOLDER)
    batches = of_one_length(search_batches(FOLDER))
    (FOLDER / "batches.json").write_text(
        json.dumps([{"sources": sources.tolist(), "length": int(lengths[0])} for sources, lengths in batches])
    )
    weights = {name: tensor.contiguous() for name, tensor in untrained().state_dict().items()}
    save_file({**weights, "positions": sinusoids(512, SETTINGS.dim)}, WEIGHTS, {"heads": str(HEADS)})
    tables = []
    for beam in BEAMS:
        times = args.work * (1 if beam > 1 else 5)
        tools = [
            Tool("seqpre", [sys.executable, Path(__file__), "--worker", beam, "--work", times]),
            Tool("CTranslate2 4.8.5", [CTRANSLATE2, HERE / "peers/ctranslate2_translation.py", FOLDER, times, beam]),
            ceiling(f"transformer_beam_{beam}", times, 0, 0),
        ]
        measure(tools, args.windows)
        tables.append(f"## Beam {beam}\n\n{table(tools, 'sentences', peers=tools[1:2])}")
    sizes = [sources.shape[1] for sources, _ in batches], [int(lengths[0]) for _, lengths in batches]
    report("transformer_beam_search", "Beam search with the Transformer", "\n\n".join(tables), NOTES.format(*sizes))


NOTES = """
Batches of 32 sentences of {} source tokens with EOS, outputs of {} subwords. Weights are untrained, the same in both,
in float32. Both return all hypotheses of the beam.
"""

if __name__ == "__main__":
    main()
