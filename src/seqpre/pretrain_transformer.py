"""Pretrain a Transformer language model: left to right, or bi-directional (Edunov et al., 2019, Section 3.2).

    python -m seqpre.pretrain_transformer --settings lm.json --train tokens/news.en --vocab-size 37000 --output-dir lm

Reads a token store, a sample a sentence, or several a document of more than `train.max_length` subwords. Validates on
samples held out at the store's end, and writes `model.safetensors` (the best validation perplexity),
`model@<update>.safetensors` after each update of `train.keep`, and `metrics.jsonl`. The settings' `objective` says what
predicts a token: those before it (`causal`) or all others (`cloze`), whose perplexities do not compare. Killed at any
moment, the same command goes on where it was. Exit status 75 means: told to stop, run it again to go on.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import torch

from seqpre.common.errors import ConfigError, command
from seqpre.common.files import read_json
from seqpre.corpora.token_store import TokenStore
from seqpre.models.two_tower import LMS
from seqpre.study.fractions import count_of
from seqpre.study.overrides import nearest, overridden, require, require_keys
from seqpre.study.pretraining_settings import TransformerLMSettings
from seqpre.training.batches import PairBatches
from seqpre.training.job import TrainingJob, start_job
from seqpre.training.objectives import Labelled, nats_a_token, perplexity
from seqpre.training.pretrained import check_ids, held_out_of, pretrain_model, pretraining_parser


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Train one language model."""
    parser = pretraining_parser(
        "seqpre.pretrain_transformer",
        __doc__,
        "lm.json: its objective, and how it differs from the defaults",
        "in random order",
    )
    parser.add_argument("--vocab-size", type=int, required=True, help="number of subwords")
    args = parser.parse_args(argv)
    job = start_job(args)
    job.end(pretrain(args, job))


def pretrain(args: argparse.Namespace, job: TrainingJob) -> bool:
    """Train one language model; return whether it came to its end."""
    declared = read_json(args.settings)
    require_keys(declared, ("name", "settings", "fraction", "objective"), str(args.settings))
    kind = f"{declared['objective']}_lm"
    if kind not in LMS:
        known = nearest(declared["objective"], (name.removesuffix("_lm") for name in LMS))
        raise ConfigError(f"{args.settings}: objective is {declared['objective']!r}{known}")
    settings: TransformerLMSettings = overridden(TransformerLMSettings(), declared["settings"], str(args.settings))
    settings.check(str(args.settings))
    train = settings.train
    store = TokenStore(args.train).pieces(train.max_length)
    check_ids(store, args.vocab_size)
    sentences = count_of(declared["fraction"], len(store), f"{args.settings}: fraction")
    held_out = held_out_of(sentences, train.held_out, args.train)
    longest = store.lengths[:sentences].max()
    accepted = f"at least {longest:,}: so many tokens has the longest sample of {args.train}"
    require(train.batch_tokens >= longest, str(args.settings), "train.batch_tokens", train.batch_tokens, accepted)
    torch.manual_seed(settings.seed)
    model = LMS[kind](args.vocab_size, settings.shape).to(job.device)
    numbers = np.arange(sentences)
    # A sentence is a pair with itself: what budgets and lengths count of it, they count twice.
    data = PairBatches(store, store, 1, settings.seed, budget=2 * train.batch_tokens, order=numbers[:-held_out])
    valid = PairBatches(store, store, 64, 0, order=numbers[-held_out:])

    def validate() -> dict[str, float]:
        loss = nats_a_token(model, valid, job.device, job.processes)
        return {"valid_loss": loss, "valid_perplexity": perplexity(loss)}

    return pretrain_model(
        model,
        Labelled(model, data, job.device, job.processes, train.tokens_per_update, train.precision),
        settings,
        validate,
        title=f"LM {declared['name']}",
        name=declared["name"],
        inputs={
            "objective": declared["objective"],
            "text": [store.fingerprint, store.content, sentences],
            "vocab": args.vocab_size,
        },
        about={
            "kind": kind,
            "vocab_size": args.vocab_size,
            "shape": asdict(settings.shape),
            "subwords": store.fingerprint,
        },
        args=args,
        job=job,
        summary=lambda progress: {
            "samples": len(data.kept),
            "epochs": data.epoch,
            "padding_share": round(data.padding / max(1, data.cells), 4),
        },
    )


if __name__ == "__main__":
    main()
