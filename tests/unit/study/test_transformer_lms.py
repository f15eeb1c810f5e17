"""Pretrainings of Transformer language models: what is written of them, and which systems may read which."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from project_files import WORKFLOW, change, copy_of

from seqpre.common.errors import ConfigError
from seqpre.report.published import load_published
from seqpre.study.fractions import count_of
from seqpre.study.load import load_study
from seqpre.study.pretraining_settings import TransformerLMSettings
from seqpre.study.run import run_from_json
from seqpre.study.study import declared_runs, lm_to_json

LMS, STUDY = "pretraining/edunov", "studies/edunov-translation"
ELMO = f"{STUDY} systems src_elmo"
DEMO = f"{STUDY} scales demo base"

COPIER = {"init.encoder": "cloze_en", "model.kind": "pointer_generator", "train.label_smoothing": 0.0}
READER = {"model.kind": "transformer", "model.representations.source": "elmo", "init.encoder": "cloze_en"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that has the study alone, and its language models."""
    return copy_of(tmp_path, LMS, STUDY)


def loaded(project: Path) -> Any:
    return load_study(project / f"workflow/{STUDY}.yaml", "demo")


def test_each_model_says_what_predicts_its_tokens(project: Path) -> None:
    pretraining = loaded(project).pretraining
    said = {name: lm_to_json(pretraining, name) for name in pretraining.lms}
    assert {name: about["objective"] for name, about in said.items()} == {"cloze_en": "cloze", "causal_de": "causal"}
    assert said["cloze_en"]["settings"]["shape"]["dim"] == 128
    assert TransformerLMSettings().identity() == {}


def test_systems_read_the_lms_and_write_with_their_vocabulary_but_for_one(project: Path) -> None:
    study = loaded(project)
    runs = {run.system: run for run in declared_runs(study)}
    assert {name: list(run.lms) for name, run in runs.items() if run.lms} == {
        "src_elmo": ["cloze_en"],
        "src_elmo_shdemb": ["cloze_en"],
        "src_ft": ["cloze_en"],
        "tgt_elmo": ["causal_de"],
        "tgt_ft": ["causal_de"],
    }
    keys = {name: study.vocabulary(run.settings).key for name, run in runs.items()}
    assert keys.pop("shared_bitext_bpe") == "edunov-translation"
    assert set(keys.values()) == {"edunov"}
    for run in runs.values():
        assert run_from_json(run.to_json()) == run


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        (LMS, "models cloze_en objective", "clozed", "did you mean 'cloze'?"),
        (LMS, "models cloze_en", {"language": "en", "corpus": "news"}, "objective is ''; it must be 'causal'"),
        (LMS, "scales demo settings shape heads", 3, "shape: dim is 128; it must be a multiple of its heads (3)"),
        (LMS, "scales demo vocabulary", {"kind": "words", "size": 500}, "it must be 'subwords'"),
        (LMS, "scales demo settings train keep", [900], "train.keep is [900]; it must be at most 500"),
        (ELMO, "init.encoder", "causal_de", "init.encoder is 'causal_de', an LM whose objective is causal"),
        (ELMO, "init.encoder", "random", "init.encoder is 'random'; it must be an LM: model.representations.source is"),
        (ELMO, "model.representations.source", "none", "init.encoder is 'cloze_en'; it must be random"),
        (ELMO, "model.tied", "all", "model.tied is 'all'; it must be none or decoder"),
        (ELMO, "model.source_word_dropout", 0.1, "model.source_word_dropout is 0.1; it must be 0: the encoder reads"),
        (ELMO, "init.freeze", ["embedding"], "init.freeze is ('embedding',); it must be left out"),
        (ELMO, "objectives", {"source_lm_weight": 1.0, "source_lm": "cloze_en"}, "objectives is 'cloze_en'"),
        (ELMO, "vocabulary", {"source": "", "target": ""}, "the LM 'cloze_en', which it needs, has the vocabulary of"),
        (f"{STUDY} systems shared", "vocabulary.target", "", "vocabulary.target is ''; it must be 'edunov', that of"),
        (f"{STUDY} systems tgt_ft", "vocabulary.target", "", "vocabulary.target is ''; it must be 'edunov': the LM"),
        (LMS, "scales demo vocabulary", {"size": 500, "learned_from": "source"}, "vocabulary.learned_from is 'source'"),
        (f"{STUDY} systems tgt_ft", "model.tied", "decoder", "model.tied is 'decoder'; it must be none"),
        (DEMO, "model.representations lm dim", 32, "model.representations.lm is TransformerLMShape(dim=32"),
        (STUDY, "systems src_elmo", COPIER, "model.kind is 'pointer_generator'; it must be 'augmented_transformer'"),
        (STUDY, "systems src_elmo", READER, "model of the kind 'transformer' has no key 'representations'"),
        (f"{STUDY}", "source", "de", "init.encoder is 'cloze_en', an LM of 'en' text; this side reads 'de'"),
        (STUDY, "lms", {"mine": {"language": "en", "corpus": "bitext", "objective": "cloze"}}, "lms.mine.objective is"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(project: Path, name: str, place: str, value: Any, message: str) -> None:
    file, _, above = name.partition(" ")
    if place == "source":
        change(project, file, "target", "en")
    change(project, file, f"{above} {place}".strip(), value)
    with pytest.raises(ConfigError) as refused:
        loaded(project)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_at_the_paper_scale_there_is_a_run_for_every_printed_score() -> None:
    study = load_study(WORKFLOW / f"{STUDY}.yaml", "paper")
    published = load_published(WORKFLOW / "published.tsv")
    rows = [n for n in published if n.study == study.name and n.table == "Table 4"]
    assert {(run.system, run.fraction) for run in declared_runs(study)} == {(n.system, n.fraction) for n in rows}
    assert set(study.tests) == {n.split for n in rows} - {"average_2012_2018"}
    shape = study.systems["src_elmo"].model
    assert (shape.dim, shape.ff_dim, shape.heads, shape.encoder_layers, shape.decoder_layers) == (1024, 4096, 16, 6, 6)


def test_at_the_paper_scale_a_bitext_of_fewer_pairs_than_the_paper_s_has_all_sizes() -> None:
    fractions = load_study(WORKFLOW / f"{STUDY}.yaml", "paper").grid["sizes"].fractions
    counts = [count_of(one, 5_100_000, "") for one in fractions]
    assert counts == [*(160_000 * 2**step for step in range(5)), 5_100_000]


def test_at_the_small_scale_six_sizes_double_of_which_the_smallest_and_the_largest_have_three_seeds() -> None:
    runs = declared_runs(load_study(WORKFLOW / f"{STUDY}.yaml", "small"))
    counts = Counter(count_of(run.fraction, 50_000, "") for run in runs if run.system == "baseline")
    assert counts == {1250 * 2**step: 3 if step in (0, 5) else 1 for step in range(6)}


def test_turkish_has_a_vocabulary_of_its_own_and_its_sources_that_of_the_lm() -> None:
    study = load_study(WORKFLOW / "studies/edunov-turkish.yaml", "paper")
    for settings in study.systems.values():
        assert study.vocabulary(settings).key == "edunov"
        named = study.vocabulary(settings, "target")
        assert (named.key, named.size, named.declaration.learned_from) == ("edunov-turkish@turkish", 32_000, "target")
    published = load_published(WORKFLOW / "published.tsv")
    assert {run.system for run in declared_runs(study)} == {n.system for n in published if n.study == study.name}
