"""Lines into the batches that are decoded together, and the settings of the search."""

import json
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.corpora.subwords import PAD
from seqpre.decode import Choice, members, source_batches
from seqpre.search import Limits
from seqpre.translate import choice_of


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


def test_a_choice_of_settings_is_no_ensemble(tmp_path: Path) -> None:
    choice = tmp_path / "full.json"
    choice.write_text(json.dumps({"criterion": "best_valid_bleu", "candidates": [{"settings": {}, "run": "a"}]}))
    with pytest.raises(ConfigError, match=r"full.json has no members; name what `python -m seqpre.choose --keep`"):
        members(choice)
