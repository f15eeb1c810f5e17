"""The files of a human study: the key, and the ratings exported from the page; read strictly and unblinded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from seqpre.common.errors import DataError
from seqpre.report.human_counts import Repetition

RATINGS_FORMAT = "seqpre-ratings-1"
KEY_FORMAT = "seqpre-key-1"
SCORES = range(1, 6)
T = TypeVar("T")


@dataclass(frozen=True)
class Mark:
    """One rater's judgement of one output."""

    score: int
    repeats: bool


@dataclass(frozen=True)
class Key:
    """The layout of a page. `shown` and `repeats` have a pair for each item, in display order."""

    path: Path
    page: str
    system: str
    baseline: str
    seed: int
    shown: Sequence[Sequence[str]]
    repeats: Sequence[Sequence[bool]]
    all_outputs: Repetition
    all_references: Mapping[str, int]

    def unblind(self, item: int, shown: Sequence[T]) -> tuple[T, T]:
        """Return the values of an item's two outputs in the order system, baseline."""
        first, second = shown
        return (first, second) if self.shown[item][0] == self.system else (second, first)

    @property
    def automatic(self) -> list[tuple[bool, bool]]:
        """Whether the system's and the baseline's output repeat by the automatic measure, for each item."""
        return [self.unblind(item, marks) for item, marks in enumerate(self.repeats)]


@dataclass(frozen=True)
class Ratings:
    """One rater's file. `marks` has a pair (system, baseline) for each rated item, by index."""

    path: Path
    rater: str
    marks: Mapping[int, tuple[Mark, Mark]]
    unfinished: Sequence[int]


def read_key(path: Path) -> Key:
    """Read the key that was written with a page. Raises DataError if a part is missing or does not fit the others."""
    content = _read(path, KEY_FORMAT, "a key that seqpre.human_study.make wrote")
    for part in ("page", "system", "baseline", "seed", "items", "all_outputs", "all_references"):
        if part not in content:
            raise DataError(f"{path}: `{part}` is missing; take the key as seqpre.human_study.make wrote it")
    names = [content["system"], content["baseline"]]
    try:
        for number, item in enumerate(content["items"], start=1):
            # Otherwise ratings would silently count for the other system, as after renaming a system by hand.
            if item["shown"] not in (names, names[::-1]):
                raise DataError(
                    f"{path}: item {number}: `shown` is {item['shown']!r}, not {names} in either order; take the key "
                    "as seqpre.human_study.make wrote it"
                )
            if len(item["repeats"]) != 2 or not all(isinstance(one, bool) for one in item["repeats"]):
                raise TypeError(f"item {number}: `repeats` is {item['repeats']!r}")
        references = {name: content["all_references"][name] for name in ("documents", "repeating")}
        return Key(
            path, content["page"], content["system"], content["baseline"], content["seed"],
            [item["shown"] for item in content["items"]], [item["repeats"] for item in content["items"]],
            Repetition(**content["all_outputs"]), references,
        )  # fmt: skip
    except (KeyError, TypeError) as error:
        raise DataError(f"{path}: damaged ({error!r}); take the key as seqpre.human_study.make wrote it") from error


def read_all_ratings(paths: Sequence[Path], key: Key) -> list[Ratings]:
    """Read the files of several raters. Raises DataError if two are by the same rater."""
    by_rater: dict[str, Ratings] = {}
    for path in paths:
        ratings = read_ratings(path, key)
        name = ratings.rater.casefold()
        if name in by_rater:
            raise DataError(
                f"{by_rater[name].path} and {path} are both by the rater {ratings.rater!r}; give one of them"
            )
        by_rater[name] = ratings
    return list(by_rater.values())


def read_ratings(path: Path, key: Key) -> Ratings:
    """Read one rater's file; items without both scores are unfinished. Raises DataError for any other error."""
    content = _read(path, RATINGS_FORMAT, "ratings that a page exported")
    if content.get("page") != key.page:
        raise DataError(
            f"{path}: these ratings are of the page {content.get('page')}, {key.path} is the key of {key.page}; "
            "that page showed other outputs"
        )
    rater = content.get("rater")
    if not isinstance(rater, str) or not rater.strip():
        raise DataError(f"{path}: no rater; write the name into `rater`")
    marks: dict[int, tuple[Mark, Mark]] = {}
    unfinished = set(range(len(key.shown)))
    seen = set()
    for number, outputs in _entries(path, content, len(key.shown)):
        if number in seen:
            raise DataError(f"{path}: item {number} is there twice")
        seen.add(number)
        pair = [_mark(path, number, output) for output in outputs]
        first, second = pair
        if first is not None and second is not None:
            marks[number - 1] = key.unblind(number - 1, (first, second))
            unfinished.remove(number - 1)
    return Ratings(path, " ".join(rater.split()), marks, sorted(unfinished))


def _read(path: Path, expected: str, what: str) -> dict[str, Any]:
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not valid JSON ({error})") from error
    if not isinstance(content, dict) or content.get("format") != expected:
        raise DataError(f"{path}: not {what} (its `format` is not {expected!r})")
    return content


def _entries(path: Path, content: Mapping[str, Any], items: int) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the number of each item, from 1 on, and its two outputs."""
    entries = content.get("ratings")
    if not isinstance(entries, list):
        raise DataError(f"{path}: no list `ratings`")
    for entry in entries:
        number, outputs = (entry.get("item"), entry.get("outputs")) if isinstance(entry, dict) else (None, None)
        if type(number) is not int or not 1 <= number <= items:
            raise DataError(f"{path}: item {number!r} is not one of the page's {items}")
        if not isinstance(outputs, list) or len(outputs) != 2:
            raise DataError(f"{path}: item {number} has not two outputs")
        yield number, outputs


def _mark(path: Path, number: int, output: Any) -> Mark | None:
    """Check one output's score and mark; return None if the score is missing."""
    score, repeats = (output.get("score"), output.get("repeats")) if isinstance(output, dict) else (None, None)
    if not isinstance(repeats, bool):
        raise DataError(f"{path}: item {number}: `repeats` is {repeats!r}, neither true nor false")
    if score is None:
        return None
    if type(score) is not int or score not in SCORES:
        raise DataError(f"{path}: item {number}: score is {score!r}, not one of {SCORES[0]} to {SCORES[-1]}")
    return Mark(score, repeats)
