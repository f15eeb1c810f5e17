"""Repeated and copied words are found where a reader would mark them."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from seqpre.metrics.overlap import copied_spans, repeated_spans, repeats


def marked(text: str) -> list[str]:
    return [text[start:end] for start, end in repeated_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a man in a hat and a man in a coat", ["a man in a", "a man in a"]),
        ("he does not not know", ["not not"]),
        ("nicht nicht nicht nicht!", ["nicht nicht nicht nicht"]),
        ("on the roof on the roof", ["on the roof on the roof"]),
        ("The dog, the dog barks.", ["The dog, the dog"]),
        ("the red dog sees the red dog", ["the red dog", "the red dog"]),
        ("the dog sees the dog", []),  # two words, apart: ordinary language
        ("A man in a red hat.", []),
        ("one two three", []),
        ("", []),
    ],
)
def test_a_phrase_twice_or_a_word_twice_in_succession_is_a_repetition(text: str, expected: list[str]) -> None:
    assert marked(text) == expected
    assert repeats(text) == bool(expected)


def copied(text: str, source: str, least: int) -> list[str]:
    return [text[start:end] for start, end in copied_spans(text, source, least)]


def test_the_longest_common_sequences_are_marked_from_the_left() -> None:
    source = "The quick brown fox jumps. A quick brown fox sleeps in the shade."
    assert copied("a quick brown fox jumps in the shade", source, 3) == ["a quick brown fox", "in the shade"]
    assert copied("Quick brown cats.", source, 3) == []
    assert copied("Quick brown cats.", source, 2) == ["Quick brown"]


def test_text_shorter_than_a_phrase_copies_nothing() -> None:
    assert copied("", "a b c", 2) == copied("a", "a b c", 2) == copied("a b", "", 2) == []


def test_spans_never_overlap_and_hold_what_the_source_holds() -> None:
    generator = random.Random(1)
    for _ in range(200):
        text, source = (" ".join(generator.choices("abcd", k=generator.randint(0, 30))) for _ in range(2))
        spans = copied_spans(text, source, 3)
        assert all(text[start:end] in source for start, end in spans)
        assert all(end < start for (_, end), (start, _) in pairwise(spans))


def test_a_repetition_is_found_as_by_looking_at_all_pairs_of_places() -> None:
    generator = random.Random(2)
    for _ in range(300):
        words = generator.choices("abcde", k=generator.randint(0, 12))
        slow = any(
            words[one : one + 3] == words[other : other + 3]
            for one in range(len(words) - 2)
            for other in range(one + 3, len(words) - 2)
        ) or any(
            words[one : one + count] == words[one + count : one + 2 * count]
            for count in (1, 2)
            for one in range(len(words) - 2 * count + 1)
        )
        assert repeats(" ".join(words)) == slow
