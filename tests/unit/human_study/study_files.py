"""A small human study on disk: texts of two systems, a page with its key, and raters' files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shared import write_lines

from seqpre.human_study import make
from seqpre.human_study.ratings import RATINGS_FORMAT, Key, read_key

DOCUMENTS = [f"Document {number} tells of the storm." for number in range(30)]
REFERENCES = [f"Storm {number}." for number in range(30)]
OURS = [f"The storm {number} came." for number in range(30)]
THEIRS = [f"The storm {number} came, the storm {number} came." for number in range(30)]

Judge = Callable[[int, str], dict[str, Any]]
"""From the line of a document, from 1 on, and a system's name to what a rater says of that output."""


def make_study(folder: Path, *more: str) -> Key:
    """Write the texts, a page of 12 documents and its key; return the key."""
    make.main(
        ["--documents", str(write_lines(folder / "documents.txt", DOCUMENTS)),
         "--references", str(write_lines(folder / "references.txt", REFERENCES)),
         "--system", f"full={write_lines(folder / 'full.txt', OURS)}",
         "--baseline", f"none={write_lines(folder / 'none.txt', THEIRS)}",
         "--sample", "12", "--seed", "3",
         "--page", str(folder / "page.html"), "--key", str(folder / "key.json"), *more]
    )  # fmt: skip
    return read_key(folder / "key.json")


def ratings_of(folder: Path, rater: str, judge: Judge) -> dict[str, Any]:
    """Return what a rater who judges like `judge` exports."""
    key = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    return {
        "format": RATINGS_FORMAT, "page": key["page"], "rater": rater, "saved": "2026-01-01T00:00:00Z",
        "ratings": [{"item": place, "outputs": [judge(item["line"], system) for system in item["shown"]]}
                    for place, item in enumerate(key["items"], start=1)],
    }  # fmt: skip


def write_ratings(folder: Path, rater: str, judge: Judge, changes: Mapping[str, Any] = {}) -> Path:
    """Write such a file, with some of its entries changed."""
    path = folder / f"ratings-{rater}.json"
    path.write_text(json.dumps(ratings_of(folder, rater, judge) | dict(changes)), encoding="utf-8")
    return path


def prefers_full(line: int, system: str) -> dict[str, Any]:
    """Score the full system 4 and the other 2, equally on every third line; see its repetition."""
    score = 3 if line % 3 == 0 else {"full": 4, "none": 2}[system]
    return {"score": score, "repeats": system == "none"}
