"""Settings that are laid over others, and what two of them say differently."""

from __future__ import annotations

import re
from typing import Any

import pytest

from seqpre.common.errors import ConfigError
from seqpre.study.typed import changed, require_keys


def test_a_changed_setting_is_told_by_its_dotted_name_and_both_values() -> None:
    before = {"model": {"dropout": 0.2, "residual": "plain"}, "train": {"patience": None}}
    after = {"model": {"dropout": 0.3, "sizes": [1, 2]}, "optimizer": {"lr": 1e-05}, "train": {"patience": 3}}
    assert changed(before, after) == [
        "model.dropout 0.2 -> 0.3",
        "model.residual plain -> default",
        "model.sizes default -> [1, 2]",
        "train.patience null -> 3",
        "optimizer.lr default -> 1e-05",
    ]


def test_settings_that_are_alike_have_no_changes() -> None:
    assert changed({"model": {"dropout": 0.2}}, {"model": {"dropout": 0.2}, "train": {}}) == []


@pytest.mark.parametrize("declared", [None, [], {"name": "en"}, {"name": "en", "settings": None}])
def test_a_file_whose_settings_are_missing_or_null_is_damaged(declared: Any) -> None:
    missing = "settings" if declared else "name"
    with pytest.raises(ConfigError, match=re.escape(f"lm.json lacks {missing!r}; such a file, as the workflow writes")):
        require_keys(declared, ("name", "settings"), "lm.json")
    require_keys({"name": "en", "settings": {}}, ("name", "settings"), "lm.json")
