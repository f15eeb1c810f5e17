"""Pretrain a denoiser: a whole seq2seq model that restores text from noise (PoDA, Wang et al., 2019, Section 2).

    python -m seqpre.denoise --settings denoiser.json --train tokens/news --vocabulary words.tsv --output-dir denoiser

Reads a token store of segments, each corrupted anew every pass, validates on segments held out at the store's end, and
writes `model.safetensors` (the best validation perplexity of scored words), `model@<update>.safetensors` after each
update of `train.keep`, and `metrics.jsonl`. Killed at any moment, the same command goes on where it was. Exit status 75
means: told to stop, run it again to go on.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from seqpre.common.errors import DataError, command
from seqpre.common.files import read_json
from seqpre.corpora.token_store import TokenStore
from seqpre.corpora.words import Words
from seqpre.models.pointer import PointerGenerator
from seqpre.study.overrides import overridden
from seqpre.study.pretraining_settings import DenoiserSettings
from seqpre.study.settings import require_keys
from seqpre.training.checkpoint import fingerprint
from seqpre.training.denoising import DenoisingBatches
from seqpre.training.job import Job, add_job_arguments, start_job
from seqpre.training.loop import Trainer
from seqpre.training.noise import Unigrams
from seqpre.training.objectives import Labelled, nats_a_token
from seqpre.training.pretrained import finish, held_out_of


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Train one denoiser."""
    parser = argparse.ArgumentParser(
        prog="seqpre.denoise", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--settings", type=Path, required=True, help="denoiser.json: how it differs from the default settings"
    )
    parser.add_argument("--train", type=Path, required=True, help="token store of its text, in segments")
    parser.add_argument("--vocabulary", type=Path, required=True, help="words.tsv of this text")
    parser.add_argument("--output-dir", type=Path, required=True, help="where model.safetensors and metrics.jsonl go")
    add_job_arguments(parser)
    args = parser.parse_args(argv)
    job = start_job(args)
    job.end(denoise(args, job))


def denoise(args: argparse.Namespace, job: Job) -> bool:
    """Train one denoiser; return whether it came to its end."""
    declared = read_json(args.settings)
    require_keys(declared, ("name", "settings"), str(args.settings))
    settings: DenoiserSettings = overridden(DenoiserSettings(), declared["settings"], str(args.settings))
    train, vocabulary, store = settings.train, Words(args.vocabulary), TokenStore(args.train)
    if store.fingerprint != vocabulary.fingerprint:
        raise DataError(f"{store.path}: was encoded with another vocabulary than {vocabulary.path}; encode it again")
    held_out = held_out_of(len(store), train.held_out, args.train, "segments")
    torch.manual_seed(settings.seed)
    model = PointerGenerator(vocabulary.size, settings.transformer).to(job.device)
    unigrams, sequences = Unigrams.of(vocabulary.counts_W), np.arange(len(store))
    text = store, unigrams, vocabulary.size
    data = DenoisingBatches(
        *text, sequences[:-held_out], 1, settings.seed, max_length=train.max_length, budget=train.batch_tokens
    )
    valid, whole = (
        DenoisingBatches(*text, sequences[-held_out:], 64, 0, max_length=train.max_length, masked=masked)
        for masked in (True, False)
    )

    def validate() -> dict[str, float]:
        # Unstated: whether the perplexity printed, 6.8, is of scored words or of all. Both are measured.
        loss, of_all = (nats_a_token(model, data, job.device, job.processes) for data in (valid, whole))
        return {
            "valid_loss": loss,
            "valid_perplexity": math.exp(min(loss, 700)),
            "perplexity_of_all_words": math.exp(min(of_all, 700)),
        }

    trainer = Trainer(
        model,
        [Labelled(model, data, job.device, job.processes, train.tokens_per_update, train.precision)],
        settings.optimizer,
        train,
        train.max_updates,
        train.validate_every,
        validate,
        args.output_dir / "checkpoints",
        fingerprint({"settings": settings.identity(), "text": [store.fingerprint, store.content]}),
        {
            "kind": "seq2seq",
            "vocab_size": vocabulary.size,
            "transformer": asdict(settings.transformer),
            "subwords": vocabulary.fingerprint,
        },
        f"denoiser {declared['name']}",
        job.board(f"lms/{declared['name']}"),
        job,
        train.keep,
    )
    return finish(
        trainer,
        args.settings,
        args.output_dir,
        lambda progress: {
            "segments_too_long": data.too_long,
            "epochs": data.epoch,
            "padding_share": round(data.padding / max(1, data.cells), 4),
        },
    )


if __name__ == "__main__":
    main()
