"""The settings and the cost of a Transformer above language models (Edunov et al., 2019, Section 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from seqpre.study.models.transformer import TransformerShape
from seqpre.study.models.two_tower import Direction, TransformerLMShape
from seqpre.study.typed import Share, require

if TYPE_CHECKING:
    from seqpre.study.pretraining_settings import AnyPretraining


@dataclass(frozen=True)
class RepresentationSettings:
    """What each side reads instead of learned embeddings.

    The encoder has a cloze LM, the decoder a causal one: those that `init` names.
    """

    source: Literal["none", "elmo", "fine_tuned"] = "none"
    """What replaces the encoder's embeddings: nothing, a scalar mix of all states of a frozen LM, or the final hidden
    states of an LM that is trained along (Edunov et al., 2019, Section 2)."""
    target: Literal["none", "elmo", "fine_tuned"] = "none"
    """The same for the decoder (Edunov et al., 2019, Section 2)."""
    dropout: Share = 0.0
    """Dropout on the weights of the mix, or on the fine-tuned LM's final hidden states (Edunov et al., 2019,
    Section 4.1)."""
    lm: TransformerLMShape = TransformerLMShape()

    @property
    def sides(self) -> dict[str, tuple[str, str]]:
        """Return the sides that read an LM's representations, {encoder or decoder: (source or target, which)}."""
        both = {"encoder": ("source", self.source), "decoder": ("target", self.target)}
        return {side: said for side, said in both.items() if said[1] != "none"}


@dataclass(frozen=True)
class AugmentedTransformerSettings(TransformerShape):
    """A Transformer whose sides may read a language model's representations in place of embeddings."""

    representations: RepresentationSettings = RepresentationSettings()
    kind: Literal["augmented_transformer"] = "augmented_transformer"
    pretrained_kind: ClassVar[str] = "transformer_lm"

    def check(self, where: str) -> None:
        """Raise ConfigError if the sizes do not fit together, or if a side that reads an LM uses embeddings."""
        super().check(where)
        self.representations.lm.check(f"{where}: model.representations.lm")
        sides, tied = self.representations.sides, self.tied
        for side, (key, which) in sides.items():
            rate = getattr(self, f"{key}_word_dropout")
            accepted = f"0: the {side} reads an LM's representations ({which}) and has no embeddings"
            require(rate == 0, where, f"model.{key}_word_dropout", rate, accepted)
        if "encoder" in sides:
            accepted = "none or decoder: the encoder reads an LM's representations and has no embeddings"
            require(tied != "all", where, "model.tied", tied, accepted)
        if "decoder" in sides:
            accepted = "none: the decoder reads an LM's representations and has no embeddings to share"
            require(tied == "none", where, "model.tied", tied, accepted)

    def required_lms(self) -> dict[str, str]:
        """Return the sides that must start from an LM, {side: the setting that says so}."""
        sides = self.representations.sides
        said = {side: f"model.representations.{key} is {which}" for side, (key, which) in sides.items()}
        return {**super().required_lms(), **said}

    def shared_with(self, pretraining: AnyPretraining) -> dict[str, tuple[Any, Any]]:
        """Return the shape of its LMs next to that of the pretrained LMs."""
        return {"representations.lm": (self.representations.lm, getattr(pretraining, "shape", None))}

    def parameters(self, vocabulary: int) -> int:
        """Return the parameters of the Transformer, its LMs and their projections, less the embeddings they replace."""
        D, lm = self.dim, self.representations.lm
        total = super().parameters(vocabulary)
        for direction, elmo, width in self._lms():
            weights = 1 + lm.levels(direction) if elmo else 0
            projection = width * D if width != D else 0
            total += lm.parameters(vocabulary, direction) + weights + 2 * width + projection - vocabulary * D
        return total

    def sentence(
        self, vocabulary: int, source_length: float, target_length: float, beam: int = 1, scored: float = 1.0
    ) -> float:
        """Return the FLOPs of the Transformer and of running its LMs."""
        D, lm = self.dim, self.representations.lm
        total = super().sentence(vocabulary, source_length, target_length, beam, scored)
        for direction, elmo, width in self._lms():
            sentences, length = (1, source_length) if direction == "cloze" else (beam, target_length)
            projection = 2 * length * width * D if width != D else 0
            mix = 2 * length * width * lm.levels(direction) if elmo else 0
            total += sentences * (lm.states(direction, length) + mix + projection)
        return total

    def frozen(self, source_length: float, target_length: float) -> float:
        """Return the FLOPs of one pair in the LMs that stay frozen."""
        lengths: dict[Direction, float] = {"cloze": source_length, "causal": target_length}
        lm = self.representations.lm
        return sum(lm.states(direction, lengths[direction]) for direction, elmo, _ in self._lms() if elmo)

    def memory(self, vocabulary: int, source_tokens: float, target_tokens: float, scored: float = 1.0) -> float:
        """Return the bytes of one batch on a GPU; 0 with LMs, where no formula is known."""
        if self.representations.sides:
            return 0.0
        return super().memory(vocabulary, source_tokens, target_tokens, scored)

    def _lms(self) -> Iterator[tuple[Direction, bool, int]]:
        """Yield the direction of each LM, whether its states are mixed, and the width of the representation."""
        for side, which in self.representations.sides.values():
            direction: Direction = "cloze" if side == "source" else "causal"
            elmo = which == "elmo"
            yield direction, elmo, self.representations.lm.dim * (2 if elmo and direction == "cloze" else 1)
