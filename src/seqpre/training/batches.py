"""Batches from token stores: streams of contiguous text for language models, pairs of similar lengths for the rest.

Both save their position, so a resumed run reads the batch that comes next.
Shape suffixes: B batch (streams or sentences), T steps, S source positions, N scored target positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqpre.common.errors import DataError
from seqpre.corpora.subwords import PAD, UNK
from seqpre.corpora.token_store import Tokens, TokenStore
from seqpre.models.batch import Batch

Numbers = NDArray[np.integer[Any]]
"""Numbers of sentences."""
POOL = 200
"""Batches are formed within pools of this many batches: little padding, yet mixed lengths."""


def order_of(store: TokenStore, subset: Literal["shared", "own"], seed: int) -> NDArray[np.int64] | None:
    """Return the order from which a fraction takes the first sentences; None for the store's order.

    The store's order is random too, but the same for all seeds (`shared`).
    """
    # Unstated: whether random subsets of the labelled pairs contain one another. They do: a fraction takes the first
    # pairs of one random order, so a larger fraction only adds pairs.
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


def compact(values: Numbers, dtype: type[np.integer[Any]]) -> Numbers:
    """Return values of at least 0 as the small type `dtype` if it can hold them; NumPy sorts two bytes fastest."""
    return values.astype(dtype, copy=False) if values.max(initial=0) <= np.iinfo(dtype).max else values


def pieces_of(store: TokenStore, numbers: NDArray[np.int64], longest: int) -> tuple[TokenStore, NDArray[np.int64]]:
    """Cut all sentences into pieces of at most `longest` tokens; return these, and the numbers of the given ones'."""
    pieces = store.pieces(longest)
    firsts_N1 = np.searchsorted(pieces.offsets_N1, store.offsets_N1)
    counts = np.diff(firsts_N1)[numbers]
    return pieces, np.repeat(firsts_N1[numbers] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())


