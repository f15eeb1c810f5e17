"""Plain sentences from a Wikipedia dump (MediaWiki XML), good enough for training language models."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from io import BufferedIOBase
from typing import IO
from xml.etree import ElementTree

from seqpre.corpora.sentences import split_sentences
from seqpre.errors import DataError

# Innermost first: each pass removes templates and tables that contain no other ones.
TEMPLATE = re.compile(r"\{\{[^{}]*\}\}|\{\|(?:(?!\{\||\|\}).)*\|\}", re.DOTALL)
REMOVED = re.compile(
    r"<!--.*?-->"
    r"|<(ref|math|gallery|timeline|code|source|syntaxhighlight|score|table)\b(?:[^>]*[^>/])?>.*?</\1\s*>"
    r"|</?[a-z][^<>]*>|__[A-Z]+__",
    re.DOTALL | re.IGNORECASE,
)
MEDIA = re.compile(
    r"\[\[\s*(?:File|Image|Media|Category|Datei|Bild|Kategorie)\s*:"
    r"(?:[^\[\]]++|\[\[[^\[\]]*\]\]|\[[^\[\]]*\])*+\]\]",
    re.IGNORECASE,
)
LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
ADDRESS = re.compile(r"\[(?:https?:|//)\S*\s*([^\]]*)\]")
QUOTES = re.compile(r"'{2,}")
MARKUP_LEFT = re.compile(r"[{}\[\]|<>]")
MIN_WORDS = 3


def read_articles(stream: IO[bytes] | BufferedIOBase, where: str) -> Iterator[str]:
    """Yield the sentences of all articles (namespace 0, no redirects) of an XML dump, one page in memory at a time.

    Raises DataError, which says `where` the stream comes from, if the dump is cut off or no XML.
    """
    # Unstated: how the paper cut Wikipedia into sentences. Simple rules suffice for an ablation's language model.
    try:
        namespace, redirect, text = "", False, ""
        context = ElementTree.iterparse(stream, events=("start", "end"))
        _, root = next(context)
        for event, element in context:
            tag = element.tag.rpartition("}")[2]
            if event != "end":
                continue
            if tag == "ns":
                namespace = element.text or ""
            elif tag == "redirect":
                redirect = True
            elif tag == "text":
                text = element.text or ""
            elif tag == "page":
                if namespace == "0" and not redirect:
                    yield from article_sentences(text)
                redirect = False
                root.clear()
    except (ElementTree.ParseError, StopIteration) as error:
        raise DataError(
            f"{where}: not a whole MediaWiki XML dump ({error}); delete it and download it again"
        ) from error


def article_sentences(markup: str) -> Iterator[str]:
    """Yield the sentences of one article's running text; headings, lists, tables and captions are left out."""
    for paragraph in map(str.strip, plain_text(markup).split("\n")):
        if not paragraph or paragraph[0] in "=*#:;|!{}[":
            continue
        for sentence in split_sentences(paragraph, ordinals=True):
            whole = len(sentence.split()) >= MIN_WORDS and sentence[-1] in '.!?"”“»)'
            if whole and not MARKUP_LEFT.search(sentence):
                yield sentence


def plain_text(markup: str) -> str:
    """Remove wiki markup, keeping the visible words."""
    # Dumps escape HTML twice: once for XML, once in the article's own entities.
    text = REMOVED.sub("", html.unescape(markup))
    previous = None
    while previous != text:
        previous = text
        text = TEMPLATE.sub("", text)
    text = MEDIA.sub("", text)
    text = LINK.sub(r"\1", text)
    return QUOTES.sub("", ADDRESS.sub(r"\1", text))
