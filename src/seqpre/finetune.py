"""Fine-tune one run: a seq2seq model, initialised and trained as its run.json says.

    python -m seqpre.finetune --run RUN/run.json --source tokens/train.en --target tokens/train.de \\
        --valid-source tokens/valid.en --valid-target tokens/valid.de --valid-references valid.de \\
        --subwords bpe.model --lm monolingual_en=lms/monolingual_en/weights/perplexity.safetensors ... \\
        --lm-text monolingual_en=tokens/news.en ... --output-dir RUN

Writes weights/ (the best by validation perplexity; the best by validation score, unless the metric is `none`; the mean
of the last validations, if it is kept), metrics.jsonl, transfer.md (what became of every tensor) and summary.json.
After any interruption the same command resumes, to the same weights. Exit status 75 means that it was told to stop and
can be resumed.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from seqpre.common.arguments import parser_of
from seqpre.common.device import compute_in
from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, file_hash, named_paths, read_json, read_lines
from seqpre.corpora.token_store import TokenStore
from seqpre.corpora.vocabulary import Vocabulary, check_encoded, load_vocabularies, source_vocabulary
from seqpre.models.build import build, description
from seqpre.models.family import Seq2SeqModel
from seqpre.search import DEFAULT_LIMITS, Limits, translate_batch
from seqpre.study.fractions import count_of
from seqpre.study.run import IDENTITY, Run, is_candidate, run_from_json
from seqpre.study.tasks import BY_METRIC, NO_METRIC, validation_score
from seqpre.study.typed import require
from seqpre.training.batches import PairBatches, Sentences, order_of
from seqpre.training.checkpoint import content_of, load_weights
from seqpre.training.job import TrainingJob, add_job_arguments, start_job
from seqpre.training.loop import Trainer, Training
from seqpre.training.objectives import CrossEntropy, Objective, lm_objective, validated
from seqpre.training.processes import Processes
from seqpre.training.transfer import initialise, report


class Bitext(NamedTuple):
    """The pairs of a run, and the text of the validation pairs: what outputs are scored against and may copy."""

    source: TokenStore
    target: TokenStore
    valid_source: TokenStore
    valid_target: TokenStore
    references: list[str]
    sources: list[str]


def lm_objectives(
    model: Seq2SeqModel, run: Run, texts: Mapping[str, TokenStore], processes: Processes
) -> Iterator[Objective]:
    """Yield the LM losses that are on: L_src over the encoder's LM, L_tgt over the decoder's."""
    settings = run.settings.objectives
    for offset, (side, (name, weight, text)) in enumerate(zip(("encoder", "decoder"), settings.losses, strict=True), 1):
        if weight > 0:
            store = texts[text]
            last = count_of(run.lms[text].fraction, len(store), f"{store.path}: the fraction of {text}")
            order = order_of(store, run.settings.train.subset, run.seed) if last < len(store) else None
            yield lm_objective(
                model.language_models()[side],
                Sentences(store, 0, last, order),
                (settings.lm_streams, settings.bptt, 1000 * run.seed + offset),
                settings.reset,
                processes,
                "objectives.lm_streams",
                name=name,
                weight=weight,
                precision=run.settings.train.precision,
            )


def validation(
    model: Seq2SeqModel, data: PairBatches, vocabulary: Vocabulary, pairs: Bitext, metric: str, job: TrainingJob
) -> dict[str, float]:
    """Return nats a token, perplexity, and the score of greedy outputs, unless the metric is `none`.

    The processes take batches in turn. Raises Interrupted where the job is told to stop meanwhile.
    """
    sources = pairs.sources
    total, tokens = 0.0, 0
    outputs: dict[int, str] = {}
    # An untrained model would use all of the usual limit, twice the document's length.
    limits = Limits(max_length=2 * int(data.target_lengths[data.kept].max())) if data.max_source else DEFAULT_LIMITS
    with torch.no_grad():
        for number, indices in enumerate(data.all_batches()):
            if number % job.processes.count == 0:
                job.go_on()
            if number % job.processes.count != job.processes.rank:
                continue
            batch = data.collate(indices).to(job.processes.device)
            total += float(model.loss(batch))
            tokens += batch.tokens
            if metric == NO_METRIC:
                continue
            for index, ids in zip(
                indices.tolist(), translate_batch([model], batch.source_BS, batch.lengths_B, limits), strict=True
            ):
                outputs[index] = vocabulary.decode(ids, sources[index] if sources else "")
    loss, count = job.processes.sum(total, tokens)
    found = validated(loss / count)
    if metric == NO_METRIC:
        return found
    for others in job.processes.gather(outputs):
        outputs |= others
    kept = data.kept.tolist()
    score = validation_score(
        metric,
        [outputs[index] for index in kept],
        [pairs.references[index] for index in kept],
        [sources[index] for index in kept] if sources else [],
    )
    return {**found, f"valid_{metric}": score}


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Train one run."""
    parser = parser_of(__doc__)
    add = parser.add_argument
    add("--run", type=Path, required=True, help="run.json: who the run is and how it differs from the defaults")
    add("--source", type=Path, required=True, help="token store of the training bitext's source side")
    add("--target", type=Path, required=True, help="token store of its target side")
    add("--valid-source", type=Path, required=True, help="token store of the validation source side")
    add("--valid-target", type=Path, required=True, help="token store of the validation target side")
    add("--valid-references", type=Path, required=True, help="the validation target side as text")
    add("--valid-sources", type=Path, nargs="?", help="the validation source side as text, for words to copy and for "
        "GLEU")  # fmt: skip
    add("--subwords", type=Path, nargs="+", required=True, help="the SentencePiece model, or words.tsv, of all of "
        "these; or two: that of sources, that of targets")  # fmt: skip
    add("--lm", nargs="*", default=[], metavar="NAME=PATH", help="weights of the LMs the run starts from")
    add("--lm-text", nargs="*", default=[], metavar="NAME=PATH", help="token stores of the LM objectives' text")
    add("--output-dir", type=Path, required=True, help="the run's folder")
    add_job_arguments(parser)
    args = parser.parse_args(argv)
    job = start_job(args)
    job.end(fine_tune(args, job))


