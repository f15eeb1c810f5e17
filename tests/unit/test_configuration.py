"""config.yaml is checked before anything uses it, and a mistake is named with what is accepted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seqpre.configuration import checked, configured_studies, read_configuration, training_gpus
from seqpre.errors import ConfigError

REPOSITORY = Path(__file__).parents[2]
CONFIG = read_configuration(REPOSITORY / "config.yaml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gpu": 1}, "no key 'gpu'; did you mean 'gpus'?"),
        ({"studies": "one"}, "studies must be a list"),
        ({"results": None}, "results must be text, got None"),
        ({"gpus": 0}, "gpus must be a whole number"),
        ({"gpus": True}, "gpus must be a whole number"),
        ({"gpus": "4"}, "gpus must be a whole number"),
        ({"gpus_per_node": None}, "gpus_per_node must be a whole number"),
        ({"gpus": 12}, "multiple"),
    ],
)
def test_a_wrong_value_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("?", r"\?")):
        checked({**CONFIG, **change})


def test_a_missing_key_is_named() -> None:
    with pytest.raises(ConfigError, match="lacks 'gpus'"):
        checked({key: value for key, value in CONFIG.items() if key != "gpus"})


@pytest.mark.parametrize(("content", "message"), [("scale: [", "not valid YAML"), ("- demo", "must hold `key: value`")])
def test_a_file_that_is_no_configuration_is_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "config.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_configuration(tmp_path / "config.yaml")
    with pytest.raises(ConfigError, match="does not exist"):
        read_configuration(tmp_path / "other.yaml")


@pytest.mark.parametrize(("change", "gpus"), [({}, 0), ({"scale": "paper"}, 1), ({"gpus": 2}, 2), ({"gpus": 16}, 16)])
def test_gpus_follow_the_scale_unless_they_are_set(change: dict[str, Any], gpus: int) -> None:
    assert training_gpus(checked({**CONFIG, **change})) == gpus


@pytest.mark.parametrize(("seeds", "read"), [(["1", "2"], (1, 2)), ("3", (3,)), ([4], (4,)), (None, (1,))])
def test_seeds_of_the_command_line_are_text(seeds: Any, read: tuple[int, ...]) -> None:
    (study,) = configured_studies({**CONFIG, "scale": "demo", "seeds": seeds}, REPOSITORY).values()
    assert study.seeds == read
