"""The text that is scored, in the normal form that models read and write: hypotheses, references and sources alike.

Metrics themselves are the official programs', which take text as it is. Whoever has a corpus scored, while training or
after it, brings both sides into the form here first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from seqpre.corpora.normalise import NORMAL_FORM, normalise

# Differs: hypotheses and references are brought into the normal form of training text before they are scored. The
# official programs compare them as they are, so ü and u with a combining diaeresis are different letters there.
IN_SIGNATURES = f"|norm:{NORMAL_FORM}"
CHANGED = "changed_by_normalisation"
"""In an entry of `scores.json`, how many lines differ from their normal form, if any do."""
NEGLIGIBLE = 0.001
"""So large a share of references may differ where scores of normalised text stand beside those of text as it was."""


def normalised(lines: Iterable[str]) -> list[str]:
    """Return lines in their normal form."""
    return [normalise(line) for line in lines]


def num_changed(lines: Iterable[str]) -> int:
    """Return how many lines differ from their normal form in more than white space, which no metric counts."""
    return sum(normalise(line) != " ".join(line.split()) for line in lines)


def changed_lines(hypotheses: Iterable[str], references: Iterable[str]) -> dict[str, int]:
    """Return how many lines normalisation changes, as an entry of `scores.json` says it; empty if there are none."""
    references = list(references)
    counts = {"hypotheses": num_changed(hypotheses), "references": num_changed(references)}
    return counts | {"reference_lines": len(references)} if any(counts.values()) else {}


def way_of_scoring(entry: Mapping[str, Any]) -> str:
    """Return what entries of `scores.json` that can be compared have in common: their signature.

    It is without the normal form where that changes no references, or next to none: such a score is comparable with
    one of before texts were normalised, whose signature names no form.
    """
    signature = str(entry["signature"])
    changed = entry.get(CHANGED)
    few = not changed or changed["references"] <= NEGLIGIBLE * changed["reference_lines"]
    return signature.removesuffix(IN_SIGNATURES) if few else signature
