"""Pretrain a denoiser: a whole seq2seq model that restores text from noise (PoDA, Wang et al., 2019, Section 2).

    python -m seqpre.denoise --settings denoiser.json --train tokens/news --vocabulary words.tsv --output-dir denoiser

Reads a token store of segments, each corrupted anew every pass, validates on segments held out at the store's end, and
writes `model.safetensors` (the best validation perplexity of scored words), `model@<update>.safetensors` after each
update of `train.keep`, and `metrics.jsonl`. Killed at any moment, the same command goes on where it was. Exit status 75
means: told to stop, run it again to go on.
"""

from __future__ import annotations

import argparse
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
from seqpre.study.overrides import overridden, require_keys
from seqpre.study.pretraining_settings import DenoiserSettings
from seqpre.training.denoising import DenoisingBatches
from seqpre.training.job import TrainingJob, start_job
from seqpre.training.noise import Unigrams
from seqpre.training.objectives import Labelled, nats_a_token, perplexity
from seqpre.training.pretrained import held_out_of, pretrain_model, pretraining_parser


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Train one denoiser."""
    parser = pretraining_parser(
        "seqpre.denoise", __doc__, "denoiser.json: how it differs from the default settings", "in segments"
    )
    parser.add_argument("--vocabulary", type=Path, required=True, help="words.tsv of this text")
    args = parser.parse_args(argv)
    job = start_job(args)
    job.end(denoise(args, job))


def denoise(args: argparse.Namespace, job: TrainingJob) -> bool:
    """Train one denoiser; return whether it came to its end."""
    declared = read_json(args.settings)
    require_keys(declared, ("name", "settings"), str(args.settings))
    settings: DenoiserSettings = overridden(DenoiserSettings(), declared["settings"], str(args.settings))
    settings.check(str(args.settings))
    train, vocabulary, store = settings.train, Words(args.vocabulary), TokenStore(args.train)
    if store.fingerprint != vocabulary.fingerprint:
        raise DataError(f"{store.path}: was encoded with another vocabulary than {vocabulary.path}; encode it again")
    held_out = held_out_of(len(store), train.held_out, args.train, "segments")
    torch.manual_seed(settings.seed)
    model = PointerGenerator(vocabulary.size, vocabulary.size, settings.model).to(job.device)
    unigrams, sequences = Unigrams.of(vocabulary.counts_W), np.arange(len(store))
    text = store, unigrams, vocabulary.size
    data = DenoisingBatches(
        *text,
        sequences[:-held_out],
        1,
        settings.seed,
        max_length=train.max_length,
        budget=train.batch_tokens,
        noise=settings.noise,
    )
    valid, whole = (
        DenoisingBatches(
            *text, sequences[-held_out:], 64, 0, max_length=train.max_length, masked=masked, noise=settings.noise
        )
        for masked in (True, False)
    )

    def validate() -> dict[str, float]:
        # Unstated: whether the perplexity of PoDA's pretraining, 6.8, is of scored words or of all. Both are measured.
        loss, of_all = (nats_a_token(model, data, job.device, job.processes) for data in (valid, whole))
        return {
            "valid_loss": loss,
            "valid_perplexity": perplexity(loss),
            "perplexity_of_all_words": perplexity(of_all),
        }

    return pretrain_model(
        model,
        Labelled(model, data, job.device, job.processes, train.tokens_per_update, train.precision),
        settings,
        validate,
        title=f"denoiser {declared['name']}",
        name=declared["name"],
        inputs={"text": [store.fingerprint, store.content]},
        about={
            "kind": "seq2seq",
            "vocab_size": vocabulary.size,
            "model": asdict(settings.model),
            "subwords": vocabulary.fingerprint,
        },
        args=args,
        job=job,
        summary=lambda progress: {
            "segments_too_long": data.too_long,
            "epochs": data.epoch,
            "padding_share": round(data.padding / max(1, data.cells), 4),
        },
    )


if __name__ == "__main__":
    main()
