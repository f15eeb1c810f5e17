"""A downloads folder with files of one corpus, and what `extract` makes of it."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from seqpre.common.files import read_lines
from seqpre.corpora.catalog import Row
from seqpre.corpora.extract import extract


@dataclass
class Corpus:
    """Files and rows, and the text extracted from them."""

    folder: Path
    rows: list[Row] = field(default_factory=list)

    @property
    def downloads(self) -> Path:
        return self.folder / "downloads"

    def add(self, name: str, content: bytes, reader: str, splits: str = "train", **cells: Any) -> Path:
        """Add a file and its row."""
        sides = cells.pop("sides", "document,summary")
        row = Row("toy", splits, sides, reader, cells.pop("member", ""), f"https://h/{name}", "", None, "x", "")
        path = self.downloads / row.relative_path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.rows.append(row)
        return path

    def extract(self, split: str = "train", sides: tuple[str, ...] = ("document", "summary")) -> int:
        return extract(self.rows, "toy", split, sides, self.downloads, self.folder / "raw")

    def lines(self, side: str, split: str = "train") -> list[str]:
        return list(read_lines(self.folder / "raw" / f"{split}.{side}"))

    def stats(self, name: str = "train.document_summary") -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.folder / "raw" / f"extract.{name}.json").read_text())
        return content

    def reasons(self, name: str = "train.document_summary") -> dict[str, int]:
        return {reason: about["count"] for reason, about in self.stats(name)["reasons"].items()}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path)


@pytest.fixture
def tar() -> Callable[[dict[str, bytes]], bytes]:
    """Return a function that makes a .tgz of files."""

    def make(members: dict[str, bytes]) -> bytes:
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w:gz") as archive:
            for name, data in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return content.getvalue()

    return make
