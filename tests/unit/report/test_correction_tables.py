"""The table of kinds of errors, and what tables of corrections say of their training text."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from study_tree import Tree, write

from seqpre.metrics.edit_kinds import KINDS
from seqpre.report.corrections import kinds_table
from seqpre.report.notes import footnotes
from seqpre.report.results import Results


def entry(article: tuple[int, int, int]) -> dict[str, Any]:
    """Return F0.5 on a test whose only errors are of articles: how many there are, are mended and are made."""
    kinds = {kind: dict(zip(("gold", "mended", "made"), (0, 0, 0), strict=True)) for kind in KINDS}
    kinds["article"] = dict(zip(("gold", "mended", "made"), article, strict=True))
    return {"split": "test", "selection": "gleu", "metric": "m2_f0.5", "score": 20.0, "low": 19.0, "high": 21.0,
            "signature": "M2", "kinds": kinds}  # fmt: skip


@pytest.fixture
def results(tmp_path: Path) -> Results:
    tree = Tree(tmp_path, tests=("test",), corpus="cweb_synthetic", more={"task": "correction", "selection": "gleu"})
    for seed, article in ((1, (12, 3, 1)), (2, (10, 1, 3))):
        folder = tree.declare("full", "100pct", seed)
        write(folder / "scores.json", [entry(article)])
        write(folder / "summary.json", {"train_pairs": 1234})
    return tree.load()


def test_rates_stand_beside_the_number_of_errors(results: Results) -> None:
    (row,) = kinds_table(results).rows
    cells = {key: cell.text for key, cell in row.items()}
    assert [cells[f"{what}_article"] for what in ("errors", "mended", "made")] == ["11", "17.5", "19.2"]
    assert [cells[f"{what}_spelling"] for what in ("errors", "mended", "made")] == ["0", "-", "-"]
    assert [one.value for one in row["errors_article"].measurements] == [12, 10]


def test_synthetic_training_text_is_named(results: Results) -> None:
    note = "Training: cweb_synthetic, 1,234 pairs, most or all of them with synthetic errors (docs/corpora.md)."
    assert note in footnotes(results, results.runs)
    assert note in kinds_table(results).notes
    for other in ({"corpus": "cweb"}, {"task": "translation"}):
        other = dataclasses.replace(results, study=dataclasses.replace(results.study, **other))
        assert not [one for one in footnotes(other, other.runs) if "Training" in one]
