"""Tokens of English."""

from __future__ import annotations

import pytest

from seqpre.corpora.treebank import tokenize


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
