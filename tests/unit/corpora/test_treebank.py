"""Tokens of English."""

from __future__ import annotations

import pytest

from seqpre.corpora.treebank import detokenize, tokenize


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("He can't pay $5, can he?", "He ca n't pay $ 5 , can he ?"),
        ('"Well," said Ann\'s aunt.', '" Well , " said Ann \'s aunt .'),
        ("Mr. Fox left at 6 p.m. yesterday.", "Mr. Fox left at 6 p.m. yesterday ."),
        ("", ""),
    ],
)
def test_a_line_is_one_sentence_whose_quotation_marks_stay(sentence: str, tokens: str) -> None:
    assert " ".join(tokenize(sentence)) == tokens


@pytest.mark.parametrize(
    "text",
    [
        "Cannot they? We gotta go, gimme that.",
        "He doesn't know, does he?",
        'She said "no way" (twice).',
        "It's $5, 20% more.",
        "",
        "They've left...",
    ],
)
def test_tokens_become_text_for_readers_again(text: str) -> None:
    assert detokenize(tokenize(text)) == text
