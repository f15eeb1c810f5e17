"""Statistics of a text's lines: how many were kept, how many dropped and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO, Any

EXAMPLES = 5


@dataclass
class Stats:
    """Counts and examples from reading or filtering one text."""

    lines: int = 0
    kept: int = 0
    changed_by_normalisation: int = 0
    repaired: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    dropped: IO[str] | None = None
    """File for dropped lines: number, reason, detected language and margin, texts."""

    def drop(self, reason: str, number: int, texts: Sequence[str], **details: str) -> None:
        """Count one dropped line; the first few of each reason are kept as examples."""
        self.reasons[reason] += 1
        if self.dropped:
            columns = [str(number), reason, details.get("detected", ""), details.get("margin", ""), *texts]
            self.dropped.write("\t".join(columns) + "\n")
        shown = self.examples.setdefault(reason, [])
        if len(shown) < EXAMPLES:
            shown.append({"line": number, **details, "text": [text[:300] for text in texts]})

    def report(self) -> dict[str, Any]:
        """Return the content of the statistics file."""
        total = max(self.lines, 1)
        dropped = self.lines - self.kept
        return {
            "lines": self.lines,
            "kept": self.kept,
            "dropped": dropped,
            "dropped_percent": round(100 * dropped / total, 3),
            "changed_by_normalisation": self.changed_by_normalisation,
            **({"repaired": dict(self.repaired)} if self.repaired else {}),
            "reasons": {
                reason: {"count": count, "percent": round(100 * count / total, 3), "examples": self.examples[reason]}
                for reason, count in self.reasons.items()
            },
        }

    def summary(self) -> str:
        """Return the log message: counts, and a line for every reason."""
        reasons = [
            f"  {reason:<22} {count:>12,}  {100 * count / max(self.lines, 1):.2f} %"
            for reason, count in self.reasons.most_common()
        ]
        repaired = [f"  {how:<22} {count:>12,}  (kept)" for how, count in self.repaired.items()]
        return "\n".join([f"kept {self.kept:,} of {self.lines:,} lines", *reasons, *repaired])
