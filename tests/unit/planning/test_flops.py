"""Parameters and FLOPs by formula, against the modules themselves and a counter of what they execute."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from seqpre.models.batch import Batch
from seqpre.models.build import build
from seqpre.models.family import SequenceModel
from seqpre.models.lstm import LSTMLanguageModel, Seq2Seq
from seqpre.models.pointer import PointerGenerator
from seqpre.models.transformer import Transformer
from seqpre.models.two_tower import LMS
from seqpre.planning import flops
from seqpre.study.models.augmented import AugmentedTransformerSettings, RepresentationSettings
from seqpre.study.models.lstm import FirstLayer, LSTMSettings
from seqpre.study.models.pointer import PointerGeneratorSettings
from seqpre.study.models.transformer import TransformerSettings
from seqpre.study.models.two_tower import Direction, TransformerLMShape
from seqpre.study.settings import ObjectiveSettings, RunSettings, TrainSettings

pytestmark = pytest.mark.filterwarnings("ignore:TF32 acceleration")
PAPER = FirstLayer()
SHAPES = [
    FirstLayer(embedding_dim=5, hidden_dim=7, projection_dim=6),
    FirstLayer(embedding_dim=6, hidden_dim=8, projection_dim=0),
]
MODELS = [
    LSTMSettings(upper_layers=layers, upper_dim=4, residual=residual, attention=attention, input_feeding=feeding)
    for layers, residual, attention, feeding in (
        (2, "plain", "first_and_top", True),
        (1, "gated", "first_and_top", True),
        (2, "none", "top", True),
        (3, "plain", "first_and_top", False),
        (1, "plain", "top", False),
    )
]
VOCABULARY, BATCH, SOURCE, TARGET = 30, 3, 6, 5


def parameters(model: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def batch_of(source: int, target: int, scored: int | None = None) -> Batch:
    """Return pairs of these lengths whose first `scored` targets count."""
    source_BS, targets_BT = (torch.randint(4, VOCABULARY, (BATCH, length)) for length in (source, target))
    scored_BT = (torch.arange(target) < (target if scored is None else scored)).expand(BATCH, -1)
    return Batch.of(source_BS, torch.full((BATCH,), source), targets_BT, scored_BT)


def counted(work: Callable[[], Any]) -> int:
    """Return the FLOPs of the matrix products that `work` executes."""

    def in_place(_: Any, left: Any, right: Any, *__: Any, **___: Any) -> int:
        return 2 * left[0] * left[1] * right[1]

    # mkldnn's LSTM is one call that the counter cannot look into; `addmm_` is not in its list.
    with torch.backends.mkldnn.flags(enabled=False):
        with FlopCounterMode(display=False, custom_mapping={torch.ops.aten.addmm_: in_place}) as counter:
            work()
        return counter.get_total_flops()


def read(module: SequenceModel, batch: Batch) -> int:
    """Return the FLOPs of a forward pass, whose products of attention the counter can see."""
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH):
        return counted(lambda: module.loss(batch))


def first_step(shape: FirstLayer) -> int:
    """Return what PyTorch leaves out of a first layer's backward pass: the gradient of its initial state."""
    return 2 * BATCH * 4 * shape.hidden_dim * shape.output_dim


