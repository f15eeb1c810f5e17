"""What a run can be told: typed settings and their defaults.

`run.json` keeps only what differs from the defaults below. A default never changes, and that of a new setting means
"off", so a new setting re-runs nothing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from seqpre.common.errors import ConfigError
from seqpre.study.declarations import declared_as
from seqpre.study.overrides import nearest, require, typed
from seqpre.study.ranges import (
    Count,
    CountOrOff,
    Limit,
    Positive,
    Share,
    Weight,
    at_least,
    only,
)

RANDOM = "random"
AVERAGE = "average"
"""The selection of weights that no validation chose: the mean of those of the last validations."""
Part = Literal["embedding", "lstm", "softmax"]
PARTS: tuple[Part, ...] = get_args(Part)
Patience = Annotated[int, at_least(0, "never stop early")]
NgramSize = Annotated[int, only(lambda size: size == 0 or size > 1, "0 (off) or at least 2")]
SOME = "one value or more"


@dataclass(frozen=True)
class FirstLayer:
    """The shape of a language model, which is also layer 1 of an encoder or decoder.

    projection_dim 0 means an LSTM without projection; dropout is on non-recurrent connections.
    """

    # Unstated: the embedding size of the LSTM. That of its projection, 1024, as in Jozefowicz et al. (2016).
    embedding_dim: Count = 1024
    hidden_dim: Count = 4096
    projection_dim: Annotated[int, at_least(0, "no projection")] = 1024

    @property
    def output_dim(self) -> int:
        """Size of the layer's output, the input of the softmax."""
        return self.projection_dim or self.hidden_dim


@dataclass(frozen=True)
class ModelSettings:
    """The seq2seq model above its two first layers (Ramachandran et al., 2017, Section 2)."""

    upper_layers: Count = 2
    upper_dim: Count = 1000
    # Differs: the residual around the upper layers is plain; the paper's experiments gated it, and it reports that a
    # plain one works just as well.
    residual: Literal["plain", "gated", "none"] = "plain"
    attention: Literal["first_and_top", "top"] = "first_and_top"
    # Unstated: whether the published numbers used input feeding, which only the arXiv version describes, while both
    # print the same numbers. They are taken to have used it.
    input_feeding: bool = True
    dropout: Share = 0.2
    max_source: Limit = 0
    """The encoder reads at most so many subwords of a source; 0: all of them."""


@dataclass(frozen=True)
class TransformerSettings:
    """The Transformer of Vaswani et al. (2017, Section 3); the defaults are their base model."""

    dim: Count = 512
    ff_dim: Count = 2048
    heads: Count = 8
    encoder_layers: Count = 6
    decoder_layers: Count = 6
    norm: Literal["post", "pre"] = "post"
    """Where a sub-layer is normalised: after the residual sum, as in the paper, or before the sub-layer."""
    tied: Literal["none", "decoder", "all"] = "all"
    """Which embeddings are one matrix: the decoder's two, or these and the encoder's."""
    dropout: Share = 0.1
    max_source: Limit = 0
    """The encoder reads at most so many subwords of a source; 0: all of them."""
    pointer: bool = False
    """Whether words are generated or copied, as in PoDA (Wang et al., 2019, Appendix A.1)."""


@dataclass(frozen=True)
class TransformerLMShape:
    """A Transformer language model, of one tower or two; the defaults are Edunov et al. (2019, Section 3.2)'s."""

    dim: Count = 1024
    ff_dim: Count = 4096
    heads: Count = 16
    layers: Count = 12
    """Of each tower."""
    # Differs: the three dropouts of the Transformer language models (0.1, 0.1 and 0.05) stand in the published code
    # alone.
    dropout: Share = 0.1
    attention_dropout: Share = 0.1
    relu_dropout: Share = 0.05

    @property
    def block(self) -> TransformerSettings:
        """The shape of the parts that it shares with a seq2seq Transformer."""
        # Differs: that sub-layers of the Transformer language models are normalised before, not after, stands in the
        # published code alone.
        return TransformerSettings(self.dim, self.ff_dim, self.heads, norm="pre", dropout=self.dropout)

    def check(self, where: str) -> None:
        """Raise ConfigError for a shape that there cannot be."""
        accepted = f"a multiple of its heads ({self.heads}), and even"
        require(self.dim % self.heads == self.dim % 2 == 0, where, "dim", self.dim, accepted)


