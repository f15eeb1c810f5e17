"""English tokens as NLTK's Treebank tokenizer makes them, and detokenized text.

PoDA (Wang et al., 2019), Section 3.3: "we use NLTK to tokenize sentences". A line is one sentence; nothing is
downloaded. Quotation marks stay as typed, " instead of `` and ''.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

# Unstated: how quotation marks of tokenized English are written. As typed and as in CoNLL-2014 ("), not as the
# tokenizer writes them (two backquotes, two apostrophes).
QUOTES = ("``", "''")


@cache
def _tokenizer() -> Any:
    from nltk.tokenize.destructive import NLTKWordTokenizer  # type: ignore[import-untyped]  # takes a second

    return NLTKWordTokenizer()


def tokenize(sentence: str) -> list[str]:
    """Return the tokens of a sentence."""
    return ['"' if token in QUOTES else token for token in _tokenizer().tokenize(sentence)]


CLOSING = {".", ",", ";", ":", "!", "?", ")", "]", "}", "%", "...", "n't", "'s", "'m", "'d", "'re", "'ve", "'ll", "'"}
OPENING = {"(", "[", "{", "$", "#"}
SPLIT = {("can", "not"), ("gon", "na"), ("got", "ta"), ("wan", "na"), ("gim", "me"), ("lem", "me"), ("more", "'n"),
         ("d", "'ye")}  # fmt: skip
"""Words that the tokenizer splits in two. As in NLTK's detokenizer they are joined again, also `can not`."""


def separators(tokens: Sequence[str]) -> list[str]:
    """Return the separator before each token in detokenized text: a space or nothing. Quotation marks come in pairs."""
    before, inside, last = list[str](), False, ""
    glued = True  # no space before the first token
    for token in tokens:
        quote = token == '"'
        closes = token.lower() in CLOSING or (last, token.lower()) in SPLIT or (quote and inside)
        before.append("" if glued or closes else " ")
        glued = token in OPENING or (quote and not inside)
        inside ^= quote
        last = token.lower()
    return before


def detokenize(tokens: Sequence[str]) -> str:
    """Return detokenized text."""
    return "".join(map("".join, zip(separators(tokens), tokens, strict=True)))