def read_bitext(args: argparse.Namespace, vocabulary: Vocabulary, metric: str) -> Bitext:
    """Read the pairs. Raises DataError where files are not parallel, or encoded with another vocabulary."""
    pairs = Bitext(
        TokenStore(args.source),
        TokenStore(args.target),
        TokenStore(args.valid_source),
        TokenStore(args.valid_target),
        list(read_lines(args.valid_references)),
        list(read_lines(args.valid_sources)) if args.valid_sources else [],
    )
    if len(pairs.references) != len(pairs.valid_target):
        raise DataError(
            f"{args.valid_references} has {len(pairs.references):,} lines, {args.valid_target} has "
            f"{len(pairs.valid_target):,}"
        )
    corrects = metric in BY_METRIC and BY_METRIC[metric].corrects
    if (vocabulary.copies or corrects) and len(pairs.sources) != len(pairs.valid_source):
        use = "its words are what outputs copy" if vocabulary.copies else "corrections are scored beside it"
        raise DataError(
            f"--valid-sources has {len(pairs.sources):,} lines, {args.valid_source} has {len(pairs.valid_source):,}; "
            f"{use}"
        )
    for source, target in ((pairs.source, pairs.target), (pairs.valid_source, pairs.valid_target)):
        check_encoded(source, source_vocabulary(vocabulary))
        check_encoded(target, vocabulary)
    return pairs


def check_pretrained_weights(run: Run, args: argparse.Namespace, vocabulary: Vocabulary) -> dict[str, Path]:
    """Return the weights of the LMs that a run starts from; ConfigError for those that are missing or do not fit."""
    weights, init = named_paths(args.lm, "--lm"), run.settings.init
    for name in init.lms:
        if name not in weights:
            raise ConfigError(f"{args.run} starts from the LM {name!r}; give its weights with --lm {name}=PATH")
    for name, path in weights.items():
        its = source_vocabulary(vocabulary) if name == init.encoder else vocabulary
        if load_weights(path)[1].get("subwords", its.fingerprint) != its.fingerprint:
            raise ConfigError(f"{path}: was trained with another vocabulary than {its.path}")
    return weights


def read_lm_texts(run: Run, args: argparse.Namespace, vocabulary: Vocabulary) -> dict[str, TokenStore]:
    """Return the text of the LM losses by the name of the LM whose it is; LSTMs have one vocabulary."""
    texts, read = named_paths(args.lm_text, "--lm-text"), run.settings.objectives.lms
    for name in read:
        if name not in texts:
            raise ConfigError(f"{args.run} reads the text of {name!r}; give its token store with --lm-text {name}=PATH")
    stores = {name: TokenStore(texts[name]) for name in read}
    for store in stores.values():
        check_encoded(store, vocabulary)
    return stores


