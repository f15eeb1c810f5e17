"""A cache of keys and values for beam search that is never reordered.

The usual cache gives every hypothesis its own keys and values, and copies them at every step, when the beam is
reordered. Here the hypotheses of a sentence share a list of entries. Each step adds one entry for each hypothesis, and
a mask says which entries are a hypothesis's own past. Attention reads up to K times as many entries, but in products of
K rows, which takes less time than the copies.

Shape suffixes: B sentences, K hypotheses a sentence, R = B K rows, M entries of a sentence, E size of an entry.
"""

from __future__ import annotations

import torch
from torch import Tensor


class AncestryMask:
    """Which entries of its sentence are each hypothesis's past. It is the same in every layer."""

    def __init__(self, sentences: int, like: Tensor) -> None:
        self.bias_BKM = like.new_empty(sentences, 1, 0)
        """The additive attention mask: 0 where an entry is a hypothesis's past, else -inf."""
        self._one_each = True

    def add(self) -> None:
        """Add an entry for each hypothesis."""
        B, K, _ = self.bias_BKM.shape
        self._one_each &= K == 1  # With one hypothesis all entries are its past.
        own_KK = self.bias_BKM.new_full((K, K), float("-inf")).fill_diagonal_(0)
        self.bias_BKM = torch.cat([self.bias_BKM, own_KK.expand(B, K, K)], dim=2)

    def bias(self) -> Tensor | None:
        """Return the mask that is added to attention scores (B, 1, K, M); None if nothing is masked."""
        return None if self._one_each else self.bias_BKM[:, None]

    def select(self, rows_R: Tensor, sentences: int) -> None:
        """Keep these rows, equally many for each of `sentences`."""
        hypotheses, entries = len(rows_R) // max(1, sentences), self.bias_BKM.shape[2]
        self.bias_BKM = self.bias_BKM.flatten(0, 1)[rows_R].view(sentences, hypotheses, entries)


class KVCache:
    """The entries of all sentences in one layer."""

    def __init__(self, sentences: int, size: int, like: Tensor) -> None:
        self.count, self._entries_BME = 0, like.new_empty(sentences, 16, size)

    def add(self, new_RE: Tensor) -> Tensor:
        """Add an entry for each hypothesis; return all of them (B, M, E)."""
        B, room, E = self._entries_BME.shape
        before, self.count = self.count, self.count + len(new_RE) // B
        if self.count > room:
            larger_BME = new_RE.new_empty(B, 2 * self.count, E)
            larger_BME[:, :before] = self._entries_BME[:, :before]
            self._entries_BME = larger_BME
        self._entries_BME[:, before : self.count] = new_RE.view(B, -1, E)
        return self._entries_BME[:, : self.count]

    def select(self, sentences_B: Tensor) -> None:
        """Keep these sentences."""
        if len(sentences_B) < len(self._entries_BME):
            kept_BME = self._entries_BME.new_empty(len(sentences_B), *self._entries_BME.shape[1:])
            kept_BME[:, : self.count] = self._entries_BME[sentences_B, : self.count]
            self._entries_BME = kept_BME