class LMStreams:
    """Endless text in `streams` parallel streams, in chunks of `bptt` tokens.

    Within a pass each chunk continues the one before. Every pass starts at another random place of the text, so its
    first chunk does not continue the last chunk of the pass before. The last tokens, which fill no chunk, are skipped
    in that pass.
    """

    def __init__(self, tokens: Tokens, streams: int, bptt: int, seed: int) -> None:
        self.tokens = tokens
        self.piece = (len(self.tokens) - 1) // streams
        self.chunks = self.piece // bptt
        if self.chunks < 1:
            raise DataError(
                f"{len(tokens):,} tokens of text are too few for {streams} streams of {bptt}; "
                "lower `streams` or `bptt`, or add text"
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

    A batch has `size` pairs or, with `budget`, as many as fit into that many tokens of both sides, padding included.
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
        *,
        count: int | None = None,
        max_length: int | None = None,
        max_source: int = 0,
        budget: int = 0,
        order: Numbers | None = None,
        copies: int = 0,
    ) -> None:
        if len(source) != len(target):
            raise DataError(
                f"{source.path} has {len(source):,} sentences, {target.path} has {len(target):,}; they must be parallel"
            )
        self.source, self.target, self.size, self.seed = source, target, size, seed
        self.max_source, self.budget, self.copies = max_source, budget, copies
        numbers = np.arange(len(source), dtype=np.int32) if order is None else order
        subset = compact(numbers[:count], np.int32)
        self.target_lengths = compact(target.lengths, np.uint16)
        if max_source:
            self.source_lengths = compact(np.minimum(source.lengths, max_source), np.uint16)
        else:
            self.source_lengths = self.target_lengths if source is target else compact(source.lengths, np.uint16)
        if max_length:
            self.kept = subset[np.maximum(self.source_lengths, self.target_lengths)[subset] <= max_length]
        else:
            self.kept = subset
        self.too_long = len(subset) - len(self.kept)
        if not len(self.kept):
            within = f" within {max_length} subwords; raise train.max_length" if max_length else ""
            raise DataError(f"{source.path}: no pair is left{within}")
        tokens = np.add(self.source_lengths, self.target_lengths, dtype=np.int32)[self.kept]
        longest = int(tokens.max())
        if 0 < budget < longest:
            raise DataError(
                f"{source.path}: a pair of {longest:,} subwords does not fit in batches of {budget:,}; raise "
                "train.batch_tokens or lower train.max_length"
            )
        if budget:
            self.size = max(1, int(budget // tokens.mean()))
        self.epoch = self.batch = 0
        # Of all batches so far: tokens, padding included (`cells` in saved states), and the padding among them.
        self.padded_tokens = self.padding = 0
        self._plan: list[Numbers] = []
        self._planned = -1
        self._gathered: tuple[tuple[int, int], Batch] | None = None

    def plan(self, epoch: int) -> list[Numbers]:
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
        updates = tokens = 0
        for batch in self.plan(0):
            tokens += int(self.target_lengths[batch].sum())
            if tokens >= tokens_per_update:
                updates, tokens = updates + 1, 0
        return updates + (tokens / tokens_per_update if tokens else 0.0)

    def _cut(self, pairs: Numbers) -> list[Numbers]:
        """Cut pairs into batches of similar lengths."""
        cut = self._filled if self.budget else self._halved
        return cut(pairs, self.source_lengths[pairs], self.target_lengths[pairs])

    def _halved(self, pairs: Numbers, source: Numbers, target: Numbers) -> list[Numbers]:
        """Halve the pairs down to batches of `size`, each time by the side that leaves less padding.

        Sorting by one side only, or by the longer side, leaves twice the padding.
        """
        if len(pairs) <= self.size:
            return [pairs]
        half = -(-len(pairs) // self.size) // 2 * self.size
        halves, fewest = list[Numbers](), math.inf
        for one, other in ((source, target), (target, source)):
            order = np.lexsort((other, one))
            parts: list[Numbers] = [order[:half], order[half:]]
            padded_tokens = sum((int(one[part[-1]]) + int(other[part].max())) * len(part) for part in parts)
            if padded_tokens < fewest:
                halves, fewest = parts, padded_tokens
        return [batch for part in halves for batch in self._halved(pairs[part], source[part], target[part])]

    def _filled(self, pairs: Numbers, source: Numbers, target: Numbers) -> list[Numbers]:
        """Cut pairs, sorted by the longer side and then by the other, into batches of at most `budget` tokens."""
        order = np.lexsort((np.minimum(source, target), np.maximum(source, target)))
        pairs, source, target = pairs[order], source[order].astype(np.int64), target[order].astype(np.int64)
        counts, starts = np.arange(1, len(pairs) + 1), [0]
        while (start := starts[-1]) < len(pairs):
            most = slice(start, start + self.budget // int(source[start] + target[start]))
            longest = np.maximum.accumulate(source[most]) + np.maximum.accumulate(target[most])
            fitting = np.searchsorted(longest * counts[: len(longest)], self.budget, side="right")
            starts.append(start + int(fitting))
        return [pairs[start:end] for start, end in pairwise(starts)]

    def gather(self) -> Batch:
        """Return the batch that comes next and keep it for `next`. The position stays, so a resumed run repeats it."""
        place = self.epoch, self.batch
        if self._gathered is None or self._gathered[0] != place:
            if self._planned != self.epoch:
                self._plan = []  # Its memory is free for the next one.
                self._plan, self._planned = self.plan(self.epoch), self.epoch
            self._gathered = place, self.collate(self._plan[self.batch])
        return self._gathered[1]

    def next(self) -> Batch:
        """Return the next training batch."""
        batch, self._gathered = self.gather(), None
        self.padded_tokens += batch.source_BS.numel() + batch.targets_BT.numel()
        self.padding += batch.source_BS.numel() - int(batch.lengths_B.sum()) + int((batch.targets_BT == PAD).sum())
        self.batch += 1
        if self.batch == len(self._plan):
            self.epoch, self.batch = self.epoch + 1, 0
        return batch

    def all_batches(self) -> Iterator[Numbers]:
        """Yield all pairs once, in batches of similar lengths, for validation."""
        yield from self._cut(self.kept)

    def collate(self, indices: Numbers) -> Batch:
        """Gather and pad the given sentences."""
        # Unstated: how a document that is cut ends. With the last subword that is read; its EOS is cut, too.
        source_BS, lengths_B = padded(self.source, indices, self.max_source)
        targets_BT, target_lengths_B = padded(self.target, indices)
        if self.copies and self.max_source:
            targets_BT[targets_BT >= self.copies + lengths_B[:, None]] = UNK
        return Batch.of(source_BS, lengths_B, targets_BT, torch.arange(targets_BT.shape[1]) < target_lengths_B[:, None])

    def summary(self) -> dict[str, float]:
        """Return the entries of summary.json: passes, and the share of padding."""
        return {"epochs": self.epoch, "padding_share": round(self.padding / max(1, self.padded_tokens), 4)}

    def state_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "batch": self.batch, "cells": self.padded_tokens, "padding": self.padding}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.epoch, self.batch = state["epoch"], state["batch"]
        self.padded_tokens, self.padding = state["cells"], state["padding"]


def lm_lines(text: Sentences, streams: int, bptt: int, seed: int) -> PairBatches:
    """Return batches of lines in pieces of at most `bptt` tokens: `streams` x `bptt` tokens a batch with padding."""
    pieces, numbers = pieces_of(text.store, text.numbers, bptt)
    # A sentence is paired with itself, so a budget counts it twice.
    return PairBatches(pieces, pieces, 1, seed, budget=2 * streams * bptt, order=numbers)


def padded(store: TokenStore, indices: Numbers, limit: int = 0) -> tuple[Tensor, Tensor]:
    """Return sentences as ids (B, T), padded at the end, and their lengths (B,). With `limit` they are cut after it."""
    flat, lengths_B = store.gather(indices, limit)
    real_BT = np.arange(lengths_B.max())[None, :] < lengths_B[:, None]
    ids_BT = np.full(real_BT.shape, PAD, dtype=np.int64)
    ids_BT[real_BT] = flat
    return torch.from_numpy(ids_BT), torch.from_numpy(lengths_B)
