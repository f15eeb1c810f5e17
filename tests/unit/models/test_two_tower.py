"""Both language models of Edunov et al. (2019): what each position sees, and what it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from parts import assert_parts_add_up
from torch import Tensor, nn

from seqpre.corpora.subwords import EOS, PAD
from seqpre.models import two_tower
from seqpre.models.batch import Batch
from seqpre.models.kernels.products import PackedWeights
from seqpre.models.two_tower import BiasedAttention, CausalLM, ClozeLM, TransformerLM
from seqpre.study.models.two_tower import TransformerLMShape

V = 30
SMALL = TransformerLMShape(16, 24, 4, 2, dropout=0.0, attention_dropout=0.0, relu_dropout=0.0)
LENGTHS = torch.tensor([6, 4, 1])


def model_of(kind: type[TransformerLM], shape: TransformerLMShape = SMALL) -> TransformerLM:
    torch.manual_seed(1)
    return kind(V, shape)


def sentences() -> Tensor:
    """Return (B, S): each ends with EOS, then padding."""
    ids_BS = torch.randint(4, V, (3, 6), generator=torch.Generator().manual_seed(0))
    places = torch.arange(6)
    ids_BS[places == LENGTHS[:, None] - 1] = EOS
    ids_BS[places >= LENGTHS[:, None]] = PAD
    return ids_BS


def batch() -> Batch:
    """Return what `loss` takes of the sentences."""
    return Batch.of(sentences(), LENGTHS, sentences(), torch.arange(6) < LENGTHS[:, None])


def gradients(model: ClozeLM, length: int, *, own: bool) -> Tensor:
    """Return how strongly each position (row) depends on the embedding at each (column), EOS in front left out."""
    found = []
    ids_BS = sentences()[:1, :length]
    for position in range(length):
        kept: list[Tensor] = []

        def embed(ids_BL: Tensor, first: int = 0, kept: list[Tensor] = kept) -> Tensor:
            kept.append(TransformerLM.embed(model, ids_BL, first).detach().requires_grad_())
            return kept[0]

        model.embed = embed  # type: ignore[method-assign]
        features_BSD = model.features(ids_BS, torch.tensor([length]), own=own)
        # Of any loss: a different weight for each feature.
        (features_BSD[0, position] * torch.linspace(1, 2, 16)).sum().backward()
        assert kept[0].grad is not None
        found.append(kept[0].grad[0].abs().amax(dim=1)[1:])
    return torch.stack(found)


def test_no_position_of_the_cloze_model_sees_itself_and_each_sees_all_others() -> None:
    model = model_of(ClozeLM)
    assert isinstance(model, ClozeLM)
    for length in (2, 6):
        found = gradients(model, length, own=False)
        own = torch.eye(length, dtype=torch.bool)
        assert (found[own] == 0).all()
        assert (found[~own] > 0).all()
        assert (gradients(model, length, own=True) > 0).all()  # As what a seq2seq model reads.


@torch.no_grad()
def test_another_word_changes_every_position_but_its_own() -> None:
    model = model_of(ClozeLM)
    assert isinstance(model, ClozeLM)
    ids_BS = sentences()
    features = model.features(ids_BS, LENGTHS, own=False)[0]
    for place in range(6):
        other_BS = ids_BS.clone()
        other_BS[0, place] = (ids_BS[0, place] + 1) % V
        changed = (model.features(other_BS, LENGTHS, own=False)[0] != features).any(dim=1)
        assert changed.tolist() == [position != place for position in range(6)]


@torch.no_grad()
def test_the_left_to_right_model_sees_only_what_came_before() -> None:
    model = model_of(CausalLM)
    ids_BS = sentences()
    for state, again in zip(
        model.states(ids_BS, LENGTHS), model.states(torch.cat([ids_BS[:, :3], (ids_BS[:, 3:] + 1) % V], 1), LENGTHS),
        strict=True,
    ):  # fmt: skip
        assert torch.equal(state[0, :3], again[0, :3])
        assert not torch.equal(state[0, 3], again[0, 3])


@pytest.mark.parametrize("kind", [CausalLM, ClozeLM])
@torch.no_grad()
def test_padding_and_company_change_nothing(kind: type[TransformerLM]) -> None:
    model = model_of(kind)
    ids_BS = sentences()
    together, features = model.states(ids_BS, LENGTHS), model.features(ids_BS, LENGTHS)
    assert len(together) == model.levels == (5 if kind is ClozeLM else 3)
    assert {state.shape[2] for state in together} == {model.width}
    for b, length in enumerate(LENGTHS.tolist()):
        alone = ids_BS[b : b + 1, :length], LENGTHS[b : b + 1]
        for one, other in zip(model.states(*alone), together, strict=True):
            torch.testing.assert_close(one[0], other[b, :length], atol=1e-5, rtol=1e-4)
        torch.testing.assert_close(model.features(*alone)[0], features[b, :length], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", [CausalLM, ClozeLM])
@torch.no_grad()
def test_the_loss_is_that_of_each_sentence_alone(kind: type[TransformerLM]) -> None:
    model, alone = model_of(kind), []
    for b, length in enumerate(LENGTHS.tolist()):
        ids = sentences()[b : b + 1, :length]
        alone.append(model.loss(Batch.of(ids, LENGTHS[b : b + 1], ids, torch.ones(1, length, dtype=torch.bool))))
    torch.testing.assert_close(model.loss(batch()), sum(alone))


@torch.no_grad()
def test_towers_are_pytorch_s_layers_with_a_key_and_value_more() -> None:
    ours = BiasedAttention(SMALL)
    theirs = nn.MultiheadAttention(16, 4, add_bias_kv=True, batch_first=True)
    theirs.in_proj_weight.copy_(ours.inputs.weight)
    theirs.in_proj_bias.copy_(ours.inputs.bias)
    theirs.out_proj.weight.copy_(ours.output.weight)
    theirs.out_proj.bias.copy_(ours.output.bias)
    assert theirs.bias_k is not None
    assert theirs.bias_v is not None
    theirs.bias_k.copy_(ours.extra[0])
    theirs.bias_v.copy_(ours.extra[1])
    x_BLD = torch.randn(3, 5, 16)
    expected, _ = theirs(x_BLD, x_BLD, x_BLD, attn_mask=nn.Transformer.generate_square_subsequent_mask(5))
    torch.testing.assert_close(ours(x_BLD), expected)


def test_a_gpu_s_kernels_without_a_mask_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    attention, x_BLD = BiasedAttention(SMALL).double(), torch.randn(3, 9, 16, dtype=torch.float64)

    def found() -> list[Tensor]:
        output_BLD = attention(x_BLD)
        return [output_BLD, *torch.autograd.grad(output_BLD.square().sum(), list(attention.parameters()))]

    with_mask = found()
    monkeypatch.setattr(two_tower, "drawn_by_torch", lambda x: True)
    monkeypatch.setattr(two_tower, "scaled_dot_product_attention", None)
    for one, other in zip(found(), with_mask, strict=True):
        torch.testing.assert_close(one, other, atol=1e-12, rtol=1e-12)


@torch.inference_mode()
def test_a_token_at_a_time_equals_the_whole_sentence_and_follows_the_beams() -> None:
    model = model_of(CausalLM).eval()
    assert isinstance(model, CausalLM)
    stepper = model.stepper(3, PackedWeights())
    written_RT, kept = torch.full((3, 1), EOS), 3
    for step in range(20):  # More than the cache has room for at first.
        found = stepper.step(written_RT[:, -1])
        for one, other in zip(found, model.states(written_RT, LENGTHS), strict=True):
            torch.testing.assert_close(one, other[:, -1], atol=1e-5, rtol=1e-4)
        rows = {0: [0, 0, 1, 1, 2, 2], 1: [1, 0, 3, 3, 4, 4], 2: [1, 1, 4, 5]}.get(step, list(range(len(written_RT))))
        places = torch.tensor([0, 2]) if step == 2 else torch.arange(kept)
        kept = len(places)
        stepper.select(torch.tensor(rows), places)
        new_R1 = torch.randint(4, V, (len(rows), 1), generator=torch.Generator().manual_seed(step))
        written_RT = torch.cat([written_RT[rows], new_R1], dim=1)


@pytest.mark.parametrize("kind", [CausalLM, ClozeLM])
def test_processes_that_share_a_batch_drop_what_one_alone_drops(kind: type[TransformerLM]) -> None:
    rates = replace(SMALL, dropout=0.2, attention_dropout=0.2, relu_dropout=0.2)
    assert_parts_add_up(model_of(kind, rates).train(), batch())


@pytest.mark.parametrize(("kind", "millions"), [(CausalLM, 189.1), (ClozeLM, 352.8)])
def test_at_the_paper_s_size_they_have_190_and_353_million_parameters(
    kind: type[TransformerLM], millions: float
) -> None:
    with torch.device("meta"):
        count = sum(p.numel() for p in kind(37_000, TransformerLMShape()).parameters())
    assert round(count / 1e6, 1) == millions
