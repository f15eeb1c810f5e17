"""A mistake in a YAML file is named with its file and line."""

import re
from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.study.strict_yaml import read_yaml


def written(folder: Path, text: str) -> Path:
    path = folder / "study.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "study.yaml, line 3: 'a' is given twice, before in line 1"),
        ("systems:\n  full: {}\n  other: {}\n  full: {x: 1}\n", "line 4: 'full' is given twice, before in line 2"),
        ("a: {b: 1, b: 2}\n", "line 1: 'b' is given twice, before in line 1"),
        ("a: [\n", "study.yaml is not valid YAML: "),
        ("a: 1\n\tb: 2\n", "line 2"),
        ("[1]: 2\n", "unhashable key"),
        ("scale: 2024-13-45\n", "month must be in 1..12"),
        ("a: !!int abc\n", "study.yaml is not valid YAML: "),
        ("a: !!timestamp abc\n", "study.yaml is not valid YAML: "),
    ],
)
def test_a_mistake_is_named_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        read_yaml(written(tmp_path, text))
    assert "study.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"study\.yaml: No such file"):
        read_yaml(tmp_path / "study.yaml")
    (tmp_path / "study.yaml").write_bytes(b"a: \xff\n")
    with pytest.raises(ConfigError, match=r"study\.yaml is not valid YAML"):
        read_yaml(tmp_path / "study.yaml")


def test_the_same_key_in_two_places_and_merged_keys_are_fine(tmp_path: Path) -> None:
    text = "base: &base {a: 1, b: 2}\nnested: {deep: &deep {<<: *base, a: 3}}\nlast: {<<: *deep, b: 4}\n"
    assert read_yaml(written(tmp_path, text))["last"] == {"a": 3, "b": 4}
