"""Batches from token stores: streams of contiguous text for language models, pairs of similar lengths for the rest.

Both save their position, so a resumed run reads the batch that comes next.
Shape suffixes: B batch (streams or sentences), T steps, S source positions, N scored target positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqpre.common.errors import DataError
from seqpre.corpora.subwords import PAD, UNK
from seqpre.corpora.token_store import Tokens, TokenStore
from seqpre.models.batch import Batch

POOL = 200
"""Batches are formed within pools of this many batches: little padding, yet mixed lengths."""


def order_of(store: TokenStore, subset: Literal["shared", "own"], seed: int) -> NDArray[np.int64] | None:
    """Return the order from which a fraction takes the first sentences; None for the store's order.

    The store's order is random too, but the same for all seeds (`shared`).
    """
    return np.random.default_rng((seed, len(store))).permutation(len(store)) if subset == "own" else None


@dataclass(frozen=True)
class Sentences:
    """Sentences `first` to `last` - 1 of a store, counted in `order` if given."""

    store: TokenStore
    first: int
    last: int
    order: NDArray[np.int64] | None = None

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Their sentence numbers in the store."""
        return np.arange(self.first, self.last) if self.order is None else self.order[self.first : self.last]

    @property
    def tokens(self) -> Tokens:
        """Their tokens, concatenated."""
        if self.order is None:
            return self.store.tokens[self.store.offsets_N1[self.first] : self.store.offsets_N1[self.last]]
        return self.store.gather(self.numbers)[0]


def pieces_of(store: TokenStore, numbers: NDArray[np.int64], longest: int) -> tuple[TokenStore, NDArray[np.int64]]:
    """Cut sentences into pieces of at most `longest` tokens; return them and the numbers of the given sentences'."""
    pieces = store.pieces(longest)
    firsts_N1 = np.searchsorted(pieces.offsets_N1, store.offsets_N1)
    counts = np.diff(firsts_N1)[numbers]
    return pieces, np.repeat(firsts_N1[numbers] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())


class LMStreams:
    """Endless text in `streams` parallel streams, in chunks of `bptt` tokens. Each chunk continues the one before.

    Every pass starts at a random place of the text. The last tokens, which fill no chunk, are skipped in that pass.
    """

    def __init__(self, tokens: Tokens, streams: int, bptt: int, seed: int) -> None:
        self.tokens = tokens
        self.piece = (len(self.tokens) - 1) // streams
        self.chunks = self.piece // bptt
        if self.chunks < 1:
            raise DataError(
                f"{len(tokens):,} tokens of text are too few for {streams} streams of {bptt}; "
                "lower `streams` or add text"
            )
        self.streams, self.bptt, self.seed = streams, bptt, seed
        self.epoch = self.chunk = 0

    def next(self) -> tuple[Tensor, Tensor]:
        """Return input and target ids, both (B, T)."""
        if self.chunk == self.chunks:
            self.epoch, self.chunk = self.epoch + 1, 0
        shift = int(np.random.default_rng((self.seed, self.epoch)).integers(len(self.tokens)))
        starts_B = shift + np.arange(self.streams) * self.piece + self.chunk * self.bptt
        places_BT1 = (starts_B[:, None] + np.arange(self.bptt + 1)) % len(self.tokens)
        ids_BT1 = torch.from_numpy(self.tokens[places_BT1].astype(np.int64))
        self.chunk += 1
        return ids_BT1[:, :-1], ids_BT1[:, 1:]

    def state_dict(self) -> dict[str, int]:
        return {"epoch": self.epoch, "chunk": self.chunk}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self.epoch, self.chunk = state["epoch"], state["chunk"]


