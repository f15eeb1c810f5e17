"""Beam search for every model family and for ensembles, batched over sentences.

A beam holds `beam` open hypotheses a sentence; each one that ends closes its place, and a sentence is done when all
places are closed. So the search does not depend on the length penalty, which only ranks what was found: one search on
the validation set serves every penalty that is tried.

Shape suffixes: B sentences in the batch, K open places, R = B K rows, V vocabulary, S source positions, T tokens that a
hypothesis has, E n-grams that it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from seqpre.corpora.subwords import EOS
from seqpre.models.family import Seq2SeqModel, Stepper

NONE = -1
GROUP = 8
"""So many subwords are one when the first of the k best are looked for; measured with 8,000."""


@dataclass(frozen=True)
class Hypothesis:
    """One output: its subword ids without EOS, and its log probability, with EOS unless it was cut."""

    ids: list[int]
    log_probability: float

    def score(self, length_penalty: float) -> float:
        """Return log p / length^penalty; the length counts EOS."""
        # Unstated: whether and how scores are normalised by length. The plain power, its exponent chosen on validation.
        return float(self.log_probability / (len(self.ids) + 1) ** length_penalty)


@dataclass(frozen=True)
class Limits:
    """What every output keeps to, counted in subwords without EOS.

    An output that could only go on by repeating an n-gram ends, even below the smallest length.
    """

    min_length: int = 0
    max_length: int = 0
    """0: 2 x source length + 10, and never less than `min_length`."""
    no_repeat_ngram: int = 0
    """No n-gram of this size occurs twice; 0: any may."""

    def lengths(self, source_lengths_B: Tensor) -> Tensor:
        """Return the largest length of each sentence's output (B,)."""
        if self.max_length:
            return torch.full_like(source_lengths_B, self.max_length)
        return (2 * source_lengths_B + 10).clamp(min=self.min_length)  # Unstated: the largest length of an output.


UNLIMITED = Limits()


def best(hypotheses: list[Hypothesis], length_penalty: float) -> Hypothesis:
    """Return the hypothesis of highest score; of equal ones the first found."""
    return max(hypotheses, key=lambda hypothesis: hypothesis.score(length_penalty))


class EnsembleStepper:
    """Averages the probabilities of several models."""

    def __init__(self, steppers: list[Stepper]) -> None:
        self.steppers = steppers
        self.first, self.never = steppers[0].first, steppers[0].never

    def step(self, ids_R: Tensor) -> Tensor:
        logs_MRV = torch.stack([stepper.step(ids_R) for stepper in self.steppers])
        return logs_MRV.logsumexp(dim=0) - torch.log(torch.tensor(float(len(self.steppers))))

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        for stepper in self.steppers:
            stepper.select(rows_R, sentences_B)


@torch.inference_mode()
def beam_search(
    models: Sequence[Seq2SeqModel], source_SB: Tensor, lengths_B: Tensor, beam: int, limits: Limits = UNLIMITED
) -> list[list[Hypothesis]]:
    """Return the hypotheses found for each sentence of a batch, `beam` of them where vocabulary and limits allow.

    A hypothesis still open at the largest length counts as it is.
    """
    steppers = [model.stepper(source_SB, lengths_B) for model in models]
    model = steppers[0] if len(steppers) == 1 else EnsembleStepper(steppers)
    device = source_SB.device
    never = torch.tensor(model.never, device=device)
    places_1K = torch.arange(beam, device=device)[None]
    limits_B = limits.lengths(lengths_B)
    # Which sentences of the batch are still searched, and the numbers of their rows.
    sentences_B = all_B = torch.arange(len(lengths_B), device=device)
    open_B = torch.full_like(lengths_B, beam)
    most_open, first_limit = beam, int(limits_B.min())
    scores_BK = torch.zeros(len(lengths_B), 1, device=device)
    ids_R = torch.full_like(lengths_B, model.first)
    written_RT = ids_R.new_empty(len(ids_R), 0)  # Kept up only to find n-grams that repeat.
    layers: list[tuple[Tensor, Tensor]] = []  # Each row's token (NONE: no token) and its row in the layer before.
    ended: list[tuple[Tensor, Tensor, Tensor, int]] = []  # Sentences, scores, last rows, and the layer of those rows.
    length = 0
    while len(sentences_B):
        K = scores_BK.shape[1]
        logs_RV = model.step(ids_R).index_fill_(1, never, float("-inf"))
        forbid(logs_RV, written_RT, length, limits)
        top = min(beam, logs_RV.shape[1])
        row_scores_RK, row_ids_RK = highest(logs_RV, top)
        candidates_BN = (scores_BK.reshape(-1, 1) + row_scores_RK).view(-1, K * top)
        scores_BK, chosen_BK = candidates_BN.topk(min(beam, K * top), dim=1)
        rows_BK = all_B[:, None] * K + chosen_BK // top
        ids_BK = row_ids_RK.view(-1, K * top).gather(1, chosen_BK)
        # A sentence with n open places considers its n best candidates.
        scores_BK = scores_BK.masked_fill(places_1K[:, : scores_BK.shape[1]] >= open_B[:, None], float("-inf"))
        ends_BK = (ids_BK == EOS) & (scores_BK > float("-inf"))
        some_end = bool(ends_BK.any())
        if some_end:
            sentences_BK = sentences_B[:, None].expand_as(ends_BK)
            ended.append((sentences_BK[ends_BK], scores_BK[ends_BK], rows_BK[ends_BK], len(layers) - 1))
            open_B = open_B - ends_BK.sum(dim=1)
            most_open = int(open_B.max())
            # Open hypotheses first.
            scores_BK = scores_BK.masked_fill(ends_BK, float("-inf"))
            scores_BK, order_BK = scores_BK.sort(dim=1, descending=True, stable=True)
            rows_BK, ids_BK = rows_BK.gather(1, order_BK), ids_BK.gather(1, order_BK)
        # As many places as the sentence with the most open hypotheses needs.
        scores_BK, rows_BK, ids_BK = (of_BK[:, : max(1, most_open)] for of_BK in (scores_BK, rows_BK, ids_BK))
        layers.append((ids_BK.flatten(), rows_BK.flatten()))
        length += 1
        stay_B = all_B
        if some_end or length >= first_limit:
            # Unstated: what an output that does not end by itself scores. What it has; p(EOS) is left out.
            cut_B = length >= limits_B
            live_BK = scores_BK > float("-inf")
            cut_BK = cut_B[:, None] & live_BK
            last_BK = torch.arange(cut_BK.numel(), device=device).view(cut_BK.shape)
            sentences_BK = sentences_B[:, None].expand_as(cut_BK)
            ended.append((sentences_BK[cut_BK], scores_BK[cut_BK], last_BK[cut_BK], len(layers) - 1))
            stay_B = (live_BK.any(dim=1) & ~cut_B).nonzero()[:, 0]
            if len(stay_B) < len(all_B):
                kept_R = last_BK[stay_B].flatten()
                layers.append((torch.full_like(kept_R, NONE), kept_R))
                scores_BK, rows_BK, ids_BK = scores_BK[stay_B], rows_BK[stay_B], ids_BK[stay_B]
                sentences_B, open_B, limits_B = sentences_B[stay_B], open_B[stay_B], limits_B[stay_B]
                all_B = all_B[: len(stay_B)]
                if len(all_B):
                    most_open, first_limit = int(open_B.max()), int(limits_B.min())
        ids_R, rows_R = ids_BK.flatten(), rows_BK.flatten()
        if limits.no_repeat_ngram:
            written_RT = torch.cat([written_RT[rows_R], ids_R[:, None]], dim=1)
        model.select(rows_R, stay_B)
    return _traced(layers, ended, len(lengths_B))


