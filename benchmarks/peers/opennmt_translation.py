"""Translate by OpenNMT-py's beam search, every hypothesis of the length wanted; the weights are untrained.

    .peers/opennmt/bin/python peers/opennmt_translation.py FOLDER TIMES_ALL_BATCHES_A_WINDOW BEAM

FOLDER is what corpus.py wrote, with batches.txt: one sentence a line, each 32 of them of one length; and lengths.json:
the length wanted, with EOS, of each batch's sentences.
Only the translation of a batch is timed (encoder and search), not the reading of text.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from onmt.bin.train import train
from onmt.inference_engine import InferenceEnginePY
from onmt.opts import translate_opts
from onmt.trainer import Trainer
from onmt.translate.beam_search import BeamSearchBase
from onmt.translate.translator import Translator
from onmt.utils.parse import ArgumentParser
from opennmt_training import options
from worker import Answers

BATCH = 32


def untrained(folder: Path) -> Path:
    """Let the toolkit save its model before the first update."""
    Trainer._gradient_accumulation = lambda *_: None
    train(options(folder, "--train_steps", "1", "--save_checkpoint_steps", "1"))
    return folder / "opennmt_step_1.pt"


def main() -> None:
    folder, (times, beam) = Path(sys.argv[1]), map(int, sys.argv[2:])
    lengths = [torch.tensor(batch) for batch in json.loads((folder / "lengths.json").read_text())]
    batches = times * len(lengths)
    answers = Answers()
    load = torch.load
    torch.load = lambda *args, **more: load(
        *args, **{"weights_only": False, **more}
    )  # Its files hold more than weights.
    parser = ArgumentParser()
    translate_opts(parser)
    longest = max(int(batch.max()) for batch in lengths)
    sizes = {"beam_size": beam, "max_length": longest, "batch_size": BATCH, "max_length_ratio": 0}
    opt = parser.parse_args(
        [
            "--model",
            str(untrained(folder)),
            "--src",
            str(folder / "batches.txt"),
            "--output",
            str(folder / "opennmt.out"),
        ]
        + [part for name, value in sizes.items() for part in (f"--{name}", str(value))]
    )
    ArgumentParser.validate_translate_opts(opt)
    ArgumentParser._get_all_transform_translate(opt)
    ArgumentParser._validate_transforms_opts(opt)
    ArgumentParser.validate_translate_opts_dynamic(opt)
    engine = InferenceEnginePY(opt)
    translate_batch = Translator.translate_batch
    done = sentences = 0

    def end_at_length(search: BeamSearchBase, log_probs: torch.Tensor) -> None:
        """Take the place of the smallest length: EOS, and only EOS, when a sentence has the length wanted."""
        ends = lengths[done % len(lengths)][search._batch_offset] == len(search)
        ends = ends.repeat_interleave(beam)
        log_probs[~ends, search.eos] = -1e20
        last = log_probs[ends, search.eos]
        log_probs[ends] = -1e20
        log_probs[ends, search.eos] = last

    BeamSearchBase.ensure_min_length = end_at_length

    def one_batch(translator: Translator, batch: dict[str, torch.Tensor], attn_debug: bool) -> object:
        nonlocal done, sentences
        if done == 0 and not answers.wait():
            raise SystemExit
        result = translate_batch(translator, batch, attn_debug)
        written = [len(ids) for options in result["predictions"] for ids in options]
        wanted = lengths[done % len(lengths)].tolist()
        assert sorted(written) in (sorted(wanted), sorted(length - 1 for length in wanted)), (written, wanted)
        done, sentences = done + 1, sentences + len(batch["srclen"])
        if done == batches:
            answers.done(sentences)
            done = sentences = 0
        return result

    Translator.translate_batch = one_batch
    answers.ready(tool="opennmt", parameters=sum(p.numel() for p in engine.translator.model.parameters()))
    while True:
        engine.infer_file()


if __name__ == "__main__":
    main()
