"""The FLOPs of an update, from a run's settings only. The settings of each model compute its own part."""

from __future__ import annotations

from seqpre.study.settings import RunSettings

TRAINING = 3
"""Each product of the forward pass has two in the backward pass: gradients of its input and of its weights.

An upper bound if parts are frozen, because frozen weights need no gradient.
"""


def pairs_of_batch(settings: RunSettings, source_length: float, target_length: float) -> float:
    """Return the labelled pairs in a batch: the setting, or the number that fits into `batch_tokens`."""
    train = settings.train
    return train.batch_tokens / (source_length + target_length) if train.batch_tokens else train.batch_sentences


def pairs_of_update(settings: RunSettings, source_length: float, target_length: float) -> float:
    """Return the labelled pairs in an update: those of one batch, or of several."""
    batch = pairs_of_batch(settings, source_length, target_length)
    return max(batch, settings.train.tokens_per_update / target_length)


def update(vocabulary: int, settings: RunSettings, source_length: float, target_length: float) -> float:
    """Return the FLOPs of one update: its labelled batch, and one batch of each active LM loss."""
    model = settings.model
    pairs = pairs_of_update(settings, source_length, target_length)
    trained = pairs * model.sentence(vocabulary, source_length, target_length)
    frozen = (TRAINING - 1) * pairs * model.frozen(source_length, target_length)
    return TRAINING * trained - frozen + lm_losses(vocabulary, settings)


def lm_losses(vocabulary: int, settings: RunSettings) -> float:
    """Return the FLOPs of an update's LM losses."""
    objectives = settings.objectives
    losses = sum(weight > 0 for _, weight, _ in objectives.losses)
    tokens = losses * objectives.lm_streams * objectives.bptt
    return float(TRAINING * tokens * settings.model.lm_token(vocabulary))
