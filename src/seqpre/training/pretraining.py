"""The kinds of pretraining: the model, data and validation of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn

from seqpre.common.errors import ConfigError
from seqpre.corpora.token_store import Tokens, TokenStore
from seqpre.corpora.vocabulary import Vocabulary
from seqpre.corpora.words import Words
from seqpre.models.build import build
from seqpre.models.family import StreamModel
from seqpre.models.lstm import LSTMLanguageModel
from seqpre.models.two_tower import LMS
from seqpre.study.fractions import count_of
from seqpre.study.pretraining_settings import DenoiserSettings, LMSettings, StreamTrain, TransformerLMSettings
from seqpre.study.typed import require
from seqpre.training.batches import LMStreams, PairBatches, Sentences, lm_lines, order_of
from seqpre.training.denoising import DenoisingBatches
from seqpre.training.noise import Unigrams
from seqpre.training.objectives import CrossEntropy, Objective, lm_objective, mean_token_loss, perplexity, validated
from seqpre.training.processes import Processes
from seqpre.training.run_folder import TrainingRecord


@dataclass(frozen=True)
class Text:
    """The pretraining text, as `declared` in the file `where`."""

    store: TokenStore
    vocabulary: Vocabulary
    declared: Mapping[str, Any]
    where: str

    def sentences(self, store: TokenStore) -> int:
        """Return how many sentences of `store` are read, by the declared fraction."""
        return count_of(self.declared["fraction"], len(store), f"{self.where}: fraction")

    def held_out(self, sequences: int, most: int, unit: str = "sentences") -> int:
        """Return the number of validation sequences: one in twenty, at most `most`. ConfigError if none."""
        held_out = min(most, sequences // 20)
        if held_out < 1:
            raise ConfigError(
                f"{self.store.path}: {sequences:,} {unit} are too few to hold one in twenty out for validation"
            )
        return held_out


@dataclass(frozen=True)
class PretrainingTask:
    """The parts of one pretraining."""

    model: nn.Module
    objective: Objective
    validate: Callable[[], dict[str, float]]
    inputs: dict[str, Any]
    """What the weights depend on besides the settings."""
    about: dict[str, Any]
    """Metadata of the weights files, besides the vocabulary."""
    summary: Callable[[TrainingRecord], dict[str, Any]]
    """Further entries of summary.json."""


def language_model(settings: LMSettings, text: Text, processes: Processes) -> PretrainingTask:
    """Return the task of an LSTM language model; it reads contiguous text or single lines."""
    train, store = settings.train, text.store
    sentences = text.sentences(store)
    held_out = text.held_out(sentences, train.held_out)
    # Differs: Jozefowicz et al. (2016) use a sampled softmax, whose updates move only the sampled words' weights, and
    # evaluate averaged LSTM weights. Here the softmax is exact, and weights are not averaged.
    # Differs: Jozefowicz et al. (2016) train asynchronously on 32 GPUs of 128 streams each; here all GPUs share the
    # streams of an update. The ranges of initial weights are others than theirs.
    model = LSTMLanguageModel(text.vocabulary.size, settings.first_layer, train.dropout).to(processes.device)
    order = order_of(store, train.subset, settings.seed) if sentences < len(store) else None
    read, held = (
        Sentences(store, *ends, order) for ends in ((0, sentences - held_out), (sentences - held_out, sentences))
    )
    size = (train.streams, train.bptt, settings.seed)
    objective = lm_objective(
        model, read, size, train.reset, processes, "train.streams",
        precision=train.precision, loss_per=train.loss_per, clipped=train.clipped,
    )  # fmt: skip
    data = objective.data
    valid = lm_lines(held, *size) if train.reset == "line" else validation_streams(held.tokens, train)

    def validate() -> dict[str, float]:
        if isinstance(valid, PairBatches):
            return validated(mean_token_loss(model, valid, processes))
        return validated(stream_loss(model, valid, processes))

    def summary(progress: TrainingRecord) -> dict[str, Any]:
        if isinstance(data, PairBatches):
            return data.summary()
        return {"epochs": round(progress.tokens / len(data.tokens), 2)}

    return PretrainingTask(
        model,
        objective,
        validate,
        {"text": [store.fingerprint, store.content, sentences], "vocab": text.vocabulary.size},
        {"kind": "lm", "first_layer": asdict(settings.first_layer)},
        summary,
    )


def validation_streams(tokens: Tokens, train: StreamTrain) -> LMStreams:
    """Return the validation text, in few enough streams that each has at least five chunks.

    With more streams, the first steps, which have no context, would count too much.
    """
    return LMStreams(tokens, max(1, min(train.streams, len(tokens) // (5 * train.bptt))), train.bptt, 0)


def stream_loss(model: StreamModel, data: LMStreams, processes: Processes) -> float:
    """Return the loss in nats per token over one pass of `data`. The model's mode decides about dropout."""
    data.load_state_dict({"epoch": 0, "chunk": 0})
    total, tokens, state, rows = 0.0, 0.0, None, processes.rows(data.streams)
    with torch.no_grad():
        for _ in range(data.chunks):
            ids_BT, targets_BT = (ids[rows.slice].to(processes.device) for ids in data.next())
            loss, state = model.stream_loss(ids_BT, targets_BT, state)
            total, tokens = total + rows.weight * float(loss), tokens + rows.weight * targets_BT.numel()
    loss_of_all, tokens_of_all = processes.sum(total, tokens)
    return loss_of_all / tokens_of_all


