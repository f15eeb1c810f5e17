"""Sentences of a text: where they end, and how several of them are stored in one line.

A document or a summary is one line of its file, so the boundaries between its sentences are marked in the line: `first
sentence ¶ second sentence`. The mark is one character between spaces. Cleaning keeps it, every subword model has it as
a character and usually as a piece of its own, no metric counts it as a word, and it cannot be generated in part.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from seqpre.corpora.normalise import normalise

SENTENCE_BREAK = "¶"

SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”\u2019“»)]*\s+(?=[\"'\u2018„“«(]*[A-ZÄÖÜ0-9])")
ABBREVIATION = re.compile(
    r"(?:\b[^\W\d_]|\b(?:bzw|ca|Chr|co|Dr|etc|evtl|Inc|geb|gest|ggf|Jh|Jr|Mr|Mrs|Ms|Mt|Nr|No|Prof|resp|Sr|St|Str|u|usw|vgl|vs"
    r"|[Jj]ahrh|engl|lat|griech|sog|Ave|Calif|Capt|Col|Corp|Conn|Gen|Gov|Lt|Ltd|Rep|Rev|Sen|Sgt"
    r"|Jan|Feb|Aug|Sept|Oct|Nov|Dec))\.$"
)
ORDINAL = re.compile(r"\b\d{1,2}\.$")
ENDLESS = re.compile(r"&(?=#[0-9]{9})")  # no character has such a number, and Python rejects thousands of digits
LONGEST_ABBREVIATION = 12  # characters; searching the whole sentence would take quadratic time


def split_sentences(paragraph: str, ordinals: bool = False) -> list[str]:
    """Split after sentence-final punctuation before a capital or a digit, except after abbreviations.

    With `ordinals`, as in German, a number of one or two digits does not end a sentence either: am 3. Oktober.
    """
    sentences, start = [], 0
    for match in SENTENCE_END.finditer(paragraph):
        ending = paragraph[max(start, match.start() - LONGEST_ABBREVIATION) : match.end()].strip()
        if ABBREVIATION.search(ending) or (ordinals and ORDINAL.search(ending)):
            continue
        sentences.append(paragraph[start : match.end()].strip())
        start = match.end()
    rest = paragraph[start:].strip()
    return [*sentences, rest] if rest else sentences


def join_sentences(sentences: Iterable[str]) -> str:
    """Return the sentences as one normalised line with marks between them; empty sentences are left out."""
    cleaned = (normalise(sentence.replace(SENTENCE_BREAK, " ")) for sentence in sentences)
    return f" {SENTENCE_BREAK} ".join(filter(None, cleaned))


def sentences_of(line: str) -> list[str]:
    """Return the sentences of a line from `join_sentences` or from a model."""
    return [sentence for part in line.split(SENTENCE_BREAK) if (sentence := part.strip())]


def unescape(text: str) -> str:
    """Return `text` with `&amp;`, `&#38;`, ... resolved; invalid character numbers are left unchanged."""
    return html.unescape(ENDLESS.sub("&amp;", text))