@dataclass(frozen=True)
class RepresentationSettings:
    """What either side of a Transformer reads in place of embeddings it learns (Edunov et al., 2019, Section 2).

    The encoder has a cloze LM, the decoder a causal one: those that `init` names.
    """

    source: Literal["none", "elmo", "fine_tuned"] = "none"
    """A mixture of all states of an LM that stays as it is, or the state before the softmax of one that is trained."""
    target: Literal["none", "elmo", "fine_tuned"] = "none"
    dropout: Share = 0.0
    """Of the weights of the mixture, or of what the fine-tuned LM says."""
    lm: TransformerLMShape = TransformerLMShape()

    @property
    def sides(self) -> dict[str, tuple[str, str]]:
        """Return the sides that have any, {encoder or decoder: (source or target, which)}."""
        both = {"encoder": ("source", self.source), "decoder": ("target", self.target)}
        return {side: said for side, said in both.items() if said[1] != "none"}


@dataclass(frozen=True)
class InitSettings:
    """Which language model initialises which side, which of its parts are taken, and which parts stay fixed."""

    encoder: str = RANDOM
    decoder: str = RANDOM
    parts: tuple[Part, ...] = PARTS
    freeze: tuple[Part, ...] = ()


@dataclass(frozen=True)
class ObjectiveSettings:
    """The LM losses beside the labelled loss: alpha and beta of Section 2.2, and whose text they read."""

    source_lm_weight: Weight = 0.0
    target_lm_weight: Weight = 0.0
    source_lm: str = ""
    target_lm: str = ""
    # Unstated: the LM losses' batch. 1,280 tokens, where 128 pairs of WMT14 have some 3,700 on the target side (560 and
    # 1,180 at the small scale); each loss is a mean over the tokens of its own batch.
    lm_streams: Count = 64
    bptt: Count = 20


@dataclass(frozen=True)
class OptimizerSettings:
    """Optimiser and schedule: `lr`, multiplied by `decay` every `decay_every` updates after the first `decay_after`.

    With `anneal_to`, for trainings of a fixed length instead: `lr` is held for the first `hold` of all updates, then
    falls exponentially, to the share `anneal_to` of it after the last. `schedule` has others.
    """

    name: Literal["adam", "adagrad", "nag"] = "adam"
    lr: Positive = 5e-5
    decay: Positive = 1.0
    decay_after: Annotated[int, at_least(0, "from the start")] = 0
    decay_every: Count = 1
    clip_norm: Positive = 5.0
    hold: Share = 0.0
    anneal_to: Share = 0.0
    """0: off."""
    schedule: Literal["steps", "inverse_sqrt", "cosine", "plateau"] = "steps"
    """How `lr` falls: in steps; with the root of the updates since the warm-up began; as half a cosine; by the factor
    `decay` whenever validation loss has not fallen."""
    warmup: CountOrOff = 0
    """Updates in which the rate rises linearly from `warmup_from` to `lr`."""
    warmup_from: Weight = 0.0
    lr_end: Weight = 0.0
    """Where the cosine ends; on plateaus, training ends when the rate would fall below it."""
    beta2: Share = 0.999
    """Adam's memory of squared gradients."""
    momentum: Annotated[float, only(lambda value: 0 < value < 1, "between 0 and 1")] = 0.99
    """Of Nesterov's accelerated gradient, `nag`."""
    average: Share = 0.0
    """Memory of the exponential average of the weights, which is then what is validated and saved; 0: off."""

    def check(self, where: str) -> None:
        """Raise ConfigError for values that no optimiser can have together."""
        if self.schedule == "plateau":
            require(self.decay < 1, where, "optimizer.decay", self.decay, "below 1: by it the rate falls on a plateau")


@dataclass(frozen=True)
class TrainSettings:
    """How a seq2seq model is trained and when it stops. Lengths are in subwords, intervals in updates or passes."""

    # Unstated: the batch size and the length limit of training pairs. 128 pairs, of 100 subwords a side at most.
    batch_sentences: Count = 128
    batch_tokens: CountOrOff = 0
    """Instead of `batch_sentences`: as many pairs as fit in so many cells of both sides, padding included; 0: off."""
    max_length: Count = 100
    max_updates: Annotated[int, at_least(0, "validate alone")] = 10_000_000
    """0: the weights at the start are validated and kept."""
    # Unstated: how often validation perplexity is measured, and how long early stopping waits. Every 5,000 updates, and
    # for 20 measurements without a new best.
    validate_every: Count = 5_000
    patience: Patience = 20
    metric: Literal["bleu", "rouge_1", "gleu", "none"] = "bleu"
    """What scores greedy outputs at every validation; the weights best by it are kept beside those of perplexity.
    `none`: nothing is decoded, and perplexity alone chooses."""
    min_improvement: Share = 0.0
    """Share of the perplexity by which it must fall to keep early stopping waiting; 0: any fall does."""
    checkpoint_minutes: Positive = 10.0
    passes: Weight = 0.0
    """Instead of `max_updates`: how often the training pairs are read; 0: off."""
    validate_passes: Weight = 0.0
    """Instead of `validate_every`: a validation each time the pairs have been read so often; 0: off."""
    validate_pairs: CountOrOff = 0
    """A validation while training is of so many validation pairs, from all over the set; 0: of all. A search is settled
    on all."""
    subset: Literal["shared", "own"] = "shared"
    """Which pairs a fraction takes: the same for all seeds, or each seed its own; nested either way."""
    label_smoothing: Share = 0.0
    """Share of each label that is spread over the whole vocabulary (Szegedy et al., 2016); validation has none."""
    tokens_per_update: CountOrOff = 0
    """An update takes batches until they have so many target tokens; 0: one batch."""
    precision: Literal["float32", "bf16"] = "float32"
    """What products are computed in; weights, sums and the softmax stay in float32."""
    average_last: CountOrOff = 0
    """The mean of the weights of so many last validations is kept, and decoded, beside the best ones; 0: off."""

    def updates(self, a_pass: float) -> tuple[int, int]:
        """Return the most updates and those between validations, where so many are one pass over the pairs."""
        most = max(1, round(self.passes * a_pass)) if self.passes else self.max_updates
        every = max(1, math.ceil(self.validate_passes * a_pass)) if self.validate_passes else self.validate_every
        return most, every


