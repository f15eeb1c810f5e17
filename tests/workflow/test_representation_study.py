"""A study that reads Transformer language models, from generated text to decoded translations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from checkout import Project, copy_of_repository
from seqpre import translate

RUN = "results/demo/edunov-translation/runs/{system}/500/seed1"
STUDY = ("--config", "studies=[edunov-translation]")
KINDS = ("--config", "studies=[edunov-translation,poda-headlines]")
"""With a study of another kind of pretrained models, whose rules are made from the same lines."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A checkout whose language models and runs train for a few updates."""
    project = copy_of_repository(tmp_path_factory.mktemp("representations") / "project")
    few = {"max_updates": 4, "validate_every": 2}
    for name, place, more in (
        ("pretraining/edunov", "settings", {**few, "held_out": 20, "keep": [2]}),
        ("studies/edunov-translation", "base", {**few, "validate_pairs": 16}),
        ("studies/edunov-turkish", "base", {**few, "validate_pairs": 16}),
    ):
        path = project.folder / f"workflow/{name}.yaml"
        text = yaml.safe_load(path.read_text(encoding="utf-8"))
        text["scales"]["demo"][place]["train"] |= more
        if place == "base":
            text["scales"]["demo"][place]["decode"] = {"beam": 2, "max_length": 12}
        if name == "studies/edunov-translation":
            text["systems"]["tgt_ft"]["init.decoder"] = "causal_de@2"
        path.write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")
    return project


def test_from_text_to_translations(project: Project) -> None:
    runs = {system: RUN.format(system=system) for system in ("src_elmo_shdemb", "tgt_ft")}
    wanted = [f"{runs['src_elmo_shdemb']}/hypotheses/average", f"{runs['tgt_ft']}/summary.json"]
    done = project.snakemake("--cores", "2", *wanted, *KINDS)
    assert done.returncode == 0, done.stdout
    results = project.folder / "results/demo"
    assert (results / "lms/edunov/causal_de/weights/2.safetensors").exists()
    transfer = (project.folder / runs["src_elmo_shdemb"] / "transfer.md").read_text(encoding="utf-8")
    assert "| representations.source.lm.combination.query.bias | 128 | 128 | loaded, frozen | cloze_en |" in transfer
    transfer = (project.folder / runs["tgt_ft"] / "transfer.md").read_text(encoding="utf-8")
    assert "| representations.target.lm.norm.bias | 128 | 128 | loaded | causal_de@2 |" in transfer
    outputs = Path(project.folder / runs["src_elmo_shdemb"] / "hypotheses/bleu/test_a.txt")
    references = results / "corpora/demo_ende/raw/test_a.de"
    assert len(outputs.read_text("utf-8").splitlines()) == len(references.read_text("utf-8").splitlines())
    summary = json.loads((project.folder / runs["src_elmo_shdemb"] / "summary.json").read_text("utf-8"))
    assert summary["averaged_steps"] == [2, 4]
    assert (outputs.parents[1] / "average/test_a.txt").exists()
    assert project.planned(*wanted, *KINDS) == {}


def test_averaged_weights_are_decoded_beside_the_chosen_ones_where_a_study_asks_for_them(project: Project) -> None:
    for study, ways in (("translation", 3), ("turkish", 2)):
        planned = project.planned("--config", f"studies=[edunov-{study}]", "--forceall")
        assert planned["decode"] == ways * planned["finetune"] > 0


def test_a_side_s_vocabulary_is_learned_from_it_alone_and_decoding_and_translating_have_both(project: Project) -> None:
    run = "results/demo/edunov-turkish/runs/src_elmo_shdemb/100pct/seed1"
    done = project.snakemake("--cores", "2", f"{run}/hypotheses/perplexity", "--config", "studies=[edunov-turkish]")
    assert done.returncode == 0, done.stdout
    results = project.folder / "results/demo"
    log = (results / "subwords/edunov-turkish@turkish/bpe.vocab").read_text("utf-8")
    pieces = {line.split("\t")[0].removeprefix("▁") for line in log.splitlines()}
    text = {side: results / f"text/edunov-turkish/demo_entr/train.en_tr/train.{side}" for side in ("en", "tr")}
    words = {side: {word for word in file.read_text("utf-8").split() if len(word) > 3} for side, file in text.items()}
    assert len(pieces & words["tr"]) > 100
    assert len(pieces & words["en"] - words["tr"]) < 5
    assert len(translate.subwords_of(project.folder / run)) == 2
    translated = project.folder / "translated.tr"
    translate.main(["--run", str(project.folder / run), "--output", str(translated), "a dog runs"])
    assert len(translated.read_text("utf-8").splitlines()) == 1


def test_nothing_of_the_tests_is_in_the_language_models_text_and_what_went_is_counted(project: Project) -> None:
    copied = project.folder / "results/demo/corpora/demo_ende/raw/test_a.en"
    raw = project.folder / "results/demo/corpora/demo_monolingual/raw/train.en"
    kept = project.folder / "results/demo/text/edunov/demo_monolingual/train.en/train.en"
    lines = copied.read_text("utf-8").splitlines()
    raw.chmod(0o644)
    raw.write_text(raw.read_text("utf-8") + "\n".join(lines) + "\n", "utf-8")
    done = project.snakemake("--cores", "2", str(kept.parent.relative_to(project.folder)), *STUDY)
    assert done.returncode == 0, done.stdout
    assert not {*kept.read_text("utf-8").splitlines()} & {*lines}
    stats = json.loads(kept.parent.with_name("train.en.stats.json").read_text("utf-8"))
    assert stats["reasons"]["excluded"]["count"] >= len(lines)
