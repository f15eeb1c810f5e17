"""The paper scale's recipe for language models learns what a small model can learn."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seqpre import pretrain
from seqpre.corpora import learn_words
from seqpre.corpora.token_store import TokenStoreWriter
from seqpre.corpora.words import Words
from seqpre.study.load import load_study
from seqpre.study.models.lstm import FirstLayer
from seqpre.study.pretraining_settings import LMSettings
from seqpre.study.typed import differences, overridden

STUDIES = Path(__file__).parents[2] / "workflow/studies"
VOCABULARY, FOLLOWERS, LENGTH = 100, 4, 15
UPDATES = 100


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text in which each word is followed by one of four, equally likely: no model has a perplexity below 4."""
    rng = np.random.default_rng(1)
    followers = rng.integers(VOCABULARY, size=(VOCABULARY, FOLLOWERS))
    folder, word = tmp_path_factory.mktemp("text"), 0
    path, words = folder / "store", folder / "words.tsv"
    (folder / "words").write_text(" ".join(f"w{number}" for number in range(VOCABULARY)), encoding="utf-8")
    learn_words.main(["--input", str(folder / "words"), "--vocab-size", str(VOCABULARY), "--output", str(words)])
    with TokenStoreWriter(path, VOCABULARY, Words(words).fingerprint) as store:
        for _ in range(4_000):
            sentence = []
            for _ in range(LENGTH):
                word = int(followers[word, rng.integers(FOLLOWERS)])
                sentence.append(word)
            store.append(sentence)
    return path


def perplexity(settings: LMSettings, text: Path, folder: Path) -> float:
    """Train a small LM with these settings for a while; return its perplexity on validation text."""
    limits = {"max_tokens": UPDATES * settings.train.streams * settings.train.bptt, "validate_every": UPDATES}
    settings = dataclasses.replace(settings, first_layer=FirstLayer(32, 32, 0))
    settings = overridden(settings, {"train": {**limits, "held_out": 200}}, "test")
    (folder / "lm.json").write_text(
        json.dumps({"name": "lm", "fraction": "100pct", "settings": differences(settings, LMSettings())})
    )
    options: list[Any] = [
        "--settings",
        folder / "lm.json",
        "--train",
        text,
        "--vocabulary",
        text.with_name("words.tsv"),
    ]
    pretrain.main([*map(str, options), "--output-dir", str(folder), "--device", "cpu"])
    found: float = json.loads((folder / "summary.json").read_text())["best_valid_perplexity"]
    return found


def test_a_language_model_learns_by_the_recipe_of_the_paper_scale(text: Path, tmp_path: Path) -> None:
    settings, others = (
        load_study(STUDIES / f"ramachandran-{task}.yaml", "paper").lm_settings
        for task in ("translation", "summarization")
    )
    assert dataclasses.replace(others, first_layer=settings.first_layer) == settings
    assert perplexity(settings, text, tmp_path) < 10
