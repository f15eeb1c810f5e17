"""Licences and addresses of corpora, for checklists and model cards."""

from __future__ import annotations

from collections.abc import Sequence

from seqpre.corpora.catalog import Row
from seqpre.report.table import Table

OPEN = "TO ANSWER:"
"""Begins what only a person can answer."""


def corpora(rows: Sequence[Row], own: Sequence[str]) -> Table:
    """Return licences and addresses of the corpora; the user's `own` corpora are not in the project's list."""
    found: dict[tuple[str, str], dict[str, None]] = {(name, ""): {"own text": None} for name in own}
    for row in rows:
        found.setdefault((row.name, row.licence), {})[row.url] = None
    lines = []
    for (name, licence), (first, *more) in found.items():
        addresses = f"{first} and {len(more)} more" if more else first
        lines.append({"name": name, "licence": licence or OPEN, "from": addresses})
    columns = {"name": "corpus", "licence": "licence", "from": "from"}
    return Table(columns, lines, name="checklist_corpora", title="Corpora")
