"""Tokens of English as NLTK's Treebank tokenizer cuts them.

PoDA (Wang et al., 2019), Section 3.3: "we use NLTK to tokenize sentences". A line is one sentence; nothing is
downloaded. Quotation marks stay as they are typed, " instead of `` and ''.
"""

from __future__ import annotations

from nltk.tokenize.destructive import NLTKWordTokenizer  # type: ignore[import-untyped]

# Unstated: how quotation marks are written. As CoNLL-2014 has them, which is not what the tokenizer makes of them.
QUOTES = ("``", "''")
_tokenizer = NLTKWordTokenizer()


def tokenize(sentence: str) -> list[str]:
    """Return the tokens of a sentence."""
    return ['"' if token in QUOTES else token for token in _tokenizer.tokenize(sentence)]
