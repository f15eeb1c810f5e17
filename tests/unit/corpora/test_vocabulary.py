"""Vocabularies of one side each, as one."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.corpora import learn_bpe
from seqpre.corpora.vocabulary import Sides, load_vocabularies, load_vocabulary, source_vocabulary


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The vocabularies of two languages that share no letter."""
    folder = tmp_path_factory.mktemp("sides")
    for name, words in (("source", "aba bab abba baab"), ("target", "xyx yxy xyyx yxxy")):
        (folder / f"{name}.txt").write_text(f"{words}\n" * 50, encoding="utf-8")
        text, model = (str(folder / f"{name}.{suffix}") for suffix in ("txt", "model"))
        learn_bpe.main(["--input", text, "--vocab-size", "16", "--seed", "1", "--output", model])
    return [folder / "source.model", folder / "target.model"]


def test_sources_are_read_with_one_and_targets_with_the_other(files: list[Path]) -> None:
    source, target = map(load_vocabulary, files)
    both = load_vocabularies(files)
    assert both.encode("abba") == source.encode("abba")
    assert both.decode(target.encode("xyyx")) == "xyyx"
    assert (both.size, both.fingerprint) == (target.size, target.fingerprint)
    assert source_vocabulary(both).fingerprint == source.fingerprint


def test_one_file_is_the_vocabulary_of_both_sides_and_three_are_too_many(files: list[Path]) -> None:
    one = load_vocabularies(files[:1])
    assert not isinstance(one, Sides)
    assert source_vocabulary(one) is one
    with pytest.raises(ConfigError, match="--subwords has 3 files"):
        load_vocabularies([*files, files[0]])
