"""The end of every pretraining: text held out to validate it, and the files that a pretrained model leaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from seqpre.common.errors import ConfigError
from seqpre.training.loop import Trainer, TrainingRecord


def held_out_of(sequences: int, most: int, text: Path, unit: str = "sentences") -> int:
    """Return how many of a text's sequences validate: at most `most` and one in twenty; ConfigError if that is none."""
    held_out = min(most, sequences // 20)
    if held_out < 1:
        raise ConfigError(f"{text}: {sequences:,} {unit} are too few to hold one in twenty out for validation")
    return held_out


def finish(
    trainer: Trainer, settings: Path, output_dir: Path, summary: Callable[[TrainingRecord], dict[str, Any]]
) -> bool:
    """Train to the end and put weights, metrics and summary in their places; return whether it came to its end."""
    if not trainer.run():
        return False
    trainer.publish(
        lambda progress: {
            "best_step": progress.best_update["perplexity"],
            **summary(progress),
            "parameters": sum(parameter.numel() for parameter in trainer.model.parameters()),
        },
        {
            "summary.json": output_dir / "summary.json",
            "metrics.jsonl": output_dir / "metrics.jsonl",
            "best_perplexity.safetensors": output_dir / "model.safetensors",
            **trainer.kept(output_dir),
        },
    )
    trainer.check_kept(str(settings))
    return True
