"""Corrections, from sentences with errors to scores of sources in several spellings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from checkout import Project, copy_of_repository
from seqpre import translate
from seqpre.corpora.vocabulary import load_vocabulary

STUDY = "results/demo/poda-correction"
RUN = f"{STUDY}/runs/no_pretraining/100pct/seed1"
COPIED_SOURCE = f"{STUDY}/trivial/copied_source"
CONFIG = ("--config", "studies=[poda-correction]")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout whose runs train for a few updates."""
    project = copy_of_repository(tmp_path_factory.mktemp("correction") / "project")
    path = project.folder / "workflow/studies/poda-correction.yaml"
    text = yaml.safe_load(path.read_text(encoding="utf-8"))
    base = text["scales"]["demo"]["base"]
    base["train"] = {"batch_sentences": 32, "max_updates": 24, "validate_every": 12, "validate_pairs": 16}
    base["decode"] = {"beam": 2, "max_length": 20}
    text["scales"]["demo"]["grid"]["ablations"] = {"systems": ["no_pretraining"]}
    text["reference"] = "no_pretraining"
    path.write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")
    return project


def scores(file: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {(one["selection"], one["split"], one["metric"]): one for one in json.loads(file.read_text())}


def test_from_errors_to_scores(project: Project) -> None:
    wanted = [f"{RUN}/scores.json", f"{COPIED_SOURCE}/scores.json"]
    done = project.snakemake("--cores", "2", *wanted, *CONFIG)
    assert done.returncode == 0, done.stdout
    assert project.planned(*wanted, *CONFIG) == {}

    ours = scores(project.folder / RUN / "scores.json")
    metrics = {"gleu", "gleu_expected", "m2_f0.5", "m2_precision", "m2_recall"}
    splits = {"valid", "test", "test_as_written"}
    assert set(ours) == {(by, split, name) for by in ("perplexity", "gleu") for split in splits for name in metrics}
    kinds = ours["gleu", "test", "m2_f0.5"]["kinds"]
    assert sum(one["gold"] for one in kinds.values()) > 300

    copied = scores(project.folder / COPIED_SOURCE / "scores.json")
    raw = project.folder / "results/demo/corpora/demo_synthetic/raw"
    read = project.folder / "results/demo/text/poda-correction/demo_synthetic/test.source"
    written, corrected = ((file).read_text(encoding="utf-8") for file in (raw / "test.source", read))
    assert (project.folder / COPIED_SOURCE / "hypotheses/none/test_as_written.txt").read_text(
        encoding="utf-8"
    ) == written
    assert (
        (project.folder / COPIED_SOURCE / "hypotheses/none/test.txt").read_text(encoding="utf-8")
        == corrected
        != written
    )
    # What is as it was has no edits: nothing is wrong, and nothing is found.
    assert copied["none", "test_as_written", "m2_precision"]["score"] == 100
    assert copied["none", "test_as_written", "m2_f0.5"]["score"] == 0
    # Spelling is corrected before a model reads; what is scored is that correction of what was written.
    assert copied["none", "test", "m2_f0.5"]["score"] > 20
    assert copied["none", "test", "gleu"]["score"] > copied["none", "test_as_written", "gleu"]["score"]


def test_a_sentence_without_an_error_is_a_pair_too(project: Project) -> None:
    """Of the text that the test above has made."""
    folder = project.folder / "results/demo/text/poda-correction/demo_synthetic"
    assert "copy" not in json.loads((folder / "train.source_target.stats.json").read_text())["reasons"]


def test_a_run_corrects_sentences_as_people_write_them(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the run that the first test has trained: what its model reads is tokenized, what it writes is not.

    Its few updates have taught it to write something, but nothing that scores.
    """
    base = ["--run", str(project.folder / RUN), "--selection", "perplexity", "--beam", "2"]
    translate.main([*base, "it's a fire, and it isn't yuor school."])
    (line,) = capsys.readouterr().out.splitlines()
    assert line
    assert not re.search(r" [.,]| n't| 's", line)
    vocabulary = load_vocabulary(translate.subwords_of(project.folder / RUN)[0])
    (read,) = translate.tokenized(["it isn't yuor fire."], vocabulary, as_written=False)
    assert read == "it is n't your fire ."
    assert translate.tokenized(["it isn't yuor fire."], vocabulary, as_written=True) == ["it is n't yuor fire ."]
