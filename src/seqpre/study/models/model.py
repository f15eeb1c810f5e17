"""What the settings of every model say beside its shape; most have no more to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from seqpre.study.declarations import RANDOM
from seqpre.study.typed import require

if TYPE_CHECKING:
    from seqpre.study.pretraining_settings import AnyPretraining
    from seqpre.study.settings import RunSettings

FLOAT = 4
CHUNK_LOGITS = 2**29
"""So many exist at a time on a GPU (`models.kernels.softmax`, which takes long to import)."""


def logits_at_once(logits: float) -> float:
    """Return how many of a batch's logits there are at a time on a GPU; their gradient takes their place."""
    return min(logits, CHUNK_LOGITS)


class Model:
    """A kind of model, as far as the others of a study and a plan have to know it; `kind` names it."""

    kind: Any
    copies: ClassVar[bool] = False
    """Whether it copies words, and so has a vocabulary of words."""
    pretrained_kind: ClassVar[str] = ""
    """The kind of pretraining that it may start from."""

    @property
    def two_vocabularies(self) -> bool:
        """Whether its sides may have different ones."""
        return False

    def check(self, where: str) -> None:
        """Raise ConfigError for a model that there cannot be."""

    def check_run(self, run: RunSettings, where: str) -> None:
        """Raise ConfigError for what it cannot be trained with: most contain no LM, and have no parts to take."""
        losses, init, which = run.objectives.lms, run.init, f"a {self.kind}"
        require(not losses, where, "objectives", ", ".join(losses), f"none: {which} contains no LM")
        require(not init.some, where, "init.parts", init.some, f"left out: {which} takes all of them")
        require(not init.freeze, where, "init.freeze", init.freeze, f"left out: {which} freezes no part")
        for side, wanted in self.required_lms().items():
            name = getattr(init, side)
            accepted = f"an LM: {wanted}" if wanted else f"random: {which} reads no LM there"
            require((name != RANDOM) == bool(wanted), where, f"init.{side}", name, accepted)

    def required_lms(self) -> Mapping[str, str]:
        """Return which sides start from an LM, {side: the setting that says so, empty where none}; others may."""
        return {"encoder": "", "decoder": ""}

    def shared_with(self, pretraining: AnyPretraining) -> Mapping[str, tuple[Any, Any]]:
        """Return what has to be the same in the pretraining that it starts from, {setting: (ours, theirs)}."""
        return {}

    def lm_token(self, vocabulary: int) -> int:
        """Return the operations of a token of an LM loss going forward."""
        return 0

    def frozen(self, source_length: float, target_length: float) -> float:
        """Return the operations of a pair that are no part of training."""
        return 0.0

    def memory(self, vocabulary: int, source_tokens: float, target_tokens: float, scored: float = 1.0) -> float:
        """Return the bytes of one batch on a GPU; 0: not known by formula."""
        return 0.0
