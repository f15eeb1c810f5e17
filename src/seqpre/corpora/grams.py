"""Runs of six words, by which a text is known that is nearly another one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from seqpre.corpora.shuffle import text_hash

GRAM = 6
ENOUGH, SHARE = 8, 4
"""What of a text stands inside another counts from so many runs on (thirteen words in a row), or if it is one in so
many of the other's: an everyday sentence in a long document is no copy."""
WORD = re.compile(r"[^\W_]+")


def grams(text: str) -> set[int]:
    """Return hashes of the runs of six words of a text, in any case; of a shorter one, that of all its words."""
    words = WORD.findall(text.lower())
    return {text_hash(" ".join(words[at : at + GRAM])) for at in range(max(1, len(words) - GRAM + 1))}


class HeldOut:
    """Texts, of validation and tests, that no text for training may be near to."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._with: dict[int, tuple[int, ...]] = {}  # by run: the numbers of the texts that have it
        self._sizes: list[int] = []  # of each text, in runs
        for number, text in enumerate(texts):
            found, alone = grams(text), (number,)
            self._sizes.append(len(found))
            for gram in found:
                self._with[gram] = self._with[gram] + alone if gram in self._with else alone
        self._runs = set(self._with)  # Twice as fast to intersect as the keys.

    def is_near(self, text: str) -> bool:
        """Tell whether more than half of a text's runs are in these, or more than half of one's in it, and enough."""
        found = grams(text)
        shared = found & self._runs
        if 2 * len(shared) > len(found):
            return True
        counts = Counter(number for gram in shared for number in self._with[gram])
        return any(
            2 * count > self._sizes[number] and (count >= ENOUGH or SHARE * count >= len(found))
            for number, count in counts.items()
        )
