"""A folder for TensorBoard needs the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from seqpre.common.errors import ConfigError
from seqpre.training import board


def test_a_folder_without_the_package_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(board, "find_spec", lambda name: None)
    board.check_board(None)
    with pytest.raises(ConfigError, match=r"tensorboard is '.*', and the package is not installed: pip install"):
        board.Board(tmp_path, "run")
    monkeypatch.setattr(board, "find_spec", lambda name: name)
    board.check_board(tmp_path)
