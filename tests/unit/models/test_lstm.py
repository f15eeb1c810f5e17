"""The seq2seq model against its equations, written out by hand."""

import copy
import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from seqpre.models.batch import Batch
from seqpre.models.lstm import Encoder, LSTMLanguageModel, Memory, Seq2Seq, attend
from seqpre.study.models.lstm import FirstLayer, LSTMSettings
from seqpre.study.settings import Precision
from seqpre.training.objectives import in_precision

SHAPE = FirstLayer(embedding_dim=5, hidden_dim=7, projection_dim=6)
SETTINGS = [
    LSTMSettings(
        SHAPE,
        upper_layers=layers,
        upper_dim=4,
        residual=residual,
        attention=attention,
        input_feeding=feeding,
        dropout=0.5,
    )
    for layers, residual, attention, feeding in (
        (2, "plain", "first_and_top", True),
        (1, "gated", "first_and_top", True),
        (2, "none", "top", True),
        (2, "plain", "first_and_top", False),
        (1, "plain", "top", False),
    )
]


def model_and_batch(settings: LSTMSettings) -> tuple[Seq2Seq, Tensor, Tensor, Tensor]:
    torch.manual_seed(0)
    model = Seq2Seq(20, 30, settings).eval()
    source, lengths = torch.randint(4, 20, (3, 6)), torch.tensor([6, 3, 1])
    return model, source, lengths, torch.randint(4, 30, (3, 5))


def test_attention_is_one_softmax_over_top_states_that_weighs_first_and_top_states() -> None:
    """alpha_i = softmax_i(q . h_i^N), c = [sum alpha_i h_i^1 ; sum alpha_i h_i^N], worked out with Python floats."""
    first, top, query = [[1.0], [10.0], [100.0]], [[0.0, 1.0], [1.0, 0.0], [5.0, 5.0]], [2.0, 1.0]
    values = torch.tensor([[f + t for f, t in zip(first, top, strict=True)]])
    memory = Memory(torch.tensor([top]), values, torch.tensor([[False, False, True]]), [])
    scores = [math.exp(2.0 * t[0] + 1.0 * t[1]) for t in top[:2]]  # The third position is padding.
    alpha = [score / sum(scores) for score in scores]
    expected = [sum(a * v[k] for a, v in zip(alpha, values[0].tolist(), strict=False)) for k in range(3)]
    context = attend(torch.tensor([[query]]), memory)
    torch.testing.assert_close(context, torch.tensor([[expected]]))


@pytest.mark.parametrize("residual", ["plain", "gated", "none"])
def test_residual_connection_adds_the_first_layer_to_the_upper_layers(residual: str) -> None:
    model, *_ = model_and_batch(LSTMSettings(SHAPE, upper_layers=1, upper_dim=4, residual=residual))
    decoder = model.decoder
    first, upper = torch.randn(2, 6), torch.randn(2, 6)
    kept = {"none": 0.0, "plain": 1.0}.get(residual)
    if kept is None:
        kept = torch.sigmoid(first @ decoder.gate.weight.t() + decoder.gate.bias)
        assert bool((torch.sigmoid(decoder.gate.bias) > 0.95).all())  # It starts nearly open.
    torch.testing.assert_close(decoder.residual(first, upper), kept * first + upper)


def test_a_decoder_whose_upper_layers_are_silent_is_its_language_model() -> None:
    """Section 2.2: the residual makes the initialised decoder L_tgt plus noise; without the noise it is L_tgt."""
    model, source, lengths, inputs = model_and_batch(SETTINGS[0])
    torch.nn.init.zeros_(model.decoder.combine.weight)
    features = model.decoder(inputs, model.encoder(source, lengths))
    torch.testing.assert_close(features, model.decoder.lm.features(inputs.t())[0])


@pytest.mark.parametrize("settings", SETTINGS)
def test_padding_changes_nothing(settings: LSTMSettings) -> None:
    """Each sentence of a padded batch gives what it gives alone: states, attention and loss."""
    model, source, lengths, inputs = model_and_batch(settings)
    together = model.decoder(inputs, model.encoder(source, lengths))
    for b, length in enumerate(lengths.tolist()):
        alone = model.decoder(inputs[b : b + 1], model.encoder(source[b : b + 1, :length], lengths[b : b + 1]))
        torch.testing.assert_close(together[:, b : b + 1], alone)


def test_no_state_passes_between_the_first_layers() -> None:
    """The decoder's layer 1 is the same whatever the source; its upper layers are not."""
    model, source, lengths, inputs = model_and_batch(SETTINGS[0])
    memory, other = model.encoder(source, lengths), model.encoder(source.flip(1), lengths)
    assert not torch.equal(memory.final_states[0][0], other.final_states[0][0])
    assert not torch.equal(model.decoder(inputs, memory), model.decoder(inputs, other))
    torch.nn.init.zeros_(model.decoder.combine.weight)  # Now only the first layer speaks, and it knows no source.
    assert torch.equal(model.decoder(inputs, memory), model.decoder(inputs, other))


def test_encoder_is_unidirectional() -> None:
    torch.manual_seed(0)
    encoder = Encoder(20, SETTINGS[0]).eval()
    source = torch.randint(4, 20, (1, 6))
    changed = source.clone()
    changed[0, 4] = 4 + (changed[0, 4] - 3) % 16
    before, after = (encoder(ids, torch.tensor([6])).values_BSC for ids in (source, changed))
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.equal(before[:, 4:], after[:, 4:])


