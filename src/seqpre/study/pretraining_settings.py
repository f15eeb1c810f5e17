"""Typed settings of pretraining, one class for each kind of model, and their defaults.

As for runs, a default never changes, and the default of a new setting means "off".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from seqpre.study.models.lstm import FirstLayer
from seqpre.study.models.pointer import PointerGeneratorSettings
from seqpre.study.models.two_tower import TransformerLMShape
from seqpre.study.settings import OptimizerSettings, Patience, Precision
from seqpre.study.typed import Count, CountOrOff, Positive, Seed, Share, differences, only, require

Kept = Annotated[tuple[Count, ...], only(lambda values: len(set(values)) == len(values), "updates, each once")]


@dataclass(frozen=True)
class PretrainingTrain:
    """When a pretraining validates, stops and saves."""

    validate_every: Count = 5_000
    """Updates between two validations."""
    patience: Patience = 0
    """Early stopping: validations without a lower perplexity before training ends; 0: never."""
    held_out: Count = 2_000
    """Sequences of its text held out for validation, at most one in twenty."""
    checkpoint_minutes: Positive = 10.0
    """Minutes between two checkpoints, from which a stopped training resumes."""
    min_improvement: Share = 0.0
    """Share by which perplexity must fall to count as lower for early stopping; 0: any fall counts."""
    precision: Precision = "float32"
    """Precision of matrix products on a GPU, as in `train` of a run."""
    keep: Kept = ()
    """Updates after which a checkpoint is kept: a run may start from `name@1000`."""


@dataclass(frozen=True)
class StreamTrain(PretrainingTrain):
    """How a language model is trained on contiguous text."""

    streams: Count = 128
    """Parallel streams of text in a batch."""
    bptt: Count = 20
    """Tokens of each stream in a batch: the length of backpropagation through time."""
    reset: Literal["never", "line"] = "never"
    """Where its state is reset, as in `objectives` of a run."""
    dropout: Share = 0.1
    """Dropout on non-recurrent connections."""
    loss_per: Literal["token", "stream"] = "token"
    """What an update's loss is averaged over. With `stream`, it is summed over the `bptt` steps, and the embedding's
    gradient over the streams as well; the published learning rate is for that (code of Jozefowicz et al., 2016)."""
    clipped: Literal["all", "lstm"] = "all"
    """Which gradients `optimizer.clip_norm` limits: all, or only the LSTM's (code of Jozefowicz et al., 2016)."""
    # Unstated: how long an LM trains ("one week on 32 Tesla K40"). Five epochs of a billion tokens at most.
    max_tokens: Count = 5_000_000_000
    """Tokens to read in total."""
    patience: Patience = 5
    """Early stopping: validations without a lower perplexity before training ends; 0: never."""
    subset: Literal["shared", "own"] = "shared"
    """Which sentences a fraction takes: the same for all seeds, or different ones for each seed, as `train.subset` of a
    run."""

    @property
    def max_updates(self) -> int:
        """Updates that read `max_tokens`."""
        return max(1, self.max_tokens // (self.streams * self.bptt))


@dataclass(frozen=True)
class BatchTrain(PretrainingTrain):
    """How a model is trained on whole sequences; the defaults are a denoiser's."""

    # Unstated: how full PoDA's batches are, of at most 3,000 tokens on each of 4 GPUs. An update reads 8,400 words: so
    # 5 million updates are the paper's 14 passes over 2.99 billion words. Batches of 12,000 would make 20.
    batch_tokens: Count = 16_800
    """Tokens in a batch, padding included; for a denoiser, of both sides (Wang et al., 2019, Section 2.3)."""
    max_length: Count = 500
    """Longest sequence; a denoiser leaves out longer ones, a language model cuts them into pieces."""
    max_updates: Count = 5_000_000
    """Maximum number of updates (Wang et al., 2019, Section 2.3)."""
    # Unstated: how often PoDA's pretraining is validated, which decides when its learning rate falls. Once an epoch, as
    # in fine-tuning: 14 times.
    validate_every: Count = 360_000
    """Updates between two validations."""
    tokens_per_update: CountOrOff = 0
    """Batches are accumulated until an update has this many scored tokens; 0: one batch an update."""


@dataclass(frozen=True)
class NoiseSettings:
    """How much a denoiser's sequences are corrupted (Wang et al., 2019, Section 2.2)."""

    # Unstated: whether sigma, which the text calls a variance, is a standard deviation. A variance: two neighbours are
    # then swapped in 15.9 % of cases, near the 15 % of the other noises (a standard deviation of 0.5 would give 7.9 %).
    variance: Positive = 0.5
    """Variance (sigma) of the distance that a word is moved by (Wang et al., 2019, Section 2.2)."""
    rate: Annotated[float, only(lambda value: 0 < value < 1, "in (0, 1)")] = 0.15
    """Mean over sequences of the share of words deleted, and of the share replaced (Wang et al., 2019, Section 2.2)."""
    deviation: Positive = 0.03
    """Standard deviation of these shares over sequences (Wang et al., 2019, Section 2.2)."""

    @property
    def beta(self) -> tuple[float, float]:
        """The Beta distribution that has this mean and deviation; the paper's are 21.1 and 119.57."""
        alpha = self.rate * (self.rate * (1 - self.rate) / self.deviation**2 - 1)
        return alpha, alpha * (1 - self.rate) / self.rate


@dataclass(frozen=True)
class PretrainingSettings:
    """What every kind has besides its model, optimiser and budget."""

    vocabulary: ClassVar[Literal["subwords", "words"]] = "subwords"
    """What its vocabulary consists of."""
    holds: ClassVar[str] = "language models"
    """What its models are called in messages."""
    seed: Seed = 1
    """Seed of initial weights and training order."""

    def identity(self) -> dict[str, Any]:
        """Return what identifies its training states: non-default settings that affect the weights."""
        differing = differences(self, type(self)())
        for key in ("keep", "checkpoint_minutes"):
            differing.get("train", {}).pop(key, None)
        return differing


@dataclass(frozen=True)
class LMSettings(PretrainingSettings):
    """One LSTM language model. With Adagrad at this rate use `train.loss_per: stream` (Jozefowicz et al., 2016)."""

    first_layer: FirstLayer = FirstLayer()
    optimizer: OptimizerSettings = OptimizerSettings(name="adagrad", lr=0.2, clip_norm=1.0)
    train: StreamTrain = StreamTrain()
    kind: Literal["lm"] = "lm"

    def check(self, where: str) -> None:
        """Raise ConfigError for values that do not fit together."""
        check_training(self, where)
        if self.train.reset == "line":
            for key, value, accepted in (
                ("loss_per", self.train.loss_per, "token"),
                ("clipped", self.train.clipped, "all"),
            ):
                require(value == accepted, where, f"train.{key}", value, f"{accepted} where train.reset is line")


@dataclass(frozen=True)
class DenoiserSettings(PretrainingSettings):
    """One denoiser, by default PoDA's (Wang et al., 2019, Sections 2.3 and 3.1, and its code)."""

    vocabulary: ClassVar[Literal["subwords", "words"]] = "words"
    holds: ClassVar[str] = "a whole model"
    # Unstated: what dropout on PoDA's "self-attention layers, positionwise feedforward layers and input embedding
    # layers" drops. Their outputs and, at the paper scale, attention weights and hidden units, as in the published
    # code.
    model: PointerGeneratorSettings = PointerGeneratorSettings(ff_dim=4096, dropout=0.2)
    # Differs: momentum and warm-up of PoDA's pretraining (0.99, 100 updates) are given only in the published code.
    # Unstated: over what PoDA's loss is averaged, on which the meaning of its learning rate and clipping norm depends.
    # Over the scored words of an update, as everywhere here.
    optimizer: OptimizerSettings = OptimizerSettings(
        name="nag", lr=2e-3, momentum=0.99, clip_norm=2.0, schedule="plateau", decay=0.5, lr_end=1e-4, warmup=100,
        average=0.9995,
    )  # fmt: skip
    train: BatchTrain = BatchTrain()
    segment: Count = 128
    """Longest sequence in words; its text is split into such sequences (Wang et al., 2019, Section 2.3)."""
    noise: NoiseSettings = NoiseSettings()
    kind: Literal["denoiser"] = "denoiser"

    def check(self, where: str) -> None:
        """Raise ConfigError for values that do not fit together."""
        check_training(self, where)
        widest = (self.noise.rate * (1 - self.noise.rate)) ** 0.5
        accepted = f"below {widest:.2g}, as no rate between 0 and 1 with a mean of {self.noise.rate:g} deviates more"
        require(self.noise.deviation < widest, where, "noise.deviation", self.noise.deviation, accepted)
        self.model.check(where)


@dataclass(frozen=True)
class TransformerLMSettings(PretrainingSettings):
    """One Transformer LM, by default as large as the paper's (Edunov et al., 2019, Section 3.2, and its code)."""

    holds: ClassVar[str] = "Transformer LMs"
    shape: TransformerLMShape = TransformerLMShape()
    # Differs: the norm that gradients of the Transformer language models are clipped to, 0.1, is given only in the
    # published code.
    optimizer: OptimizerSettings = OptimizerSettings(
        name="nag", lr=1.0, momentum=0.99, clip_norm=0.1, schedule="cosine", warmup=16_000, warmup_from=1e-7,
        lr_end=1e-4,
    )  # fmt: skip
    # Differs: the size of an update of the Transformer language models, 2,480 tokens on each of 32 GPUs, is given only
    # in the published code.
    # Differs: the Transformer language models train for 984,000 updates, 16 thousand of them to warm up, as in the
    # published code; the paper rounds to a million.
    train: BatchTrain = BatchTrain(
        batch_tokens=19_840, tokens_per_update=79_360, max_length=512, max_updates=984_000, validate_every=20_000
    )
    kind: Literal["transformer_lm"] = "transformer_lm"

    def check(self, where: str) -> None:
        """Raise ConfigError for values that do not fit together."""
        check_training(self, where)
        self.shape.check(f"{where}: shape")


AnyPretraining = LMSettings | DenoiserSettings | TransformerLMSettings


def check_training(settings: AnyPretraining, where: str) -> None:
    """Raise ConfigError for an impossible optimiser, or for checkpoints to keep after the last update."""
    settings.optimizer.check(where)
    keep, most = settings.train.keep, settings.train.max_updates
    require(max(keep, default=0) <= most, where, "train.keep", list(keep), f"at most {most:,}, the last update")
