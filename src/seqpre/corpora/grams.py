"""Runs of words, by which a text is known that is nearly another one."""

from __future__ import annotations

import re
from collections.abc import Set

from seqpre.corpora.shuffle import text_hash

GRAM = 6
WORD = re.compile(r"[^\W_]+")


def grams(text: str) -> set[int]:
    """Return hashes of the runs of six words of a text, in any case; of a shorter one, that of all its words."""
    words = WORD.findall(text.lower())
    return {text_hash(" ".join(words[at : at + GRAM])) for at in range(max(1, len(words) - GRAM + 1))}


def nearly_in(found: Set[int], others: Set[int]) -> bool:
    """Tell whether more than half of a text's runs are among those of others."""
    return 2 * len(found & others) > len(found)
