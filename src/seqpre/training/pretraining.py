"""What each kind of pretraining trains: its model, its data, and what validates it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from seqpre.common.errors import ConfigError
from seqpre.corpora.token_store import TokenStore
from seqpre.corpora.vocabulary import Vocabulary
from seqpre.corpora.words import Words
from seqpre.models.build import build, build_language_model, build_transformer_lm
from seqpre.models.family import StreamModel
from seqpre.study.fractions import count_of
from seqpre.study.pretraining_settings import DenoiserSettings, LMSettings, TransformerLMSettings
from seqpre.study.typed import require
from seqpre.training.batches import LMStreams, PairBatches, lm_lines, order_of, tokens_of
from seqpre.training.denoising import DenoisingBatches
from seqpre.training.job import TrainingJob
from seqpre.training.loop import TrainingRecord
from seqpre.training.noise import Unigrams
from seqpre.training.objectives import Labelled, LanguageModelling, Objective, nats_a_token, perplexity


@dataclass(frozen=True)
class PretrainingTask:
    """What one pretraining is made of."""

    model: nn.Module
    objective: Objective
    validate: Callable[[], dict[str, float]]
    inputs: dict[str, Any]
    """What the weights depend on beside the settings."""
    about: dict[str, Any]
    """What stands in their files beside their vocabulary."""
    summary: Callable[[TrainingRecord], dict[str, Any]]
    """What summary.json says beside what it says of every pretraining."""


def held_out_of(sequences: int, most: int, text: Path, unit: str = "sentences") -> int:
    """Return how many of a text's sequences validate: at most `most` and one in twenty; ConfigError if that is none."""
    held_out = min(most, sequences // 20)
    if held_out < 1:
        raise ConfigError(f"{text}: {sequences:,} {unit} are too few to hold one in twenty out for validation")
    return held_out


def validated(loss: float) -> dict[str, float]:
    """Return what a validation reports of a loss in nats a token."""
    return {"valid_loss": loss, "valid_perplexity": perplexity(loss)}


def language_model(
    settings: LMSettings,
    declared: Mapping[str, Any],
    store: TokenStore,
    words: Vocabulary,
    job: TrainingJob,
    where: str,
) -> PretrainingTask:
    """Return an LSTM language model and its text, read as one stream."""
    train = settings.train
    sentences = count_of(declared["fraction"], len(store), f"{where}: fraction")
    held_out = held_out_of(sentences, train.held_out, store.path)
    # Differs: Jozefowicz et al. (2016) sample the softmax, so that an update moves the sampled words' weights only, and
    # evaluate averaged weights of the LSTM. Here the softmax is exact, and the weights are those of the last update.
    # Differs: Jozefowicz et al. (2016) train on 32 GPUs of 128 streams each, asynchronously; here all GPUs share the
    # streams of an update. Initial weights are drawn from other ranges than theirs.
    model = build_language_model(settings, words.size).to(job.device)
    order = order_of(store, train.subset, settings.seed) if sentences < len(store) else None
    about = {"kind": "lm", "first_layer": asdict(settings.first_layer)}
    inputs = {"text": [store.fingerprint, store.content, sentences], "vocab": words.size}
    if train.reset == "line":
        numbers = np.arange(sentences) if order is None else order[:sentences]
        size = (train.streams, train.bptt, settings.seed)
        lines, valid_lines = (lm_lines(store, some, *size) for some in np.split(numbers, [sentences - held_out]))
        return PretrainingTask(
            model,
            Labelled(
                model, lines, job.device, job.processes, name="lm", setting=f"train.streams (now {train.streams})"
            ),
            lambda: validated(nats_a_token(model, valid_lines, job.device, job.processes)),
            inputs,
            about,
            lambda progress: read(lines),
        )
    data = LMStreams(tokens_of(store, 0, sentences - held_out, order), train.streams, train.bptt, settings.seed)
    # As many streams as leave each a hundred steps: an LM's first steps, without context, would count too much.
    valid_text = tokens_of(store, sentences - held_out, sentences, order)
    valid = LMStreams(valid_text, max(1, min(train.streams, len(valid_text) // (5 * train.bptt))), train.bptt, 0)
    return PretrainingTask(
        model,
        LanguageModelling(
            "lm", model, data, 1.0, job.device, job.processes, "train.streams", train.loss_per, train.clipped
        ),
        lambda: validated(stream_loss(model, valid, job)),
        inputs,
        about,
        lambda progress: {"epochs": round(progress.tokens / len(data.tokens), 2)},
    )


def stream_loss(model: StreamModel, data: LMStreams, job: TrainingJob) -> float:
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


def transformer_lm(
    settings: TransformerLMSettings,
    declared: Mapping[str, Any],
    store: TokenStore,
    words: Vocabulary,
    job: TrainingJob,
    where: str,
) -> PretrainingTask:
    """Return a Transformer language model and its text, sentences or pieces of documents."""
    train, objective = settings.train, declared.get("objective", "")
    require(objective in ("causal", "cloze"), where, "objective", objective, "causal or cloze")
    store = store.pieces(train.max_length)
    sentences = count_of(declared["fraction"], len(store), f"{where}: fraction")
    held_out = held_out_of(sentences, train.held_out, store.path)
    longest = store.lengths[:sentences].max()
    accepted = f"at least {longest:,}: so many tokens has the longest sample of {store.path}"
    require(train.batch_tokens >= longest, where, "train.batch_tokens", train.batch_tokens, accepted)
    model = build_transformer_lm(settings, objective, words.size).to(job.device)
    numbers = np.arange(sentences)
    # A sentence is a pair with itself: what budgets and lengths count of it, they count twice.
    data = PairBatches(store, store, 1, settings.seed, budget=2 * train.batch_tokens, order=numbers[:-held_out])
    valid = PairBatches(store, store, 64, 0, order=numbers[-held_out:])
    text = [store.fingerprint, store.content, sentences]
    return PretrainingTask(
        model,
        Labelled(model, data, job.device, job.processes, train.tokens_per_update, train.precision),
        lambda: validated(nats_a_token(model, valid, job.device, job.processes)),
        {"objective": objective, "text": text, "vocab": words.size},
        {"kind": model.kind, "shape": asdict(settings.shape)},
        lambda progress: {"samples": len(data.kept), **read(data)},
    )


def denoiser(
    settings: DenoiserSettings,
    declared: Mapping[str, Any],
    store: TokenStore,
    words: Vocabulary,
    job: TrainingJob,
    where: str,
) -> PretrainingTask:
    """Return a denoiser and its text, segments of which every pass corrupts others."""
    require(isinstance(words, Words), where, "--vocabulary", words.path, "a words.tsv: a denoiser copies words")
    assert isinstance(words, Words)
    train = settings.train
    held_out = held_out_of(len(store), train.held_out, store.path, "segments")
    model = build(settings.model, words.size).to(job.device)
    text, numbers = (store, Unigrams.of(words.counts_W), words.size), np.arange(len(store))
    data = DenoisingBatches(
        *text,
        numbers[:-held_out],
        1,
        settings.seed,
        max_length=train.max_length,
        budget=train.batch_tokens,
        noise=settings.noise,
    )
    valid, whole = (
        DenoisingBatches(
            *text, numbers[-held_out:], 64, 0, max_length=train.max_length, masked=masked, noise=settings.noise
        )
        for masked in (True, False)
    )

    def validate() -> dict[str, float]:
        # Unstated: whether the perplexity of PoDA's pretraining, 6.8, is of scored words or of all. Both are measured.
        loss, of_all = (nats_a_token(model, data, job.device, job.processes) for data in (valid, whole))
        return {**validated(loss), "perplexity_of_all_words": perplexity(of_all)}

    return PretrainingTask(
        model,
        Labelled(model, data, job.device, job.processes, train.tokens_per_update, train.precision),
        validate,
        {"text": [store.fingerprint, store.content]},
        {"kind": "seq2seq", "model": asdict(settings.model)},
        lambda progress: {"segments_too_long": data.too_long, **read(data)},
    )


def read(data: PairBatches) -> dict[str, float]:
    """Return what a summary says of batches that were read."""
    return {"epochs": data.epoch, "padding_share": round(data.padding / max(1, data.cells), 4)}


KINDS: dict[type, Callable[..., PretrainingTask]] = {
    LMSettings: language_model,
    TransformerLMSettings: transformer_lm,
    DenoiserSettings: denoiser,
}
"""What each kind of settings trains."""
