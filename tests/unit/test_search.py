"""Beam search against a slow one with Python lists, and against plain arithmetic."""

import math

import pytest
import torch

from seqpre.corpora.subwords import EOS
from seqpre.models.lstm import Seq2Seq
from seqpre.search import NEVER, Hypothesis, beam_search, best, translate_batch
from seqpre.settings import FirstLayer, ModelSettings

V = 9


def make_model(seed: int) -> Seq2Seq:
    torch.manual_seed(seed)
    model = Seq2Seq(12, V, FirstLayer(8, 16, 10), ModelSettings(upper_layers=2, upper_dim=9)).eval()
    for parameter in model.parameters():
        parameter.data.mul_(3)  # Decided enough that beams differ.
    return model


@pytest.fixture
def batch() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    return torch.randint(4, 12, (6, 5)), torch.tensor([6, 4, 2, 1, 3])


@torch.no_grad()
def slow_search(models: list[Seq2Seq], source: torch.Tensor, beam: int) -> list[tuple[list[int], float]]:
    """One sentence, hypotheses as Python lists, probabilities averaged one by one."""
    memories = [model.encoder(source[:, None], torch.tensor([len(source)])) for model in models]
    open_ = [([], 0.0, [m.decoder.start(memory) for m, memory in zip(models, memories, strict=True)])]
    done = []
    for _ in range(2 * len(source) + 10):
        candidates = []
        for ids, score, states in open_:
            probabilities, new_states = torch.zeros(V), []
            for model, memory, state in zip(models, memories, states, strict=True):
                features, state = model.decoder.step(torch.tensor([ids[-1] if ids else EOS]), state, memory)
                probabilities += model.decoder.lm.softmax(features)[0].softmax(0) / len(models)
                new_states.append(state)
            candidates += [
                ([*ids, v], score + math.log(probabilities[v]), new_states) for v in range(V) if v not in NEVER
            ]
        candidates.sort(key=lambda candidate: -candidate[1])
        chosen = candidates[: beam - len(done)]
        done += [(ids[:-1], score) for ids, score, _ in chosen if ids[-1] == EOS]
        open_ = [candidate for candidate in chosen if candidate[0][-1] != EOS]
        if len(done) == beam:
            return done
    return done + [(ids, score) for ids, score, _ in open_]


@pytest.mark.parametrize("beam", [1, 2, 4, 7])
@pytest.mark.parametrize("seeds", [(0,), (3,), (0, 1, 2)])
def test_batched_search_finds_what_the_slow_search_finds(beam: int, seeds: tuple[int, ...], batch: tuple) -> None:
    models = [make_model(seed) for seed in seeds]
    source, lengths = batch
    found = beam_search(models, source, lengths, beam)
    for b, length in enumerate(lengths.tolist()):
        expected = sorted(slow_search(models, source[:length, b], beam))
        got = sorted((h.ids, h.log_probability) for h in found[b])
        assert [ids for ids, _ in got] == [ids for ids, _ in expected]
        assert [score for _, score in got] == pytest.approx([score for _, score in expected], abs=1e-4)


def test_one_sentence_at_a_time_gives_what_the_batch_gives(batch: tuple) -> None:
    model, (source, lengths) = make_model(0), batch
    together = beam_search([model], source, lengths, 4)
    for b, length in enumerate(lengths.tolist()):
        alone = beam_search([model], source[:length, b : b + 1], lengths[b : b + 1], 4)[0]
        assert sorted(h.ids for h in alone) == sorted(h.ids for h in together[b])


def test_an_ensemble_of_the_same_model_twice_is_that_model(batch: tuple) -> None:
    model = make_model(0)
    single, double = beam_search([model], *batch, 4), beam_search([model, model], *batch, 4)
    assert [[h.ids for h in s] for s in single] == [[h.ids for h in s] for s in double]


def test_a_beam_of_one_is_greedy(batch: tuple) -> None:
    model, (source, lengths) = make_model(0), batch
    outputs = translate_batch([model], source, lengths)
    for b, length in enumerate(lengths.tolist()):
        memory = model.encoder(source[:length, b : b + 1], lengths[b : b + 1])
        state, ids = model.decoder.start(memory), [EOS]
        with torch.no_grad():
            while len(ids) <= 2 * length + 10:
                features, state = model.decoder.step(torch.tensor(ids[-1:]), state, memory)
                logits = model.decoder.lm.softmax(features)[0]
                logits[list(NEVER)] = -math.inf
                ids.append(int(logits.argmax()))
                if ids[-1] == EOS:
                    break
        assert outputs[b] == [i for i in ids[1:] if i != EOS]


def test_length_penalty_divides_the_log_probability_by_a_power_of_the_length() -> None:
    short, long = Hypothesis([5], -2.0), Hypothesis([5, 6, 7], -3.0)
    assert short.score(1.0) == -1.0  # Two tokens with EOS.
    assert long.score(1.0) == -0.75
    assert best([short, long], 0.0) is short
    assert best([short, long], 1.0) is long