@dataclass(frozen=True)
class DecodeSettings:
    """Beam search. Of the values in lists, the combination that is best on validation is used for the tests.

    Lengths are those of outputs, in subwords.
    """

    beam: Count = 10
    length_penalties: Annotated[tuple[float, ...], only(len, SOME)] = (0.0, 0.6, 1.0)
    batch_sentences: Count = 64
    # Unstated: whether summaries had a smallest length or were kept from repeating themselves. Off unless a study asks.
    min_lengths: Annotated[tuple[CountOrOff, ...], only(len, SOME)] = (0,)
    no_repeat_ngrams: Annotated[tuple[NgramSize, ...], only(len, SOME)] = (0,)
    """Sizes of n-grams that an output may not have twice; 0: it may repeat anything."""
    max_length: Annotated[int, at_least(0, "twice the source and 10 more")] = 0
    """0: twice the source and 10 more."""

    def check(self, where: str) -> None:
        """Raise ConfigError for values that no search can have."""
        typed(DecodeSettings, dataclasses.asdict(self), f"{where}: decode")
        least, most = max(1, *self.min_lengths), self.max_length
        accepted = f"0 (twice the source and 10 more) or at least {least}, the largest of decode.min_lengths"
        require(most == 0 or most >= least, where, "decode.max_length", most, accepted)


@dataclass(frozen=True)
class VocabularySettings:
    """Which vocabulary each side of a run reads and writes, by name; empty: that of the study, of its `vocab_size`."""

    source: str = ""
    target: str = ""


