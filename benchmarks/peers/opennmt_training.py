"""Train OpenNMT-py's LSTM by its own training command, stopping between updates to answer for windows of work.

    .peers/opennmt/bin/python peers/opennmt_training.py FOLDER UPDATES_A_WINDOW

FOLDER is what corpus.py wrote. Counted are the target tokens that the toolkit itself counts, EOS included.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from onmt.bin.train import train
from onmt.opts import train_opts
from onmt.trainer import Trainer
from onmt.utils.parse import ArgumentParser
from worker import Answers


def options(folder: Path, *more: str) -> Namespace:
    """Return the options of a 2 + 2-layer LSTM of 512 with input feeding."""
    config = folder / "opennmt.yaml"
    config.write_text(
        f"data: {{corpus: {{path_src: {folder}/source.txt, path_tgt: {folder}/target.txt}}}}\n"
        f"save_model: {folder}/opennmt\nsrc_vocab: {folder}/vocabulary.txt\ntgt_vocab: {folder}/vocabulary.txt\n"
        "src_vocab_size: 8000\ntgt_vocab_size: 8000\nvocab_size_multiple: 1\n"
        "encoder_type: rnn\ndecoder_type: rnn\nrnn_type: LSTM\nlayers: 2\nword_vec_size: 256\nhidden_size: 512\n"
        "global_attention: general\ninput_feed: 1\ndropout: [0.1]\n"
        "batch_type: sents\nbatch_size: 64\nbucket_size: 29000\nnum_workers: 0\nworld_size: 1\n"
        "optim: adam\nlearning_rate: 0.001\nmax_grad_norm: 1.0\nreport_every: 1000000\n"
        "train_steps: 1000000\nvalid_steps: 1000000\nsave_checkpoint_steps: 1000000\nseed: 1\n",
        encoding="utf-8",
    )
    parser = ArgumentParser()
    train_opts(parser)
    found, _ = parser.parse_known_args(["--config", str(config), *more])
    return found


def main() -> None:
    folder, updates = Path(sys.argv[1]), int(sys.argv[2])
    answers = Answers()
    accumulate = Trainer._gradient_accumulation
    done = words = 0

    def one_update(trainer: Trainer, batches: object, normalization: object, total: Namespace, report: object) -> None:
        nonlocal done, words
        if done == 0 and not words:
            parameters = sum(p.numel() for p in trainer.model.parameters() if p.requires_grad)
            answers.ready(tool="opennmt", parameters=parameters)
            if not answers.wait():
                raise SystemExit
        accumulate(trainer, batches, normalization, total, report)
        done += 1
        if done == updates:
            answers.done(total.n_words - words)
            done, words = 0, total.n_words
            if not answers.wait():
                raise SystemExit

    Trainer._gradient_accumulation = one_update
    train(options(folder))


if __name__ == "__main__":
    main()
