"""The settings and the cost of each model: one file a model, named as in `seqpre.models`, without torch.

FLOPs are those of matrix products; a multiplication with its addition counts as two. Everything else (gates, the
softmax's exponentials, dropout, optimiser) is left out, as in the ceiling that `benchmarks/gemm_ceiling.py` measures.
"""

from seqpre.study.models.augmented import AugmentedTransformerSettings
from seqpre.study.models.lstm import LSTMSettings
from seqpre.study.models.pointer import PointerGeneratorSettings
from seqpre.study.models.transformer import TransformerSettings

__all__ = [
    "AugmentedTransformerSettings",
    "LSTMSettings",
    "ModelSettings",
    "PointerGeneratorSettings",
    "TransformerSettings",
]

ModelSettings = LSTMSettings | TransformerSettings | PointerGeneratorSettings | AugmentedTransformerSettings
