"""Lines into the batches that are decoded together, and the settings of the search."""

import json
from pathlib import Path
from typing import Any

import pytest

from seqpre.common.errors import ConfigError
from seqpre.corpora.learn_bpe import learn_bpe
from seqpre.corpora.subwords import PAD, Subwords
from seqpre.decode import Choice, load_model, members, source_batches
from seqpre.models.build import build, description
from seqpre.search import Limits
from seqpre.study.models.transformer import TransformerSettings
from seqpre.training.checkpoint import load_weights, save_tensors, save_weights
from seqpre.translate import choice_of


@pytest.fixture
def subwords(tmp_path: Path) -> Subwords:
    (tmp_path / "text").write_text("a dog runs\ntwo cats sleep here\n")
    (tmp_path / "bpe.model").write_bytes(learn_bpe([tmp_path / "text"], 25))
    return Subwords(tmp_path / "bpe.model")


@pytest.fixture
def toy_model(tmp_path: Path, subwords: Subwords) -> Path:
    """Weights of a small model."""
    settings = TransformerSettings(dim=8, ff_dim=8, heads=2, encoder_layers=1, decoder_layers=1)
    about = {**description(settings, subwords.size), "subwords": subwords.fingerprint}
    save_weights(tmp_path / "weights.safetensors", build(settings, subwords.size), about)
    return tmp_path / "weights.safetensors"


def test_lines_of_like_length_are_decoded_together_the_longest_first() -> None:
    batches = list(source_batches([[5, 3], [6, 7, 8, 3], [3], [9, 3]], 2))
    assert [numbers for numbers, _, _ in batches] == [[1, 0], [3, 2]]
    _, source, lengths = batches[0]
    assert source.tolist() == [[6, 7, 8, 3], [5, 3, PAD, PAD]]
    assert lengths.tolist() == [4, 2]


def test_a_very_long_line_is_decoded_by_itself_and_others_as_many_as_asked() -> None:
    lines = [[5] * 10_000, *([5] * 1_400 for _ in range(130))]
    assert [len(numbers) for numbers, _, _ in source_batches(lines, 64)] == [1, 64, 64, 2]


def test_before_validation_chooses_settings_with_one_candidate_count(tmp_path: Path) -> None:
    assert choice_of(tmp_path, "perplexity") == Choice(Limits(), 1.0)
    asked = {"min_lengths": [0, 5], "no_repeat_ngrams": [3], "max_length": 30, "length_penalties": [1.4]}
    (tmp_path / "decode.json").write_text(json.dumps(asked))
    assert choice_of(tmp_path, "perplexity") == Choice(Limits(0, 30, 3), 1.4)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([], "lacks 'length_penalty'"),
        ({"min_length": 2}, "lacks 'length_penalty'"),
        ({"length_penalty": "high"}, "length_penalty must be a number, got 'high'"),
        ({"length_penalty": float("nan")}, "length_penalty must be a number, got 'nan'"),
        ({"length_penalty": 1, "max_length": 2.5}, "max_length must be a whole number, got 2.5"),
    ],
)
def test_what_is_no_choice_is_refused_by_name(said: Any, why: str, tmp_path: Path) -> None:
    file = tmp_path / "hypotheses/perplexity/valid.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(said))
    with pytest.raises(ConfigError, match=f"valid.json.* {why}"):
        choice_of(tmp_path, "perplexity")


def test_weights_of_another_version_are_refused(toy_model: Path, subwords: Subwords) -> None:
    tensors, about = load_weights(toy_model)
    assert load_model(toy_model, subwords).max_source == 0
    save_tensors(toy_model, {f"{name}_of_later": tensor for name, tensor in tensors.items()}, about)
    with pytest.raises(ConfigError, match=r"another version wrote it \(Missing key.*train it again"):
        load_model(toy_model, subwords)
    save_tensors(toy_model, tensors, {name: value for name, value in about.items() if name != "model"})
    with pytest.raises(ConfigError, match="lacks 'model'"):
        load_model(toy_model, subwords)


def test_a_choice_of_settings_is_no_ensemble(tmp_path: Path) -> None:
    choice = tmp_path / "full.json"
    choice.write_text(json.dumps({"criterion": "best_valid_bleu", "candidates": [{"settings": {}, "run": "a"}]}))
    with pytest.raises(ConfigError, match=r"full.json has no members; name what `python -m seqpre.choose --keep`"):
        members(choice)
