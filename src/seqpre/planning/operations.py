"""What a model computes, from its settings alone: its parameters, and the operations of its matrix products.

A multiplication with its addition is two operations. Everything that is no matrix product (gates, the softmax's
exponentials, dropout, optimiser) is left out, as in the ceiling that `benchmarks/gemm_ceiling.py` measures.
"""

from __future__ import annotations

from seqpre.study.pretraining_settings import LMSettings
from seqpre.study.settings import (
    FirstLayer,
    ModelSettings,
    RepresentationSettings,
    RunSettings,
    TransformerLMShape,
    TransformerSettings,
)

TRAINING = 3
"""Every product of the forward pass returns twice: as the gradient of its input and as that of its weights.

An upper bound where parts are frozen: they need no gradient of their own.
"""


def lm_parameters(vocabulary: int, shape: FirstLayer) -> int:
    """Return the parameters of a language model: embedding, LSTM with its two biases, softmax layer."""
    lstm = 4 * shape.hidden_dim * (shape.embedding_dim + shape.output_dim + 2)
    projection = shape.hidden_dim * shape.projection_dim
    return vocabulary * shape.embedding_dim + lstm + projection + (shape.output_dim + 1) * vocabulary


def seq2seq_parameters(vocabulary: int, shape: FirstLayer, model: ModelSettings) -> int:
    """Return the parameters of a seq2seq model with one vocabulary for both sides, both language models whole."""
    upper = sum(4 * model.upper_dim * (below + model.upper_dim + 1) for below in _inputs(shape, model))
    combine = (model.upper_dim + _context(shape, model)) * shape.output_dim
    gate = (shape.output_dim + 1) * shape.output_dim if model.residual == "gated" else 0
    return 2 * lm_parameters(vocabulary, shape) + upper + combine + gate


def lm_token(vocabulary: int, shape: FirstLayer) -> int:
    """Return the operations of one token going forward through a language model."""
    return _first_layer(shape) + _softmax(vocabulary, shape)


def source_token(shape: FirstLayer, model: ModelSettings) -> int:
    """Return the operations of one source token going forward through the encoder."""
    return _first_layer(shape) + sum(_upper(below, model) for below in _encoder_inputs(shape, model))


def target_token(vocabulary: int, shape: FirstLayer, model: ModelSettings, source_length: float) -> float:
    """Return the operations of one target token going forward through the decoder, softmax included."""
    context = _context(shape, model)
    upper = sum(_upper(below, model) for below in _decoder_inputs(shape, model))
    attention = 2 * source_length * (model.upper_dim + context)
    combine = 2 * (model.upper_dim + context) * shape.output_dim
    gate = 2 * shape.output_dim**2 if model.residual == "gated" else 0
    return _first_layer(shape) + upper + attention + combine + gate + _softmax(vocabulary, shape)


def lm_training(vocabulary: int, settings: LMSettings) -> int:
    """Return the operations of training a language model on one token."""
    return TRAINING * lm_token(vocabulary, settings.first_layer)


def pairs_of_batch(settings: RunSettings, source_length: float, target_length: float) -> float:
    """Return the labelled pairs of a batch: a number that is set, or as many as fit in so many tokens."""
    train = settings.train
    return train.batch_tokens / (source_length + target_length) if train.batch_tokens else train.batch_sentences


def pairs_of_update(settings: RunSettings, source_length: float, target_length: float) -> float:
    """Return the labelled pairs of an update: those of a batch, or of several."""
    batch = pairs_of_batch(settings, source_length, target_length)
    return max(batch, settings.train.tokens_per_update / target_length)


