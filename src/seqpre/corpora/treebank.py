"""Tokens of English as NLTK's Treebank tokenizer cuts them, and sentences put together again for readers.

PoDA (Wang et al., 2019), Section 3.3: "we use NLTK to tokenize sentences". A line is one sentence; nothing is
downloaded. Quotation marks stay as they are typed, as in the corpora of corrections: " instead of `` and ''.
"""

from __future__ import annotations

from nltk.tokenize.destructive import NLTKWordTokenizer  # type: ignore[import-untyped]
from nltk.tokenize.treebank import TreebankWordDetokenizer  # type: ignore[import-untyped]

QUOTES = ("``", "''")
_tokenizer, _detokenizer = NLTKWordTokenizer(), TreebankWordDetokenizer()


def tokenize(sentence: str) -> list[str]:
    """Return the tokens of a sentence."""
    return ['"' if token in QUOTES else token for token in _tokenizer.tokenize(sentence)]


def detokenize(tokens: list[str]) -> str:
    """Return a sentence as people write it."""
    return str(_detokenizer.detokenize(tokens))
