"""Pretrain a language model: the first layer of an encoder or decoder.

    python -m seqpre.pretrain --settings lm.json --train tokens/news.en --output-dir lms/monolingual_en

Reads a token store as endless text (truncated back-propagation, carried state), validates on sentences held out at the
store's end, stops when their perplexity no longer improves, and writes `model.safetensors`, `metrics.jsonl` and, for
each update of `train.keep`, `model@<update>.safetensors`. Killed at any moment, the same command goes on where it was.
Exit status 75 means: told to stop, run it again to go on.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import asdict

import torch

from seqpre.common.errors import command
from seqpre.common.files import read_json
from seqpre.corpora.token_store import TokenStore
from seqpre.models.lstm import LSTMLanguageModel
from seqpre.study.fractions import count_of
from seqpre.study.overrides import overridden, require_keys
from seqpre.study.pretraining_settings import LMSettings
from seqpre.training.batches import LMStreams, order_of, text_of
from seqpre.training.job import TrainingJob, start_job
from seqpre.training.objectives import LanguageModelling, perplexity
from seqpre.training.pretrained import check_ids, held_out_of, pretrain_model, pretraining_parser


def validation_loss(model: LSTMLanguageModel, data: LMStreams, job: TrainingJob) -> float:
    """Return nats a token over one pass of `data`, with dropout as the model's mode has it."""
    data.load_state_dict({"epoch": 0, "chunk": 0})
    total, tokens, state, rows = 0.0, 0.0, None, job.processes.rows(data.streams)
    with torch.no_grad():
        for _ in range(data.chunks):
            ids_BT, targets_BT = (ids[rows.slice].to(job.device) for ids in data.next())
            loss, state = model.stream_loss(ids_BT, targets_BT, state)
            total, tokens = total + rows.weight * float(loss), tokens + rows.weight * targets_BT.numel()
    loss_of_all, tokens_of_all = job.processes.sum(total, tokens)
    return loss_of_all / tokens_of_all


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Train one language model."""
    parser = pretraining_parser(
        "seqpre.pretrain", __doc__, "lm.json: how the LM differs from the default settings", "in random order"
    )
    parser.add_argument("--vocab-size", type=int, required=True, help="number of subwords")
    args = parser.parse_args(argv)
    job = start_job(args)
    job.end(pretrain(args, job))


def pretrain(args: argparse.Namespace, job: TrainingJob) -> bool:
    """Train one language model; return whether it came to its end."""
    declared = read_json(args.settings)
    require_keys(declared, ("settings", "fraction"), str(args.settings))
    settings: LMSettings = overridden(LMSettings(), declared["settings"], str(args.settings))
    settings.check(str(args.settings))
    store = TokenStore(args.train)
    check_ids(store, args.vocab_size)
    sentences = count_of(declared["fraction"], len(store), f"{args.settings}: fraction")
    held_out = held_out_of(sentences, settings.train.held_out, args.train)
    # Differs: Jozefowicz et al. (2016) sample the softmax, so that an update moves the sampled words' weights only, and
    # evaluate averaged weights of the LSTM. Here the softmax is exact, and the weights are those of the last update.
    # Differs: Jozefowicz et al. (2016) train on 32 GPUs of 128 streams each, asynchronously; here all GPUs share the
    # streams of an update. Initial weights are drawn from other ranges than theirs.
    torch.manual_seed(settings.seed)
    train = settings.train
    model = LSTMLanguageModel(args.vocab_size, settings.first_layer, train.dropout).to(job.device)
    order = order_of(store, train.subset, settings.seed) if sentences < len(store) else None
    data = LMStreams(text_of(store, 0, sentences - held_out, order), train.streams, train.bptt, settings.seed)
    # As many streams as leave each a hundred steps: an LM's first steps, without context, would count too much.
    valid_text = text_of(store, sentences - held_out, sentences, order)
    valid = LMStreams(valid_text, max(1, min(train.streams, len(valid_text) // (5 * train.bptt))), train.bptt, 0)
    folder = args.output_dir
    name = f"{folder.parent.name}/{folder.name}" if re.fullmatch(r"seed\d+", folder.name) else folder.name

    def validate() -> dict[str, float]:
        loss = validation_loss(model, valid, job)
        return {"valid_loss": loss, "valid_perplexity": perplexity(loss)}

    return pretrain_model(
        model,
        LanguageModelling(
            "lm", model, data, 1.0, job.device, job.processes, "train.streams", train.loss_per, train.clipped
        ),
        settings,
        validate,
        title=f"LM {name}",
        name=name,
        inputs={"text": [store.fingerprint, store.content, sentences], "vocab": args.vocab_size},
        about={
            "kind": "lm",
            "vocab_size": args.vocab_size,
            "first_layer": asdict(settings.first_layer),
            "subwords": store.fingerprint,
        },
        args=args,
        job=job,
        summary=lambda progress: {"epochs": round(progress.tokens / len(data.tokens), 2)},
    )


if __name__ == "__main__":
    main()
