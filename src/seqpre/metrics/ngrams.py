"""N-grams as BLEU and GLEU count them.

An item has ten counts: the lengths of hypothesis and reference, matches of order 1 to 4, n-grams of order 1 to 4.
"""

from collections import Counter
from collections.abc import Sequence

MAX_ORDER = 4


def ngrams_of(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """Return how often each n-gram of an order occurs."""
    # The slices get shorter; zip ends with the last complete n-gram.
    return Counter(zip(*(tokens[start:] for start in range(order)), strict=False))