def update(vocabulary: int, settings: RunSettings, source_length: float, target_length: float) -> float:
    """Return the operations of one update of a run: its labelled batch, and one of each LM objective that is on."""
    pair = sentence(vocabulary, settings, source_length, target_length)
    frozen = frozen_sentence(settings.representations, source_length, target_length)
    objectives = settings.objectives
    lm_losses = (objectives.source_lm_weight > 0) + (objectives.target_lm_weight > 0)
    lm_tokens = lm_losses * objectives.lm_streams * objectives.bptt
    pairs = pairs_of_update(settings, source_length, target_length)
    trained = pairs * pair + lm_tokens * lm_token(vocabulary, settings.first_layer)
    return TRAINING * trained - (TRAINING - 1) * pairs * frozen


def sentence(
    vocabulary: int, settings: RunSettings, source_length: float, target_length: float, beam: int = 1
) -> float:
    """Return the operations of reading a sentence and writing `beam` others of `target_length`; 1: of its loss."""
    if settings.family == "transformer":
        read = representations_sentence(settings, source_length, beam * target_length)
        return read + transformer_sentence(vocabulary, settings.transformer, source_length, target_length, beam)
    shape, model = settings.first_layer, settings.model
    source = source_length * source_token(shape, model)
    return source + beam * target_length * target_token(vocabulary, shape, model, source_length)


def parameters(vocabulary: int, settings: RunSettings) -> int:
    """Return the parameters of a run's model, one vocabulary for both sides."""
    if settings.family == "transformer":
        lms = representations_parameters(vocabulary, settings)
        return lms + transformer_parameters(vocabulary, settings.transformer)
    return seq2seq_parameters(vocabulary, settings.first_layer, settings.model)


def transformer_parameters(vocabulary: int, model: TransformerSettings) -> int:
    """Return the parameters of a Transformer: matrices, their biases, the two vectors of each norm."""
    D, F = model.dim, model.ff_dim
    attention, feed_forward, norm = 4 * D * (D + 1), 2 * D * F + D + F, 2 * D
    encoder = model.encoder_layers * (attention + feed_forward + 2 * norm)
    decoder = model.decoder_layers * (2 * attention + feed_forward + 3 * norm)
    last = 2 * norm if model.norm == "pre" else 0
    embeddings = {"all": 1, "decoder": 2, "none": 3}[model.tied]
    pointer = 3 * D * (D + 1) + attention + D + 1 if model.pointer else 0
    return embeddings * vocabulary * D + encoder + decoder + last + pointer


def transformer_sentence(
    vocabulary: int,
    model: TransformerSettings,
    source_length: float,
    target_length: float,
    beam: int = 1,
    scored: float = 1.0,
) -> float:
    """Return the operations of reading a sentence and writing `beam` others; scores of later positions included.

    A loss that is of some positions alone asks for the words of the share `scored` of a target's.
    """
    D, feed_forward = model.dim, 2 * model.dim * model.ff_dim
    source = model.encoder_layers * (4 * D**2 + feed_forward + 2 * source_length * D) + model.decoder_layers * 2 * D**2
    attended = 2 * (source_length + target_length) * D
    target = model.decoder_layers * (6 * D**2 + feed_forward + attended)
    word: float = vocabulary * D
    if model.pointer:
        source += 3 * D**2
        target += D**2
        word += 3 * D**2 + 2 * source_length * D + D
    return 2 * (source_length * source + beam * target_length * (target + scored * word))


def transformer_lm_parameters(vocabulary: int, shape: TransformerLMShape, towers: int) -> int:
    """Return the parameters of a Transformer LM of one tower, or of two with what combines them."""
    D, F = shape.dim, shape.ff_dim
    attention, feed_forward, norm = 4 * D * (D + 1), 2 * D * F + D + F, 2 * D
    layers = towers * shape.layers * (attention + 2 * D + feed_forward + 2 * norm)
    above = norm if towers == 1 else attention + feed_forward + 3 * norm
    return vocabulary * D + layers + above


