"""Files that another process makes are waited for, and a process that has ended holds nobody up."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from seqpre.cluster import reservations


def test_without_file_locks_nothing_is_claimed_and_nobody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*_: Any) -> None:
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("fcntl.lockf", unsupported)
    for _ in range(2):
        assert reservations.claim(tmp_path, ["small/a"])
    assert not list((tmp_path / ".claims").glob("*.json"))


def test_the_claim_of_a_process_that_has_ended_is_removed(tmp_path: Path) -> None:
    dead = tmp_path / ".claims" / "elsewhere-7.json"
    dead.parent.mkdir()
    dead.write_text(json.dumps({"who": "somebody", "files": ["small/a"]}), encoding="utf-8")
    assert reservations.claim(tmp_path, ["small/a"])
    assert not dead.exists()
