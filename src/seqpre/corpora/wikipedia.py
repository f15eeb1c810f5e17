"""Plain text from a Wikipedia dump (MediaWiki XML), good enough for pretraining."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from xml.etree import ElementTree

from seqpre.common.errors import DataError
from seqpre.common.files import Stream
from seqpre.corpora.archives import File
from seqpre.corpora.sentences import split_sentences, unescape
from seqpre.corpora.treebank import tokenize

LONGEST_PAGE = 1 << 26  # bytes of XML; MediaWiki's longest pages have 2 MiB
REMOVED = re.compile(
    r"(?P<comment><!--)"
    r"|<(?P<name>ref|math|gallery|timeline|code|source|syntaxhighlight|score|table)\b(?:[^<>]*[^<>/])?>"
    r"|</?[a-z][^<>]*>|__[A-Z]+__",
    re.IGNORECASE,
)
BRACES = re.compile(r"\{[{|]|\|\}|\}\}")
MEDIA = re.compile(
    r"\[\[\s*(?:File|Image|Media|Category|Datei|Bild|Kategorie)\s*:"
    r"(?:[^\[\]]++|\[\[[^\[\]]*\]\]|\[[^\[\]]*\])*+\]\]",
    re.IGNORECASE,
)
LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
ADDRESS = re.compile(r"\[(?:https?:|//)[^\s\[\]]*+\s*+([^\[\]]*+)\]")
QUOTES = re.compile(r"'{2,}")
MARKUP_LEFT = re.compile(r"[{}\[\]|<>]")
MIN_WORDS = 3


def read_articles(file: File) -> Iterator[list[str]]:
    """Yield the paragraphs, split into sentences, of all articles (namespace 0, no redirects) in an XML dump.

    One page is in memory at a time. Raises DataError if the dump is truncated or not XML.
    """
    # Unstated: how Ramachandran et al. cut Wikipedia into sentences. By simple rules.
    # Differs: from PoDA's Wikipedia, sentences of fewer than three words, unfinished sentences, headings and lists are
    # left out; the paper leaves out only whole paragraphs.
    with file.open() as stream:
        for page in _pages(_Measured(stream, file.where)):
            found = {element.tag.rpartition("}")[2]: element for element in page.iter()}
            if "ns" not in found:
                raise DataError(f"{file.where}: a page without <ns>, the mark of an article; use a newer dump")
            if found["ns"].text == "0" and "redirect" not in found and "text" in found:
                yield from article_paragraphs("".join(found["text"].itertext()))


def read_sentences(file: File) -> Iterator[str]:
    """Yield the sentences of all articles."""
    return chain.from_iterable(read_articles(file))


def read_paragraphs(file: File) -> Iterator[str]:
    """Yield the paragraphs of all articles, tokenized."""
    return (" ".join(chain.from_iterable(map(tokenize, paragraph))) for paragraph in read_articles(file))


class _Measured:
    """A stream that stops if no page ends for too long: everything since would be kept in memory."""

    def __init__(self, stream: Stream, where: str) -> None:
        self.stream, self.where, self.length = stream, where, 0

    def read(self, size: int = -1, /) -> bytes:
        """Return some bytes. Raises DataError if too many have been read since `length` was set to 0."""
        block = self.stream.read(size)
        self.length += len(block)
        if self.length > LONGEST_PAGE:
            raise DataError(f"{self.where}: no page ends within {LONGEST_PAGE:,} bytes; this is no MediaWiki XML dump")
        return block


def _pages(stream: _Measured) -> Iterator[ElementTree.Element]:
    """Yield the <page> elements of a dump."""
    try:
        context = ElementTree.iterparse(stream, events=("start", "end"))
        _, root = next(context)
        for event, element in context:
            if event == "end" and element.tag.rpartition("}")[2] == "page":
                yield element
                root.clear()
                stream.length = 0
    except DataError:
        raise
    except (ElementTree.ParseError, StopIteration, LookupError, ValueError) as error:  # of an encoding
        raise DataError(
            f"{stream.where}: not a whole MediaWiki XML dump ({error}); delete it and download it again"
        ) from error


def article_paragraphs(markup: str) -> Iterator[list[str]]:
    """Yield the sentences of each paragraph of running text, without headings, lists, tables and captions."""
    for paragraph in map(str.strip, plain_text(markup).split("\n")):
        if paragraph and paragraph[0] not in "=*#:;|!{}[":
            sentences = list(filter(_whole, split_sentences(paragraph, ordinals=True)))
            if sentences:
                yield sentences


def _whole(sentence: str) -> bool:
    ended = len(sentence.split()) >= MIN_WORDS and sentence[-1] in '.!?"”“»)'
    return ended and not MARKUP_LEFT.search(sentence)


def plain_text(markup: str) -> str:
    """Return text without wiki markup, keeping the visible words."""
    # Dumps escape HTML twice: once for XML, once in the article itself.
    text = _without_templates(_without_tags(unescape(markup)))
    text = MEDIA.sub("", text)
    text = LINK.sub(r"\1", text)
    return QUOTES.sub("", ADDRESS.sub(r"\1", text))


def _without_tags(text: str) -> str:
    """Remove comments, tags, and the content of tags without running text; linear in the text's length."""
    kept, at = [], 0
    unclosed: set[str] = set()  # end tags that were not found are not searched again
    while opening := REMOVED.search(text, at):
        kept.append(text[at : opening.start()])
        at = opening.end()
        name = "--" if opening["comment"] else (opening["name"] or "").lower()
        if name and name not in unclosed:
            closing = re.compile("-->" if name == "--" else rf"</{name}\s*>", re.IGNORECASE).search(text, at)
            if closing:
                at = closing.end()
                continue
            unclosed.add(name)
        if opening["comment"]:
            kept.append(opening[0])
    return "".join([*kept, text[at:]])


def _without_templates(text: str) -> str:
    """Remove {{templates}} and {|tables|}, also nested ones; unclosed ones stay. Linear in the text's length."""
    opened: list[int] = []
    removed: list[tuple[int, int]] = []
    tables, at = 0, 0
    while brace := BRACES.search(text, at):
        start, at = brace.span()
        if brace[0] in ("{{", "{|"):
            opened.append(start)
            tables += brace[0] == "{|"
            continue
        in_template = bool(opened) and text.startswith("{{", opened[-1])
        if brace[0] == "|}" and in_template and text.startswith("}", at):
            at = start + 1  # The bar belongs to the template, as in {{name|}}.
            continue
        if brace[0] == "|}" and tables:
            while text.startswith("{{", opened[-1]):  # Templates that are still open end with the table.
                opened.pop()
            tables -= 1
        elif brace[0] == "|}" or not in_template:
            continue
        begin = opened.pop()
        while removed and removed[-1][0] > begin:
            removed.pop()
        removed.append((begin, at))
    edges = [0, *(edge for span in removed for edge in span), len(text)]
    return "".join(text[begin:end] for begin, end in zip(edges[::2], edges[1::2], strict=True))