def transformer_lm(settings: TransformerLMSettings, text: Text, processes: Processes) -> PretrainingTask:
    """Return the task of a Transformer language model; it reads sentences or pieces of documents."""
    train, objective = settings.train, text.declared.get("objective", "")
    require(objective in ("causal", "cloze"), text.where, "objective", objective, "causal or cloze")
    store = text.store.pieces(train.max_length)
    sentences = text.sentences(store)
    held_out = text.held_out(sentences, train.held_out)
    longest = store.lengths[:sentences].max()
    accepted = f"at least {longest:,}, the tokens of the longest sample of {store.path}"
    require(train.batch_tokens >= longest, text.where, "train.batch_tokens", train.batch_tokens, accepted)
    model = LMS[f"{objective}_lm"](text.vocabulary.size, settings.shape).to(processes.device)
    numbers = np.arange(sentences)
    # A sentence is paired with itself, so a budget counts it twice.
    data = PairBatches(store, store, 1, settings.seed, budget=2 * train.batch_tokens, order=numbers[:-held_out])
    valid = PairBatches(store, store, 64, 0, order=numbers[-held_out:])
    read = [store.fingerprint, store.content, sentences]
    return PretrainingTask(
        model,
        CrossEntropy(model, data, processes, train.tokens_per_update, train.precision),
        lambda: validated(mean_token_loss(model, valid, processes)),
        {"objective": objective, "text": read, "vocab": text.vocabulary.size},
        {"kind": model.kind, "shape": asdict(settings.shape)},
        lambda progress: {"samples": len(data.kept), **data.summary()},
    )


def denoiser(settings: DenoiserSettings, text: Text, processes: Processes) -> PretrainingTask:
    """Return the task of a denoiser; it reads segments."""
    words, store, train = text.vocabulary, text.store, settings.train
    accepted = "a words.tsv: a denoiser copies words"
    require(isinstance(words, Words), text.where, "--vocabulary", str(words.path), accepted)
    assert isinstance(words, Words)
    held_out = text.held_out(len(store), train.held_out, "segments")
    model = build(settings.model, words.size).to(processes.device)
    numbers, noise = np.arange(len(store)), settings.noise
    unigrams = Unigrams.of(words.counts_W)
    segments = partial(DenoisingBatches, store, unigrams, words.size, max_length=train.max_length, noise=noise)
    data = segments(numbers[:-held_out], 1, settings.seed, budget=train.batch_tokens)
    valid, whole = (segments(numbers[-held_out:], 64, 0, masked=masked) for masked in (True, False))

    def validate() -> dict[str, float]:
        # Unstated: whether the perplexity of PoDA's pretraining, 6.8, is of scored words or of all. Both are measured.
        loss, of_all = (mean_token_loss(model, data, processes) for data in (valid, whole))
        return {**validated(loss), "perplexity_of_all_words": perplexity(of_all)}

    return PretrainingTask(
        model,
        CrossEntropy(model, data, processes, train.tokens_per_update, train.precision),
        validate,
        {"text": [store.fingerprint, store.content]},
        {"kind": "seq2seq", "model": asdict(settings.model)},
        lambda progress: {"segments_too_long": data.too_long, **data.summary()},
    )


KINDS: dict[type, Callable[..., PretrainingTask]] = {
    LMSettings: language_model,
    TransformerLMSettings: transformer_lm,
    DenoiserSettings: denoiser,
}
"""The task of each kind of settings."""
