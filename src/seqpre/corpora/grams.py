"""Six-word sequences (6-grams), by which near copies of a text are found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from seqpre.corpora.shuffle import text_hash

GRAM = 6
ENOUGH, SHARE = 8, 4
"""A held-out text inside another text counts if it shares at least ENOUGH 6-grams (thirteen words in a row), or if
these are 1 / SHARE of the other's: an everyday sentence in a long document is no copy."""
WORD = re.compile(r"[^\W_]+")


def grams(text: str) -> set[int]:
    """Return hashes of a text's 6-grams, ignoring case; for a shorter text, the hash of all its words."""
    words = WORD.findall(text.lower())
    return {text_hash(" ".join(words[at : at + GRAM])) for at in range(max(1, len(words) - GRAM + 1))}


class HeldOut:
    """Held-out texts (validation and tests) that training text may not resemble."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._with: dict[int, tuple[int, ...]] = {}  # texts by the 6-grams they contain
        self._sizes: list[int] = []  # number of 6-grams in each text
        for number, text in enumerate(texts):
            found, alone = grams(text), (number,)
            self._sizes.append(len(found))
            for gram in found:
                self._with[gram] = self._with[gram] + alone if gram in self._with else alone
        self._runs = set(self._with)  # Intersects twice as fast as the keys.

    def is_near(self, text: str) -> bool:
        """Return whether most 6-grams of a text are held out, or it contains most of one held-out text, and enough."""
        found = grams(text)
        shared = found & self._runs
        if 2 * len(shared) > len(found):
            return True
        counts = Counter(number for gram in shared for number in self._with[gram])
        return any(
            2 * count > self._sizes[number] and (count >= ENOUGH or SHARE * count >= len(found))
            for number, count in counts.items()
        )
