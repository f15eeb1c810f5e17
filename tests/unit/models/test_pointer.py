"""The pointer-generator against Equation 3 written out, and against itself a token at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from parts import assert_parts_add_up
from torch import Tensor, nn

from seqpre.corpora.subwords import BOS, PAD, UNK
from seqpre.models.batch import Batch
from seqpre.models.kernels.dropout import dropout_mask
from seqpre.models.kernels.mixture import mixture_loss
from seqpre.models.pointer import PointerGenerator
from seqpre.models.transformer import sinusoids
from seqpre.search import beam_search
from seqpre.study.models.pointer import PointerGeneratorSettings

V, D = 20, 16
SMALL = PointerGeneratorSettings(
    dim=D, ff_dim=24, heads=4, encoder_layers=2, decoder_layers=2, dropout=0.0, norm="post"
)
LENGTHS = torch.tensor([6, 4, 1])


def model_of(settings: PointerGeneratorSettings = SMALL) -> PointerGenerator:
    torch.manual_seed(1)
    return PointerGenerator(V, V, settings)


def batch() -> Batch:
    """Return pairs in which some words are unknown, and one stands twice in its source."""
    source_BS = torch.tensor([[5, 21, 6, 21, 5, 3], [20, 9, 6, 3, 0, 0], [7, 0, 0, 0, 0, 0]])
    targets_BT = torch.tensor([[21, 5, 8, 3], [20, 11, 3, 0], [7, 3, 0, 0]])
    return Batch.of(source_BS, LENGTHS, targets_BT, targets_BT != PAD)


def applied(layer: nn.Module, x: Tensor) -> Tensor:
    return F.linear(x, layer.get_parameter("weight"), layer.get_parameter("bias"))


def probabilities(model: PointerGenerator, mask_BTS: Tensor | None = None) -> Tensor:
    """Return p(w) of every word at every position (B, T, X), by Equation 3 term by term, `mask` on alpha."""
    source_BS, inputs_BT = batch().source_BS, batch().inputs_BT
    memory_BSD, real_B11S = model.encode(source_BS, LENGTHS)
    h_BTD = model.decode(inputs_BT, memory_BSD, real_B11S)
    copy, p = model.copy, torch.zeros(*inputs_BT.shape, V + source_BS.shape[1])
    for b in range(3):
        words = source_BS[b, : LENGTHS[b]]
        for t in range(inputs_BT.shape[1]):
            h, memory = h_BTD[b, t], memory_BSD[b, : LENGTHS[b]]
            alpha = torch.softmax(applied(copy.key, memory) @ applied(copy.query, h) / D**0.5, dim=0)
            alpha = alpha if mask_BTS is None else alpha * mask_BTS[b, t, : LENGTHS[b]]
            generate = torch.sigmoid(applied(copy.gate, applied(copy.output, alpha @ applied(copy.value, memory))))
            vocabulary = torch.softmax(model.softmax @ applied(model.projections["output"], h), dim=0)
            p[b, t, :V] = generate * vocabulary
            for place, word in enumerate(words.tolist()):
                p[b, t, word] += ((1 - generate) * alpha[place])[0]
    return p


def test_the_loss_is_equation_three() -> None:
    model, pairs = model_of(), batch()
    p_BTX = probabilities(model)
    expected = -p_BTX.gather(2, pairs.targets_BT[:, :, None])[pairs.targets_BT != PAD].log().sum()
    torch.testing.assert_close(model.loss(pairs), expected)
    torch.testing.assert_close(p_BTX.sum(dim=2), torch.ones(3, 4))


def test_where_attention_is_dropped_so_are_probabilities_of_copying() -> None:
    model, pairs, state = model_of().train(), batch(), torch.get_rng_state()
    model.settings = replace(SMALL, attention_dropout=0.4)  # Of the copy attention alone: the layers are made.
    loss = model.loss(pairs)
    torch.set_rng_state(state)
    p_BTX = probabilities(model, dropout_mask((3, 4 * 6), 0.4, loss).view(3, 4, 6))
    expected = -(p_BTX.gather(2, pairs.targets_BT[:, :, None])[pairs.targets_BT != PAD] + 1e-12).log().sum()
    torch.testing.assert_close(loss, expected)


def test_processes_that_share_a_batch_drop_what_one_alone_drops() -> None:
    rates = replace(SMALL, dropout=0.3, attention_dropout=0.2, activation_dropout=0.1)
    assert_parts_add_up(model_of(rates).train(), batch())


@pytest.mark.parametrize("side", ["source", "target"])
@torch.no_grad()
def test_linear_layers_are_on_embeddings_or_on_their_sums_with_positions(side: str) -> None:
    ids_BL, positions_LD = batch().source_BS, sinusoids(6, D)
    before, after = model_of(), model_of(replace(SMALL, input_linear="after_positions"))
    embeddings_BLD, linear = D**0.5 * before.softmax[ids_BL.where(ids_BL < V, UNK)], before.projections[side]
    torch.testing.assert_close(before.embed(ids_BL, side), applied(linear, embeddings_BLD) + positions_LD)
    torch.testing.assert_close(after.embed(ids_BL, side), applied(linear, embeddings_BLD + positions_LD))


def test_only_scored_positions_count_and_there_may_be_none_in_a_sentence() -> None:
    model, pairs = model_of(), batch()

    def loss(*steps: int) -> Tensor:
        """Return the loss of some positions of the first sentence."""
        return model.loss(replace(pairs, rows_N=torch.zeros(len(steps)).long(), steps_N=torch.tensor(steps).long()))

    torch.testing.assert_close(loss(0, 1, 3), loss(0) + loss(1) + loss(3))
    assert float(loss().detach()) == 0


def mixture(features: Tensor, weight: Tensor, gate: Tensor, copied: Tensor, targets: Tensor) -> Tensor:
    """Return the mixture's loss in float64, by logarithms of probabilities alone."""
    features, weight, gate, copied = (x.double() for x in (features, weight, gate, copied))
    logs = torch.log_softmax(features @ weight.t(), dim=1).gather(1, targets.clamp(max=V - 1)[:, None])[:, 0]
    generated = (F.logsigmoid(gate) + logs).where(targets < V, -torch.inf)
    p = torch.logaddexp(generated, F.logsigmoid(-gate) + copied.log())
    return -torch.logaddexp(p, torch.full_like(p, 1e-12).log()).sum()