class PairBatches:
    """Endless batches of sentence pairs of similar lengths, shuffled again every pass.

    A batch has `size` pairs or, with `budget`, as many as fit into that many cells of both sides, padding included.
    Sources are cut after `max_source` subwords. Then pairs with a side longer than `max_length` are left out and
    counted in `too_long`. The first `count` pairs are read, in `order` if given. Target ids from `copies` on copy the
    source word at that position; if the source was cut before it, they are UNK.
    """

    def __init__(
        self,
        source: TokenStore,
        target: TokenStore,
        size: int,
        seed: int,
        count: int | None = None,
        max_length: int | None = None,
        max_source: int = 0,
        budget: int = 0,
        order: NDArray[np.int64] | None = None,
        copies: int = 0,
    ) -> None:
        if len(source) != len(target):
            raise DataError(f"{source.path} has {len(source):,} sentences, {target.path} has {len(target):,}")
        self.source, self.target, self.size, self.seed = source, target, size, seed
        self.max_source, self.budget, self.copies = max_source, budget, copies
        subset = (np.arange(len(source)) if order is None else order)[:count]
        self.source_lengths, self.target_lengths = source.lengths, target.lengths
        if max_source:
            self.source_lengths = np.minimum(self.source_lengths, max_source)
        self.longer = np.maximum(self.source_lengths, self.target_lengths)
        self.shorter = np.minimum(self.source_lengths, self.target_lengths)
        self.kept = subset[self.longer[subset] <= max_length] if max_length else subset
        self.too_long = len(subset) - len(self.kept)
        if not len(self.kept):
            raise DataError(f"{source.path}: no pair is left within {max_length} subwords")
        longest = int((self.source_lengths + self.target_lengths)[self.kept].max())
        if 0 < budget < longest:
            raise DataError(
                f"{source.path}: a pair of {longest:,} subwords does not fit in batches of {budget:,} cells"
            )
        if budget:
            self.size = max(1, int(budget // (self.source_lengths + self.target_lengths)[self.kept].mean()))
        self.epoch = self.batch = 0
        self.cells = self.padding = 0
        self._plan: list[NDArray[np.int64]] = []
        self._planned = -1

    def plan(self, epoch: int) -> list[NDArray[np.int64]]:
        """Return the batches of one pass as sentence numbers. They depend only on the seed and the pass."""
        rng = np.random.default_rng((self.seed, epoch))
        order = rng.permutation(self.kept)
        batches = []
        for start in range(0, len(order), self.size * POOL):
            pool = order[start : start + self.size * POOL]
            batches += self._cut(pool)
        return [batches[i] for i in rng.permutation(len(batches))]

    def updates_of_a_pass(self, tokens_per_update: int = 0) -> float:
        """Return the updates of one pass. An update is one batch, or at least `tokens_per_update` target tokens."""
        batches = len(self.plan(0))
        if not tokens_per_update:
            return batches
        return min(batches, float(self.target_lengths[self.kept].sum()) / tokens_per_update)

    def _cut(self, pairs: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Cut pairs into batches of similar lengths."""
        if self.budget:
            return self._filled(pairs[np.lexsort((self.shorter[pairs], self.longer[pairs]))])
        return self._halved(pairs)

    def _halved(self, pairs: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Halve the pairs down to batches of `size`, each time by the side that leaves less padding.

        Sorting by one side only, or by the longer side, leaves twice the padding.
        """
        if len(pairs) <= self.size:
            return [pairs]
        half = -(-len(pairs) // self.size) // 2 * self.size
        halves, fewest = (pairs[:half], pairs[half:]), np.inf
        for one, other in ((self.source_lengths, self.target_lengths), (self.target_lengths, self.source_lengths)):
            ordered = pairs[np.lexsort((other[pairs], one[pairs]))]
            parts = ordered[:half], ordered[half:]
            cells = sum(int(one[part].max() + other[part].max()) * len(part) for part in parts)
            if cells < fewest:
                halves, fewest = parts, cells
        return self._halved(halves[0]) + self._halved(halves[1])

    def _filled(self, pairs: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Cut pairs that are sorted by length into batches of at most `budget` cells."""
        batches, start, source, target = [], 0, 0, 0
        lengths = zip(self.source_lengths[pairs].tolist(), self.target_lengths[pairs].tolist(), strict=True)
        for place, (source_length, target_length) in enumerate(lengths):
            source, target = max(source, source_length), max(target, target_length)
            if (source + target) * (place + 1 - start) > self.budget:
                batches.append(pairs[start:place])
                start, source, target = place, source_length, target_length
        return [*batches, pairs[start:]]

    def next(self) -> Batch:
        """Return the next training batch."""
        if self._planned != self.epoch:
            self._plan, self._planned = self.plan(self.epoch), self.epoch
        batch = self.collate(self._plan[self.batch])
        self.cells += batch.source_BS.numel() + batch.targets_BT.numel()
        self.padding += batch.source_BS.numel() - int(batch.lengths_B.sum()) + int((batch.targets_BT == PAD).sum())
        self.batch += 1
        if self.batch == len(self._plan):
            self.epoch, self.batch = self.epoch + 1, 0
        return batch

    def all_batches(self) -> Iterator[NDArray[np.int64]]:
        """Yield all pairs once, in batches of similar lengths, for validation."""
        yield from self._cut(self.kept)

    def collate(self, indices: NDArray[np.int64]) -> Batch:
        """Gather and pad the given sentences."""
        # Unstated: how a document that is cut ends. With the last subword that is read; its EOS is cut, too.
        source_BS, lengths_B = padded(self.source, indices, self.max_source)
        targets_BT, target_lengths_B = padded(self.target, indices)
        if self.copies and self.max_source:
            targets_BT[targets_BT >= self.copies + lengths_B[:, None]] = UNK
        return Batch.of(source_BS, lengths_B, targets_BT, torch.arange(targets_BT.shape[1]) < target_lengths_B[:, None])

    def summary(self) -> dict[str, float]:
        """Return the entries of summary.json: passes, and the share of padding."""
        return {"epochs": self.epoch, "padding_share": round(self.padding / max(1, self.cells), 4)}

    def state_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "batch": self.batch, "cells": self.cells, "padding": self.padding}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.epoch, self.batch = state["epoch"], state["batch"]
        self.cells, self.padding = state["cells"], state["padding"]


def lm_lines(text: Sentences, streams: int, bptt: int, seed: int) -> PairBatches:
    """Return batches of lines in pieces of at most `bptt` tokens: `streams` x `bptt` tokens a batch with padding."""
    pieces, numbers = pieces_of(text.store, text.numbers, bptt)
    # A sentence is paired with itself, so a budget counts it twice.
    return PairBatches(pieces, pieces, 1, seed, budget=2 * streams * bptt, order=numbers)


def padded(store: TokenStore, indices: NDArray[np.int64], limit: int = 0) -> tuple[Tensor, Tensor]:
    """Return sentences as ids (B, T), padded at the end, and their lengths (B,). With `limit` they are cut after it."""
    flat, lengths_B = store.gather(indices, limit)
    real_BT = np.arange(lengths_B.max())[None, :] < lengths_B[:, None]
    ids_BT = np.full(real_BT.shape, PAD, dtype=np.int64)
    ids_BT[real_BT] = flat
    return torch.from_numpy(ids_BT), torch.from_numpy(lengths_B)
