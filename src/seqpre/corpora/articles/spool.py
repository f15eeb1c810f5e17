"""Byte strings by name, kept on disk: an archive is read once and in its own order, a corpus is written in another."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import TracebackType


class Spool:
    """A nameless file in `folder` that is gone with the block, or with the process; memory holds names and places."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed by __exit__)
        self._places: dict[str, tuple[int, int]] = {}

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, name: str, content: bytes) -> None:
        """Keep `content`; a second one of the same name replaces the first."""
        self._places[name] = self._file.seek(0, 2), len(content)
        self._file.write(content)

    def get(self, name: str) -> bytes | None:
        """Return what was added under `name`."""
        if name not in self._places:
            return None
        start, length = self._places[name]
        self._file.seek(start)
        return self._file.read(length)