@pytest.mark.parametrize("shape", [*SHAPES, PAPER])
@pytest.mark.parametrize("model", [*MODELS, LSTMSettings()])
def test_parameters_are_those_of_the_modules(shape: FirstLayer, model: LSTMSettings) -> None:
    with torch.device("meta"):
        assert shape.parameters(90_000) == parameters(LSTMLanguageModel(90_000, shape))
        assert model.parameters(90_000) == parameters(Seq2Seq(90_000, 90_000, model))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_language_model_executes_as_many_flops_as_planned(shape: FirstLayer) -> None:
    model = LSTMLanguageModel(VOCABULARY, shape)
    ids = torch.randint(4, VOCABULARY, (BATCH, TARGET))
    expected = flops.TRAINING * shape.token(VOCABULARY) * TARGET * BATCH
    assert counted(lambda: model.stream_loss(ids, ids, None)[0].backward()) == expected - first_step(shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("model", MODELS)
def test_a_seq2seq_model_executes_as_many_flops_as_planned(shape: FirstLayer, model: LSTMSettings) -> None:
    model = replace(model, first_layer=shape)
    settings = RunSettings(model=model, train=TrainSettings(batch_sentences=BATCH))
    module = Seq2Seq(VOCABULARY, VOCABULARY, replace(model, dropout=0.0))
    batch = batch_of(SOURCE, TARGET)
    trained = counted(lambda: module.loss(batch).backward())
    assert trained == flops.update(VOCABULARY, settings, SOURCE, TARGET) - 2 * first_step(shape)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("tied", ["none", "decoder", "all"])
def test_a_transformer_has_the_parameters_and_executes_the_flops_that_are_planned(norm: Any, tied: Any) -> None:
    shape = TransformerSettings(8, 10, 2, encoder_layers=2, decoder_layers=3, norm=norm, tied=tied, dropout=0.0)
    module = Transformer(VOCABULARY, VOCABULARY, shape).eval()
    assert shape.parameters(VOCABULARY) == parameters(module)
    batch = batch_of(SOURCE, TARGET)
    assert read(module, batch) == BATCH * shape.sentence(VOCABULARY, SOURCE, TARGET)


def test_a_pointer_generator_executes_the_flops_that_are_planned_where_some_words_are_scored() -> None:
    shape = PointerGeneratorSettings(8, 10, 2, encoder_layers=2, decoder_layers=3, norm="pre", dropout=0.0)
    module = PointerGenerator(VOCABULARY, VOCABULARY, shape).eval()
    scored = 2
    batch = batch_of(SOURCE, TARGET, scored)  # The first two words of each sentence.
    planned = shape.sentence(VOCABULARY, SOURCE, TARGET, scored=scored / TARGET)
    assert read(module, batch) == pytest.approx(BATCH * planned, rel=1e-12)


LM_SHAPE = TransformerLMShape(6, 9, 2, 2, dropout=0.0, attention_dropout=0.0, relu_dropout=0.0)


@pytest.mark.parametrize("direction", get_args(Direction))
def test_a_transformer_lm_has_the_parameters_and_executes_the_flops_that_are_planned(direction: Direction) -> None:
    module = LMS[f"{direction}_lm"](VOCABULARY, LM_SHAPE)
    assert LM_SHAPE.parameters(VOCABULARY, direction) == parameters(module)
    batch = batch_of(SOURCE, SOURCE)
    assert read(module, batch) == BATCH * LM_SHAPE.sentence(VOCABULARY, direction, SOURCE)


@pytest.mark.parametrize("source", ["none", "elmo", "fine_tuned"])
@pytest.mark.parametrize("target", ["none", "elmo", "fine_tuned"])
def test_a_transformer_above_lms_has_the_parameters_and_executes_the_flops_that_are_planned(
    source: Any, target: Any
) -> None:
    plain = AugmentedTransformerSettings(8, 10, 2, encoder_layers=2, decoder_layers=3, norm="pre", dropout=0.0)
    model = replace(plain, tied="none", representations=RepresentationSettings(source, target, lm=LM_SHAPE))
    module = build(model, VOCABULARY).eval()
    assert model.parameters(VOCABULARY) == parameters(module)
    batch = batch_of(SOURCE, TARGET)
    assert read(module, batch) == BATCH * model.sentence(VOCABULARY, SOURCE, TARGET)
    # What is frozen goes forward only.
    trained = RunSettings(model=model, train=TrainSettings(batch_sentences=BATCH))
    frozen = model.frozen(SOURCE, TARGET)
    assert flops.update(VOCABULARY, trained, SOURCE, TARGET) == read(module, batch) * 3 - 2 * BATCH * frozen
    assert (frozen > 0) == ("elmo" in (source, target))
    one, two, three = (model.sentence(VOCABULARY, SOURCE, TARGET, beam=beam) for beam in (1, 2, 3))
    assert three - two == two - one  # Each hypothesis attends to itself only, in the decoder's LM, too.


def test_batches_are_taken_until_an_update_has_its_tokens() -> None:
    settings = RunSettings(train=TrainSettings(batch_sentences=10, tokens_per_update=500))
    assert flops.pairs_of_update(settings, 30, 20) == 25
    assert flops.pairs_of_update(replace(settings, train=TrainSettings(batch_sentences=10)), 30, 20) == 10


def test_an_update_counts_the_lm_objectives_that_are_on() -> None:
    settings = RunSettings(objectives=ObjectiveSettings(source_lm_weight=1.0, lm_streams=4, bptt=5))
    off = replace(settings, objectives=ObjectiveSettings())
    difference = flops.update(100, settings, 10, 10) - flops.update(100, off, 10, 10)
    assert difference == 4 * 5 * flops.TRAINING * FirstLayer().token(100)


def test_an_update_of_so_many_tokens_has_as_many_pairs_as_they_hold() -> None:
    settings = RunSettings(train=TrainSettings(batch_tokens=6000))
    assert flops.pairs_of_batch(settings, 240, 10) == 24
    assert flops.update(100, settings, 240, 10) == flops.update(
        100, replace(settings, train=TrainSettings(batch_sentences=24)), 240, 10
    )


def test_the_counts_are_those_of_the_benchmark_of_matrix_products_alone() -> None:
    """benchmarks/results/gemm_ceiling.md: 37.2 and 84.7 MFLOP for a training token, 3,525 MFLOP for a sentence."""
    assert flops.TRAINING * FirstLayer(512, 512, 0).token(8000) / 1e6 == pytest.approx(37.2, rel=0.01)
    run = RunSettings(model=LSTMSettings(FirstLayer(256, 512, 0), upper_layers=1, upper_dim=512))
    tokens = run.train.batch_sentences * 16
    assert flops.update(8000, run, 15, 16) / tokens / 1e6 == pytest.approx(84.7, rel=0.01)
    assert run.model.sentence(8000, 15, 16, beam=10) / 1e6 == pytest.approx(3525, rel=0.01)
