"""Beam search against a slow one with Python lists, and against plain arithmetic."""

import math

import pytest
import torch

from seqpre.common.errors import DataError
from seqpre.corpora.progress import Progress
from seqpre.corpora.subwords import EOS
from seqpre.decode import hypotheses_of
from seqpre.models.family import SubwordStepper
from seqpre.models.lstm import Seq2Seq
from seqpre.models.transformer import Transformer
from seqpre.search import DEFAULT_LIMITS, Hypothesis, Limits, beam_search, best, fast_topk, translate_batch
from seqpre.study.models.lstm import FirstLayer, LSTMSettings
from seqpre.study.models.transformer import TransformerSettings

V = 9


def make_model(seed: int) -> Seq2Seq:
    torch.manual_seed(seed)
    model = Seq2Seq(12, V, LSTMSettings(FirstLayer(8, 16, 10), upper_layers=2, upper_dim=9)).eval()
    for parameter in model.parameters():
        parameter.data.mul_(3)  # Decided enough that beams differ.
    return model


@pytest.fixture
def batch() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    return torch.randint(4, 12, (6, 5)).t(), torch.tensor([6, 4, 2, 1, 3])


def ngrams(ids: list[int], n: int) -> list[tuple[int, ...]]:
    return list(zip(*(ids[place:] for place in range(n)), strict=False))


def repeats(ids: list[int], n: int) -> bool:
    return n > 0 and len(set(ngrams(ids, n))) < len(ngrams(ids, n))


def may_follow(ids: list[int], limits: Limits) -> list[int]:
    """Return what may be written after `ids`, by trying every token."""
    words = [
        v
        for v in range(V)
        if v not in (EOS, *SubwordStepper.suppressed_ids) and not repeats([*ids, v], limits.no_repeat_ngram)
    ]
    return words if words and len(ids) < limits.min_length else [*words, EOS]


@torch.no_grad()
def slow_search(
    models: list[Seq2Seq], source: torch.Tensor, beam: int, limits: Limits = DEFAULT_LIMITS
) -> list[tuple[list[int], float]]:
    """One sentence, hypotheses as Python lists, each read from its beginning in every step."""
    open_: list[tuple[list[int], float]] = [([], 0.0)]
    done: list[tuple[list[int], float]] = []
    for _ in range(limits.max_length or max(2 * len(source) + 10, limits.min_length)):
        inputs = torch.tensor([[EOS, *ids] for ids, _ in open_])
        copies, lengths = source.expand(len(open_), -1), torch.tensor([len(source)] * len(open_))
        features = [model.decoder(inputs, model.encoder(copies, lengths))[-1] for model in models]
        logits = [model.decoder.lm.softmax(f) for model, f in zip(models, features, strict=True)]
        logs = torch.stack(logits).softmax(dim=2).mean(dim=0).log().tolist()
        candidates = [
            ([*ids, v], score + log[v])
            for (ids, score), log in zip(open_, logs, strict=True)
            for v in may_follow(ids, limits)
        ]
        candidates.sort(key=lambda candidate: -candidate[1])
        chosen = candidates[: beam - len(done)]
        done += [(ids[:-1], score) for ids, score in chosen if ids[-1] == EOS]
        open_ = [candidate for candidate in chosen if candidate[0][-1] != EOS]
        if len(done) == beam or not open_:
            return done
    return done + open_


@pytest.mark.parametrize("beam", [1, 4, 12])  # The last more than there are words.
@pytest.mark.parametrize("seeds", [(0,), (3,), (0, 1, 2)])
@pytest.mark.parametrize(
    "limits",
    [
        DEFAULT_LIMITS,
        Limits(min_length=6),
        Limits(max_length=1),
        Limits(max_length=5),
        Limits(no_repeat_ngram=2),
        Limits(no_repeat_ngram=3),
        Limits(min_length=4, max_length=9, no_repeat_ngram=2),
        Limits(min_length=17),  # Above what some sources would allow.
        Limits(min_length=30, no_repeat_ngram=2),  # There are 25 pairs of tokens: nothing can be that long.
    ],
    ids=str,
)
def test_batched_search_finds_what_the_slow_search_finds(
    limits: Limits, beam: int, seeds: tuple[int, ...], batch: tuple
) -> None:
    models = [make_model(seed) for seed in seeds]
    source, lengths = batch
    found = beam_search(models, source, lengths, beam, limits)
    for b, length in enumerate(lengths.tolist()):
        expected = sorted(slow_search(models, source[b, :length], beam, limits))
        got = sorted((h.ids, h.log_probability) for h in found[b])
        assert [ids for ids, _ in got] == [ids for ids, _ in expected]
        assert [score for _, score in got] == pytest.approx([score for _, score in expected], abs=1e-4)


