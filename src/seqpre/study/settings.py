"""The settings of a run, typed, with their defaults.

`run.json` keeps only what differs from the defaults below. A default never changes, and the default of a new setting
means "off", so a new setting re-runs nothing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from seqpre.common.errors import ConfigError
from seqpre.study.declarations import RANDOM, declared_as
from seqpre.study.models import LSTMSettings, ModelSettings
from seqpre.study.tasks import BY_METRIC, NO_METRIC
from seqpre.study.typed import Count, CountOrOff, Positive, Share, Weight, at_least, nearest, only, require, typed

PERPLEXITY = "perplexity"
"""The checkpoint of the best validation perplexity, as the papers choose it."""
AVERAGE = "average"
"""The checkpoint that no validation chose: the mean of the weights at the last validations."""
LMPart = Literal["embedding", "lstm", "softmax"]
LM_PARTS: tuple[LMPart, ...] = get_args(LMPart)
Patience = Annotated[int, at_least(0, "never stop early")]
NgramSize = Annotated[int, only(lambda size: size == 0 or size > 1, "0 (off) or at least 2")]
Precision = Literal["float32", "tf32", "bf16"]
SOME = "one value or more"
Greedy = Annotated[str, only((*BY_METRIC, NO_METRIC).__contains__, f"{', '.join(BY_METRIC)} or {NO_METRIC}")]


@dataclass(frozen=True)
class InitSettings:
    """Which language model initialises which side, which of its parts are loaded, and which are frozen."""

    encoder: str = RANDOM
    """Initial weights of the encoder: `random`, an LM of the study or of its pretraining, or a kept checkpoint,
    `name@1000`."""
    decoder: str = RANDOM
    """The same for the decoder."""
    parts: Annotated[tuple[LMPart, ...], only(len, f"one or more of {', '.join(LM_PARTS)}")] = LM_PARTS
    """Parts of an LSTM LM to load (Ramachandran et al., 2017, Section 2.1)."""
    encoder_parts: tuple[LMPart, ...] = ()
    """Parts that the encoder loads, instead of `parts`."""
    decoder_parts: tuple[LMPart, ...] = ()
    """Parts that the decoder loads, instead of `parts`."""
    freeze: tuple[LMPart, ...] = ()
    """Parts that are frozen at their pretrained weights (Ramachandran et al., 2017, Section 4.1)."""

    @property
    def some(self) -> tuple[LMPart, ...]:
        """The parts to load; empty if all parts are loaded."""
        chosen = (self.parts, self.encoder_parts or LM_PARTS, self.decoder_parts or LM_PARTS)
        return next((parts for parts in chosen if parts != LM_PARTS), ())

    @property
    def by_key(self) -> dict[str, str]:
        """What each side starts from, by the key of a run's settings: {`init.encoder`: name, `init.decoder`: name}."""
        return {"init.encoder": self.encoder, "init.decoder": self.decoder}

    @property
    def lms(self) -> list[str]:
        """The LMs that the sides start from, checkpoints included, source side first; each once."""
        return [name for name in dict.fromkeys(self.by_key.values()) if name != RANDOM]


@dataclass(frozen=True)
class ObjectiveSettings:
    """The LM losses besides the labelled loss: alpha and beta of Section 2.2, and the text they read."""

    source_lm_weight: Weight = 0.0
    """Weight alpha of the source LM's loss; 0: off (Ramachandran et al., 2017, Section 2.2)."""
    target_lm_weight: Weight = 0.0
    """Weight beta of the target LM's loss; 0: off (Ramachandran et al., 2017, Section 2.2)."""
    source_lm: str = ""
    """The LM whose text the source LM's loss reads."""
    target_lm: str = ""
    """The LM whose text the target LM's loss reads."""
    # Unstated: the batch size of the LM losses. 1,280 tokens; the 128 pairs of a batch of WMT14 have about 3,700 target
    # tokens. At the small scale it is 560 tokens, and pairs have 1,180. Each loss is a mean over its own batch's
    # tokens.
    lm_streams: Count = 64
    """Parallel streams of text in a batch of the LM losses."""
    bptt: Count = 20
    """Tokens of each stream in a batch: the length of backpropagation through time."""
    # Unstated: where the state of a language model begins. It is carried over the whole text, as in Jozefowicz et al.
    # (2016), while a sentence to translate begins from zero.
    reset: Literal["never", "line"] = "never"
    """Where the state is reset. `line`: at each line (a sentence or document), of which at most `bptt` subwords are
    read at once; a batch still has `lm_streams` x `bptt` tokens, padding included."""

    @property
    def losses(self) -> tuple[tuple[str, float, str], ...]:
        """Key, weight and LM of each loss, source side first."""
        return tuple((key, getattr(self, f"{key}_weight"), getattr(self, key)) for key in ("source_lm", "target_lm"))

    @property
    def lms(self) -> list[str]:
        """The LMs whose training text the active losses read, source side first; each once."""
        return list(dict.fromkeys(lm for _, weight, lm in self.losses if weight))


