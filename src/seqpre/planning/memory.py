"""What one update of a Transformer keeps in memory for its backward pass, from its settings alone.

Counted in vectors of D numbers a token. A test that follows every tensor finds up to a quarter less.
"""

from __future__ import annotations

from seqpre.study.settings import TransformerSettings

FLOAT = 4
CHUNK_LOGITS = 2**27
"""So many exist at a time on a GPU (`models.kernels.softmax`, which takes long to import)."""
ENCODER_LAYER, DECODER_LAYER = 10, 17
"""Vectors a token that a layer keeps beside its F hidden units; of cross-attention's keys and values, a target's."""
ENDS, POINTER_ENDS = 8, 18
"""Those of embeddings, last norms and the output, of a source and a target token together; with the pointer's."""


def of_batch(
    vocabulary: int, model: TransformerSettings, source_tokens: float, target_tokens: float, scored: float = 1.0
) -> float:
    """Return the bytes of one batch on a GPU: what is kept of its tokens, padding included, and chunks of logits.

    The loss asks for the words of the share `scored` of the target's positions.
    """
    D, F = model.dim, model.ff_dim
    ends = (POINTER_ENDS if model.pointer else ENDS) / 2
    source = model.encoder_layers * (ENCODER_LAYER * D + F) + ends * D
    target = model.decoder_layers * (DECODER_LAYER * D + F) + ends * D
    logits, chunk = scored * target_tokens * vocabulary, CHUNK_LOGITS
    # A chunk's gradient takes its place; the next one is there before the last one has gone.
    at_once = logits if logits <= chunk else 2 * chunk
    return FLOAT * (source_tokens * source + target_tokens * target + at_once)