def training_batches(run: Run, pairs: Bitext, max_source: int, copies: int, where: str) -> PairBatches:
    """Return the batches of a run's fraction of the pairs; of all pairs where synthetic ones are among them."""
    train, joined = run.settings.train, bool(run.settings.backtranslation.system)
    return PairBatches(
        pairs.source,
        pairs.target,
        train.batch_sentences,
        run.seed,
        count=len(pairs.source) if joined else count_of(run.fraction, len(pairs.source), f"{where}: fraction"),
        max_length=train.max_length,
        max_source=max_source,
        budget=train.batch_tokens,
        order=None if joined else order_of(pairs.source, train.subset, run.seed),
        copies=copies,
    )


def validation_batches(run: Run, pairs: Bitext, max_source: int, copies: int) -> PairBatches:
    """Return the batches of the validation pairs, or of as many as are asked for, spread evenly over all."""
    every = len(pairs.valid_source)
    count = min(run.settings.train.validate_pairs or every, every)
    spread = np.arange(count) * every // count
    return PairBatches(
        pairs.valid_source, pairs.valid_target, 64, 0, max_source=max_source, order=spread, copies=copies
    )


def fine_tune(args: argparse.Namespace, job: TrainingJob) -> bool:
    """Train one run; return whether it came to its end."""
    declared = read_json(args.run)
    run = run_from_json(declared)
    settings, train = run.settings, run.settings.train
    settings.check(str(args.run), run.lms)
    compute_in(train.precision)
    vocabulary = load_vocabularies(args.subwords)
    reading = source_vocabulary(vocabulary)
    subwords_only = not (vocabulary.copies or reading.copies)
    accepted = "pointer_generator: --subwords has words, which no other kind copies"
    require(settings.model.copies or subwords_only, str(args.run), "model.kind", settings.model.kind, accepted)
    lm_texts, pairs = read_lm_texts(run, args, vocabulary), read_bitext(args, vocabulary, train.metric)
    weights = check_pretrained_weights(run, args, vocabulary)

    torch.manual_seed(run.seed)
    source_size = reading.size if reading is not vocabulary else 0
    model = build(settings.model, vocabulary.size, source_size)
    model.label_smoothing = train.label_smoothing
    accounts = initialise(model, settings.init, weights, settings.objectives.source_lm_weight > 0)
    model.to(job.processes.device)

    data = training_batches(run, pairs, model.max_source, vocabulary.copies, str(args.run))
    valid = validation_batches(run, pairs, model.max_source, vocabulary.copies)
    training = Training(
        title=f"{run.system} {run.fraction} seed {run.seed}",
        place=f"{run.study}/{run.path}",
        model=model,
        objectives=[
            *lm_objectives(model, run, lm_texts, job.processes),
            CrossEntropy(model, data, job.processes, train.tokens_per_update, train.precision),
        ],
        optimizer=settings.optimizer,
        train=train,
        updates=train.updates(data.updates_of_a_pass(train.tokens_per_update)),
        validate=lambda: validation(model, valid, vocabulary, pairs, train.metric, job),
        inputs={
            "run": dataclasses.replace(run, settings=settings.trained()).to_json(),
            "pairs": [
                *dict.fromkeys((reading.fingerprint, vocabulary.fingerprint)),
                pairs.source.content,
                pairs.target.content,
            ],
            "valid": [pairs.valid_source.content, pairs.valid_target.content, file_hash(args.valid_references)],
            "lms": {name: content_of(path) for name, path in weights.items()},
            "lm_texts": {name: store.content for name, store in lm_texts.items()},
        },
        about={
            **description(settings.model, vocabulary.size, source_size),
            "subwords": vocabulary.fingerprint,
            **({"source_subwords": reading.fingerprint} if reading is not vocabulary else {}),
            "run": declared,
        },
        summary=lambda progress: {
            **{name: getattr(run, name) for name in IDENTITY},
            "best_step": progress.best_update,
            **{f"best_valid_{name}": value for name, value in progress.best.items() if name == train.metric},
            **({"averaged_steps": progress.averaged} if train.average_last else {}),
            "train_pairs": len(data.kept) + data.too_long,
            "pairs_too_long": data.too_long,
            **data.summary(),
            "parameters": sum(a.parameters for a in accounts if a.status != "unused"),
        },
        average_last=train.average_last,
        may_diverge=is_candidate(run.system),
    )
    trainer = Trainer(training, args.output_dir, job)
    if job.processes.first:
        with atomic_write(args.output_dir / "transfer.md") as file:
            file.write(report(accounts))
    return trainer.run()


if __name__ == "__main__":
    main()
