"""The whole line from text to figures runs, and says where its results are."""

from __future__ import annotations

import json

from checkout import Project

TINY = ("--configfile", "tests/config.tiny.yaml")


def test_the_tiny_scale_runs_from_text_to_figures_and_then_has_nothing_to_do(project: Project) -> None:
    done = project.snakemake("--cores", "1", *TINY)
    assert done.returncode == 0, done.stdout
    study = project.folder / "results/tiny/tiny-translation"
    for path in ("tables/table_1.md", "figures/ablations.png", "summary.md"):
        assert (study / path).stat().st_size > 0
        assert f"results/tiny/tiny-translation/{path.split('/')[0]}" in done.stdout

    run = study / "runs/no_pretraining/100pct/seed1"
    settings = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert "init" not in settings["settings"]  # random on both sides is the default, and only differences are written
    assert (run / "metrics.jsonl").read_text(encoding="utf-8").count('"validation"') == 2
    about = {
        split: json.loads((run / f"hypotheses/perplexity/{split}.json").read_text()) for split in ("valid", "test_a")
    }
    assert about["test_a"]["length_penalty"] == about["valid"]["length_penalty"]
    references = project.folder / "results/tiny/corpora/demo_ende/raw/test_a.de"
    for folder in (run / "hypotheses/perplexity", run / "hypotheses/bleu", study / "ensembles/ensemble_2/hypotheses"):
        assert len((folder / "test_a.txt").read_text().split("\n")) == len(references.read_text().split("\n"))
    scores = json.loads((run / "scores.json").read_text(encoding="utf-8"))
    assert {(score["selection"], score["split"]) for score in scores} == {
        (selection, split) for selection in ("perplexity", "bleu") for split in ("valid", "test_a")
    }
    assert all(score["against"] == "full" for score in scores)

    assert project.planned(*TINY) == {}