@pytest.mark.parametrize("models", [1, 3])
def test_outputs_keep_to_the_limits_that_they_broke_without(models: int, batch: tuple) -> None:
    ensemble = [make_model(seed) for seed in range(models)]
    free = [h.ids for found in beam_search(ensemble, *batch, 4) for h in found]
    assert min(map(len, free)) < 5 < 8 < max(map(len, free))
    assert any(repeats(ids, 2) for ids in free)
    limits = Limits(min_length=5, max_length=8, no_repeat_ngram=2)
    kept = [h.ids for found in beam_search(ensemble, *batch, 4, limits) for h in found]
    assert 5 <= min(map(len, kept)) <= max(map(len, kept)) <= 8
    assert not any(repeats(ids, 2) for ids in kept)


def test_limits_that_nothing_reaches_change_nothing(batch: tuple) -> None:
    model = make_model(0)
    free = beam_search([model], *batch, 4)
    lengths = [len(h.ids) for found in free for h in found]
    far = Limits(min_length=min(lengths), max_length=0, no_repeat_ngram=max(lengths) + 1)
    assert beam_search([model], *batch, 4, far) == free


def test_one_sentence_at_a_time_gives_what_the_batch_gives(batch: tuple) -> None:
    model, (source, lengths) = make_model(0), batch
    together = beam_search([model], source, lengths, 4)
    for b, length in enumerate(lengths.tolist()):
        alone = beam_search([model], source[b : b + 1, :length], lengths[b : b + 1], 4)[0]
        assert sorted(h.ids for h in alone) == sorted(h.ids for h in together[b])


@torch.inference_mode()
def test_models_of_two_families_average_their_probabilities_on_the_way_of_every_beam(batch: tuple) -> None:
    torch.manual_seed(2)
    shape = TransformerSettings(8, 12, 2, encoder_layers=1, decoder_layers=2)
    models = [
        Seq2Seq(12, 12, LSTMSettings(FirstLayer(8, 16, 10), upper_layers=1, upper_dim=9)),
        Transformer(12, 12, shape),
    ]
    for model in models:
        model.eval()
    source, lengths = batch
    limits = Limits(max_length=5)
    for b, found in enumerate(beam_search(models, source, lengths, 3, limits)):
        for hypothesis in found:
            written = [*hypothesis.ids, EOS][:5]  # One that is cut has no EOS.
            steppers = [model.stepper(source[b : b + 1, : lengths[b]], lengths[b : b + 1]) for model in models]
            total = 0.0
            for last, following in zip([EOS, *written], written, strict=False):
                logs = [stepper.step(torch.tensor([last]))[0, following] for stepper in steppers]
                total += math.log(sum(math.exp(log) for log in logs) / 2)
            assert hypothesis.log_probability == pytest.approx(total, abs=1e-4)


def test_an_ensemble_of_the_same_model_twice_is_that_model(batch: tuple) -> None:
    model = make_model(0)
    single, double = beam_search([model], *batch, 4), beam_search([model, model], *batch, 4)
    assert [[h.ids for h in s] for s in single] == [[h.ids for h in s] for s in double]


def test_greedy_outputs_keep_to_limits(batch: tuple) -> None:
    outputs = translate_batch([make_model(0)], *batch, Limits(min_length=2, max_length=3))
    assert all(2 <= len(ids) <= 3 for ids in outputs)


def test_a_beam_of_one_is_greedy(batch: tuple) -> None:
    model, (source, lengths) = make_model(0), batch
    outputs = translate_batch([model], source, lengths)
    for b, length in enumerate(lengths.tolist()):
        memory = model.encoder(source[b : b + 1, :length], lengths[b : b + 1])
        ids = [EOS]
        with torch.no_grad():
            while len(ids) <= 2 * length + 10:
                features = model.decoder(torch.tensor(ids)[None], memory)[-1]
                logits = model.decoder.lm.softmax(features)[0]
                logits[list(SubwordStepper.suppressed_ids)] = -math.inf
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


@pytest.mark.parametrize("vocabulary", [10, 325, 1003])
@pytest.mark.parametrize("k", [1, 10])
def test_the_highest_of_a_row_are_those_of_topk(vocabulary: int, k: int) -> None:
    torch.manual_seed(0)
    scores = torch.stack([torch.randperm(vocabulary).float() for _ in range(40)])
    scores[20:, : vocabulary // 3] = float("-inf")
    (found, places), (expected, expected_places) = fast_topk(scores, k), scores.topk(k, dim=1)
    torch.testing.assert_close(found, expected)
    finite = expected > float("-inf")  # Which of the places at -inf come along is all the same.
    torch.testing.assert_close(places[finite], expected_places[finite])
    torch.testing.assert_close(scores.gather(1, places), found)


def test_a_model_whose_training_diverged_writes_nothing(batch: tuple[torch.Tensor, torch.Tensor]) -> None:
    """So its validation ends, and it loses to whatever else was tried."""
    model = make_model(1)
    for parameter in model.parameters():
        parameter.data.fill_(math.nan)
    assert translate_batch([model], *batch) == [[]] * len(batch[1])
    ids = [[5, EOS], [6, 7, EOS]]
    with pytest.raises(DataError, match="the model returns NaN: its training diverged"), Progress("decode") as progress:
        hypotheses_of([model], ids, 2, 64, torch.device("cpu"), progress)
