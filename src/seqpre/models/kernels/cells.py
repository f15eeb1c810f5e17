"""What the hypotheses of a beam have seen, kept so that nothing moves when the search goes on from some of them.

The usual cache gives every hypothesis its own keys and values, which are copied whenever a beam is reordered, at every
step. Here a sentence's hypotheses share their cells: each step adds one cell for each of them, and a mask says on which
cells a hypothesis goes back. Attention reads up to K times as many cells, in products of K rows instead of one, which
takes less time than the copies.

Shape suffixes: B sentences, K hypotheses a sentence, R = B K rows, M cells of a sentence, E size of a cell.
"""

from __future__ import annotations

import torch
from torch import Tensor


class Ancestry:
    """Which cells of its sentence each hypothesis goes back on; the same in every layer."""

    def __init__(self, sentences: int, like: Tensor) -> None:
        self.seen_BKM = like.new_empty(sentences, 1, 0)
        """0 where a hypothesis goes back on a cell, -inf elsewhere: what is added to attention's scores."""
        self._one_each = True

    def add(self) -> None:
        """Add a cell for each hypothesis."""
        B, K, _ = self.seen_BKM.shape
        self._one_each &= K == 1  # Then all cells are its own.
        own_KK = self.seen_BKM.new_full((K, K), float("-inf")).fill_diagonal_(0)
        self.seen_BKM = torch.cat([self.seen_BKM, own_KK.expand(B, K, K)], dim=2)

    def mask(self) -> Tensor | None:
        """Return what attention in several heads adds to its scores; None where that is nothing."""
        return None if self._one_each else self.seen_BKM[:, None]

    def select(self, rows_R: Tensor, sentences: int) -> None:
        """Go on with these rows, equally many of each of so many sentences."""
        hypotheses, cells = len(rows_R) // max(1, sentences), self.seen_BKM.shape[2]
        self.seen_BKM = self.seen_BKM.flatten(0, 1)[rows_R].view(sentences, hypotheses, cells)


class Cells:
    """The cells of every sentence in one layer."""

    def __init__(self, sentences: int, size: int, like: Tensor) -> None:
        self.count, self._cells_BME = 0, like.new_empty(sentences, 16, size)

    def add(self, new_RE: Tensor) -> Tensor:
        """Add a cell for each hypothesis; return all of them (B, M, E)."""
        B, room, E = self._cells_BME.shape
        before, self.count = self.count, self.count + len(new_RE) // B
        if self.count > room:
            larger_BME = new_RE.new_empty(B, 2 * self.count, E)
            larger_BME[:, :before] = self._cells_BME[:, :before]
            self._cells_BME = larger_BME
        self._cells_BME[:, before : self.count] = new_RE.view(B, -1, E)
        return self._cells_BME[:, : self.count]

    def select(self, sentences_B: Tensor) -> None:
        """Go on with these sentences."""
        if len(sentences_B) < len(self._cells_BME):
            kept_BME = self._cells_BME.new_empty(len(sentences_B), *self._cells_BME.shape[1:])
            kept_BME[:, : self.count] = self._cells_BME[sentences_B, : self.count]
            self._cells_BME = kept_BME
