"""Fine-tune one run: a seq2seq model, initialised and trained as its run.json says.

    python -m seqpre.finetune --run RUN/run.json --source tokens/train.en --target tokens/train.de \\
        --valid-source tokens/valid.en --valid-target tokens/valid.de --valid-references valid.de \\
        --subwords bpe.model --lm monolingual_en=lms/monolingual_en/weights/perplexity.safetensors ... \\
        --lm-text monolingual_en=tokens/news.en ... --output-dir RUN

Writes weights/ (a file by what chose them: validation perplexity, validation score unless the metric is `none`, and the
average where there is one), metrics.jsonl, transfer.md (what became of every tensor) and
summary.json. Killed at any moment, the same command goes on where it was, to the same weights. Exit status 75 means:
told to stop, run it again to go on.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from seqpre.common.errors import ConfigError, DataError, command
from seqpre.common.files import atomic_write, file_hash, named_paths, read_json, read_lines
from seqpre.corpora.token_store import TokenStore
from seqpre.corpora.vocabulary import Vocabulary, load_vocabularies, source_vocabulary
from seqpre.models.build import build, description
from seqpre.models.family import Seq2SeqModel
from seqpre.search import UNLIMITED, Limits, translate_batch
from seqpre.study.declarations import LMDeclaration
from seqpre.study.fractions import count_of
from seqpre.study.run import is_candidate, run_from_json
from seqpre.study.settings import RunSettings, objective_lms
from seqpre.study.tasks import validation_score
from seqpre.training.batches import LMStreams, PairBatches, lm_lines, order_of, tokens_of
from seqpre.training.checkpoint import content_of, fingerprint, load_weights
from seqpre.training.job import TrainingJob, add_job_arguments, start_job
from seqpre.training.loop import Trainer
from seqpre.training.objectives import Labelled, LanguageModelling, Objective, perplexity
from seqpre.training.transfer import initialise, report


def lm_objectives(
    model: Seq2SeqModel,
    settings: RunSettings,
    texts: dict[str, TokenStore],
    lms: dict[str, LMDeclaration],
    seed: int,
    job: TrainingJob,
) -> list[Objective]:
    """Return the LM losses that are on: L_src over the encoder's LM, L_tgt over the decoder's."""
    objectives = settings.objectives
    result: list[Objective] = []
    for offset, name, weight, side, text in (
        (1, "source_lm", objectives.source_lm_weight, "encoder", objectives.source_lm),
        (2, "target_lm", objectives.target_lm_weight, "decoder", objectives.target_lm),
    ):
        if weight > 0:
            lm = model.language_models()[side]
            store = texts[text]
            last = count_of(lms[text].fraction, len(store), f"{store.path}: the fraction of {text}")
            order = order_of(store, settings.train.subset, seed) if last < len(store) else None
            size, of_its_own = (objectives.lm_streams, objectives.bptt), 1000 * seed + offset
            setting = "objectives.lm_streams"
            if objectives.reset == "line":
                numbers = np.arange(last) if order is None else order[:last]
                lines = lm_lines(store, numbers, *size, of_its_own)
                place = f"{setting} (now {objectives.lm_streams})"
                result.append(Labelled(lm, lines, job.device, job.processes, name=name, weight=weight, setting=place))
            else:
                streams = LMStreams(tokens_of(store, 0, last, order), *size, of_its_own)
                result.append(LanguageModelling(name, lm, streams, weight, job.device, job.processes, setting))
    return result


def validation(
    model: Seq2SeqModel,
    data: PairBatches,
    vocabulary: Vocabulary,
    sources: Sequence[str],
    references: Sequence[str],
    metric: str,
    job: TrainingJob,
) -> dict[str, float]:
    """Return nats a token, perplexity, and the score of greedy outputs, unless the metric is `none`.

    The processes take batches in turn. `sources` are the lines that words are copied from, if they are, and beside
    which corrections are scored. Raises Interrupted where the job is told to stop meanwhile.
    """
    total, tokens = 0.0, 0
    outputs: dict[int, str] = {}
    # A document's limit, twice its length, would let an output of an untrained model run on for long.
    limits = Limits(max_length=2 * int(data.target_lengths[data.kept].max())) if data.max_source else UNLIMITED
    with torch.no_grad():
        for number, indices in enumerate(data.all_batches()):
            if number % job.processes.count == 0:
                job.go_on()
            if number % job.processes.count != job.processes.rank:
                continue
            batch = data.collate(indices).to(job.device)
            total += float(model.loss(batch))
            tokens += batch.tokens
            if metric == "none":
                continue
            for index, ids in zip(
                indices.tolist(), translate_batch([model], batch.source_BS, batch.lengths_B, limits), strict=True
            ):
                outputs[index] = vocabulary.decode(ids, sources[index] if sources else "")
    loss, count = job.processes.sum(total, tokens)
    found = {"valid_loss": loss / count, "valid_perplexity": perplexity(loss / count)}
    if metric == "none":
        return found
    for others in job.processes.gather(outputs):
        outputs |= others
    validated = data.kept.tolist()
    score = validation_score(
        metric,
        [outputs[index] for index in validated],
        [references[index] for index in validated],
        [sources[index] for index in validated] if sources else [],
    )
    return {**found, f"valid_{metric}": score}


@command
def main(argv: Sequence[str] | None = None) -> None:
    """Train one run."""
    parser = argparse.ArgumentParser(
        prog="seqpre.finetune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--run", type=Path, required=True, help="run.json: who the run is and how it differs from the defaults"
    )
    parser.add_argument("--source", type=Path, required=True, help="token store of the training bitext's source side")
    parser.add_argument("--target", type=Path, required=True, help="token store of its target side")
    parser.add_argument("--valid-source", type=Path, required=True, help="token store of the validation source side")
    parser.add_argument("--valid-target", type=Path, required=True, help="token store of the validation target side")
    parser.add_argument("--valid-references", type=Path, required=True, help="the validation target side as text")
    parser.add_argument(
        "--valid-sources",
        type=Path,
        nargs="?",
        help="the validation source side as text, for words to copy and for GLEU",
    )
    parser.add_argument(
        "--subwords",
        type=Path,
        nargs="+",
        required=True,
        help="the SentencePiece model, or words.tsv, of all of these; or two: that of sources, that of targets",
    )
    parser.add_argument(
        "--lm", nargs="*", default=[], metavar="NAME=PATH", help="weights of the LMs the run starts from"
    )
    parser.add_argument(
        "--lm-text", nargs="*", default=[], metavar="NAME=PATH", help="token stores of the LM objectives' text"
    )
    parser.add_argument("--output-dir", type=Path, required=True, help="the run's folder")
    add_job_arguments(parser)
    args = parser.parse_args(argv)
    job = start_job(args)
    job.end(fine_tune(args, job))


def fine_tune(args: argparse.Namespace, job: TrainingJob) -> bool:
    """Train one run; return whether it came to its end."""
    declared = read_json(args.run)
    run = run_from_json(declared)
    settings, train = run.settings, run.settings.train
    weights, texts = named_paths(args.lm, "--lm"), named_paths(args.lm_text, "--lm-text")
    settings.check(str(args.run), run.lms)
    for name in (settings.init.encoder, settings.init.decoder):
        if name != "random" and name not in weights:
            raise ConfigError(f"{args.run} starts from the LM {name!r}; give its weights with --lm {name}=PATH")
    read = objective_lms(settings.objectives)
    for name in read:
        if name not in texts:
            raise ConfigError(f"{args.run} reads the text of {name!r}; give its token store with --lm-text {name}=PATH")
    lm_texts = {name: TokenStore(texts[name]) for name in read}
    vocabulary = load_vocabularies(args.subwords)
    reading = source_vocabulary(vocabulary)
    source, target = TokenStore(args.source), TokenStore(args.target)
    valid_source, valid_target = TokenStore(args.valid_source), TokenStore(args.valid_target)
    references = list(read_lines(args.valid_references))
    if len(references) != len(valid_target):
        raise DataError(
            f"{args.valid_references} has {len(references):,} lines, {args.valid_target} has {len(valid_target):,}"
        )
    sources = list(read_lines(args.valid_sources)) if args.valid_sources else []
    if (vocabulary.copies or train.metric == "gleu") and len(sources) != len(valid_source):
        use = "its words are what outputs copy" if vocabulary.copies else "corrections are scored beside it"
        raise DataError(
            f"--valid-sources has {len(sources):,} lines, {args.valid_source} has {len(valid_source):,}; {use}"
        )
    for store, its in ((source, reading), (target, vocabulary), (valid_source, reading), (valid_target, vocabulary)):
        if store.fingerprint != its.fingerprint:
            raise DataError(f"{store.path}: was encoded with another vocabulary than {its.path}; encode it again")

    for name, path in weights.items():
        its = reading if name == settings.init.encoder else vocabulary
        if load_weights(path)[1].get("subwords", its.fingerprint) != its.fingerprint:
            raise ConfigError(f"{path}: was trained with another vocabulary than {its.path}")
    torch.manual_seed(run.seed)
    source_size = reading.size if reading is not vocabulary else 0
    model = build(settings.model, vocabulary.size, source_size)
    model.label_smoothing = settings.train.label_smoothing
    accounts = initialise(model, settings.init, weights, settings.objectives.source_lm_weight > 0)
    model.to(job.device)

    pairs = count_of(run.fraction, len(source), f"{args.run}: fraction")
    data = PairBatches(
        source,
        target,
        train.batch_sentences,
        run.seed,
        pairs,
        train.max_length,
        model.max_source,
        train.batch_tokens,
        order_of(source, train.subset, run.seed),
        vocabulary.copies,
    )
    validated = min(train.validate_pairs or len(valid_source), len(valid_source))
    spread = np.arange(validated) * len(valid_source) // validated
    valid = PairBatches(
        valid_source, valid_target, 64, 0, max_source=model.max_source, order=spread, copies=vocabulary.copies
    )
    objectives = [
        *lm_objectives(model, settings, lm_texts, run.lms, run.seed, job),
        Labelled(model, data, job.device, job.processes, train.tokens_per_update, train.precision),
    ]
    about = {
        **description(settings.model, vocabulary.size, source_size),
        "subwords": vocabulary.fingerprint,
        **({"source_subwords": reading.fingerprint} if reading is not vocabulary else {}),
        "run": declared,
    }
    inputs = {
        "run": declared,
        "pairs": [*dict.fromkeys((reading.fingerprint, vocabulary.fingerprint)), source.content, target.content],
        "valid": [valid_source.content, valid_target.content, file_hash(args.valid_references)],
        "lms": {name: content_of(path) for name, path in weights.items()},
        "lm_texts": {name: store.content for name, store in lm_texts.items()},
    }
    trainer = Trainer(
        model,
        objectives,
        settings.optimizer,
        train,
        *train.updates(data.updates_of_a_pass(train.tokens_per_update)),
        lambda: validation(model, valid, vocabulary, sources, references, train.metric, job),
        args.output_dir / "checkpoints",
        fingerprint(inputs),
        about,
        f"{run.system} {run.fraction} seed {run.seed}",
        job.board(f"{run.study}/{run.path}"),
        job,
        average_last=train.average_last,
        may_diverge=is_candidate(run.system),
    )
    if job.processes.first:
        with atomic_write(args.output_dir / "transfer.md") as file:
            file.write(report(accounts))
    if not trainer.run():
        return False
    trainer.publish(
        lambda progress: {
            "study": run.study,
            "scale": run.scale,
            "system": run.system,
            "fraction": run.fraction,
            "seed": run.seed,
            "best_step": progress.best_update,
            **{f"best_valid_{name}": value for name, value in progress.best.items() if name == train.metric},
            **({"averaged_steps": progress.averaged} if train.average_last else {}),
            "train_pairs": pairs,
            "pairs_too_long": data.too_long,
            "epochs": data.epoch,
            "padding_share": round(data.padding / max(1, data.cells), 4),
            "parameters": sum(a.parameters for a in accounts if a.status != "unused"),
        },
        args.output_dir,
    )
    return True


if __name__ == "__main__":
    main()
