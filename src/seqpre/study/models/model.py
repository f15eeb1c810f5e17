"""The settings of every model besides its shape; most models keep the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from seqpre.study.declarations import RANDOM
from seqpre.study.typed import require

if TYPE_CHECKING:
    from seqpre.study.pretraining_settings import AnyPretraining
    from seqpre.study.settings import RunSettings

FLOAT = 4
"""Bytes of a number in float32."""
CHUNK_LOGITS = 2**29
"""Most logits on a GPU at a time, 2 GiB in float32."""


def logits_at_once(logits: float) -> float:
    """Return how many logits of a batch exist at a time on a GPU; their gradient overwrites them."""
    return min(logits, CHUNK_LOGITS)


class Model:
    """What studies and plans need to know about a model; `kind` names it."""

    kind: Any
    copies: ClassVar[bool] = False
    """Whether it copies words; if so, it has a vocabulary of words."""
    pretrained_kind: ClassVar[str] = ""
    """The kind of pretraining that it may start from."""

    @property
    def two_vocabularies(self) -> bool:
        """Whether the two sides may have different vocabularies."""
        return False

    def check(self, where: str) -> None:
        """Raise ConfigError if the sizes do not fit together."""

    def check_run(self, run: RunSettings, where: str) -> None:
        """Raise ConfigError for training settings that the model does not support; most contain no LM and no parts."""
        losses, init, which = run.objectives.lms, run.init, f"a {self.kind}"
        require(not losses, where, "objectives", ", ".join(losses), f"none: {which} contains no LM")
        require(not init.some, where, "init.parts", init.some, f"left out: {which} takes all of them")
        require(not init.freeze, where, "init.freeze", init.freeze, f"left out: {which} freezes no part")
        for side, wanted in self.required_lms().items():
            name = getattr(init, side)
            accepted = f"an LM: {wanted}" if wanted else f"random: {which} reads no LM there"
            require((name != RANDOM) == bool(wanted), where, f"init.{side}", name, accepted)

    def required_lms(self) -> Mapping[str, str]:
        """Return the sides that start from an LM, {side: the setting that requires it, or empty for none}."""
        return {"encoder": "", "decoder": ""}

    def shared_with(self, pretraining: AnyPretraining) -> Mapping[str, tuple[Any, Any]]:
        """Return the settings that must match the pretraining, {setting: (ours, theirs)}."""
        return {}

    def lm_token(self, vocabulary: int) -> int:
        """Return the forward FLOPs of one token of an LM loss."""
        return 0

    def frozen(self, source_length: float, target_length: float) -> float:
        """Return the FLOPs of one pair in frozen parts, which are not trained."""
        return 0.0

    def memory(self, vocabulary: int, source_tokens: float, target_tokens: float, scored: float = 1.0) -> float:
        """Return the bytes of one batch on a GPU; 0 if no formula is known."""
        return 0.0