def transformer_lm_sentence(shape: TransformerLMShape, towers: int, length: float) -> float:
    """Return the operations of reading a sentence with a Transformer LM, its softmax left out."""
    D, feed_forward = shape.dim, 2 * shape.dim * shape.ff_dim
    if towers == 2:
        length += 1  # EOS comes first.
    layer = 4 * D**2 + feed_forward + 2 * (length + 1) * D
    above = 6 * D**2 + feed_forward + 4 * length * D if towers == 2 else 0
    return 2 * length * (towers * shape.layers * layer + above)


def transformer_lm_training(vocabulary: int, shape: TransformerLMShape, towers: int, length: float) -> float:
    """Return the operations of training a Transformer LM on a sentence."""
    return TRAINING * (transformer_lm_sentence(shape, towers, length) + 2 * length * vocabulary * shape.dim)


def _sides(said: RepresentationSettings) -> list[tuple[int, str]]:
    """Return the towers of each LM that a run reads, and whether it is elmo's or fine-tuned."""
    return [(2 if side == "source" else 1, which) for side, which in said.sides.values()]


def _width(shape: TransformerLMShape, towers: int, which: str) -> int:
    return shape.dim * (towers if which == "elmo" else 1)


def _levels(shape: TransformerLMShape, towers: int) -> int:
    """Return how many states a mixture has: embeddings, layers, and two above two towers."""
    return shape.layers + (3 if towers == 2 else 1)


def representations_parameters(vocabulary: int, settings: RunSettings) -> int:
    """Return the parameters of a run's LMs and of what reads them, less the embeddings that they replace."""
    said, D = settings.representations, settings.transformer.dim
    total = 0
    for towers, which in _sides(said):
        width = _width(said.lm, towers, which)
        weights = 1 + _levels(said.lm, towers) if which == "elmo" else 0
        projection = width * D if width != D else 0
        own = vocabulary * D
        total += transformer_lm_parameters(vocabulary, said.lm, towers) + weights + 2 * width + projection - own
    return total


def representations_sentence(settings: RunSettings, source_length: float, target_length: float) -> float:
    """Return the operations of reading both sides of a pair with a run's LMs."""
    said, D = settings.representations, settings.transformer.dim
    total = 0.0
    for towers, which in _sides(said):
        length, width = (source_length if towers == 2 else target_length), _width(said.lm, towers, which)
        projection = 2 * length * width * D if width != D else 0
        mixture = 2 * length * width * _levels(said.lm, towers) if which == "elmo" else 0
        total += transformer_lm_sentence(said.lm, towers, length) + mixture + projection
    return total


def frozen_sentence(said: RepresentationSettings, source_length: float, target_length: float) -> float:
    """Return the operations of reading both sides with those LMs of a run that stay as they are."""
    lengths = {2: source_length, 1: target_length}
    return sum(transformer_lm_sentence(said.lm, n, lengths[n]) for n, which in _sides(said) if which == "elmo")


def _first_layer(shape: FirstLayer) -> int:
    gates = 4 * shape.hidden_dim * (shape.embedding_dim + shape.output_dim)
    return 2 * (gates + shape.hidden_dim * shape.projection_dim)


def _softmax(vocabulary: int, shape: FirstLayer) -> int:
    return 2 * vocabulary * shape.output_dim


def _upper(below: int, model: ModelSettings) -> int:
    return 2 * 4 * model.upper_dim * (below + model.upper_dim)


def _context(shape: FirstLayer, model: ModelSettings) -> int:
    return model.upper_dim + (shape.output_dim if model.attention == "first_and_top" else 0)


def _encoder_inputs(shape: FirstLayer, model: ModelSettings) -> list[int]:
    """Return the input size of every upper layer."""
    return [shape.output_dim] + [model.upper_dim] * (model.upper_layers - 1)


def _decoder_inputs(shape: FirstLayer, model: ModelSettings) -> list[int]:
    first, *others = _encoder_inputs(shape, model)
    return [first + (_context(shape, model) if model.input_feeding else 0), *others]


def _inputs(shape: FirstLayer, model: ModelSettings) -> list[int]:
    return _encoder_inputs(shape, model) + _decoder_inputs(shape, model)
