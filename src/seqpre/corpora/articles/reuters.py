"""Reuters-21578: newswire of 1987, body and title, and bodies without title as unlabelled text.

The pairs are the documents of the "ModApte" split (TOPICS="YES", LEWISSPLIT="TRAIN" or "TEST"); validation is the end
of its training part, in the order of time. All other documents are the unlabelled text; with those of the training part
they are all bodies that a language model may read. What is no news story with a title that follows from it is left out
and counted:

    brief, unprocessed       no body: a flash of one line, or a text that nobody divided
    garbled                  a body with lost characters
    table                    no sentence to begin with: earnings, dividends, rates; their titles name a company that the
                             body does not
    unrelated_title          body and title share no word of four letters
    near_duplicate           nearly in documents that it must not be close to, or nearly one of them inside it (see
                             `seqpre.corpora.grams`): those of the test for validation, of both for training and
                             unlabelled text
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from seqpre.common.errors import ConfigError, DataError
from seqpre.corpora.archives import File
from seqpre.corpora.articles.article import Article, Skipped
from seqpre.corpora.grams import WORD, HeldOut
from seqpre.corpora.sentences import split_sentences, unescape
from seqpre.corpora.treebank import tokenize

UNLABELLED, BODIES = "unlabelled", "bodies"
# Splits to which documents of the split may not be similar.
HELD_OUT = ("valid", "test")
APART_FROM = {"train": HELD_OUT, "valid": ("test",), "test": (), UNLABELLED: HELD_OUT, BODIES: HELD_OUT}
FIRST_OF_VALIDATION = 12_500  # NEWID; after it come about 500 usable documents of the training part
DAMAGED_CHARACTERS = 3
SHORTEST_OPENING = 6  # words

ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
CONTROL = re.compile(r"&#(?:[0-9]|[12][0-9]|3[01]|127);(?:\[B)?|\^M")
TICKER = re.compile(r" ?<[A-Z][A-Z0-9./-]{0,9}>( ?\w)?")
BRACKETS = re.compile(r"<([^<>]*)>")
PARAGRAPH = re.compile(r"\n {3,}")
# On a line of its own, or in capitals; a sentence that ends in "told Reuters." has none. The white space before it
# stays, as looking for where that begins takes squared time.
SIGN_OFF = re.compile(
    r"(?:(?<=\n)[^\S\n]*(?i:reute|reui?e?ter|ruter|reuter|more)|(?<=\n) +Reuters|(?<=\s)REUTERS?)"
    r"(?: [A-Z]|[\d:]+/[A-Z]+)?[\s.]*$"
)
CORRECTION = re.compile(r"^(?:\(?(?:CORRECT(?:ED|ION)|RPT|REPEAT)\)?)?[\s-]+|\s*\(RPT\)$")


@dataclass(frozen=True)
class Story:
    """A cleaned document: paragraphs and title."""

    name: str
    title: str
    paragraphs: tuple[str, ...]

    @property
    def body(self) -> str:
        """All paragraphs."""
        return " ".join(self.paragraphs)


def read_reuters(
    files: Sequence[File], split: str, scratch: Path, of: str = "", tokenized: bool = False
) -> Iterator[Article | Skipped]:
    """Yield the articles of `split`, or of UNLABELLED or BODIES, which have no title, from all files.

    Tokenized articles have spaces between tokens and keep their letter case.
    """
    split = of or split
    if split not in APART_FROM:
        raise ConfigError(f"{files[0].where}: Reuters has no split {split!r}; it has train, valid, test")
    wanted = ("train", UNLABELLED) if split == BODIES else (split,)
    stories = [story for file in files for story in _documents(file)]
    apart = APART_FROM[split]
    held_out = HeldOut(story.body for part, story in stories if isinstance(story, Story) and part in apart)
    for story in (story for part, story in stories if part in wanted):
        if isinstance(story, Skipped):
            yield story
        elif held_out.is_near(story.body):
            yield Skipped("near_duplicate", story.name, f"{story.title}: {story.paragraphs[0]}")
        else:
            document = [sentence for paragraph in story.paragraphs for sentence in split_sentences(paragraph)]
            if tokenized:
                document = [" ".join(tokenize(sentence)) for sentence in document]
            yield Article(document, [] if of else [story.title], story.name, cased=tokenized)


def _documents(file: File) -> Iterator[tuple[str, Story | Skipped]]:
    """Yield every document of a file with its split."""
    text = re.sub("\r\n?", "\n", file.whole().decode("latin-1"))
    *documents, rest = text.split("</REUTERS>")
    begun = text.count("<REUTERS ")
    # The document type precedes the first one; nothing is between them.
    if not documents or begun != len(documents) or rest.strip() or any("<REUTERS " not in each for each in documents):
        raise DataError(
            f"{file.where}: truncated or damaged ({begun:,} documents begin, {len(documents):,} end);"
            " delete it and download it again"
        )
    for count, document in enumerate(documents, start=1):
        between, _, rest = document.partition("<REUTERS ")
        opening, _, content = rest.partition(">")
        attributes = dict(ATTRIBUTE.findall(opening))
        try:
            if between.strip() and count > 1:
                raise ValueError(f"{between.strip()[:60]!r} stands before it")
            number = int(attributes["NEWID"])
            yield _split_of(attributes, number), _document(f"NEWID {number}", content)
        except (KeyError, ValueError) as error:
            raise DataError(
                f"{file.where}, document {count:,}: damaged ({error!r}); delete it and download it again"
            ) from error


def _document(name: str, content: str) -> Story | Skipped:
    """Return one document. Raises ValueError if an element is not closed."""
    title, raw = _element(content, "TITLE"), _element(content, "BODY")
    if raw is None:
        return Skipped("unprocessed" if 'TYPE="UNPROC"' in content else "brief", name, title or "")
    title = CORRECTION.sub("", _tidy(title or ""))
    body = SIGN_OFF.sub("", CONTROL.sub("", raw).rstrip())
    paragraphs = tuple(filter(None, map(_tidy, PARAGRAPH.split(body))))
    reason = _why_unusable(title, paragraphs, raw)
    if reason:
        return Skipped(reason, name, f"{title}: {' / '.join(paragraphs)}")
    return Story(name, title, paragraphs)


def _split_of(attributes: dict[str, str], number: int) -> str:
    """Return the split of a document. Raises KeyError if an attribute is missing."""
    if attributes["TOPICS"] != "YES" or attributes["LEWISSPLIT"] not in ("TRAIN", "TEST"):
        return UNLABELLED
    if attributes["LEWISSPLIT"] == "TEST":
        return "test"
    return "train" if number < FIRST_OF_VALIDATION else "valid"


def _element(content: str, tag: str) -> str | None:
    _, begin, rest = content.partition(f"<{tag}>")
    text, end, _ = rest.partition(f"</{tag}>")
    if begin and not end:
        raise ValueError(f"<{tag}> does not end")
    return text if begin else None


def _tidy(text: str) -> str:
    """Return text as one line, without control characters, ticker symbols, and brackets around unlisted companies."""
    line = " ".join(unescape(CONTROL.sub("", text)).split())
    words = TICKER.sub(lambda found: f" {found[1].strip()}" if found[1] else "", line)
    return " ".join(BRACKETS.sub(r"\1", words).split())


def _why_unusable(title: str, paragraphs: tuple[str, ...], raw: str) -> str:
    if raw.count("&#127;") >= DAMAGED_CHARACTERS:
        return "garbled"
    opening = paragraphs[0] if paragraphs else ""
    if not opening.endswith((".", "!", "?", '"', "'")) or opening.count(" ") + 1 < SHORTEST_OPENING:
        return "table"
    shared = _long_words(title) & _long_words(" ".join(paragraphs))
    return "" if shared else "unrelated_title"


def _long_words(text: str) -> set[str]:
    return {word for word in WORD.findall(text.lower()) if len(word) > 3}