def test_dropout_leaves_recurrent_connections_alone() -> None:
    """With its input dropped whole, a layer's state still evolves as it does on zero input (Zaremba et al., 2014)."""
    torch.manual_seed(0)
    lm = LSTMLanguageModel(20, SHAPE, dropout=0.999999).train()
    ids = torch.randint(4, 20, (4, 2))
    output, _ = lm.features(ids)
    expected, _ = lm.lstm(torch.zeros(4, 2, 5))
    torch.testing.assert_close(output, expected)


def test_stream_loss_carries_its_state_over_chunks() -> None:
    torch.manual_seed(0)
    lm = LSTMLanguageModel(20, SHAPE).eval()
    ids = torch.randint(4, 20, (2, 9))
    whole, _ = lm.stream_loss(ids[:, :8], ids[:, 1:], None)
    first, state = lm.stream_loss(ids[:, :3], ids[:, 1:4], None)
    second, _ = lm.stream_loss(ids[:, 3:8], ids[:, 4:9], state)
    torch.testing.assert_close(first + second, whole)
    assert not state[0].requires_grad


def test_the_loss_of_lines_is_that_of_streams_from_the_zero_state() -> None:
    torch.manual_seed(0)
    lm = LSTMLanguageModel(20, SHAPE).eval()
    lines, lengths = torch.randint(4, 20, (2, 6)), torch.tensor([6, 4])
    batch = Batch.of(lines, lengths, lines, torch.arange(6) < lengths[:, None])
    alone = [(batch.inputs_BT[[i], :n], lines[[i], :n]) for i, n in enumerate(lengths.tolist())]
    streams = [lm.stream_loss(ids, targets, None)[0] for ids, targets in alone]
    torch.testing.assert_close(lm.loss(batch), sum(streams))


def test_the_loss_is_the_cross_entropy_of_real_target_tokens_only() -> None:
    model, source, lengths, targets = model_and_batch(SETTINGS[0])
    batch = Batch.of(source, lengths, targets, torch.arange(5) < torch.tensor([[5], [2], [4]]))
    logits = model.decoder.lm.softmax(model.decoder(batch.inputs_BT, model.encoder(source, lengths)))
    expected = sum(F.cross_entropy(logits[t, b], targets[b, t]) for b, n in enumerate((5, 2, 4)) for t in range(n))
    torch.testing.assert_close(model.loss(batch), expected)


def test_labels_are_smoothed_in_training_alone() -> None:
    model, source, lengths, targets = model_and_batch(replace(SETTINGS[0], dropout=0.0))
    batch = Batch.of(source, lengths, targets, torch.ones(3, 5, dtype=torch.bool))
    plain = model.loss(batch)
    model.label_smoothing = 0.2
    torch.testing.assert_close(model.loss(batch), plain)
    logits = model.decoder.lm.softmax(model.decoder(batch.inputs_BT, model.encoder(source, lengths)))
    expected = F.cross_entropy(logits.flatten(0, 1), targets.t().flatten(), label_smoothing=0.2, reduction="sum")
    torch.testing.assert_close(model.train().loss(batch), expected)


def test_paper_scale_model_has_the_paper_s_shapes() -> None:
    """Counted by hand from Section 4.1: 4096 cells projected to 1024, two layers of 1000, 90,000 subwords."""
    with torch.device("meta"):
        model = Seq2Seq(90_000, 90_000, LSTMSettings(FirstLayer(1024, 4096, 1024), upper_layers=2, upper_dim=1000))
    lm = 90_000 * 1024 + 4 * 4096 * (1024 + 1024) + 2 * 4 * 4096 + 1024 * 4096 + 90_000 * 1024 + 90_000
    encoder = lm + 4 * 1000 * (1024 + 1000 + 1) + 4 * 1000 * (1000 + 1000 + 1)
    decoder = lm + 4 * 1000 * (1024 + 2024 + 1000 + 1) + 4 * 1000 * (1000 + 1000 + 1) + (1000 + 2024) * 1024
    assert sum(p.numel() for p in model.encoder.parameters()) == encoder
    assert sum(p.numel() for p in model.decoder.parameters()) == decoder


@pytest.mark.parametrize("settings", SETTINGS)
def test_in_bfloat16_loss_and_gradients_are_those_of_float64_but_for_rounding(settings: LSTMSettings) -> None:
    torch.manual_seed(1)
    shape = replace(settings, first_layer=FirstLayer(32, 64, 32), upper_dim=48, dropout=0.0)
    model = Seq2Seq(50, 50, shape)
    source, lengths, target = torch.randint(4, 50, (9, 12)), torch.arange(4, 13), torch.randint(4, 50, (9, 14))
    batch = Batch.of(source, lengths, target, torch.ones_like(target, dtype=torch.bool))

    def trained(one: Seq2Seq, precision: Precision) -> tuple[Tensor, dict[str, Tensor]]:
        with in_precision(one, precision, "cpu"):
            loss = one.loss(batch) + one.encoder.lm.stream_loss(source, source, None)[0]
        loss.backward()  # Outside the block, as in training.
        return loss.detach(), {name: p.grad for name, p in one.named_parameters() if p.grad is not None}

    exact_loss, exact = trained(copy.deepcopy(model).double(), "float32")
    loss, gradients = trained(model, "bf16")
    assert (loss.dtype, float(loss)) == (torch.float32, pytest.approx(float(exact_loss), rel=1e-5))
    apart = [float((gradients[name].double() - its).norm() / its.norm()) for name, its in exact.items()]
    assert 1e-3 < max(apart) < 1e-2
    assert {gradient.dtype for gradient in gradients.values()} == {torch.float32}
