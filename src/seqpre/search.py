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
"""Subwords in a group, for the two-stage search for the k best. Measured with 8,000 subwords."""


@dataclass(frozen=True)
class Hypothesis:
    """One output: its subword ids without EOS, and its log probability, which counts EOS unless the output was cut."""

    ids: list[int]
    log_probability: float

    def score(self, length_penalty: float) -> float:
        """Return log p / length^penalty; the length counts EOS."""
        # Unstated: whether and how scores are normalised by length, except in PoDA, which divides by it. They are
        # divided by a power of the length, chosen on validation text where a study gives several.
        return float(self.log_probability / (len(self.ids) + 1) ** length_penalty)


@dataclass(frozen=True)
class Limits:
    """Limits of every output, counted in subwords without EOS.

    An output that could only continue by repeating an n-gram ends, even below the smallest length.
    """

    min_length: int = 0
    max_length: int = 0
    """0: 2 x source length + 10, and never less than `min_length`."""
    no_repeat_ngram: int = 0
    """No n-gram of this size may occur twice; 0: no limit."""

    def lengths(self, source_lengths_B: Tensor) -> Tensor:
        """Return the largest length of each sentence's output (B,)."""
        if self.max_length:
            return torch.full_like(source_lengths_B, self.max_length)
        # Unstated: the largest length of an output. Twice the source's and ten more, unless a study names another.
        return (2 * source_lengths_B + 10).clamp(min=self.min_length)


DEFAULT_LIMITS = Limits()
"""Only the default largest length, which depends on the source."""


def best(hypotheses: list[Hypothesis], length_penalty: float) -> Hypothesis:
    """Return the hypothesis with the highest score, the first in a tie."""
    return max(hypotheses, key=lambda hypothesis: hypothesis.score(length_penalty))


class EnsembleStepper:
    """Averages the probabilities of several models."""

    def __init__(self, steppers: list[Stepper]) -> None:
        self.steppers = steppers
        self.start_id, self.suppressed_ids = steppers[0].start_id, steppers[0].suppressed_ids

    def step(self, ids_R: Tensor) -> Tensor:
        logs_MRV = torch.stack([stepper.step(ids_R) for stepper in self.steppers])
        return logs_MRV.logsumexp(dim=0) - torch.log(torch.tensor(float(len(self.steppers))))

    def select(self, rows_R: Tensor, sentences_B: Tensor) -> None:
        for stepper in self.steppers:
            stepper.select(rows_R, sentences_B)


@torch.inference_mode()
def beam_search(
    models: Sequence[Seq2SeqModel], source_BS: Tensor, lengths_B: Tensor, beam: int, limits: Limits = DEFAULT_LIMITS
) -> list[list[Hypothesis]]:
    """Return the hypotheses found for each sentence of a batch, `beam` of them if vocabulary and limits allow.

    A hypothesis that is still open at the largest length is cut. If a model returns NaN, a sentence may have none.
    """
    steppers = [model.stepper(source_BS, lengths_B) for model in models]
    model = steppers[0] if len(steppers) == 1 else EnsembleStepper(steppers)
    suppressed = torch.tensor(model.suppressed_ids, device=source_BS.device)
    beams = _Beams(limits.lengths(lengths_B), beam)
    ids_R = torch.full_like(lengths_B, model.start_id)
    written_RT = ids_R.new_empty(len(ids_R), 0)  # only used to find repeated n-grams
    while len(beams.sentences_B):
        logs_RV = model.step(ids_R).index_fill_(1, suppressed, float("-inf"))
        mask_forbidden(logs_RV, written_RT, beams.length, limits)
        beams.extend(logs_RV)
        some_ended = beams.close_ended()
        stay_B = beams.leave_done() if some_ended or beams.length >= beams.first_limit else beams.batch_B
        ids_R, rows_R = beams.ids_BK.flatten(), beams.rows_BK.flatten()
        if limits.no_repeat_ngram:
            written_RT = torch.cat([written_RT[rows_R], ids_R[:, None]], dim=1)
        model.select(rows_R, stay_B)
    return _backtrace(beams.layers, beams.ended, len(lengths_B))


