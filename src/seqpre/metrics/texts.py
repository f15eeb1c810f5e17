"""Normal form of scored text: hypotheses, references and sources, as models read and write it.

The metrics themselves equal the official programs, which take text as it is. Every caller that scores a corpus, during
or after training, normalises both sides here first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from seqpre.corpora.normalise import NORMAL_FORM, normalise

# Differs: hypotheses and references are brought into the normal form of training text before they are scored. The
# official programs compare them as they are, so ü and u with a combining diaeresis are different letters there.
IN_SIGNATURES = f"|norm:{NORMAL_FORM}"
CHANGED = "changed_by_normalisation"
"""In an entry of `scores.json`: how many lines differ from their normal form, if any do."""
NEGLIGIBLE = 0.001
"""Share of changed references up to which scores of normalised and of original text count as comparable."""


def normalised(lines: Iterable[str]) -> list[str]:
    """Return lines in their normal form."""
    return [normalise(line) for line in lines]


def num_changed(lines: Iterable[str]) -> int:
    """Return how many lines differ from their normal form in more than white space, which no metric counts."""
    return sum(normalise(line) != " ".join(line.split()) for line in lines)


def changed_lines(hypotheses: Iterable[str], references: Iterable[str]) -> dict[str, int]:
    """Return how many lines normalisation changes, as an entry of `scores.json`; empty if none."""
    references = list(references)
    counts = {"hypotheses": num_changed(hypotheses), "references": num_changed(references)}
    return counts | {"reference_lines": len(references)} if any(counts.values()) else {}


def way_of_scoring(entry: Mapping[str, Any]) -> str:
    """Return the signature of an entry of `scores.json`; entries with equal signatures are comparable.

    It omits the normal form if that changes no references, or almost none: such a score is comparable with older ones
    of text that was not normalised, whose signature names no form.
    """
    signature = str(entry["signature"])
    changed = entry.get(CHANGED)
    few = not changed or changed["references"] <= NEGLIGIBLE * changed["reference_lines"]
    return signature.removesuffix(IN_SIGNATURES) if few else signature
