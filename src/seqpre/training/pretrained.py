"""What every pretraining shares: its arguments, its text checked and in part held out, and the files it leaves."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from torch import nn

from seqpre.common.errors import ConfigError
from seqpre.corpora.token_store import TokenStore
from seqpre.study.pretraining_settings import DenoiserSettings, LMSettings, TransformerLMSettings
from seqpre.training.checkpoint import fingerprint
from seqpre.training.job import TrainingJob, add_job_arguments
from seqpre.training.loop import Trainer, TrainingRecord
from seqpre.training.objectives import Objective


def pretraining_parser(prog: str, description: str | None, settings: str, text: str) -> argparse.ArgumentParser:
    """Return the parser of what every pretraining takes; `settings` and `text` say what is special about its own."""
    parser = argparse.ArgumentParser(
        prog=prog, description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--settings", type=Path, required=True, help=settings)
    parser.add_argument("--train", type=Path, required=True, help=f"token store of its text, {text}")
    parser.add_argument("--output-dir", type=Path, required=True, help="where model.safetensors and metrics.jsonl go")
    add_job_arguments(parser)
    return parser


def held_out_of(sequences: int, most: int, text: Path, unit: str = "sentences") -> int:
    """Return how many of a text's sequences validate: at most `most` and one in twenty; ConfigError if that is none."""
    held_out = min(most, sequences // 20)
    if held_out < 1:
        raise ConfigError(f"{text}: {sequences:,} {unit} are too few to hold one in twenty out for validation")
    return held_out


def check_ids(store: TokenStore, vocab_size: int) -> None:
    """Raise ConfigError for a text that a model with so many subwords cannot read."""
    largest = int(store.tokens.max(initial=0))
    if largest >= vocab_size:
        raise ConfigError(
            f"--vocab-size is {vocab_size:,}, but {store.path} has subwords up to number {largest:,}; "
            "give the number of subwords it was encoded with"
        )


def pretrain_model(
    model: nn.Module,
    objective: Objective,
    settings: LMSettings | DenoiserSettings | TransformerLMSettings,
    validate: Callable[[], dict[str, float]],
    *,
    title: str,
    name: str,
    inputs: dict[str, Any],
    about: dict[str, Any],
    args: argparse.Namespace,
    job: TrainingJob,
    summary: Callable[[TrainingRecord], dict[str, Any]],
) -> bool:
    """Train to the end and put weights, metrics and summary in their places; return whether it came to its end.

    `inputs` is what the weights depend on beside the settings, `about` what stands in their files, `summary` what
    summary.json says beside what it says of every pretraining.
    """
    train = settings.train
    trainer = Trainer(
        model,
        [objective],
        settings.optimizer,
        train,
        train.max_updates,
        train.validate_every,
        validate,
        args.output_dir / "checkpoints",
        fingerprint({"settings": settings.identity(), **inputs}),
        about,
        title,
        job.board(f"lms/{name}"),
        job,
        train.keep,
    )
    if not trainer.run():
        return False
    trainer.publish(
        lambda progress: {
            "best_step": progress.best_update["perplexity"],
            **summary(progress),
            "parameters": sum(parameter.numel() for parameter in trainer.model.parameters()),
        },
        {
            "summary.json": args.output_dir / "summary.json",
            "metrics.jsonl": args.output_dir / "metrics.jsonl",
            "best_perplexity.safetensors": args.output_dir / "model.safetensors",
            **trainer.kept(args.output_dir),
        },
    )
    trainer.check_kept(str(args.settings))
    return True
