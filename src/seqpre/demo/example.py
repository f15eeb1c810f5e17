"""The example sentence at the end of the demo's console output."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher


def example(test: str, sources: Sequence[str], outputs: Sequence[str], references: Sequence[str]) -> str:
    """Return the longest sentence translated exactly as its reference, else the one with the closest translation."""
    lines = list(zip(sources, outputs, references, strict=True))
    if right := [(source, output) for source, output, reference in lines if output == reference]:
        source, output = max(right, key=lambda pair: len(pair[0].split()))
        return (
            f"{len(right)} of {len(lines)} sentences of {test} are translated right, one of them: {source} → {output}"
        )
    source, output, reference = max(
        lines, key=lambda line: SequenceMatcher(None, line[1].split(), line[2].split()).ratio()
    )
    none = f"None of {len(lines)} sentences of {test} is translated right"
    return f"{none}; the nearest: {source} → {output} (not {reference})"
