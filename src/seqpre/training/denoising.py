"""Batches for a denoiser: the source is the target with noise, drawn again every pass."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.utils.rnn import pad_sequence

from seqpre.corpora.subwords import EOS, PAD
from seqpre.corpora.token_store import TokenStore
from seqpre.models.batch import Batch
from seqpre.study.pretraining_settings import NoiseSettings
from seqpre.training.batches import Numbers, PairBatches
from seqpre.training.noise import PUBLISHED, Unigrams, noised, recopied, scored


class DenoisingBatches(PairBatches):
    """Endless batches of (noisy, clean) sequences. The noise depends only on the seed, the pass and the sequence.

    `sequences` are the numbers of the sequences that are read. `known` is the vocabulary size: ids from there on are
    out-of-vocabulary words, by their first position. With `masked` False every word is scored.
    """

    def __init__(
        self,
        store: TokenStore,
        unigrams: Unigrams,
        known: int,
        sequences: Numbers,
        size: int,
        seed: int,
        max_length: int,
        budget: int = 0,
        *,
        masked: bool = True,
        noise: NoiseSettings = PUBLISHED,
    ) -> None:
        super().__init__(store, store, size, seed, max_length=max_length, budget=budget, order=sequences)
        self.unigrams, self.known, self.masked, self.noise = unigrams, known, masked, noise

    def next(self) -> Batch:
        """Return the next training batch that has a scored position."""
        while not (batch := super().next()).tokens:
            pass
        return batch

    def collate(self, indices: Numbers) -> Batch:
        """Corrupt and pad the given sequences."""
        sources, targets, masks = [], [], []
        for index in indices.tolist():
            rng = np.random.default_rng((self.seed, self.epoch, index))
            words_N = self.source[index][:-1].astype(np.int64)
            noisy_M, corrupted_N = noised(words_N, self.unigrams, rng, self.noise)
            noisy_M, words_N = recopied(noisy_M, words_N, self.known)
            sources.append(np.append(noisy_M, EOS))
            targets.append(np.append(words_N, EOS))
            masks.append(scored(corrupted_N, rng) if self.masked else np.ones(len(words_N) + 1, dtype=bool))
        lengths_B = torch.tensor([len(source) for source in sources])
        return Batch.of(stacked(sources, PAD), lengths_B, stacked(targets, PAD), stacked(masks, False))


def stacked(sequences: list[NDArray[np.int64]] | list[NDArray[np.bool_]], fill: int) -> torch.Tensor:
    """Return sequences as the rows of one tensor, padded with `fill` at the end."""
    return pad_sequence([torch.from_numpy(sequence) for sequence in sequences], batch_first=True, padding_value=fill)