@pytest.mark.parametrize("scale", [1, 20])  # Some gates are then so large that 1 - g would be 0.
def test_the_mixture_and_its_gradients_are_those_of_its_formula_in_float64(scale: int) -> None:
    torch.manual_seed(2)
    features, weight = torch.randn(90, 8, requires_grad=True), torch.randn(V, 8, requires_grad=True)
    gate, copied = (scale * torch.randn(90)).requires_grad_(), torch.rand(90).requires_grad_()
    inputs, targets = (features, weight, gate, copied), torch.randint(0, V + 10, (90,))
    expected, found = mixture(*inputs, targets), mixture_loss(*inputs, targets)
    torch.testing.assert_close(found.double(), expected, rtol=1e-6, atol=0)
    wanted = torch.autograd.grad(expected, inputs)
    for ours, theirs in zip(torch.autograd.grad(found, inputs), wanted, strict=True):
        assert float((ours - theirs).norm() / theirs.norm()) < 1e-6


def test_of_the_mixture_only_what_is_multiplied_is_rounded_to_bfloat16() -> None:
    torch.manual_seed(3)
    features, weight = (torch.randn(rows, 8).bfloat16().float().requires_grad_() for rows in (500, V))
    gate, copied = torch.randn(500, requires_grad=True), torch.rand(500, requires_grad=True)
    inputs, targets = (features, weight, gate, copied), torch.randint(0, V, (500,))
    expected = mixture(*inputs, targets)
    with torch.autocast("cpu", torch.bfloat16):
        found = mixture_loss(features.bfloat16(), weight, gate, copied, targets)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found.double(), expected, rtol=1e-6, atol=0)
    wanted = torch.autograd.grad(expected, inputs)
    for ours, theirs, limit in zip(torch.autograd.grad(found, inputs), wanted, (5e-3, 5e-3, 1e-6, 1e-6), strict=True):
        assert float((ours - theirs).norm() / theirs.norm()) < limit


@torch.no_grad()
def test_in_bfloat16_words_are_copied_by_exact_probabilities() -> None:
    copy, h_BTD, keys_BSD = model_of().copy, *(4 * torch.randn(2, 3, 5, D).bfloat16())
    copy.query.weight.copy_(torch.eye(D))
    with torch.autocast("cpu", torch.bfloat16):
        alpha_BTS, gate_BT = copy(h_BTD, keys_BSD, keys_BSD, None, None)
    expected = torch.softmax(h_BTD.double() / D**0.5 @ keys_BSD.double().transpose(1, 2), dim=2)
    torch.testing.assert_close(alpha_BTS.double(), expected, rtol=1e-5, atol=0)
    assert gate_BT.dtype == torch.float32


@pytest.mark.parametrize(("norm", "place"), [("post", "after_positions"), ("pre", "before_positions")])
def test_a_token_at_a_time_finds_the_same_probabilities(norm: str, place: str) -> None:
    model = model_of(replace(SMALL, norm=norm, input_linear=place)).eval()
    stepper = model.stepper(batch().source_BS, LENGTHS)
    with torch.no_grad():
        p_BTX = probabilities(model)
        for t, ids_B in enumerate(batch().inputs_BT.t()):
            torch.testing.assert_close(stepper.step(ids_B).exp(), p_BTX[:, t, : V + 2], atol=1e-6, rtol=1e-4)
            stepper.select(torch.arange(3), torch.arange(3))


def test_the_search_copies_words_of_its_own_source_only() -> None:
    model = model_of().eval()
    with torch.no_grad():
        model.copy.gate.bias.fill_(-20.0)  # Copies alone.
    source_BS = batch().source_BS
    for hypotheses, words in zip(beam_search([model], source_BS, LENGTHS, 4), source_BS.tolist(), strict=True):
        for hypothesis in hypotheses[:1]:
            assert set(hypothesis.ids) <= set(words)
    together = beam_search([model, model], source_BS, LENGTHS, 2)
    alone = beam_search([model], source_BS[1:2, :4], LENGTHS[1:2], 2)
    assert together[1][0].ids == alone[0][0].ids
    assert all(BOS not in option.ids for options in together for option in options)


def test_the_paper_s_model_has_its_ninety_seven_million_parameters() -> None:
    settings = PointerGeneratorSettings(ff_dim=4096)
    with torch.device("meta"):
        model = PointerGenerator(50_000, 50_000, settings)
    assert round(sum(p.numel() for p in model.parameters()) / 1e6, 2) == 96.77