@dataclass(frozen=True)
class OptimizerSettings:
    """The optimiser and the schedule of the learning rate `lr`.

    `exponential`: multiplied by `decay` every `decay_every` updates after the first `decay_after`; or, with
    `anneal_to`, constant for the share `hold` of all updates, then falling exponentially to the share `anneal_to` of
    `lr`. `inverse_sqrt`: with the inverse square root of all updates so far. `cosine`: a half cosine to `lr_end`.
    `plateau`: multiplied by `decay` whenever validation loss has not fallen; training ends below `lr_end`.
    """

    name: Literal["adam", "adagrad", "nag"] = "adam"
    """Adam, Adagrad, or Nesterov's accelerated gradient."""
    lr: Positive = 5e-5
    """Learning rate (Ramachandran et al., 2017, Section 4.1)."""
    decay: Positive = 1.0
    """Factor by which the learning rate falls: every `decay_every` updates, or on a plateau."""
    decay_after: Annotated[int, at_least(0, "from the start")] = 0
    """Updates before the rate first falls."""
    decay_every: Count = 1
    """Updates between two falls of the rate."""
    clip_norm: Positive = 5.0
    """Largest norm of the gradient (Ramachandran et al., 2017, Section 4.1)."""
    hold: Share = 0.0
    """Share of all updates at the constant rate, before `anneal_to` applies."""
    anneal_to: Share = 0.0
    """Share of the learning rate that is left after the last update; it falls exponentially; 0: off."""
    schedule: Literal["exponential", "inverse_sqrt", "cosine", "plateau"] = "exponential"
    """How the learning rate falls after the warm-up."""
    warmup: CountOrOff = 0
    """Updates over which the learning rate rises linearly from `warmup_from` to `lr`."""
    warmup_from: Weight = 0.0
    """Learning rate at the start of the warm-up."""
    lr_end: Weight = 0.0
    """Final learning rate of `cosine`; with `plateau`, training ends when the rate would fall below it."""
    beta2: Share = 0.999
    """Adam's decay rate of squared gradients."""
    momentum: Annotated[float, only(lambda value: 0 < value < 1, "between 0 and 1")] = 0.99
    """Momentum of `nag`."""
    state: Literal["shared", "own"] = "shared"
    """Whether the losses of a run share the optimiser's state, or each loss has its own."""
    average: Share = 0.0
    """Decay of the exponential moving average of the weights, which is validated and saved; 0: off."""

    def check(self, where: str) -> None:
        """Raise ConfigError for values that do not fit together."""
        require(
            self.anneal_to or not self.hold, where, "optimizer.hold", self.hold, "0: anneal_to is 0, so nothing is held"
        )
        anneals = self.schedule == "exponential" or not self.anneal_to
        require(anneals, where, "optimizer.anneal_to", self.anneal_to, "0: only the exponential schedule takes it")
        ends, falls = self.schedule in ("cosine", "plateau"), self.schedule in ("exponential", "plateau")
        for key, unread, accepted in (
            ("lr_end", self.lr_end and not ends, "0: only cosine and plateau have an end"),
            ("decay", self.decay != 1 and not falls, "1: only exponential and plateau fall by a factor"),
            ("decay_after", self.decay_after and self.schedule != "exponential", "0: only exponential waits"),
            ("warmup_from", self.warmup_from and not self.warmup, "0: warmup is 0"),
            ("momentum", self.momentum != 0.99 and self.name != "nag", "left out: only nag has it"),
            ("beta2", self.beta2 != 0.999 and self.name != "adam", "left out: only adam has it"),
        ):
            require(not unread, where, f"optimizer.{key}", getattr(self, key), accepted)
        if self.schedule == "plateau":
            require(self.decay < 1, where, "optimizer.decay", self.decay, "below 1: by it the rate falls on a plateau")


