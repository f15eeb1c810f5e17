"""How far a model must have been pretrained: at the share of the pairs that the most checkpoints were tried with."""

from __future__ import annotations

import json
from pathlib import Path

from study_tree import Tree

from seqpre.report.checkpoints import Checkpoint, checkpoint_table, checkpoints
from seqpre.report.draw_checkpoints import draw_checkpoints


def starts_from(folder: Path, start: str) -> None:
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(run | {"settings": {"init": {"encoder": start}}}))


def test_checkpoints_are_compared_on_the_pairs_that_the_most_were_tried_with(tree: Tree) -> None:
    for fraction, score in (("1k", 20.0), ("100pct", 30.0)):
        tree.add("full", fraction, 1, score)
        tree.add("no_pretraining", fraction, 1, score - 9)
    for system, start, score in (("early", "denoiser@50", 14.0), ("late", "denoiser@2000", 19.0)):
        starts_from(tree.add(system, "1k", 1, score), start)
    starts_from(tree.add("late", "100pct", 1, 29.0), "denoiser@2000")
    results = tree.load()
    fraction, found = checkpoints(results)
    assert fraction == "1k"
    assert found == [
        Checkpoint("no_pretraining", 0), Checkpoint("early", 50), Checkpoint("late", 2000), Checkpoint("full", None)
    ]  # fmt: skip
    scores = [results.score(one.system, fraction, "valid") for one in found]
    assert [score and score.mean for score in scores] == [11.0, 14.0, 19.0, 20.0]
    rows = [(row["system"].text, row["updates"].text) for row in checkpoint_table(results).rows]
    full, without = results.label("full"), results.label("no_pretraining")
    assert rows == [(without, "0"), (full, "50"), (full, "2,000"), (full, "all")]


def test_without_checkpoints_nothing_and_all_of_the_pretraining_are_compared_on_all_pairs(tree: Tree) -> None:
    for system in ("full", "no_pretraining"):
        tree.add(system, "100pct", 1, 30.0)
    assert checkpoints(tree.load()) == ("100pct", [Checkpoint("no_pretraining", 0), Checkpoint("full", None)])
    for axes in draw_checkpoints(tree.load(published=False)).axes:
        assert [text.get_text() for text in axes.texts] == ["not run"]