class _Beams:
    """The open hypotheses of unfinished sentences, and all tokens that lead to them.

    Each sentence has K places; open hypotheses fill the first ones, and the others score -inf. `rows` are the rows of
    the previous step that hypotheses continue, `ids` their new tokens.
    """

    def __init__(self, limits_B: Tensor, beam: int) -> None:
        self.beam = beam
        self.places_1K = torch.arange(beam, device=limits_B.device)[None]
        self.length = 0
        # Unfinished sentences of the batch, and their rows.
        self.sentences_B = self.batch_B = torch.arange(len(limits_B), device=limits_B.device)
        self.limits_B, self.first_limit = limits_B, int(limits_B.min())
        self.open_B, self.most_open = torch.full_like(limits_B, beam), beam
        self.scores_BK = torch.zeros(len(limits_B), 1, device=limits_B.device)
        self.rows_BK = self.ids_BK = self.batch_B[:, None]
        self.layers: list[tuple[Tensor, Tensor]] = []
        """Each row's token (NONE: no token) and its row in the layer before."""
        self.ended: list[tuple[Tensor, Tensor, Tensor, int]] = []
        """Sentences, scores, last rows, and the layer of those rows."""

    def extend(self, logs_RV: Tensor) -> None:
        """Extend every sentence by its best candidates, one for each open place."""
        K, top = self.scores_BK.shape[1], min(self.beam, logs_RV.shape[1])
        row_scores_RK, row_ids_RK = fast_topk(logs_RV, top)
        candidates_BN = (self.scores_BK.reshape(-1, 1) + row_scores_RK).view(-1, K * top)
        scores_BK, chosen_BK = candidates_BN.topk(min(self.beam, K * top), dim=1)
        closed_BK = self.places_1K[:, : scores_BK.shape[1]] >= self.open_B[:, None]
        self.scores_BK = scores_BK.masked_fill(closed_BK, float("-inf"))
        self.rows_BK = self.batch_B[:, None] * K + chosen_BK // top
        self.ids_BK = row_ids_RK.view(-1, K * top).gather(1, chosen_BK)
        self.length += 1

    def close_ended(self) -> bool:
        """Close the places of hypotheses that end; return whether any has ended."""
        ends_BK = (self.ids_BK == EOS) & (self.scores_BK > float("-inf"))
        some_end = bool(ends_BK.any())
        if some_end:
            self._end(ends_BK, self.rows_BK)
            self.open_B = self.open_B - ends_BK.sum(dim=1)
            self.most_open = int(self.open_B.max())
            # Open hypotheses first.
            scores_BK = self.scores_BK.masked_fill(ends_BK, float("-inf"))
            self.scores_BK, order_BK = scores_BK.sort(dim=1, descending=True, stable=True)
            self.rows_BK, self.ids_BK = self.rows_BK.gather(1, order_BK), self.ids_BK.gather(1, order_BK)
        # as many places as the sentence with most open hypotheses needs
        places = slice(max(1, self.most_open))
        self.scores_BK, self.rows_BK = self.scores_BK[:, places], self.rows_BK[:, places]
        self.ids_BK = self.ids_BK[:, places]
        self.layers.append((self.ids_BK.flatten(), self.rows_BK.flatten()))
        return some_end

    def leave_done(self) -> Tensor:
        """Cut hypotheses at the largest length and drop finished sentences; return which remain (B,)."""
        # Unstated: how an output that is cut at its largest length is scored. By the words that it has, without p(EOS).
        cut_B = self.length >= self.limits_B
        live_BK = self.scores_BK > float("-inf")
        last_BK = torch.arange(live_BK.numel(), device=live_BK.device).view(live_BK.shape)
        self._end(cut_B[:, None] & live_BK, last_BK)
        stay_B = (live_BK.any(dim=1) & ~cut_B).nonzero()[:, 0]
        if len(stay_B) < len(self.batch_B):
            kept_R = last_BK[stay_B].flatten()
            self.layers.append((torch.full_like(kept_R, NONE), kept_R))
            self.scores_BK, self.rows_BK = self.scores_BK[stay_B], self.rows_BK[stay_B]
            self.ids_BK = self.ids_BK[stay_B]
            self.sentences_B, self.batch_B = self.sentences_B[stay_B], self.batch_B[: len(stay_B)]
            self.open_B, self.limits_B = self.open_B[stay_B], self.limits_B[stay_B]
            if len(stay_B):
                self.most_open, self.first_limit = int(self.open_B.max()), int(self.limits_B.min())
        return stay_B

    def _end(self, which_BK: Tensor, rows_BK: Tensor) -> None:
        sentences_BK = self.sentences_B[:, None].expand_as(which_BK)
        ended = sentences_BK[which_BK], self.scores_BK[which_BK], rows_BK[which_BK], len(self.layers) - 1
        self.ended.append(ended)


