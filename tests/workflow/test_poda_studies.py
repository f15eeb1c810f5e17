"""Two studies that start from a denoiser, from generated text to decoded headlines and scored corrections."""

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

FULL = "results/demo/poda-headlines/runs/full/200/seed1"
FROM_CHECKPOINT = "results/demo/poda-headlines/runs/no_pretraining/200/seed1"
CORRECTION = "results/demo/poda-correction/runs/no_pretraining/100pct/seed1"
COPIED_SOURCE = "results/demo/poda-correction/trivial/copied_source"
WANTED = [
    f"{FULL}/hypotheses/perplexity",
    f"{FROM_CHECKPOINT}/summary.json",
    f"{CORRECTION}/scores.json",
    f"{COPIED_SOURCE}/scores.json",
]
STUDIES = ("--config", "studies=[poda-headlines,poda-correction]")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout whose denoiser and runs have trained for a few updates."""
    project = copy_of_repository(tmp_path_factory.mktemp("poda") / "project")

    def say(name: str, *changes: tuple[str, object], **top: object) -> None:
        path = project.folder / f"workflow/{name}.yaml"
        text = yaml.safe_load(path.read_text(encoding="utf-8"))
        for place, value in changes:
            part = text["scales"]["demo"]
            *keys, last = place.split()
            for key in keys:
                part = part[key]
            part[last] = value
        path.write_text(yaml.safe_dump(text | top, sort_keys=False), encoding="utf-8")

    few = {"max_updates": 6, "validate_every": 3}
    say("pretraining/poda", ("settings train", {"batch_tokens": 1_000, "held_out": 20, "keep": [3], **few}))
    say(
        "studies/poda-headlines",
        ("base train", {"batch_sentences": 16, "validate_pairs": 16, "patience": 0, **few}),
        ("base decode", {"beam": 2, "max_length": 12}),
        ("systems", {"no_pretraining": {"init.encoder": "denoiser@3"}}),
    )
    say(
        "studies/poda-correction",
        ("base train", {"batch_sentences": 32, "max_updates": 24, "validate_every": 12, "validate_pairs": 16}),
        ("base decode", {"beam": 2, "max_length": 20}),
        ("systems", {}),  # Those that start from checkpoints that are not kept here.
        ("grid", {"ablations": {"systems": ["no_pretraining"]}, "checkpoints": {"systems": [], "fractions": []}}),
        ("ensembles", None),
        reference="no_pretraining",
    )
    done = project.snakemake("--cores", "2", *WANTED, *STUDIES)
    assert done.returncode == 0, done.stdout
    return project


def test_what_was_made_is_not_made_again(project: Project) -> None:
    assert project.planned(*WANTED, *STUDIES) == {}


def test_from_text_to_headlines(project: Project) -> None:
    results = project.folder / "results/demo"
    assert (results / "lms/poda/denoiser/weights/3.safetensors").exists()
    assert "lines; left out: 0 of fewer than 3 words" in next(
        results.glob("text/poda/*/segments.document.log")
    ).read_text(encoding="utf-8")
    transfer = (project.folder / FULL / "transfer.md").read_text(encoding="utf-8")
    assert "fresh" not in transfer
    transfer = (project.folder / FROM_CHECKPOINT / "transfer.md").read_text(encoding="utf-8")
    assert "| projections.source.weight | 64 x 64 | 4,096 | loaded | denoiser@3 |" in transfer
    assert "| copy.gate.weight | 1 x 64 | 64 | fresh |  |" in transfer
    folder = project.folder / FULL / "hypotheses/perplexity"
    outputs = (folder / "test.txt").read_text(encoding="utf-8").splitlines()
    references = Path(results / "corpora/demo_news/raw/test.summary").read_text(encoding="utf-8").splitlines()
    assert len(outputs) == len(references)
    assert json.loads((folder / "valid.json").read_text())["tuned"]


def scores(file: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {(one["selection"], one["split"], one["metric"]): one for one in json.loads(file.read_text())}


def test_from_errors_to_scores(project: Project) -> None:
    ours = scores(project.folder / CORRECTION / "scores.json")
    metrics = {"gleu", "gleu_expected", "m2_f0.5", "m2_precision", "m2_recall"}
    splits = {"valid", "test", "test_as_written"}
    assert set(ours) == {(by, split, name) for by in ("perplexity", "gleu") for split in splits for name in metrics}
    kinds = ours["gleu", "test", "m2_f0.5"]["kinds"]
    assert sum(one["gold"] for one in kinds.values()) > 300

    copied = scores(project.folder / COPIED_SOURCE / "scores.json")
    raw = project.folder / "results/demo/corpora/demo_synthetic/raw"
    read = project.folder / "results/demo/text/poda-correction/demo_synthetic/test.source"
    outputs = project.folder / COPIED_SOURCE / "hypotheses/none"
    written, corrected = (file.read_text(encoding="utf-8") for file in (raw / "test.source", read))
    assert (outputs / "test_as_written.txt").read_text(encoding="utf-8") == written
    assert (outputs / "test.txt").read_text(encoding="utf-8") == corrected != written
    # What is as it was has no edits: nothing is wrong, and nothing is found.
    assert copied["none", "test_as_written", "m2_precision"]["score"] == 100
    assert copied["none", "test_as_written", "m2_f0.5"]["score"] == 0
    # Spelling is corrected before a model reads; what is scored is that correction of what was written.
    assert copied["none", "test", "m2_f0.5"]["score"] > 20
    assert copied["none", "test", "gleu"]["score"] > copied["none", "test_as_written", "gleu"]["score"]


def test_a_sentence_without_an_error_is_a_pair_too(project: Project) -> None:
    folder = project.folder / "results/demo/text/poda-correction/demo_synthetic"
    assert "copy" not in json.loads((folder / "train.source_target.stats.json").read_text())["reasons"]


def test_a_run_corrects_sentences_as_people_write_them(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    """What a model reads is tokenized, what it writes is not.

    Its few updates have taught it to write something, but nothing that scores.
    """
    base = ["--run", str(project.folder / CORRECTION), "--selection", "perplexity", "--beam", "2"]
    translate.main([*base, "it's a fire, and it isn't yuor school."])
    (line,) = capsys.readouterr().out.splitlines()
    assert line
    assert not re.search(r" [.,]| n't| 's", line)
    vocabulary = load_vocabulary(translate.subwords_of(project.folder / CORRECTION)[0])
    (read,) = translate.tokenized(["it isn't yuor fire."], vocabulary, as_written=False)
    assert read == "it is n't your fire ."
    assert translate.tokenized(["it isn't yuor fire."], vocabulary, as_written=True) == ["it is n't yuor fire ."]