@dataclass(frozen=True)
class RunSettings:
    """Everything that may change a run's numbers."""

    first_layer: FirstLayer = FirstLayer()
    model: ModelSettings = ModelSettings()
    init: InitSettings = InitSettings()
    objectives: ObjectiveSettings = ObjectiveSettings()
    optimizer: OptimizerSettings = OptimizerSettings()
    train: TrainSettings = TrainSettings()
    decode: DecodeSettings = DecodeSettings()
    family: Literal["lstm", "transformer"] = "lstm"
    """Which settings describe the model: `first_layer` and `model`, or `transformer`."""
    transformer: TransformerSettings = TransformerSettings()
    vocabulary: VocabularySettings = VocabularySettings()
    representations: RepresentationSettings = RepresentationSettings()

    @property
    def max_source(self) -> int:
        """How many tokens of a source its model reads; 0: all."""
        return self.transformer.max_source if self.family == "transformer" else self.model.max_source

    def check(self, where: str, lms: Iterable[str] = ()) -> None:
        """Raise ConfigError for a value that no run can have; it may start from `lms`, checkpoints included."""
        typed(RunSettings, dataclasses.asdict(self), where)
        self.optimizer.check(where)
        self.decode.check(where)
        self._check_family(where)
        cut = "transformer" if self.family == "transformer" else "model"
        accepted = (
            f"at least {cut}.max_source ({self.max_source}): pairs whose sources are cut would be left out as too long"
        )
        require(self.train.max_length >= self.max_source, where, "train.max_length", self.train.max_length, accepted)
        init, lms = self.init, tuple(lms)
        known = (RANDOM, *lms)
        for key, name in (("init.encoder", init.encoder), ("init.decoder", init.decoder)):
            if name not in known:
                model = declared_as(name)
                if model != name and model in known:
                    kept = ", ".join(other for other in lms if declared_as(other) == model != other)
                    raise ConfigError(f"{where}: {key} is {name!r}, which is not kept; kept are {kept or 'none'}")
                raise ConfigError(
                    f"{where}: {key} asks for the LM {name!r}, which the study does not declare{nearest(name, known)}"
                )
        source, target = self.vocabulary.source, self.vocabulary.target
        one = self.family == "lstm" or self.transformer.pointer or self.transformer.tied == "all"
        accepted = f"{source!r}, that of the source: only a Transformer whose sides share no embeddings has two"
        require(not one or source == target, where, "vocabulary.target", target, accepted)
        for key, weight, name in (
            ("source_lm", self.objectives.source_lm_weight, self.objectives.source_lm),
            ("target_lm", self.objectives.target_lm_weight, self.objectives.target_lm),
        ):
            read = [
                lm for lm in lms if declared_as(lm) == lm
            ]  # The text of an LM, whatever checkpoint a run starts from.
            if weight > 0 and name not in read:
                raise ConfigError(
                    f"{where}: objectives.{key}_weight is {weight}, but objectives.{key} is {name!r}, "
                    f"not an LM of the study{nearest(name, read)}"
                )

    def _check_family(self, where: str) -> None:
        """Raise ConfigError for a Transformer that there cannot be, and for what its family does not have."""
        check_transformer(self.transformer, where)
        if self.family == "lstm":
            for name, off in (("label_smoothing", 0.0), ("precision", "float32")):
                value = getattr(self.train, name)
                require(value == off, where, f"train.{name}", value, f"{off}: only the Transformer has others")
            for name in ("source", "target"):
                value = getattr(self.representations, name)
                require(
                    value == "none", where, f"representations.{name}", value, "none: only the Transformer has others"
                )
            return
        losses = objective_lms(self.objectives)
        require(not losses, where, "objectives", ", ".join(losses), "none: a Transformer contains no LM")
        if not self.transformer.pointer:
            self._check_representations(where)
            return
        sides = ", ".join(self.representations.sides)
        require(not sides, where, "representations", sides, "none: a pointer-generator learns its embeddings")
        require(self.init.parts == PARTS, where, "init.parts", self.init.parts, "left out: all of a side is taken")
        require(not self.init.freeze, where, "init.freeze", self.init.freeze, "left out: a side is no LM")
        smoothing = self.train.label_smoothing
        require(smoothing == 0, where, "train.label_smoothing", smoothing, "0: a pointer-generator has none")

    def _check_representations(self, where: str) -> None:
        """Raise ConfigError unless the sides that have an LM's representations start from one, and no other side."""
        init, sides, tied = self.init, self.representations.sides, self.transformer.tied
        self.representations.lm.check(f"{where}: representations.lm")
        for side in ("encoder", "decoder"):
            name = getattr(init, side)
            if side not in sides:
                accepted = "random: no representations of an LM are read there"
                require(name == RANDOM, where, f"init.{side}", name, accepted)
            key, which = sides.get(side, ("", ""))
            require(name != RANDOM or not key, where, f"init.{side}", name, f"an LM: representations.{key} is {which}")
        if "encoder" in sides:
            accepted = "none or decoder: the encoder reads an LM's representations and has no embeddings"
            require(tied != "all", where, "transformer.tied", tied, accepted)
        if "decoder" in sides:
            accepted = "none: the decoder reads an LM's representations and has no embeddings to share"
            require(tied == "none", where, "transformer.tied", tied, accepted)
        require(init.parts == PARTS, where, "init.parts", init.parts, "left out: all of an LM is taken")
        accepted = "left out: an LM is frozen where representations are elmo, and trained where they are fine_tuned"
        require(not init.freeze, where, "init.freeze", init.freeze, accepted)


def check_transformer(shape: TransformerSettings, where: str) -> None:
    """Raise ConfigError for a Transformer that there cannot be."""
    accepted = f"a multiple of transformer.heads ({shape.heads}), and even"
    require(shape.dim % shape.heads == shape.dim % 2 == 0, where, "transformer.dim", shape.dim, accepted)


def objective_lms(objectives: ObjectiveSettings) -> list[str]:
    """Return the LMs whose training text the LM losses of a run read, source side first; each once."""
    sides = (
        (objectives.source_lm, objectives.source_lm_weight),
        (objectives.target_lm, objectives.target_lm_weight),
    )
    return list(dict.fromkeys(name for name, weight in sides if weight))


def needed_lms(settings: RunSettings) -> list[str]:
    """Return the LMs whose weights or training text a run needs, source side first."""
    names = (settings.init.encoder, settings.init.decoder, *objective_lms(settings.objectives))
    return [name for name in dict.fromkeys(names) if name != RANDOM]
