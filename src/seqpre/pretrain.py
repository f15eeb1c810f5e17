"""Pretrain a model from which runs start: an LSTM or Transformer language model, or a denoiser.

    python -m seqpre.pretrain --settings lm.json --train tokens/news.en --vocabulary bpe.model --output-dir lms/news_en

`kind` in the settings says what is trained:

- `lm`: an LSTM language model. It reads the text as one stream (truncated back-propagation, carried state).
- `transformer_lm`: a Transformer language model. A sample is a sentence, or a piece of at most `train.max_length`
  subwords of a longer document. Its `objective` predicts each token from its left context (`causal`) or from all other
  tokens (`cloze`); the two perplexities are not comparable (Edunov et al., 2019, Section 3.2).
- `denoiser`: a seq2seq model that restores corrupted text (PoDA; Wang et al., 2019, Section 2). The noise is drawn
  again every pass. It reads segments, with a vocabulary of words.

Writes `weights/perplexity.safetensors` (best validation perplexity), `weights/<update>.safetensors` for each update of
`train.keep`, `metrics.jsonl` and `summary.json`. Sequences at the end of the token store are held out for validation.
After any interruption the same command resumes. Exit status 75 means that it was told to stop and can be resumed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch

from seqpre.common.arguments import parser_of
from seqpre.common.device import compute_in
from seqpre.common.errors import command
from seqpre.common.files import read_json
from seqpre.corpora.token_store import TokenStore
from seqpre.corpora.vocabulary import check_encoded, load_vocabulary
from seqpre.study.pretraining_settings import AnyPretraining
from seqpre.study.typed import require_keys, typed
from seqpre.training.job import TrainingJob, add_job_arguments, start_job
from seqpre.training.loop import Trainer, Training
from seqpre.training.pretraining import KINDS, Text


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Train one model."""
    parser = parser_of(__doc__)
    parser.add_argument("--settings", type=Path, required=True, help="lm.json: how it differs from the defaults")
    parser.add_argument("--train", type=Path, required=True, help="token store of its text, in random order")
    parser.add_argument("--vocabulary", type=Path, required=True, help="bpe.model or words.tsv of this text")
    parser.add_argument("--output-dir", type=Path, required=True, help="where weights/ and metrics.jsonl go")
    add_job_arguments(parser)
    args = parser.parse_args(argv)
    job = start_job(args)
    job.end(pretrain(args, job))


def pretrain(args: argparse.Namespace, job: TrainingJob) -> bool:
    """Train one model; return whether training has ended."""
    where = str(args.settings)
    declared = read_json(args.settings)
    require_keys(declared, ("name", "settings", "fraction"), where)
    settings: AnyPretraining = typed(AnyPretraining, declared["settings"], f"{where}: settings")
    settings.check(where)
    compute_in(settings.train.precision)
    store, vocabulary = TokenStore(args.train), load_vocabulary(args.vocabulary)
    check_encoded(store, vocabulary)
    torch.manual_seed(settings.seed)
    task = KINDS[type(settings)](settings, Text(store, vocabulary, declared, where), job.processes)
    train, name = settings.train, declared["name"]
    training = Training(
        title=f"{settings.kind} {name}",
        place=f"lms/{name}",
        model=task.model,
        objectives=[task.objective],
        optimizer=settings.optimizer,
        train=train,
        updates=(train.max_updates, train.validate_every),
        validate=task.validate,
        inputs={"settings": settings.identity(), **task.inputs},
        about={"vocab_size": vocabulary.size, "subwords": vocabulary.fingerprint, **task.about},
        summary=lambda progress: {
            "best_step": progress.best_update["perplexity"],
            **task.summary(progress),
            "parameters": sum(parameter.numel() for parameter in task.model.parameters()),
        },
        keep=train.keep,
    )
    trainer = Trainer(training, args.output_dir, job)
    finished = trainer.run()
    if finished:
        trainer.check_kept(where)
    return finished


if __name__ == "__main__":
    main()
