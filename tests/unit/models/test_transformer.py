"""The Transformer against PyTorch's own layers and against itself: whole, a token at a time, in parts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from parts import assert_company_changes_nothing, assert_parts_add_up, assert_steps_equal_the_whole
from torch import Tensor, nn

from seqpre.models.batch import Batch
from seqpre.models.kernels.dropout import dropout_mask
from seqpre.models.transformer import (
    DecoderLayer,
    EncoderLayer,
    Transformer,
    scaled_dot_product_attention,
    sinusoids,
    split_heads,
)
from seqpre.study.models.transformer import TransformerSettings

V, D = 30, 16
SMALL = TransformerSettings(dim=D, ff_dim=24, heads=4, encoder_layers=2, decoder_layers=2, dropout=0.0)
LENGTHS = torch.tensor([6, 4, 1])


def batch() -> Batch:
    """Return pairs whose targets have 5, 4 and 2 tokens."""
    generator = torch.Generator().manual_seed(0)
    source_BS = torch.randint(4, V, (3, int(LENGTHS.max())), generator=generator)
    targets_BT = torch.randint(4, V, (3, 5), generator=generator)
    return Batch.of(source_BS, LENGTHS, targets_BT, torch.arange(5) < torch.tensor([[5], [4], [2]]))


def model_of(settings: TransformerSettings = SMALL, smoothing: float = 0.0) -> Transformer:
    torch.manual_seed(1)
    model = Transformer(V, V, settings)
    model.label_smoothing = smoothing
    return model


def copy_attention(theirs: nn.MultiheadAttention, weight: Tensor, bias: Tensor, output: nn.Module) -> None:
    theirs.in_proj_weight.copy_(weight)
    theirs.in_proj_bias.copy_(bias)
    theirs.out_proj.load_state_dict(output.state_dict())


@pytest.mark.parametrize("norm", ["pre", "post"])
@torch.no_grad()
def test_layers_are_those_of_pytorch(norm: str) -> None:
    settings = replace(SMALL, norm=norm)
    ours_encoder, ours_decoder = EncoderLayer(settings), DecoderLayer(settings)
    theirs_encoder = nn.TransformerEncoderLayer(D, 4, 24, dropout=0.0, norm_first=norm == "pre", batch_first=True)
    theirs_decoder = nn.TransformerDecoderLayer(D, 4, 24, dropout=0.0, norm_first=norm == "pre", batch_first=True)
    for ours, theirs in ((ours_encoder, theirs_encoder), (ours_decoder, theirs_decoder)):
        inputs = ours.attention.inputs
        copy_attention(theirs.self_attn, inputs.weight, inputs.bias, ours.attention.output)
        theirs.linear1.load_state_dict(ours.feed_forward.inner.state_dict())
        theirs.linear2.load_state_dict(ours.feed_forward.outer.state_dict())
    cross = ours_decoder.cross_attention
    copy_attention(
        theirs_decoder.multihead_attn,
        torch.cat([cross.query.weight, cross.memory.weight]),
        torch.cat([cross.query.bias, cross.memory.bias]),
        cross.output,
    )
    x_BSD, y_BTD = torch.randn(3, 6, D), torch.randn(3, 5, D)
    real_BS = torch.arange(6) < LENGTHS[:, None]
    memory_BSD = ours_encoder(x_BSD, real_BS[:, None, None])
    expected_BSD = theirs_encoder(x_BSD, src_key_padding_mask=~real_BS)
    torch.testing.assert_close(memory_BSD[real_BS], expected_BSD[real_BS])
    found_BTD = ours_decoder(y_BTD, memory_BSD, real_BS[:, None, None])
    mask = nn.Transformer.generate_square_subsequent_mask(5)
    expected_BTD = theirs_decoder(y_BTD, memory_BSD, tgt_mask=mask, memory_key_padding_mask=~real_BS)
    torch.testing.assert_close(found_BTD, expected_BTD)


@torch.no_grad()
def test_dropout_is_of_attention_weights_and_of_hidden_units_and_only_in_training() -> None:
    torch.manual_seed(1)
    rates = {"attention_dropout": 0.3, "activation_dropout": 0.2}
    layer, plain = DecoderLayer(replace(SMALL, **rates)).train(), DecoderLayer(SMALL)
    plain.load_state_dict(layer.state_dict())
    x_BTD, memory_BSD = torch.randn(3, 5, D), torch.randn(3, 6, D)
    real_B11S = (torch.arange(6) < LENGTHS[:, None])[:, None, None]
    torch.manual_seed(2)
    found_BTD = layer(x_BTD, memory_BSD, real_B11S)
    torch.manual_seed(2)
    masks = [dropout_mask((3, 4 * 5 * S), 0.3, x_BTD).view(3, 4, 5, S) for S in (5, 6)]
    hidden_mask_BTF = dropout_mask((3, 5 * 24), 0.2, x_BTD).view(3, 5, 24)

    def attention(inputs: Tensor, mask_BHTS: Tensor, seen_BTS: Tensor, output: nn.Module) -> Tensor:
        found = []
        for b, (query, key, value) in enumerate(zip(*inputs.chunk(3, dim=2), strict=True)):
            heads = []
            for h in range(4):
                part = slice(4 * h, 4 * h + 4)
                scores = query[:5, part] @ key[:, part].T / 4**0.5
                weights = torch.softmax(scores.where(seen_BTS[b], float("-inf")), dim=1)
                heads.append((weights * mask_BHTS[b, h]) @ value[:, part])
            found.append(torch.cat(heads, dim=1))
        return output(torch.stack(found))

    norms = [
        residual.norm for residual in (layer.around_attention, layer.around_cross_attention, layer.around_feed_forward)
    ]
    seen = torch.ones(5, 5).tril().bool().expand(3, 5, 5)
    y = norms[0](x_BTD + attention(layer.attention.inputs(x_BTD), masks[0], seen, layer.attention.output))
    cross = layer.cross_attention
    inputs = torch.cat([F.pad(cross.query(y), (0, 0, 0, 1)), cross.memory(memory_BSD)], dim=2)
    y = norms[1](y + attention(inputs, masks[1], real_B11S[:, 0].expand(3, 5, 6), cross.output))
    hidden = layer.feed_forward.inner(y).relu() * hidden_mask_BTF
    torch.testing.assert_close(found_BTD, norms[2](y + layer.feed_forward.outer(hidden)))
    assert torch.equal(layer.eval()(x_BTD, memory_BSD, real_B11S), plain(x_BTD, memory_BSD, real_B11S))


@pytest.mark.parametrize("side", ["source", "target"])
def test_word_dropout_takes_whole_embeddings_of_one_side_in_training(side: str) -> None:
    model, plain = model_of(replace(SMALL, **{f"{side}_word_dropout": 0.4})), model_of()
    ids_BL, other = batch().source_BS, {"source": "target", "target": "source"}[side]
    torch.manual_seed(3)
    found_BLD = model.scaled_embeddings(ids_BL, side)
    torch.manual_seed(3)
    kept_BL = dropout_mask((3, 6), 0.4, found_BLD)
    assert len(kept_BL.unique()) == 2
    torch.testing.assert_close(found_BLD, plain.scaled_embeddings(ids_BL, side) * kept_BL[:, :, None])
    assert torch.equal(model.scaled_embeddings(ids_BL, other), plain.scaled_embeddings(ids_BL, other))
    assert torch.equal(model.eval().scaled_embeddings(ids_BL, side), plain.scaled_embeddings(ids_BL, side))


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_layerdrop_leaves_out_whole_layers_of_one_side_whose_gradient_is_zero(side: str) -> None:
    model, plain, pairs = model_of(replace(SMALL, **{f"{side}_layerdrop": 0.5})), model_of(), batch()
    torch.manual_seed(1)
    assert (torch.rand(2) < 0.5).tolist() == [False, True]  # this seed leaves out the second layer
    setattr(plain, side, plain.get_submodule(side)[:1])
    torch.manual_seed(1)
    loss = model.loss(pairs)
    torch.testing.assert_close(loss, plain.loss(pairs))
    loss.backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None
        assert bool(parameter.grad.any()) != name.startswith(f"{side}.1."), name
    torch.testing.assert_close(model.eval().loss(pairs), model_of().loss(pairs))


def test_what_is_off_draws_no_random_number() -> None:
    """Committed results depend on it."""
    model, before = model_of().train(), torch.get_rng_state()
    model.loss(batch())
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(("causal", "masked"), [(True, False), (False, True), (False, False)])
@torch.no_grad()
def test_attention_that_drops_nothing_by_chance_is_the_fused_one(causal: bool, masked: bool) -> None:
    queries, keys, values = (split_heads(torch.randn(3, 6, D), 4) for _ in range(3))
    seen = (torch.arange(6) < LENGTHS[:, None])[:, None, None] if masked else None
    fused = scaled_dot_product_attention(queries, keys, values, seen, causal=causal)
    torch.testing.assert_close(scaled_dot_product_attention(queries, keys, values, seen, 1e-9, causal=causal), fused)


def test_positions_are_sines_and_cosines_of_the_paper_s_wavelengths() -> None:
    table = sinusoids(50, 8)
    for position, i in ((0, 0), (7, 1), (49, 3)):
        angle = position / 10_000 ** (2 * i / 8)
        assert table[position, 2 * i : 2 * i + 2].tolist() == pytest.approx(
            [math.sin(angle), math.cos(angle)], abs=1e-5
        )


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("tied", ["none", "decoder", "all"])
def test_a_token_at_a_time_equals_the_whole_sequence_and_follows_the_beams(norm: str, tied: str) -> None:
    model = model_of(replace(SMALL, norm=norm, tied=tied)).eval()
    assert_steps_equal_the_whole(model, batch().source_BS, LENGTHS)


def test_padding_and_company_change_no_hypothesis() -> None:
    assert_company_changes_nothing(model_of().eval(), batch().source_BS, LENGTHS)


def test_the_smoothed_loss_and_its_gradients_are_pytorch_s() -> None:
    model, pairs = model_of(smoothing=0.1), batch()
    loss = model.loss(pairs)
    loss.backward()
    found = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    model.zero_grad()
    real_BT = torch.arange(5) < torch.tensor([[5], [4], [2]])
    features_BTD = model.decode(pairs.inputs_BT, *model.encode(pairs.source_BS, LENGTHS))
    logits, targets = features_BTD[real_BT] @ model.softmax.T, pairs.targets_BT[real_BT]
    expected = nn.functional.cross_entropy(logits, targets, label_smoothing=0.1, reduction="sum")
    expected.backward()
    torch.testing.assert_close(loss, expected)
    assert found.keys() == dict(model.named_parameters()).keys()
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(found[name], parameter.grad, msg=lambda text, name=name: f"{name}: {text}")
    model.eval()
    plain = nn.functional.cross_entropy(logits, targets, reduction="sum")
    torch.testing.assert_close(model.loss(pairs), plain)  # Validation is not smoothed.


def test_processes_that_share_a_batch_drop_what_one_alone_drops() -> None:
    rates = replace(SMALL, dropout=0.3, attention_dropout=0.2, activation_dropout=0.1)
    rates = replace(
        rates, source_word_dropout=0.2, target_word_dropout=0.3, encoder_layerdrop=0.4, decoder_layerdrop=0.4
    )
    assert_parts_add_up(model_of(rates).train(), batch())


def test_the_base_model_has_the_paper_s_65_million_parameters() -> None:
    with torch.device("meta"):
        count = sum(p.numel() for p in Transformer(37_000, 37_000, TransformerSettings()).parameters())
    assert count == pytest.approx(65e6, rel=0.04)
