"""The settings and the cost of the pointer-generator of PoDA (Wang et al., 2019, Appendix A.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from seqpre.study.models.transformer import TransformerShape
from seqpre.study.typed import require

if TYPE_CHECKING:
    from seqpre.study.pretraining_settings import AnyPretraining
    from seqpre.study.settings import RunSettings


@dataclass(frozen=True)
class PointerGeneratorSettings(TransformerShape):
    """A Transformer whose words are generated or copied."""

    # Differs: at the demo and the small scale PoDA's linear layers of inputs come before positions are added. In the
    # published code, at the paper scale and in studies `*-published` they come after positions and dropout.
    input_linear: Literal["before_positions", "after_positions"] = "before_positions"
    """Where each side's linear layer is: on embeddings, or on their sums with positions, after dropout (published code
    of Wang et al., 2019)."""
    kind: Literal["pointer_generator"] = "pointer_generator"
    copies: ClassVar[bool] = True
    pretrained_kind: ClassVar[str] = "denoiser"

    @property
    def two_vocabularies(self) -> bool:
        """Whether the two sides may have different vocabularies: never, because words are copied between them."""
        return False

    def check_run(self, run: RunSettings, where: str) -> None:
        """Raise ConfigError for training settings that a pointer-generator does not support."""
        super().check_run(run, where)
        smoothing = run.train.label_smoothing
        require(smoothing == 0, where, "train.label_smoothing", smoothing, "0 where words are copied")

    def required_lms(self) -> dict[str, str]:
        """Return nothing: either side may start from a denoiser."""
        return {}

    def shared_with(self, pretraining: AnyPretraining) -> dict[str, tuple[Any, Any]]:
        """Return its shape next to that of the denoiser."""
        theirs = getattr(pretraining, "model", None)
        keys = ("dim", "ff_dim", "heads", "encoder_layers", "decoder_layers", "norm", "tied", "input_linear")
        return {key: (getattr(self, key), getattr(theirs, key)) for key in keys}

    def parameters(self, vocabulary: int) -> int:
        """Return the parameters of a Transformer, three linear layers, and the copy attention with its gate."""
        D = self.dim
        return super().parameters(vocabulary) + 3 * D * (D + 1) + 4 * D * (D + 1) + D + 1

    def sentence(
        self, vocabulary: int, source_length: float, target_length: float, beam: int = 1, scored: float = 1.0
    ) -> float:
        """Return the FLOPs of a Transformer and of the copy mechanism."""
        D = self.dim
        word = scored * (3 * D**2 + 2 * source_length * D + D)
        copied = 2 * (source_length * 3 * D**2 + beam * target_length * (D**2 + word))
        return super().sentence(vocabulary, source_length, target_length, beam, scored) + copied

    def memory(self, vocabulary: int, source_tokens: float, target_tokens: float, scored: float = 1.0) -> float:
        """Return the bytes of one batch on a GPU, estimated as for a Transformer."""
        return self._memory(vocabulary, source_tokens, target_tokens, scored, ends=18)