def highest(logs_RV: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k largest of every row, from the largest on, and their places (R, K).

    In two stages on a CPU, where `topk` of a long row is slow: they lie in the k groups with the largest maxima.
    """
    R, V = logs_RV.shape
    G = V // GROUP  # Groups; each holds every G-th place, and what is left over is looked at anyway.
    if logs_RV.device.type != "cpu" or k > G // 4:
        plain_RK, plain_places_RK = logs_RV.topk(k, dim=1)
        return plain_RK, plain_places_RK
    firsts_RK = logs_RV[:, : G * GROUP].view(R, GROUP, G).amax(dim=1).topk(k, dim=1, sorted=False).indices
    places_RN = (firsts_RK[:, :, None] + torch.arange(0, G * GROUP, G)).flatten(1)
    places_RN = torch.cat([places_RN, torch.arange(G * GROUP, V).expand(R, -1)], dim=1)
    scores_RK, order_RK = logs_RV.gather(1, places_RN).topk(k, dim=1)
    return scores_RK, places_RN.gather(1, order_RK)


def forbid(logs_RV: Tensor, written_RT: Tensor, length: int, limits: Limits) -> None:
    """Set to -inf, in place, what no row may write next; `length` tokens are written, and `written` are which."""
    n = limits.no_repeat_ngram
    E = length - n + 1
    if n and E > 0:
        same_RE = torch.ones_like(written_RT[:, :E], dtype=torch.bool)
        for place in range(n - 1):  # Which n-grams begin as the next one does?
            same_RE &= written_RT[:, place : place + E] == written_RT[:, E + place, None]
        last_RE = written_RT[:, n - 1 :]
        logs_RE = logs_RV.gather(1, last_RE).masked_fill(same_RE, float("-inf"))
        logs_RV.scatter_reduce_(1, last_RE, logs_RE, "amin")
    if length < limits.min_length:
        end_R = logs_RV[:, EOS].clone()
        logs_RV[:, EOS] = float("-inf")
        if n:  # Else there is always something to go on with.
            logs_RV[:, EOS] = end_R.masked_fill(logs_RV.amax(dim=1) > float("-inf"), float("-inf"))


def _traced(
    layers: list[tuple[Tensor, Tensor]], ended: list[tuple[Tensor, Tensor, Tensor, int]], sentences: int
) -> list[list[Hypothesis]]:
    """Follow every hypothesis from its last row back to its first token, all of them at once."""
    parts = list(zip(*ended, strict=True))
    sentence_F, score_F, row_F = (torch.cat(tensors).cpu() for tensors in parts[:3])
    layer_F = torch.cat([torch.full((len(part[0]),), part[3]) for part in ended])
    ids_FT = torch.full((len(row_F), len(layers)), NONE)
    for number in reversed(range(len(layers))):
        ids_R, parents_R = (tensor.cpu() for tensor in layers[number])
        on_path_F = layer_F >= number
        ids_FT[on_path_F, number] = ids_R[row_F[on_path_F]]
        row_F[on_path_F] = parents_R[row_F[on_path_F]]
    found: list[list[Hypothesis]] = [[] for _ in range(sentences)]
    for sentence, score, ids in zip(sentence_F.tolist(), score_F.tolist(), ids_FT.tolist(), strict=True):
        found[sentence].append(Hypothesis([i for i in ids if i != NONE], score))
    return found


def translate_batch(
    models: Sequence[Seq2SeqModel], source_SB: Tensor, lengths_B: Tensor, limits: Limits = UNLIMITED
) -> list[list[int]]:
    """Return each sentence's greedy output: the beam of one."""
    return [hypotheses[0].ids for hypotheses in beam_search(models, source_SB, lengths_B, 1, limits)]