def fast_topk(logs_RV: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k largest values of every row, in descending order, and their indices (R, K).

    On a CPU in two stages, because `topk` of a long row is slow: they lie in the k groups with the largest maxima.
    """
    R, V = logs_RV.shape
    G = V // GROUP  # groups; each holds every G-th place, and the remainder is always searched
    if logs_RV.device.type != "cpu" or k > G // 4:
        plain_RK, plain_places_RK = logs_RV.topk(k, dim=1)
        return plain_RK, plain_places_RK
    firsts_RK = logs_RV[:, : G * GROUP].view(R, GROUP, G).amax(dim=1).topk(k, dim=1, sorted=False).indices
    places_RN = (firsts_RK[:, :, None] + torch.arange(0, G * GROUP, G)).flatten(1)
    places_RN = torch.cat([places_RN, torch.arange(G * GROUP, V).expand(R, -1)], dim=1)
    scores_RK, order_RK = logs_RV.gather(1, places_RN).topk(k, dim=1)
    return scores_RK, places_RN.gather(1, order_RK)


def mask_forbidden(logs_RV: Tensor, written_RT: Tensor, length: int, limits: Limits) -> None:
    """Set forbidden next tokens of each row to -inf, in place; `written` has the `length` tokens so far."""
    n = limits.no_repeat_ngram
    E = length - n + 1
    if n and E > 0:
        same_RE = torch.ones_like(written_RT[:, :E], dtype=torch.bool)
        for place in range(n - 1):  # n-grams with the same beginning as the next one
            same_RE &= written_RT[:, place : place + E] == written_RT[:, E + place, None]
        last_RE = written_RT[:, n - 1 :]
        logs_RE = logs_RV.gather(1, last_RE).masked_fill(same_RE, float("-inf"))
        logs_RV.scatter_reduce_(1, last_RE, logs_RE, "amin")
    if length < limits.min_length:
        end_R = logs_RV[:, EOS].clone()
        logs_RV[:, EOS] = float("-inf")
        if n:  # otherwise some token is always allowed
            logs_RV[:, EOS] = end_R.masked_fill(logs_RV.amax(dim=1) > float("-inf"), float("-inf"))


def _backtrace(
    layers: list[tuple[Tensor, Tensor]], ended: list[tuple[Tensor, Tensor, Tensor, int]], sentences: int
) -> list[list[Hypothesis]]:
    """Trace all hypotheses back from their last rows to their first tokens."""
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
    models: Sequence[Seq2SeqModel], source_BS: Tensor, lengths_B: Tensor, limits: Limits = DEFAULT_LIMITS
) -> list[list[int]]:
    """Return each sentence's greedy output (beam 1). It is empty if a model returns NaN."""
    return [found[0].ids if found else [] for found in beam_search(models, source_BS, lengths_B, 1, limits)]