@dataclass(frozen=True)
class TrainSettings:
    """How a seq2seq model is trained and when it stops. Lengths are in subwords, intervals in updates or passes."""

    # Unstated: the batch size and the length limit of training pairs. 128 pairs, of 100 subwords a side at most.
    batch_sentences: Count = 128
    """Pairs in a batch."""
    batch_tokens: CountOrOff = 0
    """Instead of `batch_sentences`: tokens of both sides in a batch, padding included; 0: off."""
    max_length: Count = 100
    """Longest side of a training pair in subwords; longer pairs are left out."""
    max_updates: Annotated[int, at_least(0, "validate alone")] = 10_000_000
    """Maximum number of updates; 0: the initial weights are validated and kept."""
    # Unstated: how often validation perplexity is measured, and how long early stopping waits. Every 5,000 updates, and
    # for 20 measurements without a new best.
    validate_every: Count = 5_000
    """Updates between two validations."""
    patience: Patience = 20
    """Early stopping: validations without a lower perplexity before training ends; 0: never (Ramachandran et al., 2017,
    Section 4.1)."""
    metric: Greedy = "bleu"
    """Score of greedy outputs at every validation; its best weights are kept, too. `none`: nothing is decoded, and
    perplexity alone chooses."""
    min_improvement: Share = 0.0
    """Share by which perplexity must fall to count as lower for early stopping; 0: any fall counts."""
    checkpoint_minutes: Positive = 10.0
    """Minutes between two checkpoints, from which a stopped training resumes."""
    passes: Weight = 0.0
    """Instead of `max_updates`: passes over the training pairs; 0: off."""
    validate_passes: Weight = 0.0
    """Instead of `validate_every`: passes over the pairs between two validations; 0: off."""
    validate_pairs: CountOrOff = 0
    """Validation pairs read during training, evenly spaced in the whole set; 0: all. Decoding settings are tuned on
    all."""
    subset: Literal["shared", "own"] = "shared"
    """Which pairs a fraction takes: the same for all seeds, or different ones for each seed. A smaller fraction is
    always part of a larger one."""
    label_smoothing: Share = 0.0
    """Share of each label that is spread over the vocabulary, in training only (Szegedy et al., 2016)."""
    tokens_per_update: CountOrOff = 0
    """Batches are accumulated until an update has this many target tokens; 0: one batch an update."""
    precision: Precision = "float32"
    """Precision of matrix products on a GPU in training. Weights, sums and outputs stay in float32; with `bf16` the
    softmax and an LSTM's cells do as well, and cuDNN computes LSTMs in TF32."""
    average_last: CountOrOff = 0
    """Number of last validations whose mean weights are kept and decoded besides the best ones; 0: off."""

    def updates(self, a_pass: float) -> tuple[int, int]:
        """Return the maximum updates and the updates between validations; one pass has `a_pass` updates."""
        most = max(1, round(self.passes * a_pass)) if self.passes else self.max_updates
        every = max(1, math.ceil(self.validate_passes * a_pass)) if self.validate_passes else self.validate_every
        return most, every


@dataclass(frozen=True)
class DecodeSettings:
    """Beam search. If lists have several values, the combination that is best on validation is used for the tests.

    Lengths are those of outputs, in subwords.
    """

    beam: Count = 10
    """Beam size (Ramachandran et al., 2017, Section 4.1)."""
    length_penalties: Annotated[tuple[float, ...], only(len, SOME)] = (0.0, 0.6, 1.0)
    """Length penalties: the log probability is divided by length to this power."""
    batch_sentences: Count = 64
    """Sentences decoded at once."""
    # Unstated: whether summaries had a smallest length or were kept from repeating themselves. Off unless a study asks.
    min_lengths: Annotated[tuple[CountOrOff, ...], only(len, SOME)] = (0,)
    """Minimum lengths of an output."""
    no_repeat_ngrams: Annotated[tuple[NgramSize, ...], only(len, SOME)] = (0,)
    """Sizes of n-grams that may not repeat in an output; 0: no limit."""
    max_length: Annotated[int, at_least(0, "twice the source and 10 more")] = 0
    """Maximum length of an output; 0: twice the source length plus 10."""

    def check(self, where: str) -> None:
        """Raise ConfigError for values that no search can have."""
        typed(DecodeSettings, dataclasses.asdict(self), f"{where}: decode")
        least, most = max(1, *self.min_lengths), self.max_length
        accepted = f"0 (twice the source and 10 more) or at least {least}, the largest of decode.min_lengths"
        require(most == 0 or most >= least, where, "decode.max_length", most, accepted)


