"""Transformers above a language model: the mixture of its states, what is trained, and searching a token at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from parts import assert_company_changes_nothing, assert_steps_equal_the_whole
from torch import Tensor, nn

from seqpre.models.augmented import AugmentedTransformer, ScalarMix
from seqpre.models.batch import Batch
from seqpre.models.build import build, description, rebuilt
from seqpre.models.two_tower import CausalLM, ClozeLM
from seqpre.search import beam_search
from seqpre.study.models.augmented import AugmentedTransformerSettings, RepresentationSettings
from seqpre.study.models.two_tower import TransformerLMShape

V, D = 30, 16
SHAPE = AugmentedTransformerSettings(D, 24, 4, encoder_layers=2, decoder_layers=2, dropout=0.0, norm="pre", tied="none")
LM = TransformerLMShape(12, 20, 2, 2, dropout=0.0, attention_dropout=0.0, relu_dropout=0.0)
LENGTHS = torch.tensor([6, 4, 1])
SIDES = [("elmo", "none"), ("fine_tuned", "none"), ("none", "elmo"), ("none", "fine_tuned"), ("elmo", "fine_tuned")]


def batch() -> Batch:
    generator = torch.Generator().manual_seed(0)
    source_BS = torch.randint(4, V, (3, 6), generator=generator)
    targets_BT = torch.randint(4, V, (3, 5), generator=generator)
    return Batch.of(source_BS, LENGTHS, targets_BT, torch.ones(3, 5, dtype=torch.bool))


def model_of(source: Any = "none", target: Any = "none", **changes: Any) -> AugmentedTransformer:
    torch.manual_seed(1)
    representations = RepresentationSettings(source, target, lm=LM)
    return AugmentedTransformer(V, V, replace(SHAPE, representations=representations, **changes))


def test_the_mixture_is_the_paper_s_sum() -> None:
    torch.manual_seed(2)
    mixture = ScalarMix(3, 8, 0.0)
    for parameter in mixture.parameters():
        nn.init.normal_(parameter)
    states = [3 * torch.randn(2, 5, 8) for _ in range(3)]
    share = mixture.weights.exp() / mixture.weights.exp().sum()
    expected = mixture.scale * sum(w * mixture.norm(state) for w, state in zip(share, states, strict=True))
    found = mixture(states)
    torch.testing.assert_close(found, expected)
    theirs = torch.autograd.grad(expected.pow(2).sum(), list(mixture.parameters()))
    ours = torch.autograd.grad(found.pow(2).sum(), list(mixture.parameters()))
    torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=1e-4)


def test_at_first_the_mixture_is_the_mean_and_dropout_drops_whole_layers() -> None:
    states = [torch.full((2, 1, 2), 0.0).copy_(torch.tensor([-1.0, 1.0]) * sign) for sign in (1, 1, -1, -1)]
    mixture = ScalarMix(4, 2, 0.5)
    torch.testing.assert_close(mixture.eval()(states), torch.zeros(2, 1, 2))
    torch.manual_seed(0)
    found = {round(float(mixture.train()(states)[0, 0, 1].detach()), 2) for _ in range(60)}
    assert found == {-1.0, -0.5, 0.0, 0.5, 1.0}  # Two of either sign, each dropped or 2 x 1/4.


@pytest.mark.parametrize(("source", "target"), SIDES)
def test_an_elmo_s_lm_stays_as_it_is_and_a_fine_tuned_one_is_trained(source: str, target: str) -> None:
    model = model_of(source, target).train()
    model.loss(batch()).backward()
    for side, which, kind in (("source", source, ClozeLM), ("target", target, CausalLM)):
        inputs = model.inputs_of(side)
        assert (inputs is None) == (which == "none")
        if inputs is not None:
            assert isinstance(inputs.lm, kind)
            trained = {p.grad is not None for p in inputs.lm.parameters()}
            assert trained == ({False} if which == "elmo" else {True})
            assert inputs.lm.training == (which == "fine_tuned")  # What is frozen drops nothing.
    unused = model.unused_by_loss()
    left = {id(p) for p in unused.parameters()} if unused else set()
    for name, parameter in model.named_parameters():
        frozen = not parameter.requires_grad
        assert frozen or parameter.grad is not None or id(parameter) in left, name


@pytest.mark.parametrize("source", ["none", "elmo"])
def test_sides_may_have_vocabularies_of_two_sizes_which_the_weights_say(source: Any) -> None:
    settings = replace(SHAPE, representations=RepresentationSettings(source, lm=LM))
    torch.manual_seed(1)
    model = build(settings, V, 2 * V)
    embedding = model.get_parameter("embeddings.source" if source == "none" else "representations.source.lm.embedding")
    assert (len(embedding), len(model.get_parameter("softmax"))) == (2 * V, V)
    pairs = replace(batch(), source_BS=batch().source_BS + V)
    again = rebuilt(description(settings, V, 2 * V), "here")
    again.load_state_dict(model.state_dict())
    losses = [one.eval().loss(pairs) for one in (model, again)]
    assert torch.equal(*losses)
    assert "source_vocab_size" not in description(settings, V)


def test_a_side_with_representations_has_no_embeddings_of_its_own() -> None:
    assert set(model_of("elmo").embeddings) == {"target"}
    assert set(model_of("elmo", tied="decoder").embeddings) == set()
    assert set(model_of(target="elmo").embeddings) == {"source"}


@pytest.mark.parametrize(("source", "target"), SIDES)
def test_a_token_at_a_time_equals_the_whole_sequence_and_follows_the_beams(source: str, target: str) -> None:
    assert_steps_equal_the_whole(model_of(source, target).eval(), batch().source_BS, LENGTHS)


def test_padding_and_company_change_no_hypothesis() -> None:
    assert_company_changes_nothing(model_of("elmo", "elmo").eval(), batch().source_BS, LENGTHS)


def test_in_a_search_an_lm_reads_a_source_once_and_every_written_token_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of("elmo", "elmo").eval()
    read: dict[str, list[int]] = {"ClozeLM": [], "CausalLM": []}
    embed = ClozeLM.embed

    def counted(self: Any, ids_BL: Tensor, first: int = 0) -> Tensor:
        read[type(self).__name__].append(ids_BL.shape[1])
        return embed(self, ids_BL, first)

    monkeypatch.setattr("seqpre.models.two_tower.TransformerLM.embed", counted)
    longest = max(len(h.ids) for hypotheses in beam_search([model], batch().source_BS, LENGTHS, 2) for h in hypotheses)
    assert read["ClozeLM"] == [7]  # Six tokens, and EOS in front.
    assert set(read["CausalLM"]) == {1}
    assert longest <= len(read["CausalLM"]) <= longest + 1