@dataclass(frozen=True)
class BacktranslationSettings:
    """Target text that a model of the other direction, trained on the same pairs, translates; it is added to the pairs
    (Sennrich et al., 2016)."""

    system: str = ""
    """The system that is trained with source and target exchanged, and translates; empty: off."""
    corpus: str = ""
    """The corpus role whose target-language text is translated."""
    ratio: Annotated[float, at_least(0, "all text")] = 1.0
    """Synthetic pairs for each pair (Sennrich et al., 2016, Section 4.1: one); 0: all text."""

    def wanted(self, pairs: int, sentences: int) -> int:
        """Return how many sentences of the text are translated for `pairs` pairs; at least one."""
        return max(1, round(self.ratio * pairs)) if self.ratio else sentences


@dataclass(frozen=True)
class VocabularySettings:
    """Which vocabulary each side of a run uses, by name; empty: the study's, of its `vocab_size`."""

    source: str = ""
    """Name of the source vocabulary; empty: the study's, of its `vocab_size`."""
    target: str = ""
    """Name of the target vocabulary; it may differ from the source's only if a Transformer shares no embeddings."""


@dataclass(frozen=True)
class RunSettings:
    """Every setting that can change a run's numbers."""

    model: ModelSettings = LSTMSettings()
    """The model. A system with another kind of model keeps the settings that both kinds have."""
    init: InitSettings = InitSettings()
    objectives: ObjectiveSettings = ObjectiveSettings()
    optimizer: OptimizerSettings = OptimizerSettings()
    train: TrainSettings = TrainSettings()
    decode: DecodeSettings = DecodeSettings()
    vocabulary: VocabularySettings = VocabularySettings()
    backtranslation: BacktranslationSettings = BacktranslationSettings()

    def trained(self) -> RunSettings:
        """Return these without settings that change no weight: decoding, and how often checkpoints are written."""
        train = dataclasses.replace(self.train, checkpoint_minutes=TrainSettings.checkpoint_minutes)
        return dataclasses.replace(self, decode=DecodeSettings(), train=train)

    def check(self, where: str, lms: Iterable[str] = ()) -> None:
        """Raise ConfigError for values that no run can have; it may start from `lms`, checkpoints included."""
        typed(RunSettings, dataclasses.asdict(self), where)
        self.optimizer.check(where)
        self.decode.check(where)
        self.model.check(where)
        self.model.check_run(self, where)
        cut, longest = self.model.max_source, self.train.max_length
        accepted = f"at least model.max_source ({cut}): pairs whose sources are cut would be left out as too long"
        require(longest >= cut, where, "train.max_length", longest, accepted)
        lms = tuple(lms)
        known = (RANDOM, *lms)
        for key, name in self.init.by_key.items():
            if name not in known:
                model = declared_as(name)
                if model != name and model in known:
                    kept = ", ".join(other for other in lms if declared_as(other) == model != other)
                    raise ConfigError(f"{where}: {key} is {name!r}, which is not kept; kept are {kept or 'none'}")
                raise ConfigError(
                    f"{where}: {key} asks for the LM {name!r}, which the study does not declare{nearest(name, known)}"
                )
        for side, name in (("encoder", self.init.encoder), ("decoder", self.init.decoder)):
            loaded = getattr(self.init, f"{side}_parts") or self.init.parts
            frozen = [part for part in self.init.freeze if part not in loaded]
            accepted = f"of the parts that the {side} loads: {', '.join(loaded)}"
            require(name == RANDOM or not frozen, where, "init.freeze", self.init.freeze, accepted)
        source, target = self.vocabulary.source, self.vocabulary.target
        accepted = f"{source!r}, that of the source: only a Transformer whose sides share no embeddings has two"
        require(self.model.two_vocabularies or source == target, where, "vocabulary.target", target, accepted)
        read = [lm for lm in lms if declared_as(lm) == lm]  # Losses read the text of an LM, not of a checkpoint.
        for key, weight, name in self.objectives.losses:
            if weight > 0 and name not in read:
                raise ConfigError(
                    f"{where}: objectives.{key}_weight is {weight}, but objectives.{key} is {name!r}, "
                    f"not an LM of the study{nearest(name, read)}"
                )

    @property
    def needed_lms(self) -> list[str]:
        """The LMs whose weights or training text it needs, source side first."""
        return list(dict.fromkeys((*self.init.lms, *self.objectives.lms)))
